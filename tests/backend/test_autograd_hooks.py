"""Hooks: the only Python that runs inside a backward pass."""

from __future__ import annotations

import gc
import threading
import time
import traceback
import weakref

import pytest

import gpukit


def leaf(*values: float) -> gpukit.Tensor:
    return gpukit.tensor(list(values), requires_grad=True)


def test_a_hook_sees_the_whole_gradient_once(device):
    x = gpukit.ones(2, device=device, requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append((g.tolist(), g.device)))
    (x * 2 + x * 3).sum().backward()
    assert seen == [([5.0, 5.0], x.device)]
    assert x.grad.tolist() == [5.0, 5.0]


def test_a_hook_may_change_the_gradient():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert x.grad.tolist() == [22.0, 22.0]
    assert gpukit.autograd.grad((x * 2).sum(), x)[0].tolist() == [2.0, 2.0]


def test_a_hook_is_removed():
    x = leaf(1.0)
    calls = []
    handle = x.register_hook(lambda _: calls.append(1))
    (x * 2).sum().backward()
    handle.remove()
    handle.remove()
    (x * 2).sum().backward()
    assert calls == [1]
    del x
    gc.collect()
    handle.remove()


def test_what_a_hook_must_be_and_return():
    x = leaf(1.0)
    with pytest.raises(TypeError, match="hook must be a function"):
        x.register_hook(3)
    with pytest.raises(gpukit.AutogradError, match="does not require grad"):
        gpukit.ones(1).register_hook(print)
    x.register_hook(lambda _: "no tensor")
    with pytest.raises(TypeError, match="Tensor or None"):
        (x * 2).sum().backward()
    assert x.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("at_leaf", [False, True])
@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        (lambda g: gpukit.ones(3), gpukit.ShapeError, r"is \(3,\), the tensor \(2,\)"),
        (lambda g: g.reshape(1, 2), gpukit.ShapeError, r"is \(1, 2\)"),
        (lambda g: g.expand(4, 2), gpukit.ShapeError, r"is \(4, 2\)"),
        (lambda g: g.sum(), gpukit.ShapeError, r"is \(\)"),
        (lambda g: g.double(), gpukit.DTypeError, "is float64, the tensor float32"),
        (lambda g: g.half(), gpukit.DTypeError, "float16"),
    ],
)
def test_what_a_hook_gives_has_the_tensors_shape_and_dtype(
    changed, error, text, at_leaf, create_graph
):
    x = leaf(1.0, 2.0)
    y = x * x
    (x if at_leaf else y).register_hook(changed)
    with pytest.raises(error, match=f"register_hook: .*{text}"):
        gpukit.autograd.grad(y.sum(), x, create_graph=create_graph)


def test_what_a_hook_gives_lies_on_the_tensors_device(device):
    x = gpukit.ones(2, device=device, requires_grad=True)
    x.register_hook(lambda g: g.cpu())
    if x.is_cpu:
        (x * 2).sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]
        return
    with pytest.raises(gpukit.DeviceMismatchError, match="on cpu, the tensor on cuda"):
        (x * 2).sum().backward()
    assert x.grad is None


class BrokenError(Exception):
    pass


def test_the_first_failing_hook_ends_the_pass_with_its_own_traceback():
    x = leaf(1.0)
    y = x * 2
    z = y * 3
    calls = []

    def fails(_: gpukit.Tensor) -> None:
        calls.append("y")
        raise BrokenError("in the hook")

    x.register_hook(lambda _: calls.append("x"))
    y.register_hook(fails)
    with pytest.raises(BrokenError, match="in the hook") as info:
        z.sum().backward(retain_graph=True)
    assert calls == ["y"]
    assert x.grad is None
    assert any(frame.name == "fails" for frame in traceback.extract_tb(info.value.__traceback__))
    # The thread, its mode and the next pass are whole.
    assert gpukit.is_grad_enabled()
    w = leaf(1.0)
    (w * 2).sum().backward()
    assert w.grad.tolist() == [2.0]


def test_a_failed_exception_is_freed():
    x = leaf(1.0)
    y = x * 2

    class Holder:
        pass

    holder = Holder()
    seen = weakref.ref(holder)

    def fails(_: gpukit.Tensor, held: Holder = holder) -> None:
        raise BrokenError(held)

    y.register_hook(fails)
    with pytest.raises(BrokenError):
        y.sum().backward()
    del holder, fails, y
    gc.collect()
    assert seen() is None


def test_a_hook_may_drop_the_last_reference_to_everything():
    kept = {}
    kept["x"] = leaf(1.0)
    kept["y"] = kept["x"] * 2
    kept["loss"] = (kept["y"] * kept["y"]).sum()
    ends = []
    weakref.finalize(kept["x"], ends.append, 1)
    kept["y"].register_hook(lambda _: (kept.clear(), gc.collect(), None)[2])
    kept["loss"].backward()
    gc.collect()
    assert not kept
    assert ends == [1]


def test_a_hook_may_run_another_pass():
    x, w = leaf(2.0), leaf(3.0)
    inner = []

    def hook(_: gpukit.Tensor) -> None:
        assert not gpukit.is_grad_enabled()
        with gpukit.enable_grad():
            (w * w).sum().backward()
        inner.append(w.grad.item())

    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    assert inner == [6.0]
    assert x.grad.item() == 2.0


def test_hooks_beside_a_busy_thread():
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            sum(range(100))

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        x = leaf(1.0, 2.0)
        calls = []
        for _ in range(5):
            y = x
            for _ in range(10):
                y = y * 1.0
                y.register_hook(lambda _: calls.append(1))
            y.sum().backward()
        assert len(calls) == 50
        assert x.grad.tolist() == [5.0, 5.0]
    finally:
        stop.set()
        thread.join()


def test_a_pass_holds_no_gil():
    """Another Python thread goes on while backward computes."""
    x = gpukit.rand(700, 700, requires_grad=True)
    y = x
    for _ in range(12):
        y = y @ x
    count = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        before = count
        y.mean().backward()
        assert count - before >= 3
    finally:
        done.set()
        thread.join()


def test_cycles_through_hooks_are_collected():
    x = leaf(1.0)
    seen = weakref.ref(x)
    x.register_hook(lambda g, x=x: g * x)
    y = x * 2
    y.register_hook(lambda g, y=y: g * y)
    result = weakref.ref(y)
    del x, y
    gc.collect()
    assert result() is None
    gc.collect()
    assert seen() is None


def test_cycles_through_gradients_are_collected():
    x = leaf(1.0)
    (x * 2).sum().backward()
    x.grad.back = x
    seen = weakref.ref(x)
    del x
    gc.collect()
    assert seen() is None


def test_a_graph_holds_no_python_object():
    class Named(gpukit.Tensor):
        pass

    x = gpukit.ones(2).as_subclass(Named).requires_grad_()
    x.result = (x * x).sum()  # the graph saved x's memory, not x
    seen = weakref.ref(x)
    del x
    gc.collect()
    assert seen() is None
