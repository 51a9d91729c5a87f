"""All forms of PTX instructions that are held to a second meaning, by family."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from support.ptx_bit_forms import bits, videos
from support.ptx_conversion_forms import conversions
from support.ptx_float_forms import approximations, comparisons, floats, halves
from support.ptx_form import Form
from support.ptx_integer_forms import integers

FAMILIES: dict[str, Callable[[], Iterator[Form]]] = {
    "integer": integers,
    "bits": bits,
    "video": videos,
    "comparison": comparisons,
    "float": floats,
    "half": halves,
    "approximation": approximations,
    "conversion": conversions,
}
