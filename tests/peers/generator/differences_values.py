"""Values, dtypes, views and texts that differ."""

from __future__ import annotations

import re

import numpy as np

from .arguments import FLOATS, Array, Call
from .comparison import Difference
from .documented import LIMITS, TENSORS, Documented, accepts, last, refuses, seen
from .ranges import (
    alpha_leaves_range,
    at_the_tolerance,
    beyond_halves,
    halves_beside_number,
    halves_beside_one,
    leaves_range,
)
from .traits import (
    dtypes,
    has,
    has_edges,
    has_empty,
    has_nan,
    numpy_bool,
    selects_nothing,
    to_whole,
    unfit_element,
    unfit_number,
)


def _last_digits(call: Call, found: Difference, _: str) -> bool:
    """Whether digamma, also as a derivative, differs by little, or is infinite at a pole."""
    name = last(call).rstrip("_")
    if name != "digamma" and not (name == "lgamma" and "gradient" in found.what):
        return False
    try:
        mine, theirs = float(found.mine), float(found.theirs)
    except ValueError:
        return False
    return abs(mine - theirs) <= 1e-9 * abs(theirs) or (abs(theirs) > 1e9 and not np.isfinite(mine))


ROWS: tuple[Documented, ...] = (
    Documented(
        "sinc of large numbers",
        "torch's product with pi is rounded or overflows",
        LIMITS,
        seen("sinc sinc_", "value", r"^-?0\.0$", "nan"),
    ),
    Documented(
        "i0 of infinities",
        "`i0` of infinities is infinite",
        LIMITS,
        seen("i0 i0_", "value", "^inf$", "nan", when=has_edges),
    ),
    Documented(
        "slopes of sinc",
        "that of `sinc` near 0 loses digits in both",
        LIMITS,
        seen("sinc sinc_", "gradient.* at", "^-?[0-9.e-]+$", "^-?[0-9.e-]+$"),
    ),
    Documented(
        "logit at negative zero",
        "the gradient of `logit` is infinite at -0 too",
        LIMITS,
        seen("logit logit_", "gradient.* at", "^-?inf$", "^-?inf$"),
    ),
    Documented(
        "digits of digamma",
        "`digamma` of negative numbers and its derivative",
        LIMITS,
        _last_digits,
    ),
    Documented(
        "devices",
        "Data never moves implicitly",
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
        "comparisons with numbers that do not fit",
        "compared by value",
        LIMITS,
        seen(
            "eq ne lt le gt ge equal not_equal less less_equal greater greater_equal isin searchsorted"
            " __contains__ eq_ ne_ lt_ le_ gt_ ge_ not_equal_ less_ less_equal_ greater_"
            " greater_equal_",
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
        "NumPy bools",
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
    Documented("sign of NaN", "`sign` of NaN is NaN", LIMITS, seen("sign sign_", "value", "nan")),
    Documented(
        "sign bit of NaN",
        "sign bit of a NaN",
        LIMITS,
        seen("signbit copysign copysign_", when=has_nan),
    ),
    Documented(
        "conversion out of range",
        "does not fit the whole number it is converted to",
        LIMITS,
        seen("", "value|argument", when=lambda call: to_whole(call) and has_edges(call)),
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
        "numbers of floats and half types",
        "`x[i] = 2**63` of floats",
        LIMITS,
        lambda call, found, device: (
            accepts("Overflow when unpacking", "etitem")(call, found, device)
            or accepts("value cannot be converted", "etitem|add|sub")(call, found, device)
            or (has("uint64")(call) and accepts("without overflow", "pow")(call, found, device))
        ),
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
        "reads memory outside an expanded tensor",
        LIMITS,
        seen(
            "median",
            "value",
            when=lambda call: any("expand" in view for a in call.arrays() for view in a.views),
        ),
    ),
    Documented(
        "torch's vector code",
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
        "An index of `uint8` holds positions",
        LIMITS,
        lambda call, found, _: (
            call.form in {"get", "set"}
            and any(array.is_index and array.dtype == "uint8" for array in call.arrays())
        ),
    ),
    Documented(
        "exact remainders",
        "`remainder` and `floor_divide` are exact",
        LIMITS,
        seen(
            "remainder remainder_ mod imod floor_divide floordiv floor_divide_ ifloordiv",
            "value|argument",
            "^(?!nan)",
            "nan",
            when=lambda call: has_edges(call) or beyond_halves(call),
        ),
    ),
    Documented(
        "remainders by numbers beside half types",
        "A number combined with them is a float32 too",
        LIMITS,
        seen("remainder remainder_ mod imod", "value|argument", when=halves_beside_number),
    ),
    Documented(
        "NaNs in unique",
        "every NaN is a distinct value",
        LIMITS,
        seen("unique", "value 1", when=has_nan),
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
        "or int64 where a label of one operand alone is summed",
        LIMITS,
        seen("einsum", "dtype", "^u?int", "^u?int"),
    ),
    Documented(
        "names of dtypes in texts",
        "Messages name gpukit's dtypes",
        LIMITS,
        seen("__format__", "result", "gpukit"),
    ),
    Documented(
        "two faults",
        "the class of the error may differ",
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
            or ("got 'x' (str)" in found.mine and "out of bounds" in found.theirs)
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
        "places of a 0-d tensor on a device",
        "a tensor of one element combined with half types",
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
        "faults inside torch",
        "torch fails inside itself",
        LIMITS,
        lambda call, found, device: (
            accepts("INTERNAL ASSERT|UnicodeDecodeError")(call, found, device)
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
            and (has_edges(call) if last(call) == "addmm" else alpha_leaves_range(call))
            and seen(
                "add sub subtract add_ sub_ subtract_ addmm", "value|argument", theirs="nan|inf"
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
        "NaN in products of bfloat16",
        "a NaN of one row reaches other rows",
        LIMITS,
        lambda call, found, device: bool(
            device == "cpu"
            and "bfloat16" in dtypes(call)
            and seen("matmul", "value", r"^-?\d", "nan", when=has_nan)(call, found, device)
        ),
    ),
    Documented(
        "order of products",
        "The order in which a product multiplies",
        LIMITS,
        lambda call, found, _: bool(
            seen("prod cumprod cumulative_prod", "value", when=leaves_range)(call, found, "")
            and re.search(r"nan|inf|(^| )-?0\.0( |$)", f"{found.mine} {found.theirs}")
        ),
    ),
    Documented(
        "one element beside half types",
        "a tensor of one element combined with half types",
        LIMITS,
        lambda call, found, device: bool(
            halves_beside_one(call)
            and has_edges(call)
            and seen("", "value|argument", "nan|inf", "")(call, found, device)
        ),
    ),
    Documented(
        "exponents on a GPU",
        "exponents on a GPU",
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
    Documented(
        "float64 as half types",
        "float64 to a half type rounds once",
        LIMITS,
        seen(
            "half bfloat16 to type type_as copy_",
            "value|argument",
            when=lambda call: (
                has("float64")(call)
                and (last(call) in {"half", "bfloat16"} or has("float16", "bfloat16")(call))
            ),
        ),
    ),
    Documented(
        "closeness by other digits",
        "`isclose` of half types",
        LIMITS,
        seen("isclose allclose", "value|result", when=at_the_tolerance),
    ),
)
