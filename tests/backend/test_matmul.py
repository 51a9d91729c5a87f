"""Matrix products: shapes, strides, dtypes and the errors that a learner meets."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import assert_same, fetch, put, sample

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((5, 1), (1, 6)),
    ((17, 33), (33, 19)),
    ((4, 2, 3), (3,)),
    ((4, 2, 3), (3, 5)),
    ((4, 2, 3), (4, 3, 5)),
    ((2, 3), (4, 3, 5)),
    ((3,), (4, 3, 5)),
    ((2, 1, 2, 3), (4, 3, 5)),
    ((4, 1, 2, 3), (1, 5, 3, 2)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((0, 2, 3), (3, 4)),
    ((3, 0, 2), (3, 2, 0)),
]
# Of the largest term: a sum of products may cancel.
TOLERANCE = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-12, "int64": 0, "int32": 0}


def assert_near(got, want, tolerance, context=""):
    """Within a tolerance of the largest element; 0 asks for equality."""
    scale = np.abs(want).max() if np.size(want) else 0
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * scale, err_msg=context)


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul(left, right, device):
    for dtype, tolerance in TOLERANCE.items():
        x, y = sample(dtype, left), sample(dtype, right, seed=1)
        got = fetch(put(x, device) @ put(y, device))
        want = np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(dtype)
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        assert_near(got, want, tolerance, dtype)


VIEWS = {
    "as it is": lambda x: x,
    "transposed": lambda x: x.swapaxes(-1, -2) if isinstance(x, np.ndarray) else x.mT,
    "every second": lambda x: x[..., ::2, ::2],
    "inner part": lambda x: x[..., 1:, 1:],
    "backwards": lambda x: x[::-1],
}


@pytest.mark.parametrize("left", VIEWS)
@pytest.mark.parametrize("right", VIEWS)
def test_strides_do_not_matter(left, right, device):
    x, y = sample("float32", (8, 8)), sample("float32", (8, 8), seed=1)
    a, b = VIEWS[left](x), VIEWS[right](y)
    size = min(a.shape[-1], b.shape[-2])
    tensors = VIEWS[left](put(x, device))[:, :size] @ VIEWS[right](put(y, device))[:size]
    assert_near(fetch(tensors), a[:, :size] @ b[:size], 1e-5)


def test_batches_with_strides(device):
    x, y = sample("float32", (3, 4, 5)), sample("float32", (3, 4, 5), seed=1)
    a, b = put(x, device), put(y, device)
    assert_near(fetch(a @ b.mT), x @ y.swapaxes(1, 2), 1e-5)
    assert_near(
        fetch(a.permute(1, 0, 2) @ b.permute(1, 2, 0)),
        x.transpose(1, 0, 2) @ y.transpose(1, 2, 0),
        1e-5,
    )
    assert_near(fetch(a[:1].expand(3, 4, 5) @ b.mT), x[:1] @ y.swapaxes(1, 2), 1e-5)
    mixed = a.reshape(3, 1, 4, 5).expand(3, 2, 4, 5)
    assert_near(fetch(mixed @ b[:2].mT), x[:, None] @ y[:2].swapaxes(1, 2), 1e-5)


def test_larger_than_a_tile(device):
    for m, k, n in ((130, 70, 65), (64, 129, 200), (1, 300, 257)):
        x, y = sample("float32", (m, k)), sample("float32", (k, n), seed=1)
        want = x.astype(np.float64) @ y.astype(np.float64)
        np.testing.assert_allclose(
            fetch(put(x, device) @ put(y, device)), want, rtol=1e-4, atol=1e-3
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("left", ["rows", "columns"])
@pytest.mark.parametrize("right", ["rows", "columns"])
def test_half_types_larger_than_a_tile(dtype, left, right, device):
    random = np.random.default_rng(0)
    for m, k, n in ((130, 70, 65), (72, 200, 136), (1, 300, 257)):
        # Whole numbers whose sums both types hold exactly.
        x, y = (random.integers(-1, 2, shape).astype(np.float32) for shape in ((m, k), (k, n)))
        a, b = (
            put(of, device).to(gpukit.dtype(dtype))
            if order == "rows"
            else put(np.ascontiguousarray(of.T), device).to(gpukit.dtype(dtype)).mT
            for of, order in ((x, left), (y, right))
        )
        np.testing.assert_array_equal(fetch((a @ b).float()), x @ y)


def test_named_forms(device):
    x, y = sample("float64", (3, 4)), sample("float64", (4, 5), seed=1)
    a, b = put(x, device), put(y, device)
    assert_same(gpukit.mm(a, b), x @ y)
    assert_same(gpukit.matmul(a, b), x @ y)
    assert_same(gpukit.mv(a, b[:, 0]), x @ y[:, 0])
    assert_same(gpukit.dot(b[0], b[1]), y[0] @ y[1])
    assert_same(gpukit.outer(a[:, 0], b[0]), np.outer(x[:, 0], y[0]))
    assert_same(gpukit.bmm(a[None].expand(2, 3, 4), b[None].expand(2, 4, 5)), np.stack([x @ y] * 2))


def test_addmm(device):
    for dtype in ("float32", "float64", "int64"):
        x, y, c = sample(dtype, (3, 4)), sample(dtype, (4, 5), seed=1), sample(dtype, (5,), seed=2)
        a, b, d = put(x, device), put(y, device), put(c, device)
        tolerance = TOLERANCE[dtype]
        assert_near(fetch(gpukit.addmm(d, a, b)), c + x @ y, tolerance)
        assert_near(fetch(gpukit.addmm(d, a, b, beta=2, alpha=3)), 2 * c + 3 * (x @ y), tolerance)
        assert_near(fetch(gpukit.addmm(d, a, b, beta=0)), x @ y, tolerance)
    empty = gpukit.addmm(
        put(np.float64([1, 2]), device),
        put(np.zeros((3, 0)), device),
        put(np.zeros((0, 2)), device),
    )
    assert_same(empty, np.tile([1.0, 2.0], (3, 1)))


def test_not_a_number_in_the_input_is_not_read_with_beta_zero(device):
    ones = put(np.ones((2, 2), np.float32), device)
    assert_same(
        gpukit.addmm(ones * float("nan"), ones, ones, beta=0), np.full((2, 2), 2, np.float32)
    )


ERRORS = [
    (
        lambda t: gpukit.mm(t(2, 3), t(2, 3)),
        gpukit.ShapeError,
        "mm: X is (2, 3), Y is (2, 3); inner sizes 3 and 2 differ. Did you mean X @ Y.T?",
    ),
    (
        lambda t: t(2, 3) @ t(2, 4),
        gpukit.ShapeError,
        "matmul: X is (2, 3), Y is (2, 4); inner sizes 3 and 2 differ. Did you mean X.T @ Y?",
    ),
    (
        lambda t: t(2, 3) @ t(5, 2),
        gpukit.ShapeError,
        "matmul: X is (2, 3), Y is (5, 2); inner sizes 3 and 5 differ. Did you mean Y @ X?",
    ),
    (
        lambda t: t(3) @ t(4),
        gpukit.ShapeError,
        "matmul: X is (3,), Y is (4,); inner sizes 3 and 4 differ.",
    ),
    (lambda t: t() @ t(3), gpukit.ShapeError, "both need at least one dimension. Use X * Y."),
    (
        lambda t: gpukit.mm(t(2), t(2, 2)),
        gpukit.ShapeError,
        "mm: X is (2,); 2 dimensions are needed.",
    ),
    (lambda t: gpukit.bmm(t(2, 2, 2), t(3, 2, 2)), gpukit.ShapeError, "batch sizes 2 and 3 differ"),
    (lambda t: t(2, 3, 4) @ t(5, 4, 3), gpukit.ShapeError, "batch sizes (2,) and (5,)"),
    (
        lambda t: t(2, 2) @ t(2, 2).double(),
        gpukit.DTypeError,
        "expected same dtype, but X is float32, Y is float64",
    ),
    (lambda t: t(2, 2) @ t(2, 2).double(), gpukit.DTypeError, "X.to('float64')"),
    (lambda t: t(2, 2).bool() @ t(2, 2).bool(), gpukit.DTypeError, "not defined for bool"),
    (lambda t: gpukit.addmm(t(3), t(2, 2), t(2, 2)), gpukit.ShapeError, "addmm"),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors(call, error, text, device):
    with pytest.raises(error) as caught:
        call(
            lambda *shape: (
                gpukit.ones(*shape, device=device) if shape else gpukit.ones((), device=device)
            )
        )
    assert text in str(caught.value)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("beta", [0, 1, 2])
def test_addmm_with_alpha_0_reads_no_matrix(dtype, beta, device):
    added = gpukit.tensor([[1.0, -2.0]], device=device).to(gpukit.dtype(dtype))
    broken = gpukit.full((2, 2), float("inf"), device=device).to(added.dtype)
    got = gpukit.addmm(added, broken, broken, beta=beta, alpha=0)
    assert got.tolist() == [[beta * 1.0, beta * -2.0]] * 2
    out = gpukit.ones_like(broken)
    gpukit.addmm(added, broken, broken, beta=beta, alpha=0, out=out)
    assert out.tolist() == got.tolist()
