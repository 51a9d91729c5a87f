"""gpukit.compile on devices that come and go, and under capture."""

from __future__ import annotations

import pytest

import gpukit
from support.simulation import simulation


def plain_scaled(x):
    return gpukit.tanh(x * 2 + 1) - 1


def test_after_its_simulation_has_ended():
    compiled = gpukit.compile(plain_scaled, fullgraph=True, backend="tiles")
    with simulation(1):
        x = gpukit.ones(3, device="cuda:0")
        assert gpukit.equal(compiled(x), plain_scaled(x))
        compiled(x)
    with pytest.raises(gpukit.DeviceError, match="ended"):
        compiled(x)
    y = gpukit.ones(3)
    assert gpukit.equal(compiled(y), plain_scaled(y))


def test_a_captured_graph():
    with simulation(1):
        compiled = gpukit.compile(plain_scaled, fullgraph=True, backend="tiles")
        x = gpukit.ones(3, device="cuda:0")
        compiled(x)
        graph = gpukit.cuda.CUDAGraph()
        with gpukit.cuda.graph(graph):
            y = compiled(x)
        x.fill_(2)
        graph.replay()
        assert gpukit.equal(y, plain_scaled(x))


def test_gradients_after_the_simulation_has_ended():
    compiled = gpukit.compile(plain_scaled, fullgraph=True, backend="tiles")
    with simulation(1):
        x = gpukit.ones(3, device="cuda:0", requires_grad=True)
        compiled(x)
        result = compiled(x)
        assert "CompiledFunctionBackward" in repr(result.grad_fn)
        gradient = gpukit.ones(3, device="cuda:0")
    with pytest.raises(gpukit.DeviceError, match="ended"):
        result.backward(gradient)


def test_a_backward_pass_in_a_captured_graph():
    with simulation(1):
        compiled = gpukit.compile(plain_scaled, fullgraph=True, backend="tiles")
        x = gpukit.ones(3, device="cuda:0", requires_grad=True)
        compiled(x).sum().backward()
        compiled(x).sum().backward()
        graph = gpukit.cuda.CUDAGraph()
        x.grad = None
        with gpukit.cuda.graph(graph):
            y = compiled(x)
            y.sum().backward()
        found = x.grad
        with gpukit.no_grad():
            x.fill_(0.25)
        graph.replay()
        again = x.detach().clone().requires_grad_()
        expected = plain_scaled(again)
        assert gpukit.equal(y, expected)
        assert gpukit.equal(found, gpukit.autograd.grad(expected.sum(), again)[0])


def test_a_copy_to_a_device_without_index_is_the_function_s():
    with simulation(2):
        compiled = gpukit.compile(lambda x: x.to("cuda") * 2 + 1, backend="tiles")
        x = gpukit.ones(5, device="cuda:0")
        for index in (0, 1, 0):
            with gpukit.device("cuda", index):
                assert compiled(x).device == x.to("cuda").device


def test_why_a_reduction_stands_alone():
    with simulation(1):
        compiled = gpukit.compile(lambda x: (x * 2 + 1).sum(), fullgraph=True, backend="tiles")
        compiled(gpukit.randn(6, 7).to("cuda"))
        assert "ends a chain on the CPU only" in str(compiled.explain())
