"""What a tensor prints: torch's text, character by character, in the cases people meet."""

from __future__ import annotations

import pytest

import gpukit

CASES = {
    "scalar": (lambda d: gpukit.tensor(3.0, device=d), "tensor(3.)"),
    "half": (lambda d: gpukit.tensor(1.5, device=d), "tensor(1.5000)"),
    "int": (lambda d: gpukit.tensor(7, device=d), "tensor(7)"),
    "bool": (lambda d: gpukit.tensor([True, False], device=d), "tensor([ True, False])"),
    "whole": (lambda d: gpukit.tensor([1.0, 2.0], device=d), "tensor([1., 2.])"),
    "negative": (lambda d: gpukit.tensor([-1.0, 2.0], device=d), "tensor([-1.,  2.])"),
    "fractions": (
        lambda d: gpukit.tensor([0.1, -2.25, 30.0], device=d),
        "tensor([ 0.1000, -2.2500, 30.0000])",
    ),
    "wide": (
        lambda d: gpukit.tensor([1.0, 20000.0], device=d),
        "tensor([1.0000e+00, 2.0000e+04])",
    ),
    "tiny": (lambda d: gpukit.tensor([1e-5], device=d), "tensor([1.0000e-05])"),
    "special": (
        lambda d: gpukit.tensor([1.0, float("nan"), float("inf"), -float("inf")], device=d),
        "tensor([1., nan, inf, -inf])",
    ),
    "special fractions": (
        lambda d: gpukit.tensor([0.5, float("nan")], device=d),
        "tensor([0.5000,    nan])",
    ),
    "matrix": (
        lambda d: gpukit.tensor([[1, 20], [300, 4]], device=d),
        "tensor([[  1,  20],\n        [300,   4]])",
    ),
    "cube": (
        lambda d: gpukit.ones(2, 2, 1, device=d),
        "tensor([[[1.],\n         [1.]],\n\n        [[1.],\n         [1.]]])",
    ),
    "empty": (lambda d: gpukit.tensor([], device=d), "tensor([])"),
    "empty matrix": (lambda d: gpukit.zeros(0, 3, device=d), "tensor([], size=(0, 3))"),
    "dtype": (
        lambda d: gpukit.ones(2, dtype=gpukit.float64, device=d),
        "tensor([1., 1.], dtype=gpukit.float64)",
    ),
    "int32": (
        lambda d: gpukit.ones(2, dtype=gpukit.int32, device=d),
        "tensor([1, 1], dtype=gpukit.int32)",
    ),
    "gradient": (
        lambda d: gpukit.ones(1, device=d, requires_grad=True),
        "tensor([1.], requires_grad=True)",
    ),
    "long": (
        lambda d: gpukit.arange(2000, device=d),
        "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])",
    ),
    "long matrix": (
        lambda d: gpukit.zeros(1001, 2, device=d),
        "tensor([[0., 0.],\n        [0., 0.],\n        [0., 0.],\n        ...,\n"
        "        [0., 0.],\n        [0., 0.],\n        [0., 0.]])",
    ),
    "transposed": (
        lambda d: gpukit.tensor([[1, 2], [3, 4]], device=d).T,
        "tensor([[1, 3],\n        [2, 4]])",
    ),
}


def without_suffix(text: str) -> str:
    """The text of a simulated or GPU tensor without what names its device."""
    for index in range(8):
        text = text.replace(f", device='cuda:{index}'", "")
        text = text.replace(f",\n       device='cuda:{index}'", "")
    return text.replace(", simulated=True", "").replace(",\n       simulated=True", "")


@pytest.mark.parametrize("case", CASES)
def test_text(case, device):
    make, want = CASES[case]
    x = make(device)
    assert without_suffix(repr(x)) == want
    assert str(x) == repr(x)
    assert f"{x}" == repr(x) or x.ndim == 0


def test_device_is_named(device):
    text = repr(gpukit.ones(2, device=device))
    assert (f"device='{device}'" in text) == (device.type == "cuda")
    assert ("simulated=True" in text) == device.simulated


def test_lines_are_broken_at_80_columns():
    text = repr(gpukit.arange(40))
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) == 3


def test_only_what_is_shown_is_copied(device):
    if device.type == "cpu":
        return
    x = gpukit.zeros(1 << 22, device=device)
    before = gpukit._core.memory_stats("cpu")["max_allocated_bytes"]
    gpukit._core.reset_peak_memory_stats("cpu")
    start = gpukit._core.memory_stats("cpu")["allocated_bytes"]
    repr(x)
    assert gpukit._core.memory_stats("cpu")["max_allocated_bytes"] - start < 1 << 16
    assert before >= 0


def test_bench_of_other_types():
    shown = [type(gpukit.ones(1)), type(gpukit.float32), type(gpukit.device("cpu"))]
    names = ["gpukit.Tensor", "gpukit.dtype", "gpukit.device"]
    assert [repr(kind) for kind in shown] == [f"<class '{name}'>" for name in names]
    with pytest.raises(AttributeError, match=r"'gpukit\.Tensor' object has no attribute 'foo'"):
        _ = gpukit.ones(1).foo
    assert repr(gpukit.float32) == "gpukit.float32"
    assert repr(gpukit.device("cuda:1")) == "device(type='cuda', index=1)"
    assert repr(gpukit.device("cuda")) == "device(type='cuda')"
    assert str(gpukit.device("gpu:1")) == "cuda:1"
    pair = gpukit.max(gpukit.tensor([[1.0, 2.0]]), dim=1)
    assert pair.values.tolist() == [2.0]
    assert repr(pair) == "gpukit.return_types.max(\nvalues=tensor([2.]),\nindices=tensor([1]))"
