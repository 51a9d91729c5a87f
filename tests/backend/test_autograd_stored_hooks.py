"""Hooks of a leaf's stored gradient: called once it is final, while the pass goes on."""

from __future__ import annotations

import gc
import weakref

import pytest

import gpukit


def leaf(*values: float, device=None) -> gpukit.Tensor:
    return gpukit.tensor(list(values), device=device, requires_grad=True)


def test_the_hook_sees_the_leaf_with_its_whole_gradient(device):
    x = leaf(1.0, 2.0, device=device)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append((leaf is x, leaf.grad.tolist())))
    (x * 2 + x * x).sum().backward()
    assert seen == [(True, [4.0, 6.0])]
    (x * 3).sum().backward()
    assert seen[1:] == [(True, [7.0, 9.0])]


def test_a_leaf_is_done_when_the_last_operation_that_used_it_is():
    """Not after all operations: those nearer to the inputs are still to come."""
    order = []
    first, second, both = leaf(2.0), leaf(3.0), leaf(5.0)
    for name, x in {"first": first, "second": second, "both": both}.items():
        x.register_post_accumulate_grad_hook(lambda _, name=name: order.append(name))
    h = first * both
    h.register_hook(lambda _: order.append("gradient of h"))
    y = h * 2 * second + both
    y.backward()
    assert order == ["second", "gradient of h", "first", "both"]
    assert both.grad.tolist() == [2.0 * 2 * 3 + 1]
    assert second.grad.tolist() == [20.0]
    assert first.grad.tolist() == [30.0]


def test_a_hook_comes_after_those_that_change_the_gradient():
    x = leaf(1.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.item()))
    x.register_hook(lambda g: g * 10)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(-leaf.grad.item()))
    (x * 2).backward()
    assert seen == [20.0, -20.0]


def test_an_optimizer_in_the_pass():
    """Each parameter is changed as soon as its gradient is there, and the gradient is dropped."""
    net = gpukit.nn.Sequential(gpukit.nn.Linear(3, 4), gpukit.nn.ReLU(), gpukit.nn.Linear(4, 1))
    twin = gpukit.nn.Sequential(gpukit.nn.Linear(3, 4), gpukit.nn.ReLU(), gpukit.nn.Linear(4, 1))
    twin.load_state_dict(net.state_dict())

    def step(parameter: gpukit.Tensor) -> None:
        parameter.data.sub_(parameter.grad * 0.1)
        parameter.grad = None

    for parameter in net.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    optimizer = gpukit.optim.SGD(twin.parameters(), lr=0.1)
    x = gpukit.rand(5, 3)
    for _ in range(3):
        net(x).sum().backward()
        optimizer.zero_grad()
        twin(x).sum().backward()
        optimizer.step()
    for mine, other in zip(net.parameters(), twin.parameters(), strict=True):
        assert mine.grad is None
        assert gpukit.allclose(mine, other)


def test_passes_that_store_nothing_call_nothing():
    x = leaf(1.0)
    seen = []
    x.register_post_accumulate_grad_hook(seen.append)
    assert gpukit.autograd.grad(x * 2, x)[0].item() == 2.0
    assert seen == []


def test_an_operation_that_no_gradient_reaches_loses_nothing():
    """The norm of order 0 gives none, so one of the operations that used x never runs."""
    x = leaf(1.0, 4.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.tolist()))
    ((x * 2).norm(0) + (x * 3).sum()).backward()
    assert seen == [[3.0, 3.0]]


def test_recorded_passes_call_it_too():
    x = leaf(3.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.requires_grad))
    with pytest.warns(gpukit.GpukitWarning, match="create_graph"):
        (x * x * x).backward(create_graph=True)
    assert seen == [True]
    x.grad = None


def test_a_hook_is_removed():
    x = leaf(1.0)
    calls = []
    handle = x.register_post_accumulate_grad_hook(lambda _: calls.append(1))
    (x * 2).backward()
    handle.remove()
    handle.remove()
    (x * 2).backward()
    assert calls == [1]


def test_what_a_hook_must_be_and_return():
    x = leaf(1.0)
    with pytest.raises(TypeError, match="hook must be a function"):
        x.register_post_accumulate_grad_hook(3)
    with pytest.raises(gpukit.AutogradError, match="does not require grad"):
        gpukit.ones(1).register_post_accumulate_grad_hook(print)
    with pytest.raises(gpukit.AutogradError, match=r"MulBackward0.*Use register_hook"):
        (x * 2).register_post_accumulate_grad_hook(print)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    with pytest.raises(TypeError, match="the hook's result must be None"):
        (x * 2).backward()
    assert x.grad.item() == 2.0


def test_what_a_hook_raises_comes_out_of_the_pass():
    x, w = leaf(1.0), leaf(2.0)

    def fails(_: gpukit.Tensor) -> None:
        raise ZeroDivisionError("in the hook")

    w.register_post_accumulate_grad_hook(fails)
    with pytest.raises(ZeroDivisionError, match="in the hook"):
        (x * 2 * w).backward()
    assert x.grad is None


def test_the_hook_keeps_no_leaf_and_cycles_are_collected():
    x = leaf(1.0)
    seen, calls = weakref.ref(x), []
    x.register_post_accumulate_grad_hook(lambda leaf, x=x: calls.append(x))
    y = x * 2
    y.backward()
    assert len(calls) == 1
    calls.clear()
    del x, y
    gc.collect()
    assert seen() is None


def test_a_leaf_that_is_gone_has_nobody_to_call():
    x, calls = leaf(1.0), []
    x.register_post_accumulate_grad_hook(lambda _: calls.append(1))
    y = x + 2
    del x
    gc.collect()
    y.backward()
    assert calls == []
