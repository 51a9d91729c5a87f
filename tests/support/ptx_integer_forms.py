"""Arithmetic of whole numbers: forms with their second meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from support.ptx_form import (
    INTEGERS,
    Form,
    Reference,
    clamped,
    instruction,
    quotient,
    width,
    wrapped,
)


def integers() -> Iterator[Form]:
    """Arithmetic."""
    for kind in INTEGERS:
        n, signed = width(kind), kind[0] == "s"
        rows: list[tuple[str, Reference]] = [
            ("add", lambda a, b: a + b),
            ("sub", lambda a, b: a - b),
            ("mul.lo", lambda a, b: a * b),
            ("mul.hi", lambda a, b, n=n: a * b >> n),
            ("div", quotient),
            ("rem", lambda a, b: -1 if b == 0 else a - b * quotient(a, b)),
            ("min", min),
            ("max", max),
        ]
        for name, reference in rows:
            yield instruction(f"{name}.{kind}", kind, f"{kind} {kind}", reference, "integer")
        three: list[tuple[str, Reference]] = [
            ("mad.lo", lambda a, b, c: a * b + c),
            ("mad.hi", lambda a, b, c, n=n: (a * b >> n) + c),
            ("sad", lambda a, b, c: abs(a - b) + c),
        ]
        for name, reference in three:
            yield instruction(f"{name}.{kind}", kind, f"{kind} {kind} {kind}", reference, "integer")
        if signed:
            yield instruction(f"abs.{kind}", kind, kind, abs, "integer")
            yield instruction(f"neg.{kind}", kind, kind, lambda a: -a, "integer")
        if n < 64:
            wide = f"{kind[0]}{2 * n}"
            yield instruction(
                f"mul.wide.{kind}", wide, f"{kind} {kind}", lambda a, b: a * b, "integer"
            )
            yield instruction(
                f"mad.wide.{kind}",
                wide,
                f"{kind} {kind} {wide}",
                lambda a, b, c: a * b + c,
                "integer",
            )
    for kind in ("u32", "s32"):
        for high in (0, 1):

            def product(a: int, b: int, c: int = 0, high: int = high, kind: str = kind) -> int:
                signed = kind == "s32"
                return (wrapped(a, 24, signed) * wrapped(b, 24, signed) >> 16 * high) + c

            part = "hi" if high else "lo"
            two, three_ = f"{kind} {kind}", f"{kind} {kind} {kind}"
            yield instruction(f"mul24.{part}.{kind}", kind, two, product, "integer")
            yield instruction(f"mad24.{part}.{kind}", kind, three_, product, "integer")
    s32 = "s32 s32"
    yield instruction("add.sat.s32", "s32", s32, lambda a, b: clamped(a + b, 32, True), "integer")
    yield instruction("sub.sat.s32", "s32", s32, lambda a, b: clamped(a - b, 32, True), "integer")
    yield instruction(
        "mad.hi.sat.s32",
        "s32",
        "s32 s32 s32",
        lambda a, b, c: clamped((a * b >> 32) + c, 32, True),
        "integer",
    )
    yield instruction("min.relu.s32", "s32", s32, lambda a, b: max(0, min(a, b)), "integer")
    yield instruction("max.relu.s32", "s32", s32, lambda a, b: max(0, a, b), "integer")
    yield from integer_pairs()
    yield from carries()


def integer_pairs() -> Iterator[Form]:
    """u16x2 and s16x2."""

    def of_halves(one: Callable[[int, int], int], signed: bool) -> Reference:
        def both(a: int, b: int) -> int:
            halves = [
                wrapped(one(wrapped(a >> s, 16, signed), wrapped(b >> s, 16, signed)), 16) << s
                for s in (0, 16)
            ]
            return halves[0] | halves[1]

        return both

    for kind in ("u16x2", "s16x2"):
        signed = kind[0] == "s"
        rows: list[tuple[str, Callable[[int, int], int]]] = [
            ("add", lambda a, b: a + b),
            ("add.sat", lambda a, b, signed=signed: clamped(a + b, 16, signed)),
            ("min", min),
            ("max", max),
        ]
        if signed:
            rows.append(("max.relu", lambda a, b: max(0, a, b)))
        for name, one in rows:
            yield instruction(
                f"{name}.{kind}", kind, f"{kind} {kind}", of_halves(one, signed), "integer"
            )


def carries() -> Iterator[Form]:
    """Twice as wide numbers by their halves: the carry goes from one instruction to the next."""
    for kind in ("u32", "u64"):
        n = width(kind)
        for first, second, low, over in (
            ("add.cc", "addc", lambda a, b: a + b, lambda a, b, n=n: a + b >> n),
            ("sub.cc", "subc", lambda a, b: a - b, lambda a, b: int(a < b)),
        ):
            sign = 1 if first == "add.cc" else -1

            def reference(
                a: int, b: int, c: int, over: Any = over, low: Any = low, sign: int = sign
            ) -> int:
                return low(b, c) + sign * over(a, b)

            code = f"{first}.{kind} {{t}}, {{a}}, {{b}}; {second}.{kind} {{d}}, {{b}}, {{c}};"
            yield Form(
                f"{first}.{kind}, {second}.{kind}", code, kind, (kind,) * 3, reference, "integer"
            )
        yield Form(
            f"mad.lo.cc.{kind}, madc.hi.{kind}",
            f"mad.lo.cc.{kind} {{t}}, {{a}}, {{b}}, {{c}}; "
            f"madc.hi.{kind} {{d}}, {{a}}, {{b}}, {{c}};",
            kind,
            (kind,) * 3,
            lambda a, b, c, n=n: (a * b >> n) + c + ((a * b & ((1 << n) - 1)) + c >> n),
            "integer",
        )
