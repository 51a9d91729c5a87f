"""Differences from the peer that are meant: which calls, why, and where a user can read it.

A row is narrow: it names the error's words or the rows, and `words` stand on its page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arguments import (
    FLOATS,
    SIGNED,
    UNSIGNED,
    Array,
    Call,
    Dtype,
    NumpyArray,
    PythonType,
    viewed,
    viewed_shape,
)
from .comparison import Difference

Applies = Callable[[Call, Difference, str], bool]


@dataclass(frozen=True)
class Documented:
    """One difference: `applies` looks at the call, at what was found and at the device."""

    name: str
    words: str  # of the page, which says it to users
    page: str
    applies: Applies


def accepts(pattern: str, rows: str = "") -> Applies:
    """The peer's error has these words: it refuses what gpukit takes (or refuses for another reason)."""
    words, names = re.compile(pattern), re.compile(rows)
    return lambda call, found, device: bool(
        "error" in found.what
        and device == "cpu"
        and words.search(found.theirs)
        and names.search(call.row)
    )


def refuses(pattern: str, rows: str = "", theirs: str = "") -> Applies:
    """gpukit's error has these words; the peer answers, or has another error."""
    words, names, other = re.compile(pattern), re.compile(rows), re.compile(theirs)
    return lambda call, found, _: bool(
        "error" in found.what
        and words.search(found.mine)
        and names.search(call.row)
        and other.search(found.theirs)
    )


def last(call: Call) -> str:
    """The row's name without form and modules."""
    return call.row.rpartition(" ")[2].rpartition(".")[2]


def seen(names: str, what: str = "", mine: str = "", theirs: str = "", when: Any = None) -> Applies:
    """Rows of these names (all, if none), where the difference is of this kind."""
    every = set(names.split())
    return lambda call, found, _: bool(
        (not every or last(call) in every)
        and re.search(what, found.what)
        and re.search(mine, found.mine)
        and re.search(theirs, found.theirs)
        and (when is None or when(call))
    )


def _values(call: Call) -> list[np.ndarray]:
    found = [array.data.astype(np.float64).ravel() for array in call.arrays() if array.data.size]
    found += [
        np.nan_to_num(np.asarray(value.data, np.float64).ravel(), nan=np.inf)
        for value in _plain(call)
        if isinstance(value, NumpyArray) and value.data.size
    ]
    numbers = [value for value in _plain(call) if isinstance(value, int | float | np.number)]
    return [*found, np.array([float(value) for value in numbers])] if numbers else found


def _plain(call: Call) -> list[Any]:
    return [*call.arguments, *call.keywords.values()]


def has_nan(call: Call) -> bool:
    """A NaN is among the values."""
    return any(np.isnan(values).any() for values in _values(call))


def has_edges(call: Call) -> bool:
    """NaN, an infinity, or a number near an end of a dtype's range is among the values."""
    for values in _values(call):
        size = np.abs(values)
        with np.errstate(invalid="ignore"):
            if (~np.isfinite(size) | (size > 1e9) | ((size > 0) & (size < 1e-6))).any():
                return True
    return False


def has_zero(call: Call) -> bool:
    """A zero is among the values."""
    return any((values == 0).any() for values in _values(call))


def has_empty(call: Call) -> bool:
    """A tensor has no elements."""
    return any(0 in viewed_shape(array) for array in call.arrays())


def selects_nothing(call: Call) -> bool:
    """The key of square brackets leaves no elements: slices, masks and sizes alone say so."""
    if call.form not in {"get", "set"} or has_empty(call):
        return call.form in {"get", "set"}
    whole = viewed(call.arguments[0])

    def inside(part: Any) -> Any:
        if isinstance(part, Array):
            values = viewed(part)
            return values if part.dtype == "bool" else np.zeros(values.shape, np.int64)
        if isinstance(part, NumpyArray):
            return part.data if part.data.dtype == bool else np.zeros(part.data.shape, np.int64)
        if isinstance(part, list):
            return np.zeros(np.shape(part), np.int64)
        return 0 if isinstance(part, int | np.integer) and not isinstance(part, bool) else part

    key = call.arguments[1]
    try:
        return bool(
            whole[tuple(map(inside, key)) if isinstance(key, tuple) else inside(key)].size == 0
        )
    except (IndexError, ValueError):
        return False


def unfit_element(call: Call) -> bool:
    """A whole number, or a tensor of one, is beyond the range of another tensor's dtype."""
    whole = [array for array in call.arrays() if "int" in array.dtype and array.data.size]
    return unfit_number(call) or any(
        int(value) < np.iinfo(other.dtype).min or int(value) > np.iinfo(other.dtype).max
        for array in whole
        if viewed_shape(array) == ()
        for value in (array.data.min(), array.data.max())
        for other in whole
    )


def halves_beside_one(call: Call) -> bool:
    """A tensor of one element of another dtype stands beside a half type."""
    arrays = call.arrays()
    half = any(array.dtype in {"float16", "bfloat16"} for array in arrays)
    others = [array for array in arrays if array.dtype not in {"float16", "bfloat16"}]
    return half and any(np.prod(viewed_shape(array)) == 1 for array in others)


def beyond_halves(call: Call) -> bool:
    """A number that float16 does not hold stands beside half types."""
    numbers = [value for value in _plain(call) if isinstance(value, int | float)]
    return has("float16")(call) and any(abs(value) > 65504 for value in numbers)


def corrected(call: Call) -> bool:
    """A correction of 2 or more, or of one more than some dimension has elements."""
    given = call.keywords.get("correction", 1)
    return isinstance(given, int | float) and given >= 2


def no_dims(call: Call) -> bool:
    """An empty tuple or list of dimensions is given."""
    return any(isinstance(value, tuple | list) and not value for value in _plain(call))


def unfit_number(call: Call) -> bool:
    """A whole number beyond the range of the tensor's dtype is among the arguments."""
    ranges = [np.iinfo(array.dtype) for array in call.arrays() if "int" in array.dtype]
    return any(
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and not info.min <= value <= info.max
        for value in _plain(call)
        for info in ranges
    )


def has(*names: str) -> Callable[[Call], bool]:
    """A tensor or a dtype argument of one of these dtypes."""

    def check(call: Call) -> bool:
        dtypes = {array.dtype for array in call.arrays()}
        dtypes |= {value.name for value in _plain(call) if isinstance(value, Dtype)}
        return bool(dtypes & set(names))

    return check


def numpy_bool(call: Call) -> bool:
    """A bool of NumPy's is among the arguments."""
    return any(isinstance(value, np.bool_) for value in _plain(call))


def to_whole(call: Call) -> bool:
    """The result's dtype is a whole number's while a tensor or number is not one."""
    wanted = [value for value in _plain(call) if isinstance(value, Dtype | PythonType)]
    whole = any(
        value.kind is int if isinstance(value, PythonType) else "int" in value.name
        for value in wanted
    )
    out = call.keywords.get("out")
    into_whole = isinstance(out, Array) and "int" in out.dtype
    return whole or into_whole or last(call) in WRITES


WRITES = {"int", "long", "type_as", "copy_", "new_tensor", "__setitem__", "__int__"}


LIMITS = "docs/limits.md"
TENSORS = "docs/tensors.md"
NETWORK = "nn.functional"

TABLE: tuple[Documented, ...] = (
    Documented(
        "no kernel in torch",
        "has every function for every dtype",
        LIMITS,
        accepts(
            r"not implemented for|not support bool|Unsupported input type|Promotion for uint16|unsupported ScalarType"
            r"|on a bool tensor is not supported|does not support non-boolean outputs|does not support bool"
        ),
    ),
    Documented(
        "forms of the call",
        "also takes the array API's and NumPy's forms",
        LIMITS,
        accepts(
            r"(invalid combination of arguments|missing \d required positional|takes from \d to"
            r"|takes \d positional|unexpected keyword|must be int, not (tuple|list|NoneType)"
            r"|must be Tensor, not (int|float|bool|torch\.dtype|numpy)|can't assign a numpy|only accepts 1 argument)"
            r"|only supports Tensor or scalar|only supports bool tensor for result|invalid type: '(int|float|bool)'|view size is not compatible|cannot compute the .* norm on"
        ),
    ),
    Documented(
        "mixed dtypes",
        "where torch wants equal dtypes",
        LIMITS,
        accepts(
            r"to be equal to src\.dtype|did not match|must have the same (scalar type|dtype)|expected m1 and m2|same dtype|same type"
            r"|Index put requires|result type \w+ can't be cast|expected scalar.type|xpected .* dtype"
            r"|both inputs to have same dtype|result dtype \w+ does not match|Found dtype \w+ but expected"
        ),
    ),
    Documented(
        "dtypes of indices and of out",
        "indices of any integer dtype",
        LIMITS,
        accepts(
            r"int32/int64|int64 or int32|int32 or int64|a long tensor|Long or Byte|must be long, int, byte|should be Long"
            r"|Expected out (type|tensor)|output tensor's dtype is wrong|expected target dtype|type to be Long"
        ),
    ),
    Documented(
        "norms of whole numbers",
        "`vecdot` of whole numbers",
        LIMITS,
        accepts(r"Expected a floating point|without narrowing", "vecdot|norm"),
    ),
    Documented(
        "gradients that torch lacks",
        "Weights of losses receive gradients",
        LIMITS,
        accepts(
            r"not differentiable with respect to|derivative for .* is not implemented|Autograd not support dtype"
        ),
    ),
    Documented(
        "eight dimensions",
        "at most 8 dimensions",
        LIMITS,
        refuses(r"at most \d+ (dimensions|are possible)"),
    ),
    Documented(
        "views with two owners",
        "A view cannot be changed in place while operations are recorded",
        LIMITS,
        refuses(r"X is a view, and the tensor it is a view of would not"),
    ),
    Documented(
        "devices",
        "Data never move on their own",
        LIMITS,
        lambda call, found, device: (
            device != "cpu"
            and (
                last(call) in {"numpy", "get_device", "is_cuda", "is_cpu", "device", "__format__"}
                or "never moves data silently" in found.mine
            )
        ),
    ),
    Documented(
        "negative steps",
        "may step backwards",
        LIMITS,
        accepts("step must be greater than zero", "etitem"),
    ),
    Documented(
        "whole numbers divided by zero",
        "whole number divided by 0",
        LIMITS,
        accepts("ZeroDivisionError"),
    ),
    Documented(
        "comparisons with numbers that do not fit",
        "compared by value",
        LIMITS,
        seen(
            "eq ne lt le gt ge equal not_equal less less_equal greater greater_equal isin __contains__",
            "value|result",
            when=unfit_element,
        ),
    ),
    Documented(
        "membership of numbers that do not fit",
        "also in `isin`",
        LIMITS,
        lambda call, found, device: bool(
            (
                any(isinstance(value, int | float | np.number) for value in call.arguments)
                or len({array.dtype for array in call.arrays()}) > 1
            )
            and has_edges(call)
            and seen("isin", "value")(call, found, device)
        ),
    ),
    Documented(
        "bools of NumPy",
        "NumPy's bools count as bools",
        LIMITS,
        lambda call, found, device: bool(
            seen("", "dtype|value|result", when=numpy_bool)(call, found, device)
            or (numpy_bool(call) and refuses("alpha is|not defined for bool")(call, found, device))
        ),
    ),
    Documented(
        "truth of bytes",
        "`any` and `all` give bool",
        LIMITS,
        seen("any all", "dtype", "bool", "uint8"),
    ),
    Documented(
        "truth into bytes",
        "truth of the values themselves",
        LIMITS,
        lambda call, found, device: bool(
            isinstance(call.keywords.get("out"), Array)
            and call.keywords["out"].dtype == "uint8"
            and seen("any all", "value|argument")(call, found, device)
        ),
    ),
    Documented("sign of NaN", "`sign` of NaN is NaN", LIMITS, seen("sign", "value", "nan")),
    Documented(
        "sign bit of NaN", "sign bit of a NaN", LIMITS, seen("signbit copysign", when=has_nan)
    ),
    Documented(
        "conversion out of range",
        "does not fit the whole number it is converted to",
        LIMITS,
        seen("", "value|argument", when=lambda call: to_whole(call) and has_edges(call)),
    ),
    Documented(
        "gradients at the edges",
        "at NaN, at infinities and near the ends",
        LIMITS,
        lambda call, found, _: (
            "gradient" in found.what
            and "error" not in found.what
            and NETWORK not in call.name
            and has_edges(call)
        ),
    ),
    Documented(
        "gradients over no dimensions",
        "an empty tuple of dimensions",
        LIMITS,
        seen("var std", "gradient", when=no_dims),
    ),
    Documented(
        "pieces that gpukit lacks",
        "`clamp` takes numbers as bounds, not tensors",
        LIMITS,
        refuses(
            r"clamp|clip|view: (shape must be ints, got|there is no argument 'dtype')|no argument 'decimals'|type: dtype is missing",
            r"clamp|clip|view|round_|type",
        ),
    ),
    Documented(
        "products of bools",
        "products of bools",
        LIMITS,
        refuses(
            r"not defined for bool|Use a whole number|softmax: dtype is|linspace: dtype bool|expected same dtype, but X is",
            "mm|matmul|addmm|softmax|linspace|mv|dot|outer|einsum",
        ),
    ),
    Documented(
        "bools as numbers",
        "a bool where a number is meant",
        LIMITS,
        refuses(
            r"must be a number, got (True|False)|does not fit into (u?int64|int)\b|does not fit into (int|uint)64"
        ),
    ),
    Documented(
        "uint8 as a mask",
        "masks, conditions and class numbers of `uint8`",
        LIMITS,
        refuses(
            r"condition must be bool, got uint8|(target|input) is gpukit\.|target is uint8|mask (must|is)|not an integer type|need the same number of dimensions",
        ),
    ),
    Documented(
        "indices and empty results",
        "out of range also where the result is empty",
        LIMITS,
        lambda call, found, device: (
            found.theirs == "no error"
            and refuses(r"is out of range for|out is \(|do not broadcast|weights are")(
                call, found, device
            )
            and (has_empty(call) or selects_nothing(call) or "out is (0,)" in found.mine)
        ),
    ),
    Documented(
        "small shapes",
        "`.mT` of fewer than two dimensions",
        LIMITS,
        refuses(
            r"mT: the tensor is|0-d tensor has no dimension|dimensions \d+ and \d+ differ",
            "mT|index_add|tensordot",
        ),
    ),
    Documented(
        "negative powers and empty medians",
        "whole numbers to a negative power",
        LIMITS,
        refuses("negative integer powers|there are no elements along dim", "pow|median"),
    ),
    Documented(
        "indices from the end",
        "Indices count from the end in `gather`",
        LIMITS,
        accepts(
            r"index -\d+ is out of bounds|out of (DATA )?bounds|index out of range in self|Index to scalar can have only 1 value",
            "gather|scatter|select|take|index_add|embedding",
        ),
    ),
    Documented(
        "numbers of floats and half types",
        "`x[i] = 2**63` of floats",
        LIMITS,
        lambda call, found, device: (
            accepts("Overflow when unpacking", "etitem")(call, found, device)
            or accepts("value cannot be converted", "etitem|add|sub")(call, found, device)
        ),
    ),
    Documented(
        "dtypes of the standard",
        "takes the dtypes that the standard names",
        LIMITS,
        refuses("is bool; numeric is needed|one -1; got -", "searchsorted|array_api.reshape"),
    ),
    Documented(
        "softmax of nothing",
        "of an empty integer tensor are floating",
        LIMITS,
        seen("softmax log_softmax", "dtype", when=has_empty),
    ),
    Documented(
        "parts of several dtypes",
        "`cat` and `stack` of several dtypes",
        LIMITS,
        seen(
            "cat concat concatenate stack",
            "value|argument",
            when=lambda call: (
                "out" in call.keywords and len({array.dtype for array in call.arrays()}) > 1
            ),
        ),
    ),
    Documented(
        "memory beside a tensor",
        "reads memory beside an expanded tensor",
        LIMITS,
        seen(
            "median",
            "value",
            when=lambda call: any("expand" in view for a in call.arrays() for view in a.views),
        ),
    ),
    Documented(
        "powers of negative zero",
        "`pow(-0.0, -0.5)` inf as in C",
        LIMITS,
        seen("pow pow_ ipow", "gradient.* at", "^-?inf$", "^-?inf$"),
    ),
    Documented(
        "elu at NaN",
        "that of `elu` is NaN at NaN",
        LIMITS,
        seen("elu", "gradient", "nan", when=has_nan),
    ),
    Documented(
        "nearly equal numbers",
        "of `layer_norm` lose digits in both",
        LIMITS,
        lambda call, found, _: (
            seen("layer_norm", "gradient.* at")(call, found, _)
            and np.isclose(float(found.mine), float(found.theirs), rtol=5e-3, atol=5e-3)
        ),
    ),
    Documented(
        "products that overflow",
        "as in `prod` and `cumprod` of which torch divides",
        LIMITS,
        seen("cumprod prod", "gradient.* at"),
    ),
    Documented(
        "rows that do not count",
        "`cross_entropy` does not count have a gradient of zeros",
        LIMITS,
        lambda call, found, _: (
            last(call) == "cross_entropy"
            and has_edges(call)
            and found.theirs in {"nan", "inf", "-inf"}
            and ("gradient" in found.what or "label_smoothing" in call.keywords)
        ),
    ),
    Documented(
        "wrong padding",
        "A wrong `padding_idx` is a `ValueError`",
        LIMITS,
        refuses("padding_idx is", "embedding", "Padding_idx"),
    ),
    Documented(
        "norms over many dimensions",
        "take None for their defaults",
        LIMITS,
        accepts(
            r"must be Number, not NoneType|dim must be a 2-tuple|ignore_index is not supported for floating|output with shape",
            "",
        ),
    ),
    Documented(
        "vector code of torch",
        "torch's vector code gives NaN there",
        LIMITS,
        lambda call, found, device: bool(
            seen("pow pow_ ipow layer_norm", "value|argument", theirs="nan|-inf")(
                call, found, device
            )
            or seen("pow pow_ ipow", "value|argument", r"^1\.0$", r"^(0\.0|inf)$", has_edges)(
                call, found, device
            )
        ),
    ),
    Documented(
        "numbers that do not fit",
        "cannot hold: -1 in `uint8`",
        LIMITS,
        refuses(
            r"does not fit into (int8|int16|int32|float16|bfloat16|float32|uint8|uint16|uint32)|holds .* which does not fit"
        ),
    ),
    Documented(
        "bools in differences",
        "a bool tensor is subtracted from a tensor of another dtype",
        LIMITS,
        accepts(r"the `-` operator, with a bool tensor"),
    ),
    Documented(
        "unsigned bounds",
        "a bound of `clamp` below 0",
        LIMITS,
        lambda call, found, device: (
            unfit_number(call)
            and seen("clamp clip clamp_ clip_", "value|argument|error")(call, found, device)
        ),
    ),
    Documented(
        "zeros of both signs",
        "among zeros of both signs",
        LIMITS,
        seen("max min amax amin maximum minimum", "value", r"^-?0\.0$", r"^-?0\.0$"),
    ),
    Documented(
        "gradients of nothing",
        "A tensor without elements and a norm of order 0",
        LIMITS,
        seen(
            "",
            r"^gradient \d+$",
            "none|one",
            "one|none",
            when=lambda call: has_empty(call) or "norm" in call.row,
        ),
    ),
    Documented(
        "sums of uint64",
        "those of `uint64` in `uint64`",
        TENSORS,
        seen("sum prod cumsum cumprod einsum", "dtype", "uint64", "int64"),
    ),
    Documented(
        "the whole as a view",
        "may return the tensor itself",
        LIMITS,
        seen(
            "broadcast_tensors einsum ravel reshape dropout flatten expand_as broadcast_to diff",
            "argument itself",
        ),
    ),
    Documented(
        "strides of nothing",
        "without elements",
        LIMITS,
        seen("stride storage_offset", "result", when=has_empty),
    ),
    Documented(
        "uint8 as an index",
        "An index of `uint8` holds places",
        LIMITS,
        lambda call, found, _: (
            call.form in {"get", "set"}
            and any(array.is_index and array.dtype == "uint8" for array in call.arrays())
        ),
    ),
    Documented(
        "exact remainders",
        "`remainder` is exact",
        LIMITS,
        seen(
            "remainder remainder_ mod imod floor_divide floordiv floor_divide_ ifloordiv",
            "value|argument",
            when=lambda call: has_edges(call) or beyond_halves(call),
        ),
    ),
    Documented(
        "NaNs in unique",
        "every NaN is a value of its own",
        LIMITS,
        seen("unique", "value 1", when=has_nan),
    ),
    Documented(
        "writing to one address",
        "of an expanded tensor",
        LIMITS,
        refuses(r"several elements at one address", "etitem|fill_|zero_"),
    ),
    Documented(
        "linspace of whole numbers",
        "`linspace` of an integer dtype",
        LIMITS,
        seen("linspace", "value", when=to_whole),
    ),
    Documented(
        "einsum of bools",
        "`einsum` of bools",
        LIMITS,
        seen("einsum", "dtype|value", when=has("bool")),
    ),
    Documented(
        "einsum of whole numbers",
        "whose labels are summed alone in int64",
        LIMITS,
        seen("einsum", "dtype", "^u?int64", "^u?int"),
    ),
    Documented(
        "names of dtypes in texts",
        "Texts name gpukit's dtypes",
        LIMITS,
        seen("__format__", "result", "gpukit"),
    ),
    Documented(
        "two faults",
        "the class of the error may be another",
        LIMITS,
        lambda call, found, device: bool(
            (
                found.what == "error"
                and re.match(r"\w+: \w+", found.mine)
                and re.search(
                    r"to have non-zero size|start out of range|step cannot be zero|int too big to convert|tensor has no dimensions"
                    r"|Dimension out of range|too many indices",
                    found.theirs,
                )
            )
            # a GPU looks at places later than at shapes
            or (device != "cpu" and "ShapeError" in found.mine and "BoundsError" in found.theirs)
        ),
    ),
    Documented(
        "sizes of the array API",
        "`reshape` takes one -1",
        LIMITS,
        lambda call, found, device: (
            call.library == "numpy"
            and refuses("one -1; got|diff: dim", "reshape|diff")(call, found, device)
        ),
    ),
    Documented(
        "out where gradients are recorded",
        "`out=` where gradients are recorded",
        LIMITS,
        refuses("out= cannot be used where gradients"),
    ),
    Documented(
        "differences of nothing",
        "`diff` of an empty dimension",
        LIMITS,
        accepts("start out of range", "diff"),
    ),
    Documented(
        "dimensions of vectors",
        "a dimension of `vecdot` of vectors",
        LIMITS,
        refuses("vecdot: dim .* is out of range", "vecdot", "no error"),
    ),
    Documented(
        "indices on a GPU and empty results",
        "on a GPU nothing reads then",
        LIMITS,
        lambda call, found, device: bool(
            device != "cpu"
            and found.mine == "no error"
            and "is out of range for" in found.theirs
            and (has_empty(call) or selects_nothing(call))
        ),
    ),
    Documented(
        "vectors of one element",
        "`vecdot` of vectors of which one has one element",
        LIMITS,
        accepts("inconsistent tensor size", "vecdot"),
    ),
    Documented(
        "sums into whole numbers",
        "sums of tensors that record gradients",
        LIMITS,
        lambda call, found, device: bool(
            isinstance(call.keywords.get("out"), Array)
            and call.keywords["out"].dtype not in FLOATS
            and accepts("don't support automatic differentiation", "sum|prod")(call, found, device)
        ),
    ),
    Documented(
        "decompositions",
        "no decompositions",
        LIMITS,
        refuses("needs a singular value decomposition", "norm"),
    ),
    Documented(
        "layer_norm of infinities",
        "of `layer_norm` of infinities",
        LIMITS,
        seen("layer_norm", "gradient", "nan|inf", "nan|inf", when=has_edges),
    ),
    Documented(
        "places of a 0-d tensor on a device",
        "a tensor of one element beside half types",
        LIMITS,
        lambda call, found, device: bool(
            device != "cpu" and halves_beside_one(call) and re.search("value|argument", found.what)
        ),
    ),
    Documented(
        "bfloat16 beside infinities",
        "take as zero",
        LIMITS,
        seen(
            "mm matmul bmm mv dot addmm linear einsum tensordot vecdot imatmul matmul",
            "value|argument",
            "nan",
            when=lambda call: has("bfloat16")(call) and has_edges(call),
        ),
    ),
    Documented(
        "None as data",
        "`tensor(None)`",
        LIMITS,
        accepts("Could not infer dtype of NoneType"),
    ),
    Documented(
        "fractions as whole numbers",
        "cut off the fraction of one number",
        LIMITS,
        accepts(
            r"an integer is required|cannot be interpreted as an integer|value cannot be converted to type",
            "tensor|asarray|full",
        ),
    ),
    Documented(
        "several ellipses",
        "more than one `...`",
        LIMITS,
        refuses("more than one Ellipsis", "etitem"),
    ),
    Documented(
        "bias of another dtype",
        "`linear` wants one dtype",
        LIMITS,
        refuses("expected same dtype|biases are needed", "linear"),
    ),
    Documented(
        "powers of bools", "powers of bools", LIMITS, refuses("pow: not defined for bool", "pow")
    ),
    Documented(
        "faults inside torch",
        "torch fails inside itself",
        LIMITS,
        lambda call, found, device: (
            accepts("INTERNAL ASSERT")(call, found, device)
            or (
                found.theirs == "no error"
                and refuses("gather: index .* is out of range", "take_along_dim")(
                    call, found, device
                )
            )
            or (
                "out" in call.keywords
                and accepts(r"The size of tensor a .* must match", "matmul")(call, found, device)
            )
        ),
    ),
    Documented(
        "uint64 beside signed dtypes",
        "`uint64` and a signed dtype",
        LIMITS,
        refuses("no common integer dtype"),
    ),
    Documented(
        "numbers over tensors",
        "a number over a tensor is a division",
        LIMITS,
        lambda call, found, device: bool(
            call.form == "reversed operator"
            and seen("truediv", "value", theirs="nan|inf")(call, found, device)
        ),
    ),
    Documented(
        "alpha rounds first",
        "`alpha * other` is rounded before it is added",
        LIMITS,
        lambda call, found, device: bool(
            "alpha" in call.keywords
            and has_edges(call)
            and seen(
                "add sub subtract add_ sub_ addmm", "value|argument", "nan|inf|^-?\\d", "nan|inf"
            )(call, found, device)
        ),
    ),
    Documented(
        "alpha of 0",
        "`addmm` with `alpha=0` reads no matrix",
        LIMITS,
        lambda call, found, device: bool(
            call.keywords.get("alpha") == 0
            and has_edges(call)
            and seen("addmm", "value|argument", theirs="nan")(call, found, device)
        ),
    ),
    Documented(
        "atan2 beside whole numbers",
        "the gradient of `atan2` beside whole numbers",
        LIMITS,
        seen("atan2", "gradient", when=has("bool", *SIGNED, *UNSIGNED)),
    ),
    Documented(
        "order of products",
        "The order in which a product multiplies",
        LIMITS,
        lambda call, found, _: bool(
            call.library == "numpy"
            and seen("prod cumulative_prod", "value", theirs="nan|inf")(call, found, "")
        ),
    ),
    Documented(
        "one element beside half types",
        "a tensor of one element beside half types",
        LIMITS,
        lambda call, found, device: bool(
            halves_beside_one(call)
            and has_edges(call)
            and seen("", "value|argument", "nan|inf", "")(call, found, device)
        ),
    ),
    Documented(
        "gelu at infinities",
        "of `gelu` is finite at infinities",
        LIMITS,
        seen("gelu", "gradient", r"^-?(0|1|2|0\.5|0\.25)\.?0?$", "nan", when=has_edges),
    ),
    Documented(
        "corrections beyond the count",
        "a correction of the count or more",
        LIMITS,
        seen("var std", "gradient", when=corrected),
    ),
    Documented(
        "exponents on a GPU",
        "exponents that lie on a GPU",
        LIMITS,
        lambda call, found, device: bool(
            device != "cpu"
            and found.mine == "no error"
            and "negative integer powers" in found.theirs
        ),
    ),
    Documented(
        "one value per index",
        "keeps one of them",
        LIMITS,
        seen("scatter scatter_ __setitem__", "value|argument"),
    ),
)


def documented(call: Call, found: Difference, device: str) -> Documented | None:
    """The row that explains a difference, or None."""
    from .open_differences import TABLE as OPEN

    return next((row for row in (*TABLE, *OPEN) if row.applies(call, found, device)), None)


__all__ = ["TABLE", "Array", "Documented", "documented"]
