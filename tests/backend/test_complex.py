"""Complex tensors on every device, beside NumPy: values, views, and what is refused."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import gpukit

DTYPES = ("complex64", "complex128")
# gpukit's name: NumPy's.
FUNCTIONS = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "reciprocal": np.reciprocal,
    "square": np.square,
}
ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
}
PARTS = (0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan)
SPECIAL = np.array([complex(re, im) for re, im in itertools.product(PARTS, PARTS)])


def drawn(dtype: str, shape: object = (40,), seed: int = 0, scale: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return ((rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) * scale).astype(dtype)


def spread(dtype: str, seed: int) -> np.ndarray:
    """Sizes from 1e-8 to 1e8 in every direction, and numbers close to 1, i, -1 and -i."""
    rng = np.random.default_rng(seed)
    turned = np.exp(2j * np.pi * rng.random(400))
    near = np.array([1, 1j, -1, -1j])[rng.integers(0, 4, 200)] + 1e-3 * drawn("complex128", 200, 7)
    sizes = 10 ** rng.uniform(-8, 8, 200)
    return np.concatenate([turned[:200] * sizes, turned[200:], near]).astype(dtype)


def errors(result: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """In units of the last place of the size."""
    unit = np.spacing(
        np.maximum(np.abs(exact).astype(result.real.dtype), np.finfo(result.dtype).tiny)
    )
    return np.abs(result.astype(exact.dtype) - exact) / unit


@pytest.fixture(params=DTYPES)
def dtype(request):
    return request.param


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_as_exact_as_numpys(name, dtype, device):
    wide = {"complex64": np.complex128, "complex128": np.clongdouble}[dtype]
    with np.errstate(all="ignore"):
        x = spread(dtype, 3)
        exact = FUNCTIONS[name](x.astype(wide))
        theirs = FUNCTIONS[name](x)
        ours = getattr(gpukit, name)(gpukit.tensor(x, device=device)).cpu().numpy()
        assert ours.dtype == theirs.dtype
        held = np.isfinite(theirs) & (np.abs(exact) < np.finfo(dtype).max / 4)
        found = errors(ours[held], exact[held])
        assert found.max() <= max(4.0, errors(theirs[held], exact[held]).max())


def agree(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Where both parts are the same; beside NaN the signs of infinities and zeros are open."""
    open_sign = np.isnan(theirs.real) | np.isnan(theirs.imag)
    same = np.ones(len(ours), bool)
    for part in ("real", "imag"):
        a, b = (
            np.where(open_sign, np.abs(x), x) for x in (getattr(ours, part), getattr(theirs, part))
        )
        signs = np.signbit(a) == np.signbit(b)
        close = np.isclose(a, b, rtol=1e-12, atol=1e-15, equal_nan=True)
        same &= close & (signs | np.isnan(b))
    return same


# Where C99 leaves a sign or a part open, or NumPy computes by its own formula: log2 and exp2 scale
# what is infinite, reciprocal and square are products.
@pytest.mark.parametrize(
    "name",
    [
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
    ],
)
def test_special_values_are_those_of_c99(name, device):
    with np.errstate(all="ignore"):
        theirs = FUNCTIONS[name](SPECIAL)
        ours = getattr(gpukit, name)(gpukit.tensor(SPECIAL, device=device)).cpu().numpy()
    wrong = ~agree(ours, theirs)
    assert not wrong.any(), list(zip(SPECIAL[wrong], ours[wrong], theirs[wrong], strict=True))


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("shapes", [((5, 4), (5, 4)), ((5, 1), (4,)), ((), (3,)), ((2, 3), ())])
def test_arithmetic_broadcasts(name, shapes, dtype, device):
    a, b = (drawn(dtype, shape, seed) for seed, shape in enumerate(shapes))
    a, b = np.asarray(a), np.asarray(b)
    x, y = gpukit.tensor(a, device=device), gpukit.tensor(b, device=device)
    function = ARITHMETIC[name]
    expected = function(a, b)
    for found in (function(x, y), getattr(gpukit, name)(x, y)):
        assert found.dtype.name == dtype
        np.testing.assert_allclose(
            found.cpu().numpy(), expected, rtol=2e-5 if dtype == "complex64" else 1e-13
        )


@pytest.mark.parametrize("name", ARITHMETIC)
def test_numbers_and_real_tensors(name, device):
    a = drawn("complex64", (6,), 1)
    real = np.linspace(0.5, 3, 6).astype(np.float32)
    x, r = gpukit.tensor(a, device=device), gpukit.tensor(real, device=device)
    function = ARITHMETIC[name]
    for ours, theirs in [
        (function(x, 2), function(a, 2)),
        (function(x, 1.5 - 2j), function(a, 1.5 - 2j)),
        (function(2j, x), function(np.complex64(2j), a)),
        (function(x, r), function(a, real)),
        (function(r, x), function(real, a)),
        (function(r, 1j), function(real, np.complex64(1j))),
        (function(r, np.complex64(1j)), function(real, np.complex64(1j))),
    ]:
        assert ours.dtype is gpukit.complex64
        np.testing.assert_allclose(ours.cpu().numpy(), theirs, rtol=2e-5)


def test_products_with_the_conjugate_are_real(dtype, device):
    z = gpukit.tensor(drawn(dtype, 100), device=device)
    assert (z * z.conj()).imag.abs().max().item() == 0


def test_in_place(dtype, device):
    a, b = drawn(dtype, (3, 4), 1), drawn(dtype, (4,), 2)
    x, y = gpukit.tensor(a, device=device), gpukit.tensor(b, device=device)
    x += y
    x *= 2j
    x -= 1
    x /= y
    expected = ((a + b) * np.dtype(dtype).type(2j) - 1) / b
    np.testing.assert_allclose(x.cpu().numpy(), expected, rtol=1e-4)
    x.exp_().neg_()
    np.testing.assert_allclose(x.cpu().numpy(), -np.exp(expected), rtol=1e-3)
    real = gpukit.ones(3, device=device)
    with pytest.raises(gpukit.DTypeError, match="cannot be stored"):
        real += 1j
    with pytest.raises(gpukit.DTypeError, match="cannot be stored"):
        x.abs_()


def test_tests_and_comparisons(device):
    x = gpukit.tensor(SPECIAL, device=device)
    for name in ("isnan", "isinf", "isfinite", "logical_not"):
        theirs = getattr(np, name)(SPECIAL)
        assert (getattr(gpukit, name)(x).cpu().numpy() == theirs).all(), name
    y = gpukit.tensor(SPECIAL[::-1].copy(), device=device)
    assert ((x == y).cpu().numpy() == (SPECIAL[::-1] == SPECIAL)).all()
    assert ((x != y).cpu().numpy() == (SPECIAL[::-1] != SPECIAL)).all()
    assert ((x == 1).cpu().numpy() == (SPECIAL == 1)).all()
    assert (gpukit.logical_and(x, y).cpu().numpy() == np.logical_and(SPECIAL, SPECIAL[::-1])).all()
    assert gpukit.allclose(x, x, equal_nan=True)
    assert gpukit.isclose(gpukit.tensor([1 + 1j]), gpukit.tensor([1 + 1.000001j])).item()
    assert not gpukit.isclose(gpukit.tensor([1 + 1j]), gpukit.tensor([1 - 1j])).item()


def test_parts_are_views(dtype, device):
    a = drawn(dtype, (3, 4))
    z = gpukit.tensor(a, device=device)
    for tensor, array in [(z, a), (z.T, a.T), (z[::2, 1:], a[::2, 1:])]:
        assert (tensor.real.cpu().numpy() == array.real).all()
        assert (tensor.imag.cpu().numpy() == array.imag).all()
        pairs = gpukit.view_as_real(tensor)
        assert (pairs.cpu().numpy() == np.stack([array.real, array.imag], -1)).all()
        assert (gpukit.view_as_complex(pairs).cpu().numpy() == array).all()
    z.imag.fill_(0)
    assert (z.cpu().numpy() == a.real).all()
    z.real = 7
    z.imag = gpukit.ones(4, device=device, dtype=z.real.dtype)
    assert (z.cpu().numpy() == 7 + 1j).all()
    assert gpukit.real(gpukit.ones(2)).dtype is gpukit.float32
    with pytest.raises(gpukit.DTypeError, match="not defined for real tensors"):
        gpukit.ones(2).imag  # noqa: B018
    with pytest.raises(gpukit.ShapeError, match="pairs side by side"):
        gpukit.view_as_complex(gpukit.ones(2, 3).T)
    with pytest.raises(gpukit.ShapeError, match="last dimension of size 2"):
        gpukit.view_as_complex(gpukit.ones(3))
    with pytest.raises(gpukit.DTypeError, match="float32 or float64"):
        gpukit.view_as_complex(gpukit.ones(2, dtype=gpukit.float16))


def test_made_of_parts(device):
    re, im = np.arange(6.0).reshape(2, 3), np.ones(3)
    x, y = gpukit.tensor(re, device=device), gpukit.tensor(im, device=device)
    assert (gpukit.complex(x, y).cpu().numpy() == re + 1j).all()
    np.testing.assert_allclose(gpukit.polar(x, y).cpu().numpy(), re * np.exp(1j), rtol=1e-14)
    with pytest.raises(gpukit.DTypeError, match="both float64"):
        gpukit.complex(x, y.float())


def test_turned(dtype, device):
    z = gpukit.tensor(SPECIAL.astype(dtype), device=device)
    assert np.array_equal(z.conj().cpu().numpy(), SPECIAL.conj().astype(dtype), equal_nan=True)
    np.testing.assert_allclose(
        z.angle().cpu().numpy(), np.angle(SPECIAL.astype(dtype)), rtol=1e-6, equal_nan=True
    )
    np.testing.assert_allclose(z.abs().cpu().numpy(), np.abs(SPECIAL.astype(dtype)), rtol=1e-6)
    a = drawn(dtype, (4, 3))
    m = gpukit.tensor(a, device=device)
    assert (m.H.cpu().numpy() == a.conj().T).all()
    np.testing.assert_allclose(m.sgn().cpu().numpy(), a / np.abs(a), rtol=1e-6)
    assert gpukit.tensor([0j]).sgn().item() == 0
    assert gpukit.angle(gpukit.tensor([-2.0, 3.0, -0.0])).tolist() == pytest.approx([np.pi, 0, 0])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_expm1_keeps_the_signs_of_zeros(dtype, device):
    zeros = [complex(re, im) for re in (0.0, -0.0) for im in (0.0, -0.0)]
    found = gpukit.tensor(zeros, dtype=getattr(gpukit, dtype), device=device).expm1()
    assert repr(found.tolist()) == repr(np.expm1(zeros).tolist()) == repr(zeros)


@pytest.mark.parametrize("dim", [None, 0, 1, (0, 2)])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_reductions(dim, dtype, device):
    a = drawn(dtype, (3, 4, 5))
    z = gpukit.tensor(a, device=device)
    rtol = 1e-4 if dtype == "complex64" else 1e-12
    for name in ("sum", "mean", "prod", "all", "any"):
        found = getattr(gpukit, name)(z) if dim is None else getattr(gpukit, name)(z, dim)
        np.testing.assert_allclose(found.cpu().numpy(), getattr(np, name)(a, dim), rtol=rtol)
    np.testing.assert_allclose(z.var(dim).cpu().numpy(), np.var(a, dim, ddof=1), rtol=rtol)
    np.testing.assert_allclose(z.std(dim).cpu().numpy(), np.std(a, dim, ddof=1), rtol=rtol)
    assert z.sum().dtype is z.dtype
    assert z.norm().item() == pytest.approx(np.linalg.norm(a.ravel()), rel=1e-5)
    assert gpukit.count_nonzero(z).item() == 60


def test_running_results(dtype, device):
    a = drawn(dtype, (3, 7))
    z = gpukit.tensor(a, device=device)
    rtol = 1e-4 if dtype == "complex64" else 1e-12
    for dim in (0, 1):
        np.testing.assert_allclose(z.cumsum(dim).cpu().numpy(), a.cumsum(dim), rtol=rtol)
        np.testing.assert_allclose(z.cumprod(dim).cpu().numpy(), a.cumprod(dim), rtol=rtol)
    assert gpukit.zeros(0, dtype=dtype, device=device).sum().item() == 0
    assert gpukit.zeros(0, dtype=dtype, device=device).prod().item() == 1


def test_products(dtype, device):
    a, b = drawn(dtype, (2, 3, 4), 1), drawn(dtype, (2, 4, 5), 2)
    x, y = gpukit.tensor(a, device=device), gpukit.tensor(b, device=device)
    rtol, atol = (1e-4, 1e-5) if dtype == "complex64" else (1e-12, 1e-13)
    bias = drawn(dtype, (5,), 3)
    v = gpukit.tensor(bias, device=device)
    for found, expected in [
        (x @ y, a @ b),
        (gpukit.bmm(x, y), a @ b),
        (x[0] @ y[0], a[0] @ b[0]),
        (x[0].T @ x[0].conj(), a[0].T @ a[0].conj()),
        (gpukit.dot(v, v), bias @ bias),
        (gpukit.vdot(v, v) if hasattr(gpukit, "vdot") else v.conj() @ v, bias.conj() @ bias),
        (gpukit.outer(v, v), np.outer(bias, bias)),
        (gpukit.addmm(v, x[0], y[0], beta=2j, alpha=1 - 1j), 2j * bias + (1 - 1j) * (a[0] @ b[0])),
        (gpukit.einsum("bij,bjk->ik", x, y), np.einsum("bij,bjk->ik", a, b)),
        (
            gpukit.nn.functional.linear(y, gpukit.tensor(drawn(dtype, (6, 5), 4), device=device)),
            b @ drawn(dtype, (6, 5), 4).T,
        ),
    ]:
        np.testing.assert_allclose(found.cpu().numpy(), expected, rtol=rtol, atol=atol)


def test_elements_are_moved(dtype, device):
    a = drawn(dtype, (4, 5))
    z = gpukit.tensor(a, device=device)
    mask = a.real > 0
    index = np.array([2, 0, -1])
    for found, expected in [
        (z[1:, ::2], a[1:, ::2]),
        (z.T.contiguous(), a.T),
        (z.flip(0), a[::-1]),
        (z.roll(1, 0), np.roll(a, 1, 0)),
        (z[gpukit.tensor(index)], a[index]),
        (z[gpukit.tensor(mask)], a[mask]),
        (gpukit.where(gpukit.tensor(mask, device=device), z, 0), np.where(mask, a, 0)),
        (gpukit.cat([z, z], 1), np.concatenate([a, a], 1)),
        (gpukit.stack([z, z.conj()]), np.stack([a, a.conj()])),
        (z.tril(), np.tril(a)),
        (z.repeat(2, 1), np.tile(a, (2, 1))),
        (
            z.gather(1, gpukit.tensor([[1], [0], [2], [4]], device=device)),
            np.take_along_axis(a, np.array([[1], [0], [2], [4]]), 1),
        ),
        (z.clone(), a),
        (
            z.masked_fill(gpukit.tensor(mask, device=device), 1j),
            np.where(mask, np.dtype(dtype).type(1j), a),
        ),
    ]:
        assert (found.cpu().numpy() == expected).all()
    z[0] = 3
    z[1, 2] = 1 + 1j
    z[gpukit.tensor(mask)] = 5j
    a[0], a[1, 2], a[mask] = 3, 1 + 1j, 5j
    assert (z.cpu().numpy() == a).all()
    z.index_add_(
        0, gpukit.tensor([0, 0], device=device), gpukit.ones(2, 5, dtype=dtype, device=device)
    )
    a[0] += 2
    assert (z.cpu().numpy() == a).all()


def test_eight_dimensions(dtype, device):
    a = drawn(dtype, (1, 2) * 4)
    z = gpukit.tensor(a, device=device)
    turned = z.permute(7, 6, 5, 4, 3, 2, 1, 0).contiguous()
    assert (turned.cpu().numpy() == a.transpose()).all()
    assert ((z + z.conj()).cpu().numpy() == a + a.conj()).all()
    with pytest.raises(gpukit.ShapeError, match="8 dimensions"):
        gpukit.view_as_real(z)


def test_random(dtype, device):
    z = gpukit.randn(20000, dtype=dtype, device=device)
    assert abs(z.var().item() - 1) < 0.05
    assert abs(z.real.var().item() - 0.5) < 0.03
    u = gpukit.rand(1000, dtype=dtype, device=device)
    assert u.real.min().item() >= 0 and u.imag.max().item() < 1
    assert gpukit.linspace(0, 2j, 3, device=device).tolist() == [0, 1j, 2j]


@pytest.mark.parametrize(
    "name",
    [
        "floor",
        "ceil",
        "round",
        "trunc",
        "sign",
        "relu",
        "gelu",
        "erf",
        "erfc",
        "cbrt",
        "signbit",
        "bitwise_not",
        "sort",
        "argsort",
        "max",
        "min",
        "argmax",
        "argmin",
        "amax",
        "amin",
        "softmax",
        "log_softmax",
        "median",
        "topk",
        "unique",
        "clamp",
    ],
)
def test_functions_without_a_meaning_are_refused(name, device):
    z = gpukit.tensor([1 + 1j, 2 - 1j], device=device)
    arguments = {"softmax": (0,), "log_softmax": (0,), "topk": (1,), "clamp": (0, 1)}
    with pytest.raises(gpukit.DTypeError):
        getattr(gpukit, name)(z, *arguments.get(name, ()))


@pytest.mark.parametrize(
    "name",
    [
        "lt",
        "le",
        "gt",
        "ge",
        "maximum",
        "minimum",
        "atan2",
        "hypot",
        "copysign",
        "logaddexp",
        "nextafter",
        "floor_divide",
        "remainder",
        "bitwise_and",
        "bitwise_left_shift",
    ],
)
def test_operators_without_a_meaning_are_refused(name, device):
    z = gpukit.tensor([1 + 1j, 2 - 1j], device=device)
    with pytest.raises(gpukit.DTypeError, match="complex"):
        getattr(gpukit, name)(z, z)
    if name not in {"maximum", "minimum", "atan2", "hypot", "logaddexp", "nextafter"}:
        with pytest.raises(gpukit.DTypeError, match="complex"):
            getattr(gpukit, name)(z, 1)


def test_one_element_as_a_number():
    z = gpukit.tensor([1 + 2j])
    assert z.item() == complex(z) == 1 + 2j
    assert bool(gpukit.tensor([1j])) is True
    for function in (float, int):
        with pytest.raises(TypeError, match="the tensor is complex"):
            function(z)
    assert gpukit.tensor(1j).dtype is gpukit.complex64
    assert gpukit.tensor([1, 2.5, 1j]).tolist() == [1, 2.5, 1j]
    assert gpukit.tensor([np.complex128(1j)]).dtype is gpukit.complex128
    with pytest.raises(TypeError, match="complex"):
        gpukit.tensor([1j], dtype=gpukit.float32)
    with pytest.raises(gpukit.RangeError, match="does not fit"):
        gpukit.zeros(2).fill_(1j)


def test_a_complex_factor_of_real_tensors_is_named():
    x = gpukit.ones(2)
    for call in (
        lambda: gpukit.add(x, x, alpha=1j),
        lambda: gpukit.sub(x, 2.0, alpha=1j),
        lambda: x.add_(x, alpha=1j),
        lambda: x.index_add_(0, gpukit.tensor([0]), gpukit.ones(1), alpha=1j),
    ):
        with pytest.raises(gpukit.DTypeError, match=r"alpha is 1j, .* is float32. Use a real"):
            call()
    with pytest.raises(gpukit.DTypeError, match=r"alpha is 0\.5, .* int64. Use a whole"):
        gpukit.add(x.long(), x.long(), alpha=0.5)
