"""Gradients that differ."""

from __future__ import annotations

import re

import numpy as np

from .arguments import SIGNED, UNSIGNED, Call
from .comparison import EPSILON
from .documented import LIMITS, Documented, last, seen
from .ranges import beyond_digits, corrected, leaves_range, lowest, subnormal
from .traits import dtypes, has, has_edges, has_empty, has_false, has_nan, no_dims

NETWORK = "nn.functional"


def _cancelled(call: Call) -> float:
    """What is left where 16 bits of the coarsest dtype's digits cancel."""
    return min(5e-3, 2.0**16 * max(EPSILON.get(name, 0.0) for name in dtypes(call)))


ROWS: tuple[Documented, ...] = (
    Documented(
        "gradients at the edges",
        "at NaN, at infinities and near the ends",
        LIMITS,
        lambda call, found, _: (
            seen("", "gradient.* at", when=has_edges)(call, found, "")
            and NETWORK not in call.name
            and re.search("nan|inf", f"{found.mine} {found.theirs}") is not None
        ),
    ),
    Documented(
        "gradients over no dimensions",
        "an empty tuple of dimensions",
        LIMITS,
        seen("var std", "gradient", when=no_dims),
    ),
    Documented(
        "powers of False",
        "`x ** False` has the gradient 0",
        LIMITS,
        seen("pow", "gradient", r"^-?0\.0$", "nan", when=has_false),
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
            seen("layer_norm", "gradient.* at")(call, found, "")
            and np.isclose(float(found.mine), float(found.theirs), *2 * [_cancelled(call)])
        ),
    ),
    Documented(
        "products that overflow",
        "as in `prod` and `cumprod` of which torch divides",
        LIMITS,
        seen("cumprod prod", "gradient.* at", when=leaves_range),
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
        "layer_norm of infinities",
        "of `layer_norm` of infinities",
        LIMITS,
        seen("layer_norm", "gradient", "nan|inf", "nan|inf", when=has_edges),
    ),
    Documented(
        "atan2 beside whole numbers",
        "the gradient of `atan2` with whole numbers",
        LIMITS,
        seen("atan2", "gradient", when=has("bool", *SIGNED, *UNSIGNED)),
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
        seen("var std", "gradient.* at", "nan|inf", when=corrected),
    ),
    Documented(
        "exponents less one",
        "takes 1 off a whole exponent",
        LIMITS,
        seen(
            "pow pow_ ipow", "gradient.* at", when=lambda call: lowest(call) or beyond_digits(call)
        ),
    ),
    Documented(
        "hypot of subnormal numbers",
        "that of `hypot` of subnormal numbers",
        LIMITS,
        seen("hypot", "gradient.* at", when=subnormal),
    ),
    Documented(
        "norms of subnormal numbers",
        "that of a norm of subnormal numbers is 0",
        LIMITS,
        seen("norm vector_norm matrix_norm", "gradient.* at", r"^-?0\.0$", when=subnormal),
    ),
)
