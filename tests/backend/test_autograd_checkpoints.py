"""Programs that use hooks for saved tensors and checkpoints beside custom Functions and threads."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import pytest

import gpukit
from gpukit.autograd.graph import save_on_cpu, saved_tensors_hooks
from gpukit.utils.checkpoint import checkpoint


class ProductAndExp(gpukit.autograd.Function):
    """Saves its inputs and both outputs."""

    @staticmethod
    def forward(ctx, a, b):
        product, power = a * b, a.exp()
        ctx.save_for_backward(a, b, product, power)
        return product, power

    @staticmethod
    def backward(ctx, g, h):
        a, b, _, power = ctx.saved_tensors
        return g * b + h * power, g * a


def plain(a, b):
    return a * b, a.exp()


def second_order(function, way: str) -> list:
    x = gpukit.tensor([0.5, -1.0], requires_grad=True)
    w = gpukit.tensor([0.25, 2.0], requires_grad=True)

    def run(x, w):
        p, q = function(x * 2, w)
        return p * q.sin()

    if way == "checkpoint":
        y = checkpoint(run, x, w)
    elif way == "hooks":
        with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            y = run(x, w)
    else:
        y = run(x, w)
    g = gpukit.autograd.grad(y.sum(), [x, w], create_graph=True)
    (g[0].sum() + g[1].pow(2).sum()).backward()
    return x.grad.tolist() + w.grad.tolist()


@pytest.mark.parametrize("way", ["plain", "hooks", "checkpoint"])
def test_second_order_through_saved_outputs_of_a_function_with_several(way: str) -> None:
    found = second_order(ProductAndExp.apply, way)
    assert found == pytest.approx(second_order(plain, "plain"), rel=1e-5)


def test_gradients_of_a_failed_pass_do_not_reach_the_next() -> None:
    x = gpukit.tensor([0.5, -1.0], requires_grad=True)
    p, q = ProductAndExp.apply(x, x)
    calls = []

    def fails_once(gradient):
        calls.append(1)
        if len(calls) == 1:
            raise KeyError("once")
        return gradient

    p.register_hook(fails_once)
    with pytest.raises(KeyError, match="once"):
        (p + q).sum().backward(retain_graph=True)
    p.sum().backward()
    assert x.grad.tolist() == [1.0, -2.0]


def test_hooks_see_the_saved_tensors_of_a_function_and_own_no_graph() -> None:
    seen = []

    class Kept:
        def __init__(self, tensor):
            self.tensor = tensor

    def pack(tensor):
        kept = Kept(tensor)
        seen.append((tensor.shape, weakref.ref(kept)))
        return kept

    x = gpukit.ones(2, requires_grad=True)
    with saved_tensors_hooks(pack, lambda kept: kept.tensor):
        out = ProductAndExp.apply(x, x)
    assert [shape for shape, _ in seen] == [(2,)] * 4  # none of the node's own
    del out
    gc.collect()
    assert [ref() for _, ref in seen] == [None] * 4


def test_arguments_of_the_second_run_are_those_of_the_first() -> None:
    class Marked(gpukit.Tensor):
        pass

    parameter = gpukit.nn.Parameter(gpukit.ones(2))
    parameter.mark = 3
    other = gpukit.ones(2).as_subclass(Marked)
    seen = []

    def run(a, b, c, same=None):
        seen.append((a is b, a is same, isinstance(a, gpukit.nn.Parameter), a.mark, type(c)))
        return (a * b.exp() * c).sin() * same

    checkpoint(run, parameter, parameter, other, same=parameter).sum().backward()
    assert seen == [(True, True, True, 3, Marked)] * 2
    x = gpukit.ones(2, requires_grad=True)
    seen.clear()
    y = (x * 2).as_subclass(Marked)
    y.mark = 3
    result = checkpoint(run, y, y, y, same=y)
    del y
    result.sum().backward()
    assert seen == [(True, True, False, 3, Marked)] * 2


def test_attention_to_itself_in_a_checkpoint() -> None:
    layer = gpukit.nn.MultiheadAttention(4, 2, batch_first=True)
    results = []
    for call in (layer, lambda *args: checkpoint(layer, *args)):
        x = gpukit.linspace(-1, 1, 24).view(2, 3, 4).requires_grad_()
        call(x, x, x)[0].pow(2).sum().backward()
        results.append(x.grad.flatten().tolist())
    assert results[0] == pytest.approx(results[1], rel=1e-5, abs=1e-6)


def test_a_change_in_place_inside_a_checkpoint_is_refused() -> None:
    def run(t):
        y = t.exp()
        y.mul_(2)  # exp needs its result
        return y * y

    x = gpukit.ones(2, requires_grad=True)
    with pytest.raises(gpukit.errors.AutogradError, match="changed in place"):
        checkpoint(run, x).sum().backward()


def test_a_change_in_place_after_save_on_cpu_is_refused_on_the_cpu() -> None:
    x = gpukit.ones(2, requires_grad=True)
    with save_on_cpu():
        y = x.exp()
    y.mul_(2)
    with pytest.raises(gpukit.errors.AutogradError, match="changed in place"):
        y.sum().backward()


def test_threads_that_go_back_through_one_checkpoint() -> None:
    x = gpukit.ones(3, requires_grad=True)
    y = checkpoint(lambda t: ((t.exp() * t.sin()).exp() * t).tanh(), x).sum()
    found, errors = [], []

    def run():
        try:
            found.extend(
                gpukit.autograd.grad(y, x, retain_graph=True)[0].tolist() for _ in range(30)
            )
        except gpukit.errors.AutogradError as error:
            errors.append(str(error))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run) for _ in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
    assert all(each == found[0] for each in found)
