"""Complex tensors beside torch: gradients by its convention, promotion, reprs, files, errors."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

Z, W, M, N, R = "Z", "W", "M", "N", "R"
INPUTS = {Z: (3, 4), W: (4,), M: (2, 3, 4), N: (2, 4, 3), R: (3, 4)}

# Functions of complex inputs (R is a real one), of one or two of them.
FUNCTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    **{
        name: (Z, lambda xp, z, name=name: getattr(xp, name)(z))
        for name in [
            "abs",
            "angle",
            "sgn",
            "conj",
            "exp",
            "exp2",
            "expm1",
            "log",
            "log1p",
            "log2",
            "log10",
            "sqrt",
            "rsqrt",
            "reciprocal",
            "square",
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
            "sigmoid",
            "real",
            "imag",
            "sum",
            "mean",
            "prod",
            "var",
            "std",
            "cumsum_",
            "cumprod_",
            "neg",
            "view_as_real",
            "t",
        ]
        if not name.endswith("_")
    },
    "cumsum": (Z, lambda xp, z: xp.cumsum(z, 1)),
    "cumprod": (Z, lambda xp, z: xp.cumprod(z, 1)),
    "sum(0)": (Z, lambda xp, z: xp.sum(z, 0)),
    "prod(1)": (Z, lambda xp, z: xp.prod(z, 1)),
    "norm": (Z, lambda xp, z: xp.linalg.norm(z)),
    "norm 1": (Z, lambda xp, z: z.norm(1, 1)),
    "norm 3": (Z, lambda xp, z: z.norm(3, 1)),
    "add": (Z + W, lambda xp, z, w: z + w),
    "sub": (Z + W, lambda xp, z, w: z - w),
    "mul": (Z + W, lambda xp, z, w: z * w),
    "div": (Z + W, lambda xp, z, w: z / w),
    "pow": (Z + W, lambda xp, z, w: z**w),
    "pow 3": (Z, lambda xp, z: z**3),
    "pow 1-2j": (Z, lambda xp, z: z ** (1 - 2j)),
    "number ** z": (Z, lambda xp, z: 2**z),
    "number / z": (Z, lambda xp, z: 2 / z),
    "numbers": (Z, lambda xp, z: (2 - 1j) * z / (1 + 3j) + 2j - z * 3 + (1j - z) / 2),
    "real times complex": (R + Z, lambda xp, r, z: r * z + r / z - r),
    "real times number": (R, lambda xp, r: r * (1 + 2j) + (r - 2j) / 3j),
    "matmul": (M + N, lambda xp, m, n: m @ n),
    "matmul vector": (Z + W, lambda xp, z, w: z @ w),
    "dot": (W, lambda xp, w: xp.dot(w, w * w)),
    "outer": (W, lambda xp, w: xp.outer(w, w)),
    "addmm": (
        Z,
        lambda xp, z: xp.addmm(z[:, 0], z, z.T, beta=1 - 1j, alpha=2j),
    ),
    "einsum": (M + N, lambda xp, m, n: xp.einsum("bij,bjk->ik", m, n)),
    "linear": (Z + W, lambda xp, z, w: xp.nn.functional.linear(z, w[None] * z, w[:3])),
    "complex": (R, lambda xp, r: xp.complex(r, r * r)),
    "polar": (R, lambda xp, r: xp.polar(r * r, r)),  # of negative sizes torch's is another one
    "view_as_complex": (R, lambda xp, r: xp.view_as_complex(r.reshape(3, 2, 2))),
    "where": (Z, lambda xp, z: xp.where(z.real > 0, z * z, z)),
    "cat": (Z + R, lambda xp, z, r: xp.cat([z, r.to(z.dtype)])),
    "index": (Z, lambda xp, z: z[1:, [0, 0, 2]]),
    "H": (Z, lambda xp, z: z.H @ z),
    "to real": (Z, lambda xp, z: z.real.to(z.dtype) * z),
    "masked": (Z, lambda xp, z: z.masked_fill(z.real > 0, 2j) * z),
    "in place": (Z + W, lambda xp, z, w: (z * 1).mul_(w).add_(w).exp_()),
}


def drawn(kinds: str, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = []
    for kind in kinds:
        array = rng.uniform(0.3, 1.5, INPUTS[kind]) * rng.choice([-1, 1], INPUTS[kind])
        arrays.append(array if kind == R else array + 1j * rng.uniform(0.2, 1.2, INPUTS[kind]))
    return arrays


def gradients(xp: Any, function: Callable[..., Any], arrays: list[np.ndarray], device: Any) -> Any:
    """The value, the gradients, and the gradients of these."""
    rng = np.random.default_rng(7)

    def irregular(shape: Any, of: Any) -> Any:
        numbers = rng.standard_normal(tuple(shape)) + 1j * rng.standard_normal(tuple(shape))
        numbers = (
            numbers if str(of.dtype).rpartition(".")[2].startswith("complex") else numbers.real
        )
        return xp.tensor(numbers, device=device)

    grad = gpukit.autograd.grad if xp is gpukit else torch.autograd.grad
    inputs = [xp.tensor(array, device=device, requires_grad=True) for array in arrays]
    out = function(xp, *inputs)
    first = grad([out], inputs, [irregular(out.shape, out)], create_graph=True)
    wanted = [(g, irregular(g.shape, g)) for g in first]
    wanted = [(g, weight) for g, weight in wanted if g.requires_grad]
    second = []
    if wanted:
        second = grad(
            [g for g, _ in wanted], inputs, [weight for _, weight in wanted], allow_unused=True
        )
    return out, list(first), [g for g in second if g is not None]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_torchs(name):
    kinds, function = FUNCTIONS[name]
    arrays = drawn(kinds)
    theirs = gradients(torch, function, arrays, "cpu")
    ours = gradients(gpukit, function, arrays, "cpu")
    np.testing.assert_allclose(
        ours[0].detach().numpy(), theirs[0].detach().resolve_conj().numpy(), rtol=1e-10
    )
    for order in (1, 2):
        for own, other in zip(ours[order], theirs[order], strict=False):
            expected = other.detach().resolve_conj().numpy()
            assert own.dtype.name == str(expected.dtype)
            np.testing.assert_allclose(own.detach().numpy(), expected, rtol=1e-9, atol=1e-11)


REAL = ["bool", "uint8", "int8", "int32", "int64", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


@pytest.mark.parametrize("name", [*REAL, *COMPLEX])
def test_promotion(name):
    ours, theirs = getattr(gpukit, name), getattr(torch, name)
    for other in (*REAL, *COMPLEX):
        pair = getattr(gpukit, other), getattr(torch, other)
        assert (
            str(gpukit.promote_types(ours, pair[0]))[7:]
            == str(torch.promote_types(theirs, pair[1]))[6:]
        )
        assert gpukit.can_cast(ours, pair[0]) == torch.can_cast(theirs, pair[1])
        for shape, other_shape in itertools.product([(), (2,)], repeat=2):
            own = gpukit.ones(shape, dtype=ours) + gpukit.ones(other_shape, dtype=pair[0])
            torchs = torch.ones(shape, dtype=theirs) + torch.ones(other_shape, dtype=pair[1])
            assert str(own.dtype)[7:] == str(torchs.dtype)[6:], (other, shape, other_shape)
    for number in (True, 2, 2.5, 1j):
        found = gpukit.result_type(gpukit.ones(2, dtype=ours), number)
        assert str(found)[7:] == str(torch.result_type(torch.ones(2, dtype=theirs), number))[6:]


REPRS = {
    "whole": [1 + 2j, -3 - 4j],
    "fractions": [1.5 + 2.25j, -3 - 0.001j],
    "wide": [1e10 + 2j, 1e-10j],
    "special": [complex("nan"), complex("inf"), complex(-0.0, -0.0), complex(1, -np.inf)],
    "number": 2 - 1j,
    "matrix": [[1j, 2], [3, -4j]],
    "empty": [],
}


@pytest.mark.parametrize("name", REPRS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_reprs(name, dtype):
    data = REPRS[name]
    ours = gpukit.tensor(data, dtype=dtype)
    theirs = torch.tensor(data, dtype=getattr(torch, dtype))
    assert repr(ours).replace("gpukit.", "torch.") == repr(theirs)
    many = np.exp(1j * np.arange(2000)).reshape(20, 100).astype(dtype)
    assert repr(gpukit.tensor(many)).replace("gpukit.", "torch.") == repr(torch.tensor(many))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_files_in_both_directions(dtype):
    data = (np.arange(6) + 1j).reshape(2, 3).astype(dtype)
    buffer = io.BytesIO()
    torch.save({"x": torch.tensor(data), "t": torch.tensor(data).T}, buffer)
    buffer.seek(0)
    found = gpukit.load(buffer)
    assert found["x"].dtype.name == dtype
    assert (found["x"].numpy() == data).all()
    assert (found["t"].numpy() == data.T).all()
    buffer = io.BytesIO()
    gpukit.save({"x": gpukit.tensor(data)}, buffer)
    buffer.seek(0)
    assert (torch.load(buffer, weights_only=True)["x"].numpy() == data).all()


@pytest.mark.parametrize("dtype", COMPLEX)
def test_memory_is_shared(dtype):
    data = np.array([1 + 2j, 3], dtype)
    x = gpukit.from_numpy(data)
    t = torch.from_dlpack(x)
    t[0] = 5j
    assert x[0].item() == data[0] == 5j
    back = gpukit.from_dlpack(t)
    back.imag[1] = 7
    assert data[1] == 3 + 7j
    assert np.asarray(x).dtype == dtype


def test_conversion_to_real_warns():
    z = gpukit.tensor([1 + 2j])
    for convert in (lambda: z.to(gpukit.float32), z.float, z.long):
        with pytest.warns(gpukit.errors.GpukitWarning, match="discards the imaginary part"):
            assert convert().tolist() == [1]
    assert z.bool().tolist() == [True]


def test_a_gradient_starts_from_a_real_number():
    z = gpukit.tensor([1 + 2j], requires_grad=True)
    with pytest.raises(RuntimeError, match="a gradient starts from a real number"):
        (z * z).sum().backward()
    (z * z).sum().real.backward()
    t = torch.tensor([1 + 2j], requires_grad=True)
    (t * t).sum().real.backward()
    assert z.grad.tolist() == t.grad.tolist()


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_optimizers_step_both_parts(name):
    start = np.array([1 + 2j, -3 + 0.5j], np.complex64)
    found = []
    for xp in (gpukit, torch):
        z = xp.tensor(start, requires_grad=True)
        options = {"momentum": 0.9} if name == "SGD" else {}
        optimizer = getattr(xp.optim, name)([z], lr=0.1, weight_decay=0.01, **options)
        for _ in range(4):
            optimizer.zero_grad()
            (z * z - 1j).abs().sum().backward()
            optimizer.step()
        found.append(z.detach().numpy())
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_gradcheck():
    z = gpukit.randn(3, dtype=gpukit.complex128, requires_grad=True)
    w = gpukit.randn(3, dtype=gpukit.complex128, requires_grad=True)
    assert gpukit.autograd.gradcheck(lambda z, w: (z * w.conj()).exp() + z.abs(), (z, w))
    assert gpukit.autograd.gradgradcheck(lambda z, w: z.sin() * w, (z, w))
    wrong = gpukit.autograd.gradcheck
    with pytest.raises(gpukit.AutogradError, match="difference quotient"):
        wrong(lambda z: z.detach() * 1j + z, z.detach().requires_grad_(), rtol=1e-6)
