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
