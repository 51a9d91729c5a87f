"""torch's older types, settings and arguments: what torch gives, or a typed error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import gpukit

ROWS = """
t.FloatTensor([1, 2])
t.FloatTensor(2, 2).shape
t.FloatTensor().shape
t.FloatTensor((1, 2))
t.FloatTensor(range(3))
t.LongTensor([1.5, 2.5])
t.LongTensor(3).dtype
t.LongTensor(2, device="cpu").shape
t.DoubleTensor([1]).dtype
t.HalfTensor([1]).dtype
t.BFloat16Tensor([1]).dtype
t.IntTensor([1])
t.ShortTensor([1])
t.CharTensor([-1])
t.ByteTensor([255])
t.BoolTensor([True, False])
t.FloatTensor(t.ones(2))
isinstance(t.ones(1), t.FloatTensor)
isinstance(t.ones(1), t.DoubleTensor)
isinstance(t.tensor([1]), t.LongTensor)
isinstance(t.nn.Parameter(t.ones(1)), t.FloatTensor)
isinstance(t.ones(1), t.cuda.FloatTensor)
isinstance(3, t.FloatTensor)
t.FloatTensor.dtype
t.FloatTensor.__name__
isinstance(t.ones(1), t.autograd.Variable)
t.autograd.Variable(t.ones(1), requires_grad=True).requires_grad
str(t.strided)
"""


def shown(t: Any, row: str) -> str:
    value = eval(row, {"t": t})
    text = repr(tuple(value)) if type(value).__name__ == "Size" else repr(value)
    return text.replace("gpukit", "torch")


@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_shows_what_torch_shows(row: str) -> None:
    assert shown(gpukit, row) == shown(torch, row)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda t: t.FloatTensor(2.5), TypeError),
        (lambda t: t.FloatTensor("a"), TypeError),
        (lambda t: t.FloatTensor([[1], [2, 3]]), ValueError),
        (lambda t: t.FloatTensor(t.arange(2)), TypeError),
        (lambda t: t.set_default_tensor_type(t.LongTensor), TypeError),
        (lambda t: t.set_default_tensor_type(t.float32), TypeError),
    ],
)
def test_refuses_what_torch_refuses(call: Callable[[Any], Any], error: type[Exception]) -> None:
    for t in (torch, gpukit):
        with pytest.raises(error):
            call(t)


def test_the_default_type_is_that_of_older_programs() -> None:
    try:
        gpukit.set_default_tensor_type(gpukit.DoubleTensor)
        assert gpukit.ones(1).dtype is gpukit.float64
        gpukit.set_default_tensor_type("torch.FloatTensor")
        assert gpukit.ones(1).dtype is gpukit.float32
    finally:
        gpukit.set_default_dtype(gpukit.float32)
        gpukit.set_default_device("cpu")


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (lambda x, y: gpukit.nn.functional.mse_loss(x, y, size_average=False), [5.0]),
        (lambda x, y: gpukit.nn.MSELoss(reduce=False)(x, y), [1.0, 4.0]),  # noqa: PLW0108 (warns when made)
        (lambda x, y: gpukit.nn.L1Loss(size_average=True)(x, y), [1.5]),  # noqa: PLW0108 (warns when made)
        (lambda x, y: gpukit.nn.SmoothL1Loss(size_average=False)(x, y), [2.0]),  # noqa: PLW0108 (warns when made)
        (lambda x, y: gpukit.nn.MSELoss(False)(x, y), [5.0]),  # noqa: PLW0108 (warns when made)
    ],
)
def test_older_arguments_of_losses_warn_as_torchs(call: Any, want: list[float]) -> None:
    x, y = gpukit.tensor([1.0, 2.0]), gpukit.tensor([0.0, 4.0])
    with pytest.warns(UserWarning, match=r"please use reduction='\w+' instead"):
        got = call(x, y)
    assert got.reshape(-1).tolist() == want


def test_backward_of_several_tensors_adds_their_gradients() -> None:
    for t in (torch, gpukit):
        x = t.tensor([1.0, 2.0], requires_grad=True)
        t.autograd.backward([x.sum(), x * x], [None, t.tensor([1.0, 10.0])])
        assert x.grad.tolist() == [3.0, 41.0]
    with pytest.raises(gpukit.AutogradError, match=r"tensors\[1\]"):
        gpukit.autograd.backward([x.sum(), x])


def test_sequentials_are_added_and_repeated() -> None:
    nn = gpukit.nn
    one, other = nn.Sequential(nn.ReLU()), nn.Sequential(nn.Tanh(), nn.Sigmoid())
    kinds = [type(module).__name__ for module in one + other]
    assert kinds == ["ReLU", "Tanh", "Sigmoid"]
    assert len(other * 2) == len(2 * other) == 4
    one += other
    assert len(one) == 3
    with pytest.raises(ValueError, match="append"):
        one + nn.ReLU()
    with pytest.raises(ValueError, match="1 or more"):
        one * 0


def test_settings_are_kept_and_answered() -> None:
    try:
        gpukit.use_deterministic_algorithms(True, warn_only=True)
        assert gpukit.are_deterministic_algorithms_enabled()
        assert gpukit.is_deterministic_algorithms_warn_only_enabled()
    finally:
        gpukit.use_deterministic_algorithms(False)
    assert not gpukit.are_deterministic_algorithms_enabled()
    with pytest.raises(TypeError, match="True or False"):
        gpukit.use_deterministic_algorithms("yes")  # type: ignore[arg-type]


def test_threads_between_operations_are_kept_and_answered() -> None:
    assert gpukit.get_num_interop_threads() == 1
    gpukit.set_num_interop_threads(3)
    assert gpukit.get_num_interop_threads() == 3
    gpukit.set_num_interop_threads(1)
    with pytest.raises(ValueError, match="num"):
        gpukit.set_num_interop_threads(0)
    with pytest.raises(RuntimeError):
        torch.set_num_interop_threads(0)


def test_threads_of_backward_passes_are_kept_and_answered() -> None:
    for t in (torch, gpukit):
        shown = [t.autograd.is_multithreading_enabled()]
        with t.autograd.set_multithreading_enabled(False):
            shown.append(t.autograd.is_multithreading_enabled())
        t.autograd.set_multithreading_enabled(False)
        shown.append(t.autograd.is_multithreading_enabled())
        t.autograd.set_multithreading_enabled(True)
        assert shown == [True, False, False]


def test_what_is_absent_says_what_to_do() -> None:
    with pytest.raises(AttributeError, match=r"leave the decorators out; gpukit\.compile"):
        _ = gpukit.jit
