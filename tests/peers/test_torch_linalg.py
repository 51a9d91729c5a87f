"""Linear algebra beside torch: values, first and second derivatives, errors, hard inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning")

BATCHES = [(), (2,), (2, 1)]

# Expressions in `xp` of a (square), r (3 rows, 2 columns), w (2 rows, 3 columns), b (right-hand
# sides), v (a vector), p (positive definite) and s (symmetric). Vectors are compared without signs.
EXPRESSIONS = """
xp.linalg.solve(a, b)
xp.linalg.solve(a, v)
xp.linalg.solve(a, b.mT, left=False)
xp.linalg.solve_ex(a, b).result
xp.linalg.inv(a)
xp.inverse(a)
a.inverse() @ b
xp.linalg.inv_ex(a).inverse
xp.linalg.det(a)
a.det()
xp.linalg.slogdet(a)[1]
xp.slogdet(a).logabsdet
xp.logdet(p)
xp.linalg.lu_factor(a).LU
xp.linalg.lu_factor(r)[0]
xp.linalg.lu_factor(w)[0]
xp.linalg.lu_factor_ex(a).LU
xp.linalg.lu(a)
xp.linalg.lu(r).L
xp.linalg.lu(w).U
xp.lu_unpack(*xp.linalg.lu_factor(r))
xp.linalg.lu_solve(*xp.linalg.lu_factor(a), b)
xp.linalg.lu_solve(*xp.linalg.lu_factor(a), b, adjoint=True)
xp.linalg.lu_solve(*xp.linalg.lu_factor(a), b.mT, left=False)
b.lu_solve(*xp.linalg.lu_factor(a))
xp.linalg.cholesky(p)
xp.linalg.cholesky(p, upper=True)
p.cholesky()
xp.linalg.cholesky_ex(p).L
xp.cholesky_solve(b, xp.linalg.cholesky(p))
xp.cholesky_solve(b, xp.linalg.cholesky(p, upper=True), upper=True)
xp.cholesky_inverse(xp.linalg.cholesky(p))
xp.linalg.solve_triangular(p, b, upper=True)
xp.linalg.solve_triangular(p, b, upper=False, unitriangular=True)
xp.linalg.solve_triangular(p, b.mT, upper=True, left=False)
xp.triangular_solve(b, p, transpose=True).solution
xp.linalg.qr(a)[0].abs()
xp.linalg.qr(r)[1].abs()
[x.abs() for x in xp.linalg.qr(r)]
[x.abs() for x in xp.linalg.qr(w)]
[x.abs() for x in xp.linalg.qr(w, mode="complete")]
[x.abs() for x in xp.qr(a)]
xp.geqrf(r.detach()).a.abs()
xp.linalg.householder_product(*xp.geqrf(r.detach())).abs()
xp.linalg.householder_product(r, v[..., :2])
xp.linalg.eigvalsh(s)
xp.linalg.eigh(s)[0]
xp.linalg.eigh(s)[1].abs()
xp.linalg.eigh(s, UPLO="U").eigenvectors.abs()
xp.linalg.eigvals(a)
xp.linalg.eigvals(a).abs().prod()
xp.linalg.eig(a)[0] * (1 - 2j)
xp.linalg.eig(a).eigenvectors.abs()
[xp.linalg.eig(a)[0], xp.linalg.eig(a @ a)[1].abs().log()]
xp.linalg.svdvals(r)
[x.abs() for x in xp.linalg.svd(a)]
[x.abs() for x in xp.linalg.svd(r, full_matrices=False)]
[x.abs() for x in xp.linalg.svd(w, full_matrices=False)]
xp.linalg.svd(r).S
[x.abs() for x in xp.svd(r)]
xp.svd(r, compute_uv=False).S
xp.linalg.pinv(r)
xp.linalg.pinv(w)
xp.linalg.pinv(s, hermitian=True)
xp.pinverse(a)
xp.linalg.lstsq(r, v.unsqueeze(-1)).solution
xp.linalg.lstsq(w, b[..., :2, :], driver="gelsd").solution
xp.linalg.lstsq(r, v.unsqueeze(-1), driver="gels").residuals.detach()
xp.linalg.lstsq(r, v.unsqueeze(-1), driver="gelss").singular_values.detach()
xp.linalg.cond(a)
xp.linalg.cond(r, -2)
xp.linalg.cond(a, "nuc")
xp.linalg.matrix_exp(a)
(a * 9).matrix_exp()
xp.linalg.matrix_power(a, 5)
xp.linalg.matrix_power(a, -3)
a.matrix_power(1)
xp.linalg.matrix_norm(r, 2)
xp.linalg.matrix_norm(w, -2, keepdim=True)
xp.linalg.matrix_norm(r, "nuc", dim=(-1, -2))
xp.linalg.norm(r, "nuc", dim=(-2, -1))
xp.linalg.cross(a, s)
xp.cross(a, s, dim=-2)
xp.linalg.vecdot(a, s, dim=-2)
xp.linalg.vander(v)
xp.linalg.vander(v, N=5)
xp.linalg.diagonal(a, offset=1)
xp.linalg.diagonal(r, dim1=-1, dim2=-2)
xp.linalg.tensorinv(a.reshape(-1, 3, 3)[0].reshape(3, 1, 3), ind=1)
xp.linalg.tensorsolve(a.reshape(-1, 3, 3)[0].reshape(3, 1, 3), v.reshape(-1, 3)[0])
xp.linalg.multi_dot([a.reshape(-1, 3), r.reshape(-1, 2)[:3], w.reshape(-1, 3)[:2]])
xp.linalg.multi_dot([v.reshape(-1, 3)[0], a.reshape(-1, 3)[:3], v.reshape(-1, 3)[0]])
xp.chain_matmul(r.reshape(-1, 2), w.reshape(-1, 3)[:2])
""".strip().splitlines()

# torch has no derivatives of these: it changes a tensor in place that it needs.
VALUES = ['xp.linalg.cond(a, "fro")', "xp.linalg.cond(a, 1)"]

WHOLE = """
xp.linalg.matrix_power(a, 0)
xp.linalg.matrix_rank(r @ w)
xp.linalg.matrix_rank(s, hermitian=True)
xp.linalg.matrix_rank(a, atol=1.0)
xp.linalg.matrix_rank(a, rtol=0.9)
xp.linalg.lu_factor(a).pivots
xp.linalg.inv_ex(a - a).info
xp.linalg.cholesky_ex(-p).info
xp.linalg.lu_factor_ex(a - a).info
xp.linalg.lstsq(r @ w, b).rank
""".strip().splitlines()


def inputs(
    batch: tuple[int, ...], seed: int = 3, is_complex: bool = False
) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {"a": (3, 3), "r": (3, 2), "w": (2, 3), "b": (3, 2), "v": (3,), "q": (3, 3)}
    arrays = {name: rng.standard_normal((*batch, *shape)) for name, shape in shapes.items()}
    if is_complex:
        arrays = {n: array + 1j * rng.standard_normal(array.shape) for n, array in arrays.items()}
    return arrays


def evaluated(xp: Any, text: str, arrays: dict[str, np.ndarray]) -> tuple[list[Any], list[Any]]:
    leaves = {name: xp.tensor(array, requires_grad=True) for name, array in arrays.items()}
    q = leaves["q"]
    made = {"p": q @ q.mH + xp.eye(3, dtype=xp.float64), "s": q + q.mH}
    found = eval(text, {"xp": xp}, leaves | made)
    return list(found) if isinstance(found, (list, tuple)) else [found], list(leaves.values())


def numbers(tensor: Any) -> np.ndarray:
    dtype = complex if tensor.is_complex() else float
    return np.array(tensor.detach().tolist(), dtype).reshape(tuple(tensor.shape))


def summed(xp: Any, tensors: list[Any]) -> Any:
    total = None
    for i, tensor in enumerate(tensors):
        if tensor is None or not tensor.requires_grad:
            continue
        weights = np.random.default_rng(i).uniform(0.5, 1.5, tuple(tensor.shape))
        if tensor.is_complex():
            weights = weights * (1 + 0.3j)
        part = (tensor * xp.tensor(weights)).sum()
        part = part.real if part.is_complex() else part
        total = part if total is None else total + part
    return total


def derivatives(
    xp: Any, text: str, arrays: dict[str, np.ndarray], orders_wanted: int = 2
) -> list[list[np.ndarray]]:
    outputs, leaves = evaluated(xp, text, arrays)
    orders = [[numbers(output) for output in outputs]]
    tensors = outputs
    for order in range(1, orders_wanted + 1):
        total = summed(xp, tensors)
        if total is None:
            break
        tensors = list(xp.autograd.grad(total, leaves, create_graph=order == 1, allow_unused=True))
        orders.append(
            [
                np.zeros(leaf.shape) if g is None else numbers(g)
                for g, leaf in zip(tensors, leaves, strict=True)
            ]
        )
    return orders


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("text", EXPRESSIONS + VALUES)
def test_values_and_derivatives(text: str, batch: tuple[int, ...]) -> None:
    arrays, orders = inputs(batch), 0 if text in VALUES else 2
    want, got = (derivatives(xp, text, arrays, orders) for xp in (torch, gpukit))
    assert len(got) == len(want)
    for mine, theirs in zip(got, want, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, 1e-6, 1e-8)


@pytest.mark.parametrize("batch", [(), (2, 1)])
@pytest.mark.parametrize("text", EXPRESSIONS + VALUES)
def test_complex_values_and_derivatives(text: str, batch: tuple[int, ...]) -> None:
    arrays, orders = inputs(batch, 5, True), 0 if text in VALUES else 2
    want, got = (derivatives(xp, text, arrays, orders) for xp in (torch, gpukit))
    assert len(got) == len(want)
    for mine, theirs in zip(got, want, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, 1e-6, 1e-8)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("text", WHOLE)
def test_whole_numbers(text: str, batch: tuple[int, ...]) -> None:
    (want,), (got,) = (evaluated(xp, text, inputs(batch))[0] for xp in (torch, gpukit))
    assert got.tolist() == want.tolist()
    assert str(got.dtype).split(".")[1] == str(want.dtype).split(".")[1]


# ---- empty, strided, hard and wrong inputs ----

EMPTY = """
xp.linalg.det(z)
xp.linalg.eig(z)
xp.linalg.eigvals(z)
xp.linalg.slogdet(z)
xp.linalg.inv(z)
xp.linalg.solve(z, z)
xp.linalg.cholesky(z)
xp.linalg.lu_factor(z)[0]
xp.linalg.eigvalsh(z)
xp.linalg.svdvals(z)
xp.linalg.svd(z)
xp.linalg.qr(z)
xp.linalg.matrix_power(z, 3)
xp.linalg.matrix_exp(z)
xp.linalg.pinv(z)
xp.linalg.matrix_rank(z)
""".strip().splitlines()


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
@pytest.mark.parametrize("text", EMPTY)
def test_empty(text: str, shape: tuple[int, ...]) -> None:
    found = []
    for xp in (torch, gpukit):
        results = eval(text, {"xp": xp}, {"z": xp.zeros(shape)})
        parts = results if isinstance(results, tuple) else [results]
        found.append([(tuple(part.shape), part.tolist()) for part in parts])
    assert found[0] == found[1]


@pytest.mark.parametrize("text", ["svd", "qr"])
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (2, 3, 0)])
def test_without_columns_or_rows(text: str, shape: tuple[int, ...]) -> None:
    choices = {"svd": ("full_matrices", (True, False)), "qr": ("mode", ("complete", "reduced"))}
    name, values = choices[text]
    for options in ({name: value} for value in values):
        want = getattr(torch.linalg, text)(torch.zeros(shape), **options)
        got = getattr(gpukit.linalg, text)(gpukit.zeros(shape), **options)
        assert [part.tolist() for part in got] == [part.tolist() for part in want]


@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "svdvals", "eigvalsh", "lu_factor"])
def test_strided_inputs(name: str) -> None:
    array = inputs((2,))["q"]
    array = array @ array.swapaxes(-1, -2)
    for view in (lambda x: x.mT, lambda x: x.flip(0), lambda x: x[:1].expand(3, 3, 3)):
        want = getattr(torch.linalg, name)(view(torch.tensor(array)))
        x = view(gpukit.tensor(array))
        before = x.tolist()
        got = getattr(gpukit.linalg, name)(x)
        one, other = (r[0] if isinstance(r, tuple) else r for r in (got, want))
        np.testing.assert_allclose(numbers(one), numbers(other), 1e-9, 1e-12)
        assert x.tolist() == before


FAILING = """
xp.linalg.inv(xp.zeros(2, 2))
xp.linalg.solve(xp.ones(2, 2), xp.ones(2))
xp.linalg.cholesky(-xp.eye(2))
xp.linalg.cholesky(xp.full((2, 2), float("nan")))
xp.linalg.inv_ex(xp.zeros(2, 2), check_errors=True)
xp.linalg.svd(xp.full((2, 2), float("nan")))
xp.linalg.inv(xp.zeros(2, 2, dtype=xp.complex64))
xp.linalg.cholesky(xp.tensor([[1.0, 2j], [-2j, 1.0]]))
xp.linalg.svd(xp.full((2, 2), float("nan") * 1j))
xp.linalg.matrix_power(xp.zeros(2, 2), -1)
""".strip().splitlines()


@pytest.mark.parametrize("text", FAILING)
def test_a_failure_is_a_linalg_error(text: str) -> None:
    for xp in (torch, gpukit):
        with pytest.raises(xp.linalg.LinAlgError):
            eval(text, {"xp": xp})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "pinv"])
def test_what_cannot_converge_is_an_error_where_torchs_depends_on_lapack(
    name: str, value: float
) -> None:
    x = gpukit.eye(5).repeat(2, 1, 1)
    x[1, 3, 2] = value
    with pytest.raises(gpukit.linalg.LinAlgError, match=r"NaN or infinity \(matrix 1"):
        getattr(gpukit.linalg, name)(x)


REFUSED = """
xp.linalg.inv(xp.ones(2, 3))
xp.linalg.inv(xp.ones(2))
xp.linalg.inv(xp.ones(2, 2, dtype=xp.int64))
xp.linalg.inv(xp.ones(2, 2, dtype=xp.float16))
xp.linalg.solve(xp.eye(2), xp.ones(3))
xp.linalg.solve(xp.eye(2), xp.ones(2, dtype=xp.float64))
xp.linalg.solve_triangular(xp.eye(2), xp.ones(2, 1))
xp.linalg.qr(xp.ones(2, 2), mode="all")
xp.linalg.eigh(xp.ones(2, 2), UPLO="X")
xp.linalg.svd(xp.ones(2))
xp.linalg.eig(xp.ones(2, 3))
xp.linalg.eigvals(xp.ones(2, 2, dtype=xp.int64))
xp.linalg.solve(xp.eye(2), xp.ones(2, dtype=xp.complex64))
xp.linalg.cholesky_ex(xp.ones(2, 2, dtype=xp.int32))
xp.linalg.lstsq(xp.ones(2, 2), xp.ones(3, 1))
xp.linalg.lstsq(xp.ones(2, 2), xp.ones(2, 1), driver="qr")
xp.linalg.matrix_norm(xp.ones(2, 2), 3)
xp.linalg.cond(xp.ones(2, 3), "fro")
xp.linalg.multi_dot([xp.ones(2, 2)])
xp.linalg.multi_dot([xp.ones(2, 2), xp.ones(3, 2)])
xp.linalg.cross(xp.ones(2), xp.ones(2))
xp.linalg.tensorinv(xp.ones(2, 3), ind=1)
xp.linalg.lu(xp.ones(2, 2), pivot=False)
xp.cholesky_solve(xp.ones(2, 1), xp.ones(3, 3))
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSED)
def test_refused_as_in_torch(text: str) -> None:
    for xp in (torch, gpukit):
        with pytest.raises((RuntimeError, TypeError, ValueError, NotImplementedError)):
            eval(text, {"xp": xp})


def test_singular_matrices_have_a_determinant_and_its_gradient() -> None:
    # The matrix of cofactors. torch gives zeros where its LAPACK finds a pivot of exactly 0.
    x = gpukit.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], requires_grad=True)
    determinant = gpukit.linalg.det(x)
    determinant.backward()
    assert abs(determinant.item()) < 1e-6
    cofactors = [[4.0, 4.0, -4.0], [-2.0, -2.0, 2.0], [0.0, 0.0, 0.0]]
    np.testing.assert_allclose(numbers(x.grad), cofactors, atol=1e-5)


# The phases of complex vectors are arbitrary: what depends on them has no derivative.
PHASES = """
xp.linalg.eigh(s).eigenvectors
xp.linalg.eig(a).eigenvectors
xp.linalg.eig(s.real).eigenvectors[..., :1] * 1j
xp.linalg.svd(a).U
xp.linalg.svd(r, full_matrices=False).Vh
""".strip().splitlines()


@pytest.mark.parametrize("text", PHASES)
def test_a_function_of_phases_has_no_derivative(text: str) -> None:
    arrays = inputs((), 5, True)
    for xp in (torch, gpukit):
        total = summed(xp, evaluated(xp, text, arrays)[0])
        with pytest.raises(RuntimeError, match=r"factors of absolute|multiplication by"):
            total.backward()


def test_of_equal_eigenvalues_the_values_have_derivatives_and_the_vectors_none() -> None:
    found = []
    for xp in (torch, gpukit):
        x = xp.eye(3, dtype=xp.float64, requires_grad=True)
        values, vectors = xp.linalg.eig(x)
        of_values = xp.autograd.grad(values.real.sum(), [x], retain_graph=True)[0]
        of_vectors = xp.autograd.grad((vectors.abs() ** 3).sum(), [x])[0]
        found.append([numbers(of_values), np.isnan(numbers(of_vectors))])
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_matrices_without_enough_eigenvectors() -> None:
    """The vectors are parallel; the derivative is an error or has no finite numbers."""
    for xp in (torch, gpukit):
        x = xp.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=xp.float64, requires_grad=True)
        values, vectors = xp.linalg.eig(x)
        assert values.tolist() == [1, 1]
        assert abs(vectors[0, 1].item() + 1) < 1e-15


def test_named_results_are_torchs() -> None:
    x, y = gpukit.eye(2), torch.eye(2)
    for text in (
        "linalg.svd",
        "linalg.qr",
        "linalg.eig",
        "linalg.eigh",
        "linalg.slogdet",
        "slogdet",
        "qr",
        "svd",
    ):
        mine, theirs = gpukit, torch
        for part in text.split("."):
            mine, theirs = getattr(mine, part), getattr(theirs, part)
        one, other = mine(x), theirs(y)
        fields = [f for f in dir(type(other)) if not f.startswith("_") and f[:2] != "n_"]
        assert all(hasattr(one, f) for f in fields if f not in {"count", "index"})
        assert type(one).__name__ == type(other).__name__


def test_out_takes_results() -> None:
    x = gpukit.tensor([[2.0, 0.0], [0.0, 4.0]])
    out = gpukit.empty(2, 2)
    assert gpukit.linalg.inv(x, out=out) is out
    assert out.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    values, vectors = gpukit.empty(2), gpukit.empty(2, 2)
    found = gpukit.linalg.eigh(x, out=(values, vectors))
    assert found.eigenvalues is values
    assert values.tolist() == [2.0, 4.0]
    with pytest.raises(TypeError, match="3 tensors"):
        gpukit.linalg.svd(x, out=(values, vectors))


@pytest.mark.parametrize("shape", [(140, 110), (110, 140), (2, 120, 100)])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_qr_by_blocks_and_its_gradient(shape: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(5)
    values = rng.standard_normal(shape).astype(dtype)
    if dtype is np.complex128:
        values += 1j * rng.standard_normal(shape)
    values[..., :100, :100] += 20 * np.eye(100)
    ours, theirs = gpukit.tensor(values, requires_grad=True), torch.tensor(values).requires_grad_()
    results = []
    for xp, x in ((gpukit, ours), (torch, theirs)):
        q, r = xp.linalg.qr(x)
        (q.abs().pow(3).sum() + r.abs().pow(2).sum()).backward()
        # LAPACK makes the diagonal of R real; MKL does not at the last row of large matrices.
        results.append([part.detach().numpy() for part in (q.abs(), r.abs(), x.grad)])
    for mine, other in zip(*results, strict=True):
        np.testing.assert_allclose(mine, other, 1e-8, 1e-8)
