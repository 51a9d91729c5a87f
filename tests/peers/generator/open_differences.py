"""Differences that are not meant: seen, not fixed yet. A fix takes its row away."""

from __future__ import annotations

from .differences import (
    LIMITS,
    Documented,
    accepts,
    has_edges,
    has_empty,
    has_nan,
    last,
    refuses,
    seen,
)

TABLE: tuple[Documented, ...] = (
    Documented("gradients of BCE at 0 and 1", "", LIMITS, seen("binary_cross_entropy", "gradient")),
    Documented(
        "dtype of huber_loss of two dtypes", "", LIMITS, seen("huber_loss smooth_l1_loss", "dtype")
    ),
    Documented(
        "out= of fewer digits",
        "",
        LIMITS,
        refuses("out is .* which cannot hold", "cumprod|cumsum|prod|sum"),
    ),
    Documented(
        "l1_loss at NaN",
        "",
        LIMITS,
        seen("l1_loss smooth_l1_loss huber_loss", "gradient", when=has_nan),
    ),
    Documented("median of one number, expanded", "", LIMITS, seen("median", "value")),
    Documented("linear of nothing", "", LIMITS, refuses("could be any size", "linear")),
    Documented("chunks of nothing", "", LIMITS, seen("chunk", "number of results", when=has_empty)),
    Documented(
        "text as an index", "", LIMITS, refuses(r"a tensor is indexed by|index 'x'", "etitem")
    ),
    Documented("ragged lists", "", LIMITS, refuses("ragged", "", "TypeError")),
    Documented("__index__ of several", "", LIMITS, refuses("index: the tensor has", "__index__")),
    Documented(
        "exponents that do not fit",
        "",
        LIMITS,
        accepts("value cannot be converted|Overflow when unpacking", "pow|etitem|clamp|addmm"),
    ),
    Documented(
        "vecdot with a number", "", LIMITS, refuses("both need a dimension|vecdot", "vecdot")
    ),
    Documented(
        "cross-entropy of infinities",
        "",
        LIMITS,
        lambda call, found, _: (
            last(call) in {"cross_entropy", "nll_loss"}
            and "error" not in found.what
            and has_edges(call)
        ),
    ),
    Documented(
        "padding row and index both wrong", "", LIMITS, refuses("", "embedding", "Padding_idx")
    ),
    Documented(
        "softmax of nothing", "", LIMITS, seen("softmax log_softmax", "dtype", when=has_empty)
    ),
    Documented(
        "searchsorted of bools", "", LIMITS, refuses("is bool; numeric is needed", "searchsorted")
    ),
    Documented(
        "products that overflow", "", LIMITS, seen("cumprod prod", "gradient", "nan|inf", "")
    ),
)
