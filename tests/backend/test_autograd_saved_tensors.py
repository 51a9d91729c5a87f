"""Hooks for saved tensors, and checkpoints made of them."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import gpukit
from gpukit.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from gpukit.utils.checkpoint import CheckpointError, checkpoint, set_checkpoint_early_stop

Tensor = gpukit.Tensor


def test_a_checkpoint_runs_its_function_once_more_in_each_pass() -> None:
    runs = []

    def function(t: Tensor) -> Tensor:
        runs.append(gpukit.is_grad_enabled())
        return ((t * t).exp() * t).sin() @ t

    x = gpukit.arange(3.0, requires_grad=True)
    out = checkpoint(function, x)
    for count in (2, 3):
        out.backward(retain_graph=True)
        assert runs == [True] * count


def test_a_checkpoint_keeps_no_tensor_and_releases_those_of_the_second_run(
    device: gpukit.device,
) -> None:
    made: list[weakref.ref] = []

    def function(t: Tensor) -> Tensor:
        for _ in range(4):
            t = t.exp()
            made.append(weakref.ref(t.untyped_storage()))
        return t * 2

    def alive() -> int:
        gc.collect()
        return sum(each() is not None for each in made)

    x = gpukit.zeros(3, device=device, requires_grad=True)
    out = function(x)
    out = checkpoint(function, x)
    made.clear()
    out.sum().backward(retain_graph=True)
    assert len(made) in {3, 4}
    assert alive() == 0


@pytest.mark.parametrize("stop", [True, False])
def test_the_second_run_ends_when_all_is_there(stop: bool) -> None:
    ends = []

    def function(t: Tensor) -> Tensor:
        out = t.exp() + 1
        ends.append(1)
        return out

    x = gpukit.zeros(2, requires_grad=True)
    with set_checkpoint_early_stop(stop):
        out = checkpoint(function, x)
        checkpoint(function, x, early_stop=stop).sum().backward()
    out.sum().backward()
    assert len(ends) == (2 if stop else 4)
    assert x.grad.tolist() == [2, 2]


def test_a_function_that_computes_something_else_is_refused() -> None:
    x = gpukit.ones(3, requires_grad=True)
    calls: list[int] = []

    def shorter(t: Tensor) -> Tensor:
        calls.append(1)
        return (t[: 4 - len(calls)] ** 3).sum()

    out = checkpoint(shorter, x)
    with pytest.raises(CheckpointError, match=r"tensor 0 .* \[3\] of gpukit.float32"):
        out.backward()
    calls.clear()

    def fewer(t: Tensor) -> Tensor:
        calls.append(1)
        return (t.exp() if len(calls) == 1 else t + 1).sum()

    out = checkpoint(fewer, x)
    with pytest.raises(CheckpointError, match="fewer tensors"):
        out.backward()
    calls.clear()
    checkpoint(lambda t: (t * t).sum(), x, determinism_check="none").backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_an_argument_that_was_changed_is_refused() -> None:
    x = gpukit.ones(2, requires_grad=True)
    h = x * 2
    out = checkpoint(lambda t: (t * t).sum(), h)
    h.add_(1)
    with pytest.raises(gpukit.AutogradError, match="changed in place"):
        out.backward()


def test_a_checkpoint_runs_under_the_autocast_of_its_call() -> None:
    x = gpukit.ones(2, 2, requires_grad=True)
    seen = []

    def function(t: Tensor) -> Tensor:
        out = t @ t
        seen.append(out.dtype)
        return out.float().exp()

    with gpukit.autocast("cpu"):
        out = checkpoint(function, x)
    out.sum().backward()
    assert seen == [gpukit.bfloat16] * 2
    out = checkpoint(function, x)
    with gpukit.autocast("cpu"):
        out.sum().backward()
    assert seen[2:] == [gpukit.float32] * 2


def test_contexts_of_a_checkpoint() -> None:
    entered = []

    class Context:
        def __init__(self, name: str) -> None:
            self.name = name

        def __enter__(self) -> None:
            entered.append(self.name)

        def __exit__(self, *_: object) -> None:
            entered.append(self.name)

    x = gpukit.ones(2, requires_grad=True)
    contexts = lambda: (Context("first"), Context("second"))  # noqa: E731
    out = checkpoint(lambda t: t * t, x, context_fn=contexts)
    out.sum().backward()
    assert entered == ["first"] * 2 + ["second"] * 2
    with pytest.raises(gpukit.ArgumentError, match="two context managers, got 1"):
        checkpoint(lambda t: t, x, context_fn=lambda: (Context("first"),))


def test_a_backward_pass_inside_a_checkpoint() -> None:
    """A gradient penalty."""

    def function(t: Tensor) -> Tensor:
        y = (t * t * t).sum()
        (slope,) = gpukit.autograd.grad(y, t, create_graph=True)
        return (slope * slope).sum()

    x = gpukit.tensor([1.0, 2.0], requires_grad=True)
    function(x).backward()
    want, x.grad = x.grad, None
    checkpoint(function, x).backward()
    assert x.grad.tolist() == want.tolist()


def test_what_hooks_raise_comes_out_and_nothing_stays_packed() -> None:
    x = gpukit.ones(2, requires_grad=True)

    def broken(_: object) -> Tensor:
        raise KeyError("mine")

    with saved_tensors_hooks(broken, broken), pytest.raises(KeyError, match="mine"):
        x * x
    with saved_tensors_hooks(lambda t: t, broken):
        out = (x * x).sum()
    with pytest.raises(KeyError, match="mine"):
        out.backward()
    assert (x * x).sum().backward() is None
    assert x.grad.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("give", "error", "text"),
    [
        (lambda t: 3, TypeError, "unpack_hook's result"),
        (lambda t: t.double(), gpukit.DTypeError, "float64"),
        (lambda t: t[:1], gpukit.ShapeError, r"\(1,\)"),
    ],
)
def test_a_wrong_tensor_of_unpack_hook_is_named(give, error, text) -> None:
    x = gpukit.ones(2, requires_grad=True)
    with saved_tensors_hooks(lambda t: t, give):
        out = (x * x).sum()
    with pytest.raises(error, match=text):
        out.backward()


def test_a_tensor_of_unpack_hook_on_another_device_is_named(gpu_device: gpukit.device) -> None:
    x = gpukit.ones(2, requires_grad=True, device=gpu_device)
    with saved_tensors_hooks(lambda t: t.cpu(), lambda t: t):
        out = (x * x).sum()
    with pytest.raises(gpukit.DeviceMismatchError, match=r"on cpu, the saved one was on cuda"):
        out.backward()


def test_a_strided_tensor_of_unpack_hook_is_read_by_its_strides(device: gpukit.device) -> None:
    x = gpukit.arange(12.0, device=device).reshape(3, 4).requires_grad_()
    functions = [
        lambda t: gpukit.layer_norm(t, (4,)),
        lambda t: t.softmax(1),
        lambda t: t @ t.T,
        lambda t: gpukit.nn.functional.cross_entropy(t, gpukit.tensor([0, 1, 2], device=device)),
    ]
    strided = lambda t: gpukit.stack([t, t], -1)[..., 0]  # noqa: E731
    for function in functions:
        (want,) = gpukit.autograd.grad(function(x).square().sum(), x)
        with saved_tensors_hooks(lambda t: t, strided):
            out = function(x).square().sum()
        (got,) = gpukit.autograd.grad(out, x)
        assert got.tolist() == want.tolist()


def test_what_pack_hook_may_not_do() -> None:
    x = gpukit.ones(2, requires_grad=True)
    with (
        saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t),
        pytest.raises(gpukit.AutogradError, match="pack_hook changed"),
    ):
        (x * 2) * x
    h = x * 2
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        out = (h * h).sum()
    h.add_(1)
    with pytest.raises(gpukit.AutogradError, match="changed in place"):
        out.backward()


def test_blocks_nest_and_belong_to_their_thread() -> None:
    x = gpukit.ones(2, requires_grad=True)
    seen: list[str] = []

    def noting(name: str) -> saved_tensors_hooks:
        return saved_tensors_hooks(lambda t: seen.append(name) or t, lambda t: t)

    with noting("outer"):
        x.exp()
        with noting("inner"):
            x.exp()
        thread = threading.Thread(target=x.exp)
        thread.start()
        thread.join()
        x.exp()
    x.exp()
    assert seen == ["outer", "inner", "outer"]
    with disable_saved_tensors_hooks("not here"):
        with pytest.raises(gpukit.AutogradError, match="not here"), noting("none"):
            pass
        (x * x).sum().backward()
    refused = pytest.raises(gpukit.AutogradError, match="not here")
    with noting("outer"), refused, disable_saved_tensors_hooks("not here"):
        pass
    with noting("again"):
        x.exp()
    assert seen[-1] == "again"


def test_a_thread_that_ends_inside_of_a_block_leaves_nothing() -> None:
    x = gpukit.ones(2, requires_grad=True)
    seen: list[int] = []

    class Pack:
        def __call__(self, tensor: Tensor) -> Tensor:
            seen.append(1)
            return tensor

    pack = Pack()
    ended = weakref.ref(pack)

    def run(hooks: saved_tensors_hooks) -> None:
        hooks.__enter__()
        x.exp()

    thread = threading.Thread(target=run, args=(saved_tensors_hooks(pack, lambda t: t),))
    thread.start()
    thread.join()
    x.exp()
    assert seen == [1]
    del thread, pack
    end = time.monotonic() + 20  # join does not wait for what C++ keeps for the thread
    while ended() is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert ended() is None


@pytest.mark.parametrize("pin", [False, True])
def test_save_on_cpu_takes_no_memory_of_the_device(gpu_device: gpukit.device, pin: bool) -> None:
    def train(contexts) -> tuple[int, list]:
        before = gpukit.cuda.memory_allocated(gpu_device)
        x = gpukit.ones(1 << 18, device=gpu_device, requires_grad=True)
        with contexts:
            y = x
            for _ in range(6):
                y = (y * 0.5).sin()
        between = gpukit.cuda.memory_allocated(gpu_device) - before
        y.sum().backward()
        return between, np.unique(x.grad.cpu().numpy()).tolist()

    kept, want = train(saved_tensors_hooks(lambda t: t, lambda t: t))
    less, got = train(save_on_cpu(pin_memory=pin))
    assert got == want
    assert less < kept / 2
