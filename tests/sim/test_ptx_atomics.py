"""atom and red of vectors, element by element beside exact fractions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from support import exact_floats as exact
from support.exact_floats import FORMATS, Format, bits_of, value_of
from support.ptx_runner import HEAD, free_message, operands
from support.sim_driver import SimDriver

OPERATIONS: dict[str, Any] = {"add": exact.add, "min": exact.smaller, "max": exact.larger}
# Type, elements of a vector, operations.
VECTORS = [
    ("f32", 2, "add"),
    ("f32", 4, "add"),
    *(
        (kind, count, operation)
        for kind in ("f16", "bf16", "f16x2", "bf16x2")
        for count in (2, 4, 8)
        for operation in OPERATIONS
        if not (kind.endswith("x2") and count == 8)
    ),
]


def kernel(kind: str, count: int, operation: str, width: int) -> str:
    register = {2: "h", 4: "r"}[width]
    before, given = (
        "{" + ", ".join(f"%{register}{start + k}" for k in range(count)) + "}" for start in (0, 8)
    )
    loads = "".join(
        f"ld.global.b{8 * width} %{register}{8 + k}, [%l1+{width * k}];\n" for k in range(count)
    )
    stores = "".join(
        f"st.global.b{8 * width} [%l2+{width * k}], %{register}{k};\n" for k in range(count)
    )
    name = f"global.{operation}{'' if kind == 'f32' else '.noftz'}.v{count}.{kind}"
    return (
        f"{HEAD}.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{{\n"
        ".reg .b16 %h<16>; .reg .b32 %r<17>; .reg .b64 %l<4>;\nmov.u32 %r16, %tid.x;\n"
        + "".join(
            f"ld.param.u64 %l{i}, [p{i}]; mad.wide.u32 %l{i}, %r16, {width * count}, %l{i};\n"
            for i in range(3)
        )
        + f"{loads}atom.{name} {before}, [%l0], {given};\nred.relaxed.gpu.{name} [%l0], {given};\n"
        f"{stores}ret;\n}}\n"
    )


def number(word: int, form: Format, flush: bool) -> float:
    """A word's number, a zero of its sign in place of a subnormal one where that is asked for."""
    value = value_of(word, form)
    return math.copysign(0, value) if flush and abs(value) < 2.0**form.lowest else value


def result(kind: str, operation: str, a: int, b: int) -> tuple[int | None, ...]:
    """The bits of each part of an element; None for NaN."""
    form = FORMATS[kind.removesuffix("x2")]
    shifts = (0, 16) if kind.endswith("x2") else (0,)
    mask = (1 << form.bits) - 1
    flush = kind == "f32"  # in global memory
    parts = [[number(word >> s & mask, form, flush) for word in (a, b)] for s in shifts]
    words = [bits_of(OPERATIONS[operation](*part), form) for part in parts]
    return tuple(None if w is None else bits_of(number(w, form, flush), form) for w in words)


def parts_of(kind: str, word: int) -> tuple[int | None, ...]:
    form = FORMATS[kind.removesuffix("x2")]
    shifts = (0, 16) if kind.endswith("x2") else (0,)
    words = [word >> s & ((1 << form.bits) - 1) for s in shifts]
    return tuple(None if value_of(one, form) != value_of(one, form) else one for one in words)


@pytest.mark.parametrize(("kind", "count", "operation"), VECTORS)
def test_vectors_are_changed_element_by_element(
    driver: SimDriver, kind: str, count: int, operation: str
) -> None:
    width = 2 if kind in ("f16", "bf16") else 4
    driver.start("B200")
    module = driver.load(kernel(kind, count, operation, width).encode())
    pool = [np.array(operands(kind, place), f"u{width}") for place in (0, 1)]
    memory, given = (np.resize(one, 32 * count) for one in pool)
    places = [driver.upload(array) for array in (memory, given, np.zeros_like(memory))]
    driver.launch(driver.function(module, "k"), 1, 32, *places)
    after, before = (driver.download(places[i], 32 * count, f"u{width}") for i in (0, 2))
    assert np.array_equal(before, memory)
    for a, b, got in zip(memory.tolist(), given.tolist(), after.tolist(), strict=True):
        once = result(kind, operation, a, b)
        twice = tuple(
            None if part is None else result(kind.removesuffix("x2"), operation, part, b >> s)[0]
            for part, s in zip(once, (0, 16), strict=False)
        )
        # min and max of a NaN and a number are the number.
        if operation != "add":
            twice = once
        assert parts_of(kind, got) == twice, (hex(a), hex(b), hex(got))


SMALL = [1, 0x80000001, 0x7FFFFF, 0x800000, 0x800001, 0x80800000, 0x3F800000, 0x80000000, 0]


@pytest.mark.parametrize("way", ["atom.global", "red.global", "atom", "red", "atom.shared"])
def test_sums_of_float32_in_global_memory_have_no_subnormals(driver: SimDriver, way: str) -> None:
    """They are zeros of their sign, as operands and as results; in shared memory they are kept."""
    shared = way.endswith("shared")
    code = f"{way}.add.f32 {'%r2, ' if 'atom' in way else ''}[{'%r3' if shared else '%l0'}], %r1;"
    text = (
        f"{HEAD}.visible .entry k(.param .u64 p0, .param .u64 p1)\n{{\n.reg .b32 %r<6>; "
        ".reg .b64 %l<4>; .shared .align 4 .b32 room[81];\nmov.u32 %r0, %tid.x; "
        "mul.wide.u32 %l2, %r0, 4; ld.param.u64 %l0, [p0]; ld.param.u64 %l1, [p1]; "
        "add.u64 %l0, %l0, %l2; add.u64 %l1, %l1, %l2; ld.global.u32 %r1, [%l1]; "
        "mov.u32 %r3, room; mad.lo.u32 %r3, %r0, 4, %r3; ld.global.u32 %r4, [%l0]; "
        "st.shared.u32 [%r3], %r4;\n"
        f"{code}\n{'ld.shared.u32 %r5, [%r3]; st.global.u32 [%l0], %r5;' if shared else ''}"
        "\nret;\n}\n"
    )
    old, more = (x.ravel().astype("u4") for x in np.meshgrid(SMALL, SMALL))
    driver.start("B200")
    places = [driver.upload(array) for array in (old, more)]
    driver.launch(driver.function(driver.load(text.encode()), "k"), 1, 81, *places)

    def flushed(words: np.ndarray) -> np.ndarray:
        small = (words & 0x7F800000) == 0
        return words if shared else np.where(small, words & 0x80000000, words).astype("u4")

    want = flushed((flushed(old).view("f4") + flushed(more).view("f4")).view("u4"))
    assert driver.download(places[0], 81, "u4").tolist() == want.tolist()


def test_a_result_may_be_an_operand_too(driver: SimDriver) -> None:
    text = (
        f"{HEAD}.visible .entry k(.param .u64 p0)\n{{\n.reg .f32 %f<2>; .reg .b64 %l<2>;\n"
        "ld.param.u64 %l0, [p0]; mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000;\n"
        "atom.global.add.v2.f32 {%f0, %f1}, [%l0], {%f1, %f0};\nret;\n}\n"
    )
    driver.start("B200")
    out = driver.upload(np.array([10, 20], "f4"))
    driver.launch(driver.function(driver.load(text.encode()), "k"), 1, 1, out)
    assert driver.download(out, 2, "f4").tolist() == [12, 21]


def test_lanes_of_one_place_add_up(driver: SimDriver) -> None:
    text = (
        f"{HEAD}.visible .entry k(.param .u64 p0)\n{{\n.reg .f32 %f<4>; .reg .b64 %l<2>;\n"
        "ld.param.u64 %l0, [p0]; mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000;\n"
        "red.global.add.v4.f32 [%l0], {%f0, %f1, %f1, %f0};\nret;\n}\n"
    )
    driver.start("B200")
    out = driver.upload(np.zeros(4, "f4"))
    driver.launch(driver.function(driver.load(text.encode()), "k"), 3, 50, out)
    assert driver.download(out, 4, "f4").tolist() == [150, 300, 300, 150]


@pytest.mark.parametrize(
    "code",
    [
        "red.global.add.v2.u32 [%l0], {%r0, %r1};",
        "red.global.min.v2.f32 [%l0], {%r0, %r1};",
        "red.shared.add.v2.f32 [%l0], {%r0, %r1};",
        "red.global.add.v8.f32 [%l0], {%r0, %r1, %r0, %r1, %r0, %r1, %r0, %r1};",
        "red.global.add.v2.f32 [%l0], {%r0, %r1, %r2};",
        "red.global.add.v2.f32 [%l0], %r0;",
        "atom.global.add.v2.f32 %r1, [%l0], {%r0, %r1};",
        "red.async.global.add.u32 [%l0], %r0;",
    ],
)
def test_other_vectors_are_refused_with_a_line(driver: SimDriver, code: str) -> None:
    driver.start("B200")
    text = (
        f"{HEAD}.visible .entry k(.param .u64 p0)\n{{\n.reg .b32 %r<4>; .reg .b64 %l<2>;\n"
        f"ld.param.u64 %l0, [p0];\n{code}\nret;\n}}\n"
    )
    assert "line 8; error: " in free_message(driver, text)
