"""The calls whose kernels tools/make_counts.py counts, and the bytes that each has to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gpukit

N, COLUMNS = 1 << 15, 256
BYTES = {
    "float32": 4, "float16": 2, "bfloat16": 2, "float64": 8, "int64": 8, "int32": 4, "uint8": 1,
}  # fmt: skip


class Row(NamedTuple):
    """A call: `prepare` makes the operands and gives what is counted."""

    name: str
    families: str  # files of csrc/kernels that it may run
    reads: int  # bytes
    writes: int
    prepare: Callable[[], Callable[[], Any]]


def operand(dtype: str, shape: tuple[int, ...] = (N,), seed: int = 0) -> Any:
    """Numbers of all bits for integers, of a normal distribution for others."""
    random = np.random.default_rng(seed)
    if "float" in dtype:
        host: Any = random.standard_normal(shape).astype(np.float32)
        return gpukit.tensor(host).to(getattr(gpukit, dtype)).to("cuda:0")
    kind = np.dtype(dtype)
    host = random.integers(0, 256, (*shape, kind.itemsize), dtype=np.uint8).view(kind)[..., 0]
    return gpukit.tensor(host).to("cuda:0")


def indices(count: int, most: int) -> Any:
    """Drawn row numbers."""
    return gpukit.tensor(np.random.default_rng(1).integers(0, most, count)).to("cuda:0")


def of_one(name: str, families: str, dtype: str, call: Callable[[Any], Any], *, moved: Any,
           shape: tuple[int, ...] = (N // COLUMNS, COLUMNS)) -> Row:  # fmt: skip
    """call(x): it reads and writes so many times the bytes of x."""

    def prepare() -> Callable[[], Any]:
        x = operand(dtype, shape)
        return lambda: call(x)

    size = N * BYTES[dtype]
    return Row(f"{name} {dtype}", families, int(moved[0] * size), int(moved[1] * size), prepare)


def of_rows(name: str, call: Callable[[Any, Any, Any], Any], reads: int, writes: int) -> Row:
    """call(table, index, rows): of 512 rows of 64 float32 some are read, written or added to."""

    def prepare() -> Callable[[], Any]:
        table, index = operand("float32", (512, 64)), indices(512, 512)
        rows = operand("float32", (512, 64), 2)
        return lambda: call(table, index, rows)

    families = "gather scatter sort select fill copy hot binary"
    return Row(f"{name} float32", families, reads, writes, prepare)


def product(
    dtype: str, shape: tuple[int, int, int], rows: int, columns: int, batch: int = 1
) -> Row:
    """A product in tiles of so many rows and columns."""
    m, n, k = shape

    def prepare() -> Callable[[], Any]:
        a, b = operand(dtype, (batch, m, k)), operand(dtype, (batch, k, n), 1)
        return lambda: a @ b

    tiles = batch * (m // rows) * (n // columns)
    reads = tiles * (rows + columns) * k * BYTES[dtype]
    families = "matmul_mma matmul_thin matmul_tiled matmul_wide"
    name = f"product, tiles of {rows} x {columns} {dtype}"
    return Row(name, families, reads, batch * m * n * BYTES[dtype], prepare)


def thin(dtype: str, rows: int) -> Row:
    """Few rows times the transpose of a matrix, split along its inner elements.

    What has to be moved is the matrix, the rows and the result; the parts come on top.
    """
    n, k = 512, 1024

    def prepare() -> Callable[[], Any]:
        x, matrix = operand(dtype, (rows, k)), operand(dtype, (n, k), 1)
        return lambda: x @ matrix.mT

    name = f"{rows} {'row' if rows == 1 else 'rows'} times a matrix {dtype}"
    reads, writes = (n * k + rows * k) * BYTES[dtype], rows * n * BYTES[dtype]
    return Row(name, "matmul_thin matmul_mma", reads, writes, prepare)


def layer(dtype: str) -> Row:
    """A linear layer and its relu, whose bias is a part of the product."""
    m, n, k = 640, 512, 64

    def prepare() -> Callable[[], Any]:
        part = gpukit.nn.Sequential(gpukit.nn.Linear(k, n), gpukit.nn.ReLU())
        part.to("cuda:0", getattr(gpukit, dtype)).requires_grad_(False)
        x = operand(dtype, (m, k))
        return lambda: part(x)

    columns = 64 if dtype == "float16" else 128  # of a tile, which has 64 rows
    tiles = (m // 64) * (n // columns)
    reads = (tiles * (64 + columns) * k + n) * BYTES[dtype]
    name = f"linear and relu {dtype}"
    return Row(name, "matmul_mma matmul_wide matmul_thin", reads, m * n * BYTES[dtype], prepare)


def cross_entropy(backward: bool) -> Row:
    """Of 128 rows, with 256 classes; the losses are few bytes."""
    rows, size = N // COLUMNS, N * 4

    def prepare() -> Callable[[], Any]:
        logits = operand("float32", (rows, COLUMNS)).requires_grad_()
        target = indices(rows, COLUMNS)
        call = gpukit.nn.functional.cross_entropy
        if not backward:
            return lambda: call(logits.detach(), target)
        loss = call(logits, target)
        return lambda: loss.backward(gpukit.ones_like(loss))

    name = "cross_entropy backward float32" if backward else "cross_entropy float32"
    reads = size + rows * 8
    return Row(name, "loss fill reduce hot binary", reads, size if backward else 0, prepare)


def adam() -> Row:
    """Parameter, gradient and two states are read, all but the gradient written."""

    def prepare() -> Callable[[], Any]:
        parameter = gpukit.nn.Parameter(operand("float32"))
        parameter.grad = operand("float32", seed=1)
        optimizer = gpukit.optim.Adam([parameter])
        optimizer.step()
        return optimizer.step

    size = N * 4
    return Row("Adam float32", "optimizer fill", 4 * size, 3 * size, prepare)


def sorting(dtype: str) -> Row:
    """Each pass counts items, and reads and writes items and indices (int64 at the end)."""
    width = BYTES[dtype]
    reads = width * 2 * width + (width - 1) * 4
    writes = width * width + (width - 1) * 4 + 8

    def prepare() -> Callable[[], Any]:
        x = operand(dtype)
        return lambda: gpukit.sort(x)

    return Row(f"sort {dtype}", "sort", N * reads, N * writes, prepare)


def _rows() -> list[Row]:
    rows = []
    for dtype in ("float32", "float16", "float64", "int64", "uint8"):
        rows += [
            of_one("add", "hot binary", dtype, lambda x: x + x, moved=(2, 1)),
            of_one("clone", "copy", dtype, lambda x: x.clone(), moved=(1, 1)),
            of_one("transpose", "copy", dtype, lambda x: x.t().contiguous(), moved=(1, 1)),
            of_one("sum of rows", "reduce", dtype, lambda x: x.sum(1), moved=(1, 0)),
            of_one("sum of columns", "reduce", dtype, lambda x: x.sum(0), moved=(1, 0)),
            of_one(
                "cumsum",
                "cumulative copy",
                dtype,
                lambda x: x.cumsum(1),
                moved=(1, 8 if dtype == "uint8" else 1),
            ),
        ]
    for dtype in ("float32", "float16"):
        rows += [
            of_one("exp", "hot unary", dtype, lambda x: x.exp(), moved=(1, 1)),
            of_one("relu", "hot unary", dtype, lambda x: x.relu(), moved=(1, 1)),
            of_one("where", "select binary", dtype,
                   lambda x: gpukit.where(x > 0, x, x), moved=(3, 1)),
            of_one("softmax", "softmax", dtype, lambda x: gpukit.softmax(x, 1), moved=(1, 1)),
            of_one("layer_norm", "softmax", dtype,
                   lambda x: gpukit.nn.functional.layer_norm(x, (COLUMNS,)), moved=(1, 1)),
            of_one("rand", "random", dtype, gpukit.rand_like, moved=(0, 1)),
            of_one("randn", "random", dtype, gpukit.randn_like, moved=(0, 1)),
        ]  # fmt: skip
    for dtype in ("int64", "uint8"):
        rows += [
            of_one("clone of columns", "copy", dtype, lambda x: x[:, : COLUMNS // 2].clone(),
                   moved=(0.5, 0.5)),
            of_one("randint", "random", dtype,
                   lambda x: gpukit.randint(0, 9, x.shape, dtype=x.dtype, device=x.device),
                   moved=(0, 1)),
        ]  # fmt: skip
    size = 512 * 64 * 4
    rows += [
        of_one("softmax of a long row", "softmax", "float32", lambda x: gpukit.softmax(x, 1),
               moved=(2, 1), shape=(1, N)),
        of_one("cast to float32", "copy", "float16", lambda x: x.float(), moved=(1, 2)),
        of_rows("index_select", lambda t, i, _: t.index_select(0, i), size + 4096, size),
        of_rows("x[index] = y", lambda t, i, r: t.__setitem__(i, r), size + 4096, size),
        of_rows("index_add_", lambda t, i, r: t.index_add_(0, i, r), 2 * size + 4096, size),
        cross_entropy(backward=False),
        cross_entropy(backward=True),
        adam(),
    ]  # fmt: skip
    rows += [sorting(dtype) for dtype in ("uint8", "float16", "float32", "int64")]
    rows += [
        product("int32", (128, 128, 64), 64, 64),
        product("float32", (128, 128, 64), 64, 128, batch=20),
        product("float16", (128, 128, 64), 64, 64),
        product("float16", (128, 128, 64), 128, 128, batch=40),
        thin("float32", 1),
        thin("float32", 16),
        thin("float64", 1),
        thin("float16", 1),
        thin("float16", 16),
        layer("float32"),
        layer("float16"),
    ]
    return rows


ROWS = _rows()
