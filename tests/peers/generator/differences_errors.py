"""One library refuses what the other takes, or both refuse it in other classes."""

from __future__ import annotations

from .documented import LIMITS, Documented, accepts, refuses

ROWS: tuple[Documented, ...] = (
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
        "where torch requires equal dtypes",
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
        "pieces that gpukit lacks",
        "`view(bool)` of other dtypes and, of a tensor that requires a gradient",
        LIMITS,
        refuses(r"view: (bytes other than 0 and 1|the tensor requires a gradient)", r"view"),
    ),
    Documented(
        "views of empty tensors as another dtype",
        "`view(dtype)` of a tensor without elements ignores its strides",
        LIMITS,
        accepts(r"must be 1 to view|must be divisible by", r"view"),
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
        "dtypes of the standard",
        "takes the dtypes that the standard names",
        LIMITS,
        refuses("is bool; numeric is needed|one -1; got -", "searchsorted|array_api.reshape"),
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
        "numbers that do not fit",
        "-1 for `uint8` in `tensor`",
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
        "writing to one address",
        "of an expanded tensor",
        LIMITS,
        refuses(r"several elements at one address", "etitem|fill_|zero_"),
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
        "whole steps of fractions",
        "cuts fractions off first",
        LIMITS,
        accepts("inconsistent with step sign", "arange"),
    ),
    Documented(
        "dimensions of no differences",
        "checks `dim` too",
        LIMITS,
        refuses("diff: dim .* is out of range", "diff", "no error"),
    ),
    Documented(
        "dimensions of vectors",
        "a dimension of `vecdot` of vectors",
        LIMITS,
        refuses("vecdot: dim .* is out of range", "vecdot", "no error"),
    ),
    Documented(
        "vectors of one element",
        "`vecdot` of vectors of which one has one element",
        LIMITS,
        accepts("inconsistent tensor size", "vecdot"),
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
        "`linear` requires one dtype",
        LIMITS,
        refuses("expected same dtype|biases are needed", "linear"),
    ),
    Documented(
        "powers of bools", "powers of bools", LIMITS, refuses("pow: not defined for bool", "pow")
    ),
    Documented(
        "uint64 beside signed dtypes",
        "`uint64` and a signed dtype",
        LIMITS,
        refuses("no common integer dtype"),
    ),
)
