"""Conversions: forms with their second meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from support import exact_floats as exact
from support.exact_floats import FORMATS, bits_of, value_of
from support.ptx_form import (
    INTEGERS,
    Form,
    Reference,
    clamped,
    instruction,
    width,
    wrapped,
)


def of_nan(kind: str, bits_: int) -> int:
    """What NaN becomes, as an H200 gives it: the highest bit where either side has 64, else 0."""
    return 1 << (bits_ - 1) if kind == "f64" or bits_ == 64 else 0


def converted(value: float, bits_: int, signed: bool, mode: str, kind: str) -> int:
    """Floating point to whole numbers: what is beyond gives the end."""
    if math.isnan(value):
        return of_nan(kind, bits_)
    if math.isinf(value):
        return clamped(-(1 << 80) if value < 0 else 1 << 80, bits_, signed)
    rounding: dict[str, Callable[[float], int]] = {
        "rni": round,
        "rzi": math.trunc,
        "rmi": math.floor,
        "rpi": math.ceil,
    }
    return clamped(rounding[mode](value), bits_, signed)


def cvt(modifiers: str, to: str, kind: str, reference: Reference) -> Form:
    """A form of one operand."""
    return instruction(f"cvt{modifiers}.{to}.{kind}", to, kind, reference, "conversion")


def conversions() -> Iterator[Form]:
    """cvt in all directions."""
    for to in INTEGERS:
        yield from to_integers(to)
    yield from to_bytes()
    for to in FORMATS:
        yield from to_floats(to)
    for kind in ("f32", "f64"):
        for mode, whole in (("rni", round), ("rzi", math.trunc), ("rmi", math.floor)):

            def rounded(a: float, whole: Any = whole) -> float:
                return math.copysign(float(whole(a)), a) if math.isfinite(a) else a

            yield cvt(f".{mode}", kind, kind, rounded)
    for kind in ("f16", "bf16"):
        form = FORMATS[kind]
        yield cvt(".rn.satfinite", kind, "f32", lambda a, form=form: bits_of(a, form, finite=True))
        yield instruction(
            f"cvt.rn.{kind}x2.f32",
            f"{kind}x2",
            "f32 f32",
            lambda a, b, form=form: (bits_of(b, form), bits_of(a, form)),
            "conversion",
        )
    yield from packs()
    yield from eights()


def to_integers(to: str) -> Iterator[Form]:
    """Whole numbers from whole and floating-point ones."""
    n, signed = width(to), to[0] == "s"
    for kind in INTEGERS:
        yield cvt("", to, kind, lambda a: a)
        yield cvt(".sat", to, kind, lambda a: clamped(a, n, signed))
    for kind in FORMATS:
        for mode in ("rni", "rzi", "rmi", "rpi"):
            yield cvt(
                f".{mode}",
                to,
                kind,
                lambda a, mode=mode, kind=kind: converted(a, n, signed, mode, kind),
            )


def to_bytes() -> Iterator[Form]:
    """Numbers of 8 bits, extended to the register."""
    for to in ("u8", "s8"):
        signed = to == "s8"
        for kind in FORMATS:
            yield Form(
                f"cvt.rzi.{to}.{kind}",
                f"cvt.rzi.{to}.{kind} {{d}}, {{a}};",
                f"{to[0]}32",
                (kind,),
                lambda a, kind=kind, signed=signed: wrapped(
                    converted(a, 8, signed, "rzi", kind), 8, signed
                ),
                "conversion",
            )
        yield Form(
            f"cvt.sat.{to}.s32",
            f"cvt.sat.{to}.s32 {{d}}, {{a}};",
            f"{to[0]}32",
            ("s32",),
            lambda a, signed=signed: clamped(a, 8, signed),
            "conversion",
        )


def to_floats(to: str) -> Iterator[Form]:
    """Floating-point numbers from whole and wider ones by each rounding, and from narrower ones."""
    form = FORMATS[to]
    wider = {"f16": ["f32"], "f32": ["f64"]}.get(to, [])
    for mode in ("rn", "rz", "rm", "rp"):
        for kind in (*INTEGERS, *wider):
            exactly = exact.Fraction if kind in INTEGERS else float
            yield cvt(
                f".{mode}",
                to,
                kind,
                lambda a, mode=mode, exactly=exactly: bits_of(exactly(a), form, mode),
            )
    for kind in FORMATS:
        if width(kind) < width(to):
            yield cvt("", to, kind, lambda a: a)


def packs() -> Iterator[Form]:
    """Several saturated whole numbers in one register."""
    for kind in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        n = int(kind[1:])

        def pack(a: int, b: int, c: int = 0, n: int = n, signed: bool = kind[0] == "s") -> int:
            parts = [wrapped(clamped(value, n, signed), n) for value in (b, a)]
            return parts[0] | parts[1] << n | c << 2 * n

        rest = (".b32", " b32") if n < 16 else ("", "")
        yield instruction(
            f"cvt.pack.sat.{kind}.s32{rest[0]}", "b32", f"s32 s32{rest[1]}", pack, "conversion"
        )


def eights() -> Iterator[Form]:
    """Pairs of 8-bit floating-point numbers. e4m3 has one NaN of each sign and no infinity."""
    formats = {"e4m3": exact.Format(4, -6, 8), "e5m2": exact.Format(3, -14, 15)}
    most = {"e4m3": 0x7E, "e5m2": 0x7B}

    def narrow(value: float, kind: str) -> int:
        if math.isnan(value):
            return 0x7F
        if math.isinf(value) or abs(value) > 1e6:
            return (0x80 if value < 0 else 0) | most[kind]
        roomy = exact.Format(formats[kind].precision, formats[kind].lowest, 40)
        word = bits_of(value, roomy)
        assert word is not None
        sign = 0x80 if exact.negative(value) else 0
        return sign | min(word & roomy.sign - 1, most[kind])

    def widen(word: int, kind: str) -> float:
        if kind == "e4m3" and word & 0x7F == 0x7F:
            return math.nan
        if kind == "e5m2":
            return value_of(word << 8, FORMATS["f16"])
        sign = -1 if word & 0x80 else 1
        field, fraction = word >> 3 & 15, word & 7
        return sign * math.ldexp(fraction + (8 if field else 0), max(field, 1) - 10)

    for kind in formats:
        yield instruction(
            f"cvt.rn.satfinite.{kind}x2.f32",
            "b16",
            "f32 f32",
            lambda a, b, kind=kind: narrow(a, kind) << 8 | narrow(b, kind),
            "conversion",
        )
        yield instruction(
            f"cvt.rn.satfinite.{kind}x2.f16x2",
            "b16",
            "b32",
            lambda a, kind=kind: sum(
                narrow(value_of(a >> 2 * s & 0xFFFF, FORMATS["f16"]), kind) << s for s in (0, 8)
            ),
            "conversion",
        )
        yield instruction(
            f"cvt.rn.f16x2.{kind}x2",
            "f16x2",
            "b16",
            lambda a, kind=kind: tuple(
                bits_of(widen(a >> shift & 0xFF, kind), FORMATS["f16"]) for shift in (0, 8)
            ),
            "conversion",
        )
