"""Comparisons and floating point: forms with their second meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from support import exact_floats as exact
from support.exact_floats import FORMATS, bits_of, value_of
from support.ptx_form import (
    COMPARISONS,
    INTEGERS,
    SELECTED,
    Form,
    Reference,
    instruction,
)


def comparisons() -> Iterator[Form]:
    """setp, set, selp and slct."""
    for kind in (*INTEGERS, *FORMATS):
        tests = dict(COMPARISONS)
        if kind in FORMATS:
            tests |= {
                name + "u": lambda a, b, holds=holds: a != a or b != b or holds(a, b)
                for name, holds in COMPARISONS.items()
            }
            tests["num"] = lambda a, b: a == a and b == b
            tests["nan"] = lambda a, b: a != a or b != b
        elif kind[0] == "u":
            order = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
            tests |= {name: COMPARISONS[meaning] for name, meaning in order.items()}
        for test, holds in tests.items():
            yield Form(
                f"setp.{test}.{kind}",
                f"setp.{test}.{kind} p, {{a}}, {{b}}; {SELECTED}",
                "u32",
                (kind, kind),
                lambda a, b, holds=holds: int(holds(a, b)),
                "comparison",
            )
    for join, joined in (
        ("and", lambda x, y: x and y),
        ("or", lambda x, y: x or y),
        ("xor", lambda x, y: x != y),
    ):
        yield Form(
            f"setp.lt.{join}.s32 with both results",
            "setp.ge.s32 q, {c}, 0; "
            f"setp.lt.{join}.s32 p|q, {{a}}, {{b}}, q; selp.u32 {{d}}, 1, 0, p; "
            "@q or.b32 {d}, {d}, 2;",
            "u32",
            ("s32",) * 3,
            lambda a, b, c, joined=joined: (
                int(joined(a < b, c >= 0)) | 2 * int(joined(a >= b, c >= 0))
            ),
            "comparison",
        )
    yield instruction(
        "set.lt.u32.f32", "u32", "f32 f32", lambda a, b: -1 if a < b else 0, "comparison"
    )
    yield instruction(
        "set.gt.f32.s32",
        "f32",
        "s32 s32",
        lambda a, b: 1.0 if a > b else 0.0,
        "comparison",
    )
    yield instruction(
        "slct.u64.s32", "u64", "u64 u64 s32", lambda a, b, c: a if c >= 0 else b, "comparison"
    )
    yield instruction(
        "slct.s32.f32", "s32", "s32 s32 f32", lambda a, b, c: a if c >= 0 else b, "comparison"
    )


def with_modifiers(
    operation: Callable[..., Any], form: exact.Format, mode: str, ftz: bool, sat: bool
) -> Reference:
    """The bits of an operation on exact values, with what the modifiers change."""

    def apply(*values: float) -> int | None:
        if ftz:
            values = tuple(exact.flushed(value, form) for value in values)
        word = bits_of(operation(*values), form, mode)
        if sat:
            word = 0 if word is None else word
            number = value_of(word, form)
            word = bits_of(min(number, 1.0), form) if number > 0 else 0
        if ftz and word is not None:
            word = bits_of(exact.flushed(value_of(word, form), form), form)
        return word

    return apply


def floats() -> Iterator[Form]:
    """f32 and f64: exact, by every rounding."""
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        for mode in ("rn", "rz", "rm", "rp"):
            rows: list[tuple[str, int, Reference]] = [
                ("add", 2, lambda a, b, mode=mode: exact.add(a, b, mode)),
                ("sub", 2, lambda a, b, mode=mode: exact.add(a, -b, mode)),
                ("mul", 2, exact.multiply),
                ("div", 2, exact.divide),
                ("fma", 3, lambda a, b, c, mode=mode: exact.fused(a, b, c, mode)),
                ("rcp", 1, lambda a: exact.divide(1.0, a)),
                ("sqrt", 1, exact.root),
            ]
            for name, count, operation in rows:
                variants = [("", False, False)]
                if kind == "f32":
                    variants.append((".ftz", True, False))
                    if name in {"add", "sub", "mul", "fma"}:
                        variants += [(".sat", False, True), (".ftz.sat", True, True)]
                for tail, ftz, sat in variants:
                    yield instruction(
                        f"{name}.{mode}{tail}.{kind}",
                        kind,
                        " ".join([kind] * count),
                        with_modifiers(operation, form, mode, ftz, sat),
                        "float",
                    )
        for name, pick in (("min", exact.smaller), ("max", exact.larger)):
            for tail, function in (("", pick), (".NaN", exact.or_nan(pick))):
                if tail and kind == "f64":
                    continue
                yield instruction(
                    f"{name}{tail}.{kind}",
                    kind,
                    f"{kind} {kind}",
                    with_modifiers(function, form, "rn", False, False),
                    "float",
                )
        if kind == "f32":
            yield from extremes_of_three()
            yield from signed_extremes(kind, ("", ".NaN", ".ftz"))
        for name, one in (("abs", abs), ("neg", lambda a: -a)):
            yield instruction(
                f"{name}.{kind}", kind, kind, with_modifiers(one, form, "rn", False, False), "float"
            )
        raw = "b" + kind[1:]
        yield Form(
            f"copysign.{kind}",
            f"copysign.{kind} {{d}}, {{a}}, {{b}};",
            raw,
            (raw, raw),
            lambda a, b, form=form: b & ~form.sign | a & form.sign,
            "float",
        )
        smallest = math.ldexp(1, form.lowest)
        for test, holds in (
            ("finite", math.isfinite),
            ("infinite", math.isinf),
            ("number", lambda a: a == a),
            ("notanumber", math.isnan),
            # "As a special case, positive and negative zero are considered normal numbers."
            ("normal", lambda a, s=smallest: math.isfinite(a) and (a == 0 or abs(a) >= s)),
            ("subnormal", lambda a, s=smallest: 0 < abs(a) < s),
        ):
            yield Form(
                f"testp.{test}.{kind}",
                f"testp.{test}.{kind} p, {{a}}; {SELECTED}",
                "u32",
                (kind,),
                lambda a, holds=holds: int(holds(a)),
                "float",
            )


EXTREMES: dict[str, Callable[[float, float], float]] = {"min": exact.smaller, "max": exact.larger}


def extremes_of_three() -> Iterator[Form]:
    """min and max of three numbers, and of their magnitudes."""
    form = FORMATS["f32"]
    for name, pick in EXTREMES.items():
        for tail in ("", ".NaN", ".ftz", ".abs", ".ftz.NaN.abs"):
            each = exact.or_nan(pick) if "NaN" in tail else pick

            def reference(
                a: float, b: float, c: float, each: Any = each, absolute: bool = "abs" in tail
            ) -> float:
                a, b, c = (abs(x) if absolute else x for x in (a, b, c))
                return float(each(each(a, b), c))

            yield Form(
                f"{name}{tail}.f32 (of three)",
                f"{name}{tail}.f32 {{d}}, {{a}}, {{b}}, {{c}};",
                "f32",
                ("f32",) * 3,
                with_modifiers(reference, form, "rn", "ftz" in tail, False),
                "float",
            )


def signed_extremes(kind: str, tails: tuple[str, ...]) -> Iterator[Form]:
    """.xorsign.abs: the magnitude of one, the sign of the product. By bits: NaNs have signs."""
    form = FORMATS[kind]
    family = "float" if kind == "f32" else "half"
    for name, pick in EXTREMES.items():
        for tail in tails:
            each = exact.or_nan(pick) if "NaN" in tail else pick

            def word(
                a: int, b: int, each: Any = each, form: Any = form, ftz: bool = "ftz" in tail
            ) -> int | None:
                one, other = (value_of(x & (form.sign - 1), form) for x in (a, b))
                if ftz:
                    one, other = exact.flushed(one, form), exact.flushed(other, form)
                bits = bits_of(each(one, other), form)
                return None if bits is None else bits | (a ^ b) & form.sign

            code = f"{name}{tail}.xorsign.abs.{kind}"
            raw = f"b{form.bits}"
            yield Form(code, f"{code} {{d}}, {{a}}, {{b}};", kind, (raw, raw), word, family)
            if kind == "f32":
                continue

            def both(a: int, b: int, word: Any = word) -> Any:
                return tuple(word(a >> s & 0xFFFF, b >> s & 0xFFFF) for s in (0, 16))

            yield Form(
                f"{code}x2",
                f"{code}x2 {{d}}, {{a}}, {{b}};",
                f"{kind}x2",
                ("b32",) * 2,
                both,
                family,
            )


def halves() -> Iterator[Form]:
    """f16 and bf16."""
    for kind in ("f16", "bf16"):
        form = FORMATS[kind]
        rows: list[tuple[str, int, Reference]] = [
            ("add.rn", 2, exact.add),
            ("sub.rn", 2, lambda a, b: exact.add(a, -b)),
            ("mul.rn", 2, exact.multiply),
            ("fma.rn", 3, exact.fused),
            ("min", 2, exact.smaller),
            ("max.NaN", 2, exact.or_nan(exact.larger)),
        ]
        for name, count, operation in rows:
            yield instruction(
                f"{name}.{kind}",
                kind,
                " ".join([kind] * count),
                with_modifiers(operation, form, "rn", False, False),
                "half",
            )
        fused = with_modifiers(exact.fused, form, "rn", False, False)

        def relu(a: float, b: float, c: float, fused: Any = fused, form: Any = form) -> Any:
            word = fused(a, b, c)
            return 0 if word is not None and word & form.sign else word

        yield instruction(f"fma.rn.relu.{kind}", kind, " ".join([kind] * 3), relu, "half")

        def pair(a: int, b: int, c: int, fused: Any = fused, form: Any = form) -> Any:
            words = [
                fused(*(value_of(word >> shift & 0xFFFF, form) for word in (a, b, c)))
                for shift in (0, 16)
            ]
            return tuple(words)

        yield Form(
            f"fma.rn.{kind}x2",
            f"fma.rn.{kind}x2 {{d}}, {{a}}, {{b}}, {{c}};",
            f"{kind}x2",
            ("b32",) * 3,
            pair,
            "half",
        )
        yield from signed_extremes(kind, ("", ".NaN", ".ftz") if kind == "f16" else ("", ".NaN"))


def approximations() -> Iterator[Form]:
    """Functions that a card computes by tables; here they are computed as doubles and rounded."""

    def guarded(function: Callable[[float], float]) -> Callable[[float], float]:
        def apply(a: float) -> float:
            try:
                return function(a)
            except OverflowError:
                return math.inf
            except (ValueError, ZeroDivisionError):
                return math.nan

        return apply

    def log2(a: float) -> float:
        return -math.inf if a == 0 else math.log2(a)

    def root_reciprocal(a: float) -> float:
        return math.copysign(math.inf, a) if a == 0 else 1 / math.sqrt(a)

    def reciprocal(a: float) -> float:
        return math.copysign(math.inf, a) if a == 0 else 1 / a

    rows = [
        ("ex2.approx.f32", lambda a: 2.0**a),
        ("lg2.approx.f32", log2),
        ("rcp.approx.f32", reciprocal),
        ("rsqrt.approx.f32", root_reciprocal),
        ("sqrt.approx.f32", math.sqrt),
        ("sin.approx.f32", math.sin),
        ("cos.approx.f32", math.cos),
        ("tanh.approx.f32", math.tanh),
    ]
    for name, function in rows:
        yield instruction(name, "f32", "f32", guarded(function), "approximation", ulp=1)
    for name in ("div.approx.f32", "div.full.f32"):
        yield instruction(name, "f32", "f32 f32", exact.divide, "approximation", ulp=1)
