"""gpukit.fft beside torch.fft: values, first and second derivatives, errors, dtypes, accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
import torch

import gpukit

# Expressions in `f` (the module), c (complex), r (real), both (3, 4).
EXPRESSIONS = """
f.fft(c)
f.fft(r)
f.fft(r, 3)
f.fft(c, 6, 0, "ortho")
f.ifft(c, dim=0)
f.ifft(r, 7, norm="forward")
f.rfft(r)
f.rfft(r, 5, 0)
f.rfft(r, 2, norm="ortho")
f.irfft(c)
f.irfft(c, 7)
f.irfft(c, 4, 0, "forward")
f.irfft(r, 9)
f.hfft(c)
f.hfft(c, 5, norm="ortho")
f.ihfft(r)
f.ihfft(r, 5, 0, "forward")
f.fft2(c)
f.fft2(r, (2, 5))
f.ifft2(c, (4, -1), (1, 0), "ortho")
f.rfft2(r)
f.irfft2(c, (3, 5))
f.hfft2(c)
f.ihfft2(r)
f.fftn(c)
f.fftn(r, (5,))
f.fftn(c, dim=())
f.ifftn(c, (2, 6), (1, 0))
f.rfftn(r, (4, 3), norm="ortho")
f.irfftn(c, dim=(1, 0))
f.irfftn(c, (4, 3), (1, 0), "forward")
f.hfftn(c, (4, 3), norm="forward")
f.ihfftn(r, (4, 5), norm="ortho")
f.fft(f.ifft(c) * c)
""".strip().splitlines()

WRONG = """
f.fft(r, 0)
f.fft(r, -1)
f.fft(r, dim=2)
f.fft(r, norm="no")
f.fft(r, "no")
f.rfft(c)
f.ihfft(c)
f.rfftn(r, dim=())
f.irfftn(c, dim=())
f.fftn(r, dim=(0, 0))
f.fftn(r, (1, 2, 3))
f.fftn(r, (1,), (0, 1))
f.fft2(r, dim=(0, 5))
f.irfft(c[:, :1])
f.fft(r[0, 0])
f.fft(None)
""".strip().splitlines()


def leaves(xp: Any) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    r, c = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))
    return {
        "f": xp.fft,
        "r": xp.tensor(r, requires_grad=True),
        "c": xp.tensor(c, requires_grad=True),
    }


def weighted(xp: Any, tensor: Any, seed: int) -> Any:
    """A real functional of a tensor, of its imaginary part too."""
    rng = np.random.default_rng(seed)
    tensor, shape = tensor.resolve_conj(), tuple(tensor.shape)
    if tensor.is_complex():
        parts = xp.view_as_real(tensor)
        return (parts * parts * xp.tensor(rng.normal(size=(*shape, 2)))).sum()
    return (tensor * tensor * xp.tensor(rng.normal(size=shape))).sum()


def results(xp: Any, expression: str) -> list[np.ndarray]:
    """The value, the gradient, and the gradient of a functional of the gradient."""
    names = leaves(xp)
    leaf = names["c" if "(c" in expression else "r"]
    value = eval(expression, names)
    (first,) = xp.autograd.grad(weighted(xp, value, 1), [leaf], create_graph=True)
    (second,) = xp.autograd.grad(weighted(xp, first, 2), [leaf])
    return [x.detach().resolve_conj().numpy() for x in (value, first, second)]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_and_derivatives(expression):
    for ours, theirs in zip(results(gpukit, expression), results(torch, expression), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "hfft", "ihfft", "fft2", "irfftn"])
def test_gradcheck(name):
    function = getattr(gpukit.fft, name)
    real = name in {"rfft", "ihfft"}
    x = np.random.default_rng(1).normal(size=(2, 3))
    leaf = gpukit.tensor(x, requires_grad=True)

    def parts(values: Any) -> Any:
        result = function(values if real else gpukit.complex(values, values * 2))
        return gpukit.view_as_real(result) if result.is_complex() else result

    assert gpukit.autograd.gradcheck(parts, (leaf,))
    assert gpukit.autograd.gradgradcheck(parts, (leaf,))


@pytest.mark.parametrize("expression", WRONG)
def test_errors_are_caught_as_torchs_are(expression):
    with pytest.raises(Exception) as theirs:
        eval(expression, leaves(torch))
    with pytest.raises(type(theirs.value)):
        eval(expression, leaves(gpukit))


@pytest.mark.parametrize("name", [name for name in dir(gpukit.fft) if name[0] in "fihr"])
def test_names_and_arguments(name):
    if name.endswith(("freq", "shift")):
        return
    several = name[-1] in "2n"
    arguments = {"s" if several else "n": None, "dim": (0, 1) if several else 0, "norm": "ortho"}
    ours, theirs = (
        getattr(xp.fft, name)(leaves(xp)["r"].detach(), **arguments) for xp in (gpukit, torch)
    )
    np.testing.assert_allclose(ours.numpy(), theirs.resolve_conj().numpy(), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifft2"])
def test_dtypes(name, dtype):
    if name in {"rfft", "ihfft"} and dtype == "complex64":
        return
    found = [
        str(getattr(xp.fft, name)(xp.ones(2, 3).to(getattr(xp, dtype))).dtype).rpartition(".")[2]
        for xp in (gpukit, torch)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fft2", "rfftn"])
def test_nodes(name):
    names = [
        type(getattr(xp.fft, name)(leaves(xp)["r"].detach().requires_grad_()).grad_fn).__name__
        if xp is torch
        else getattr(xp.fft, name)(leaves(xp)["r"].detach().requires_grad_()).grad_fn.name()
        for xp in (gpukit, torch)
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize("size", [64, 96, 1000, 1024, 1009, 2187, 3125, 4099, 2**14, 2**16])
@pytest.mark.parametrize("real", [False, True])
def test_float32_is_as_close_as_scipys(size, real):
    rng = np.random.default_rng(size)
    x = rng.normal(size=(4, size))
    if not real:
        x = x + 1j * rng.normal(size=(4, size))
    x = x.astype(np.float32 if real else np.complex64)
    name = "rfft" if real else "fft"
    exact = getattr(np.fft, name)(x.astype(np.float64 if real else np.complex128))

    def error(result: Any) -> float:
        return float(np.sqrt(np.mean(np.abs(result - exact) ** 2) / np.mean(np.abs(exact) ** 2)))

    ours = error(getattr(gpukit.fft, name)(gpukit.tensor(x)).numpy())
    theirs = max(
        error(getattr(scipy.fft, name)(x)), error(getattr(torch.fft, name)(torch.tensor(x)).numpy())
    )
    assert ours <= 1.05 * theirs
    assert ours <= np.finfo(np.float32).eps * np.log2(size)
