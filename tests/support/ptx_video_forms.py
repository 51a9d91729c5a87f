"""SIMD video instructions with all that they may say, drawn at random, with their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.ptx_bit_forms import VIDEO_OPERATIONS
from support.ptx_form import COMPARISONS, Form, clamped, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    **VIDEO_OPERATIONS,
    **{f"vset.{test}": holds for test, holds in COMPARISONS.items()},
}


def drawn_form(random: np.random.Generator) -> Form:
    """One instruction: operation, parts, types, `.sat` or `.add`, a mask and selectors or none."""

    def some(choices: Any) -> Any:
        return choices[int(random.integers(len(choices)))]

    parts = some((2, 4))
    operation = some(list(OPERATIONS))
    name, _, test = operation.partition(".")
    kinds = [some(("u32", "s32")) for _ in range(2 if test else 3)]
    tail = some(("", ".add") if test else ("", ".sat", ".add"))
    letter = "h" if parts == 2 else "b"
    mask = [i for i in reversed(range(parts)) if random.random() < 0.5] or [some(range(parts))]
    picks = [[some(range(2 * parts)) for _ in range(parts)] for _ in "ab"]
    texts = [f".{letter}" + "".join(map(str, digits)) for digits in (mask, *picks)]
    usual = [list(reversed(range(parts))), list(reversed(range(parts, 2 * parts)))]
    for i, default in enumerate((list(range(parts)), *usual)):
        if random.random() < 0.4:
            texts[i] = ""
            (mask, *picks)[i][:] = default
    name = ".".join((f"{name}{parts}", *kinds, *([test] if test else []))) + tail
    return Form(
        f"{name} with {texts}",
        f"{name} {{d}}{texts[0]}, {{a}}{texts[1]}, {{b}}{texts[2]}, {{c}};",
        "u32",
        ("u32",) * 3,
        meaning(OPERATIONS[operation], parts, kinds, tail, mask, picks),
        "video",
    )


def meaning(
    one: Callable[[int, int], int],
    parts: int,
    kinds: list[str],
    tail: str,
    mask: list[int],
    picks: list[list[int]],
) -> Callable[[int, int, int], int]:
    """What such an instruction makes of a, b and c."""
    bits = 32 // parts
    field = (1 << bits) - 1

    def result(a: int, b: int, c: int) -> int:
        both = a | b << 32
        merged, total = c, c
        for i in mask:
            values = [
                wrapped(both >> bits * pick[parts - 1 - i], bits, kind == "s32")
                for pick, kind in zip(picks, kinds[-2:], strict=True)
            ]
            value = int(one(*values))
            total += value
            if tail == ".sat":
                value = clamped(value, bits, kinds[0] == "s32")
            merged = merged & ~(field << bits * i) | (value & field) << bits * i
        return total if tail == ".add" else merged

    return result
