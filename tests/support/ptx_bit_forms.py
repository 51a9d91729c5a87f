"""Logic, shifts, fields of bits, bytes and half words: forms with their second meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from support.ptx_form import (
    COMPARISONS,
    INTEGERS,
    Form,
    Reference,
    clamped,
    instruction,
    wrapped,
)


def extracted(a: int, b: int, c: int, n: int, signed: bool) -> int:
    """bfe, bit by bit: 8 bits of b and c count where n is 32, all of them where it is 64."""
    start, length = (b & 0xFF, c & 0xFF) if n == 32 else (b, c)
    word = a & ((1 << n) - 1)
    sign = 0
    if signed and length:
        sign = word >> min(start + length - 1, n - 1) & 1
    result = 0
    for i in range(n):
        inside = i < length and start + i < n
        result |= (word >> (start + i) & 1 if inside else sign) << i
    return result


def inserted(a: int, b: int, start: int, length: int, n: int) -> int:
    """bfi, bit by bit: 8 bits of start and length count where n is 32, all where it is 64."""
    start, length = (start & 0xFF, length & 0xFF) if n == 32 else (start, length)
    for i in range(min(length, n)):
        at = start + i
        if at < n and i < n:
            b = b & ~(1 << at) | (a >> i & 1) << at
    return b


def written(start: int | None, length: int, n: int) -> int:
    """NVIDIA's compiler takes 5 bits of bfi's length above 32 beside a position other than 0."""
    return length & 31 if n == 32 and length > 32 and start else length


def permuted(a: int, b: int, picks: list[int]) -> int:
    """prmt of four bytes, each by its number and, from 8 on, its sign."""
    data = a | b << 32
    result = 0
    for i, pick in enumerate(picks):
        byte = data >> 8 * (pick & 7) & 0xFF
        if pick & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * i
    return result


PERMUTATIONS: dict[str, Callable[[int], list[int]]] = {
    "": lambda c: [c >> 4 * i & 15 for i in range(4)],
    ".f4e": lambda c: [(c & 3) + i for i in range(4)],
    ".b4e": lambda c: [((c & 3) - i) % 8 for i in range(4)],
    ".rc8": lambda c: [c & 3] * 4,
    ".ecl": lambda c: [max(i, c & 3) for i in range(4)],
    ".ecr": lambda c: [min(i, c & 3) for i in range(4)],
    ".rc16": lambda c: [2 * (c & 1) + i % 2 for i in range(4)],
}


def nth_set(bits: int, base: int, offset: int) -> int:
    """fns."""
    if offset == -(1 << 31):
        return 0  # as an H200 gives it
    if base > 31:
        return -1
    if offset == 0:
        return base if bits >> base & 1 else -1
    step, left, at = (1 if offset > 0 else -1), abs(offset), base
    while 0 <= at < 32:
        left -= bits >> at & 1
        if left == 0:
            return at
        at += step
    return -1


def table_of(a: int, b: int, c: int, table: int) -> int:
    """lop3, bit by bit."""
    return sum(
        (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32)
    )


def leading(a: int, n: int) -> int:
    """bfind: the highest bit that differs from the sign."""
    return (a if a >= 0 else ~a).bit_length() - 1


def bits() -> Iterator[Form]:
    """Logic, shifts and fields."""
    for kind in ("b16", "b32", "b64"):
        rows: list[tuple[str, Reference]] = [
            ("and", lambda a, b: a & b),
            ("or", lambda a, b: a | b),
            ("xor", lambda a, b: a ^ b),
        ]
        for name, reference in rows:
            yield instruction(f"{name}.{kind}", kind, f"{kind} {kind}", reference, "bits")
        yield instruction(f"not.{kind}", kind, kind, lambda a: ~a, "bits")
        yield instruction(f"cnot.{kind}", kind, kind, lambda a: int(a == 0), "bits")
        yield instruction(
            f"shl.{kind}", kind, f"{kind} u32", lambda a, b: a << b if b < 64 else 0, "bits"
        )
    for kind in INTEGERS:
        yield instruction(f"shr.{kind}", kind, f"{kind} u32", lambda a, b: a >> min(b, 64), "bits")
    for way in "lr":
        for mode in ("wrap", "clamp"):

            def funnel(a: int, b: int, c: int, way: str = way, mode: str = mode) -> int:
                n = c & 31 if mode == "wrap" else min(c, 32)
                both = b << 32 | a
                return both << n >> 32 if way == "l" else both >> n

            yield instruction(f"shf.{way}.{mode}.b32", "b32", "b32 b32 u32", funnel, "bits")
    for n in (32, 64):
        b = f"b{n}"
        yield instruction(f"popc.{b}", "u32", b, lambda a: a.bit_count(), "bits")
        yield instruction(f"clz.{b}", "u32", b, lambda a, n=n: n - a.bit_length(), "bits")
        yield instruction(f"brev.{b}", b, b, lambda a, n=n: int(f"{a:0{n}b}"[::-1], 2), "bits")
        for sign in "us":
            kind = f"{sign}{n}"
            yield instruction(f"bfind.{kind}", "u32", kind, lambda a, n=n: leading(a, n), "bits")
            yield instruction(
                f"bfind.shiftamt.{kind}",
                "u32",
                kind,
                lambda a, n=n: n - 1 - leading(a, n) if leading(a, n) >= 0 else -1,
                "bits",
            )
            yield instruction(
                f"bfe.{kind}",
                kind,
                f"{kind} u32 u32",
                lambda a, b, c, n=n, sign=sign: extracted(a, b, c, n, sign == "s"),
                "bits",
            )
    yield from insertions()
    for mode in ("wrap", "clamp"):

        def limited(value: int, mode: str = mode) -> int:
            return value & 31 if mode == "wrap" else min(value, 32)

        yield instruction(
            f"bmsk.{mode}.b32",
            "b32",
            "u32 u32",
            lambda a, b, limited=limited: (1 << limited(b)) - 1 << limited(a),
            "bits",
        )
        for kind in ("u32", "s32"):
            yield instruction(
                f"szext.{mode}.{kind}",
                kind,
                f"{kind} u32",
                lambda a, b, kind=kind, limited=limited: (
                    wrapped(a, limited(b), kind == "s32") if limited(b) else 0
                ),
                "bits",
            )
    yield instruction("fns.b32", "b32", "b32 u32 s32", nth_set, "bits")
    for base, mask in (("any", -1), ("below 32", 31)):
        yield Form(
            f"fns.b32 (base {base}, lowest offset)",
            f"and.b32 {{t}}, {{b}}, {mask}; fns.b32 {{d}}, {{a}}, {{t}}, -2147483648;",
            "b32",
            ("b32", "u32"),
            lambda a, b, mask=mask: nth_set(a, b & mask, -(1 << 31)),
            "bits",
        )
    for table in (0x80, 0xFE, 0x96, 0xCA, 0x1B):
        yield Form(
            f"lop3.b32 ({table:#x})",
            f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};",
            "b32",
            ("b32",) * 3,
            lambda a, b, c, table=table: table_of(a, b, c, table),
            "bits",
        )
    for join in ("and", "or"):
        yield Form(
            f"lop3.{join}.b32",
            "setp.lt.u32 q, {a}, {b}; "
            f"lop3.{join}.b32 {{t}}|p, {{a}}, {{b}}, {{c}}, 0xC8, q; selp.u32 {{d}}, 1, 0, p;",
            "u32",
            ("u32",) * 3,
            lambda a, b, c, join=join: int(
                table_of(a, b, c, 0xC8) != 0 and a < b
                if join == "and"
                else table_of(a, b, c, 0xC8) != 0 or a < b
            ),
            "bits",
        )
    for mode, picks in PERMUTATIONS.items():
        yield instruction(
            f"prmt.b32{mode}",
            "b32",
            "b32 b32 b32",
            lambda a, b, c, picks=picks: permuted(a, b, picks(c)),
            "bits",
        )
    yield from dot_products()


def insertions() -> Iterator[Form]:
    """bfi: position and length written as numbers, or in registers, of 6 bits, of 8, and of 32."""
    for n in (32, 64):
        b = f"b{n}"
        for start, length in (
            *((0, 8), (5, 3), (30, 9), (n - 1, 4), (n, 1), (3, 0), (2, 200), (0, n), (0, n + 1)),
            *((4, 64), (1, 255), (n + 8, 4), (255, 3)),
        ):
            yield Form(
                f"bfi.{b} ({start}, {length})",
                f"bfi.{b} {{d}}, {{a}}, {{b}}, {start}, {length};",
                b,
                (b, b),
                lambda a, b, start=start, length=length, n=n: inserted(
                    a, b, start, written(start, length, n), n
                ),
                "bits",
            )
        for code, start, length in (
            ("{c}, 200", None, 200),
            ("{c}, 20", None, 20),
            ("2, {c}", 2, None),
            ("40, {c}", 40, None),
        ):

            def half(
                a: int,
                b: int,
                c: int,
                n: int = n,
                start: int | None = start,
                length: int | None = length,
            ) -> int:
                given = c if length is None else written(start, length, n)
                return inserted(a, b, c if start is None else start, given, n)

            yield Form(
                f"bfi.b{n} ({code.replace('{c}', 'register')})",
                f"bfi.b{n} {{d}}, {{a}}, {{b}}, {code};",
                f"b{n}",
                (f"b{n}", f"b{n}", "u32"),
                half,
                "bits",
            )
        for bits_ in (6, 8, 32):
            mask = (1 << bits_) - 1
            name = f"bfi.b{n} (registers of {bits_} bits)"
            code = (
                f"mul.lo.u32 %r10, {{c}}, 0x9E3779B1; and.b32 %r11, %r10, {mask}; "
                f"shr.u32 %r10, %r10, 7; and.b32 %r10, %r10, {mask}; "
                f"bfi.b{n} {{d}}, {{a}}, {{b}}, %r11, %r10;"
            )

            def reference(a: int, b: int, c: int, n: int = n, mask: int = mask) -> int:
                drawn = c * 0x9E3779B1 & 0xFFFFFFFF
                return inserted(a, b, drawn & mask, drawn >> 7 & mask, n)

            yield Form(name, code, f"b{n}", (f"b{n}", f"b{n}", "u32"), reference, "bits")


def dot_products() -> Iterator[Form]:
    """dp4a and dp2a."""
    for left in "us":
        for right in "us":
            kind = "s32" if "s" in left + right else "u32"
            a_, b_ = f"{left}32", f"{right}32"

            def four(a: int, b: int, c: int, left: str = left, right: str = right) -> int:
                return c + sum(
                    wrapped(a >> 8 * i, 8, left == "s") * wrapped(b >> 8 * i, 8, right == "s")
                    for i in range(4)
                )

            yield instruction(f"dp4a.{a_}.{b_}", kind, f"{a_} {b_} {kind}", four, "bits")
            for half in ("lo", "hi"):

                def two(
                    a: int, b: int, c: int, left: str = left, right: str = right, half: str = half
                ) -> int:
                    start = 2 if half == "hi" else 0
                    return c + sum(
                        wrapped(a >> 16 * i, 16, left == "s")
                        * wrapped(b >> 8 * (i + start), 8, right == "s")
                        for i in range(2)
                    )

                yield instruction(f"dp2a.{half}.{a_}.{b_}", kind, f"{a_} {b_} {kind}", two, "bits")


VIDEO_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vavrg": lambda a, b: (a + b + (a + b >= 0)) >> 1,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
}


def videos() -> Iterator[Form]:
    """Bytes and half words of 32 bits."""
    for parts in (2, 4):
        n = 32 // parts

        def lanes(
            one: Callable[[int, int], int], a: int, b: int, signs: tuple[bool, bool], n: int = n
        ) -> list[int]:
            return [
                one(wrapped(a >> i, n, signs[0]), wrapped(b >> i, n, signs[1]))
                for i in range(0, 32, n)
            ]

        for name, one in VIDEO_OPERATIONS.items():
            for kind in ("u32", "s32"):
                signs = (kind == "s32",) * 2
                for tail in ("", ".sat", ".add"):

                    def reference(
                        a: int,
                        b: int,
                        c: int,
                        one: Any = one,
                        signs: Any = signs,
                        tail: str = tail,
                        n: int = n,
                        lanes: Any = lanes,
                    ) -> int:
                        values = lanes(one, a, b, signs)
                        if tail == ".add":
                            return c + sum(values)
                        if tail == ".sat":
                            values = [clamped(value, n, signs[0]) for value in values]
                        return sum(wrapped(value, n) << n * i for i, value in enumerate(values))

                    yield instruction(
                        f"{name}{parts}.{kind}.{kind}.{kind}{tail}",
                        kind,
                        "u32 u32 u32",
                        reference,
                        "video",
                    )
        for test, holds in COMPARISONS.items():
            yield instruction(
                f"vset{parts}.s32.s32.{test}",
                "u32",
                "u32 u32 u32",
                lambda a, b, _, holds=holds, n=n, lanes=lanes: sum(
                    int(value) << n * i for i, value in enumerate(lanes(holds, a, b, (True, True)))
                ),
                "video",
            )
    yield Form(
        "vadd4 with a mask and selectors",
        "vadd4.u32.u32.u32 {d}.b20, {a}.b7001, {b}.b3210, {c};",
        "u32",
        ("u32",) * 3,
        lambda a, b, c: (
            c & 0xFF00FF00
            | (a >> 8 & 0xFF) + (a & 0xFF) & 0xFF
            | ((a & 0xFF) + (a >> 16 & 0xFF) & 0xFF) << 16
        ),
        "video",
    )
