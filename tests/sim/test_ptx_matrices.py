"""mma.sync and ldmatrix against NumPy: the lanes' parts are laid out by the rules of the ISA."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.nvrtc import compile_ptx
from support.ptx_matrices import FORMATS, KINDS, SINGLE, SOURCE, drawn, product, sums
from support.ptx_runner import HEAD
from support.sim_driver import SimDriver


def as_bfloat16(values: np.ndarray) -> np.ndarray:
    return (values.astype("f4").view("u4") >> 16).astype("u2")


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_products_of_halves(driver: SimDriver, name: str) -> None:
    random = np.random.default_rng(2)
    a, b = random.integers(-8, 9, (16, 16)), random.integers(-8, 9, (16, 8))
    stored = [x.astype("f2").view("u2") if name == "f16" else as_bfloat16(x) for x in (a, b)]
    driver.start("A100")
    module = driver.load(compile_ptx(SOURCE.replace("TYPE", name), 80))
    out = driver.upload(np.zeros(128, "f4"))
    function = driver.function(module, "half_product")
    driver.launch(function, 1, 32, driver.upload(stored[0]), driver.upload(stored[1]), out)
    assert np.array_equal(driver.download(out, 128, "f4").reshape(16, 8), a @ b + 1)


def test_products_of_tf32(driver: SimDriver) -> None:
    random = np.random.default_rng(3)
    a = random.integers(-99, 99, (16, 8)).astype("f4")
    b = random.integers(-99, 99, (8, 8)).astype("f4")
    driver.start("A100")
    module = driver.load(compile_ptx(SINGLE, 80))
    out = driver.upload(np.zeros(128, "f4"))
    function = driver.function(module, "single_product")
    driver.launch(function, 1, 32, driver.upload(a), driver.upload(b), out)
    assert np.array_equal(driver.download(out, 128, "f4").reshape(16, 8), a @ b)


# SHA-256 of the sums that an H200 gave of the first kind of matrices.
ON_A_CARD = {"f16": "ae8da10e4a2f35f5", "bf16": "d8ac7c1236168cf9", "tf32": "e980b66d56c6b524"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORMATS)
def test_sums_are_cut_off_as_tensor_cores_do(driver: SimDriver, name: str, kind: str) -> None:
    driver.start("B200")
    matrices = drawn(name, kind)
    got = product(driver, name, matrices)
    assert np.array_equal(got, sums(name, matrices))
    if kind == "scaled":
        assert hashlib.sha256(got.tobytes()).hexdigest()[:16] == ON_A_CARD[name]


def test_sums_of_halves_are_rounded_to_halves(driver: SimDriver) -> None:
    driver.start("B200")
    for kind in KINDS:
        matrices = drawn("f16", kind)
        got = product(driver, "f16", matrices, half_sums=True)
        assert np.array_equal(got, sums("f16", matrices, half_sums=True)), kind


# ---- bytes: the lanes' registers are packed here by the rules of the ISA

SHAPES = {"m8n8k16": (8, 16, 1, 1, 2), "m16n8k16": (16, 16, 2, 1, 4), "m16n8k32": (16, 32, 4, 2, 4)}


def byte_product(shape: str, left: str, right: str, tail: str) -> str:
    _, _, of_a, of_b, of_c = SHAPES[shape]
    starts, lines = {"a": 0, "b": 8, "c": 16}, []
    for place, (name, count) in enumerate({"a": of_a, "b": of_b, "c": of_c}.items()):
        lines.append(f"ld.param.u64 %l0, [p{place}]; mad.wide.u32 %l0, %r30, {4 * count}, %l0;")
        lines += [f"ld.global.u32 %r{starts[name] + i}, [%l0+{4 * i}];" for i in range(count)]
    given = [
        "{" + ", ".join(f"%r{start + i}" for i in range(count)) + "}"
        for start, count in ((24, of_c), (0, of_a), (8, of_b), (16, of_c))
    ]
    lines.append(
        f"mma.sync.aligned.{shape}.row.col{tail}.s32.{left}.{right}.s32 {', '.join(given)};"
    )
    lines.append(f"ld.param.u64 %l0, [p3]; mad.wide.u32 %l0, %r30, {4 * of_c}, %l0;")
    lines += [f"st.global.u32 [%l0+{4 * i}], %r{24 + i};" for i in range(of_c)]
    return (
        f"{HEAD}.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n"
        "{\n.reg .b32 %r<31>; .reg .b64 %l<1>;\nmov.u32 %r30, %tid.x;\n"
        + "\n".join(lines)
        + "\nret;\n}\n"
    )


def packed(matrix: np.ndarray, words: int, place: Callable[[int, int], tuple[int, int]]) -> Any:
    """Four elements a register, words a lane."""
    out = np.zeros((32, words), "u4")
    for lane in range(32):
        for i in range(4 * words):
            out[lane, i // 4] |= np.uint32((int(matrix[place(lane, i)]) & 0xFF) << 8 * (i % 4))
    return out


@pytest.mark.parametrize("tail", ["", ".satfinite"])
@pytest.mark.parametrize("types", ["s8 s8", "u8 s8", "s8 u8", "u8 u8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_bytes(driver: SimDriver, shape: str, types: str, tail: str) -> None:
    rows, depth, of_a, of_b, of_c = SHAPES[shape]
    left, right = types.split()
    random = np.random.default_rng(4)

    def drawn(kind: str, size: tuple[int, int]) -> np.ndarray:
        low = -128 if kind == "s8" else 0
        return random.integers(low, low + 256, size)

    a, b = drawn(left, (rows, depth)), drawn(right, (depth, 8))
    c = random.integers(-(2**31), 2**31, (rows, 8))
    c[0], c[1] = 2**31 - 1, -(2**31)

    def of_left(lane: int, i: int) -> tuple[int, int]:
        return lane // 4 + 8 * (i // 4 % 2), lane % 4 * 4 + i % 4 + 16 * (i // 8)

    def of_right(lane: int, i: int) -> tuple[int, int]:
        return lane % 4 * 4 + i % 4 + 16 * (i // 4), lane // 4

    def of_sum(lane: int, i: int) -> tuple[int, int]:
        return lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2

    start = np.array([[c[of_sum(lane, i)] for i in range(of_c)] for lane in range(32)])
    driver.start("B200")
    module = driver.load(byte_product(shape, left, right, tail).encode())
    places = [packed(a, of_a, of_left), packed(b, of_b, of_right), start.astype("i4")]
    out = driver.upload(np.zeros((32, of_c), "i4"))
    driver.launch(driver.function(module, "k"), 1, 32, *map(driver.upload, places), out)
    got = driver.download(out, 32 * of_c, "i4").reshape(32, of_c)
    want = a @ b + c
    want = np.clip(want, -(2**31), 2**31 - 1) if tail else want.astype("i8").astype("i4")
    assert all(got[lane, i] == want[of_sum(lane, i)] for lane in range(32) for i in range(of_c))
