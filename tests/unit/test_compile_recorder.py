"""What the core notes of plain operators is what the tracer in Python would note of them."""

from __future__ import annotations

import types
from typing import Any

import pytest

import gpukit
from gpukit import _core
from gpukit._compile.tracer import PLAIN, Tracer
from gpukit._operators import composed

OUTSIDE = gpukit.ones(3)


def chain(x: Any, y: Any) -> Any:
    z = gpukit.tanh(x * 1.5 + y) - 1 / (y * y + OUTSIDE)
    with gpukit.no_grad():
        z = z.abs() + z.sum()
    return z.hardshrink(0.1) * x, (z > 0) & (x < y), z.mean(0).reshape(1)


def in_place(x: Any, y: Any) -> Any:
    z = x + y
    z *= 2
    gpukit.add(x, y, out=z)
    return z


def empty(x: Any, y: Any) -> Any:
    return (x[:0] * 2 + 1) * y[:0]


def module(x: Any, y: Any) -> Any:
    return LAYER(x * y) + 1


def refused(x: Any, y: Any) -> Any:
    return x * 2 if (x + y).sum() > 0 else y


def changed(x: Any, y: Any) -> Any:
    z = x.detach() * 2
    z.requires_grad_()
    return z * y


class Doubled(gpukit.autograd.Function):
    """Gives what an operator has made a gradient that no operator has."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


def custom(x: Any, y: Any) -> Any:
    return Doubled.apply(x) * y


def failing(x: Any, y: Any) -> Any:
    return gpukit.matmul(x * 2, y.reshape(1, 3).exp())


LAYER = gpukit.nn.Linear(3, 3)
PROGRAMS = [chain, in_place, empty, module, refused, changed, custom, failing]


def traced(function: Any, tensors: list[Any], observe: Any) -> Tracer:
    tracer = Tracer(tensors, strict=False)
    observation, result = observe(tracer), None
    try:
        result = function(*tensors)
    except gpukit.GpukitError:
        pass
    finally:
        observation.stop()
    tracer.finish(result)
    return tracer


def noted(tracer: Tracer) -> Any:
    trace = tracer.trace
    operations = [
        (each.name, each.operator.name, each.arguments, each.result, each.place)
        for each in trace.operations
    ]
    if tracer.fault is not None:  # the core goes on to count
        return tracer.fault
    flags = [(each.records, each.changes, each.body is None) for each in trace.operations]
    facts = [tuple(each) for each in trace.facts]
    seen = (tracer.asks_sizes, tracer.sets_gradients, trace.records, sorted(trace.captured))
    return operations, flags, facts, seen, trace.result


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("function", PROGRAMS)
def test_both_ways_note_the_same(function, gradient):
    tensors = [gpukit.randn(3).requires_grad_(gradient) for _ in range(2)]
    if function is in_place:
        tensors = [each.detach() for each in tensors]
    quick = noted(traced(function, tensors, Tracer.observe))
    assert quick == noted(traced(function, tensors, _core.observe))
    if function not in {refused, failing, changed, custom}:
        assert quick[0]  # operators, and no fault


def test_plain_operators_have_no_body_in_python():
    for name in PLAIN:
        assert not isinstance(getattr(composed, name, None), types.FunctionType)


def test_long_functions_end_their_trace():
    def long(x: Any) -> Any:
        for _ in range(10_050):
            x = x + 1.0
        return x

    x = gpukit.zeros(1)
    with pytest.warns(gpukit.GpukitWarning, match="more than 10000 operators"):
        assert gpukit.compile(long)(x).item() == 10_050


def test_nothing_is_kept_alive():
    import gc
    import weakref

    def function(x: Any) -> Any:
        return x * 2 + 1

    x = gpukit.ones(5)
    kept = weakref.ref(x)
    compiled = gpukit.compile(function, fullgraph=True)
    made = weakref.ref(compiled(x))
    del x
    gc.collect()
    assert kept() is None
    assert made() is None
