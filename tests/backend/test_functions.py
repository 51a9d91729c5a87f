"""Operations with a backward of the user's own, on every device."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import gpukit
from gpukit.autograd import Function
from gpukit.utils.checkpoint import checkpoint


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


class Split(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        return 2 * a + 3 * b


def test_first_to_third_derivatives(device):
    x = gpukit.tensor([1.0, -2.0], device=device, requires_grad=True)
    y = Cube.apply(x)
    for wanted in ([3.0, 12.0], [6.0, -12.0], [6.0, 6.0]):
        (y,) = gpukit.autograd.grad(y.sum(), x, create_graph=True)
        np.testing.assert_array_equal(y.detach().cpu().numpy(), wanted)


def test_several_results(device):
    x = gpukit.ones(3, device=device, requires_grad=True)
    a, b = Split.apply(x)
    (a.sum() + (b * b).sum()).backward()
    np.testing.assert_array_equal(x.grad.cpu().numpy(), [20.0] * 3)


def test_a_graph_is_freed_with_its_result(device):
    class Held:
        pass

    held = Held()

    class Keeps(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.held = held
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    known = weakref.ref(held)
    y = Keeps.apply(gpukit.ones(2, device=device, requires_grad=True))
    held = None
    gc.collect()
    assert known() is not None
    y.sum().backward()
    del y
    gc.collect()
    assert known() is None


def test_passes_of_several_threads(device):
    found = []

    def work(number):
        x = gpukit.full((50,), float(number), device=device, requires_grad=True)
        for _ in range(20):
            x.grad = None
            (Cube.apply(x) + sum(Split.apply(x))).sum().backward()
        found.append((x.grad == 3.0 * number**2 + 5).all().item())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


def test_an_exception_leaves_the_graph_as_it_was(device):
    class Fails(Cube):
        @staticmethod
        def backward(ctx, g):
            raise ValueError("not today")

    x = gpukit.ones(2, device=device, requires_grad=True)
    with pytest.raises(ValueError, match="not today"):
        Fails.apply(x).sum().backward()
    assert x.grad is None


def test_checkpoint(device):
    net = gpukit.nn.Sequential(gpukit.nn.Linear(4, 8), gpukit.nn.Tanh()).to(device)
    x = gpukit.randn(3, 4, device=device, requires_grad=True)
    net(x).sum().backward()
    wanted = [x.grad, *(p.grad for p in net.parameters())]
    x.grad = None
    net.zero_grad()
    checkpoint(net, x, use_reentrant=False).sum().backward()
    for one, other in zip([x.grad, *(p.grad for p in net.parameters())], wanted, strict=True):
        np.testing.assert_array_equal(one.cpu().numpy(), other.cpu().numpy())


def test_a_graph_at_the_end_of_the_process():
    program = """
import gpukit
class Same(gpukit.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.own = [ctx]
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
y = Same.apply(gpukit.ones(2, requires_grad=True))
z = Same.apply(y)
print("end")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "end\n"
    assert done.stderr == ""
