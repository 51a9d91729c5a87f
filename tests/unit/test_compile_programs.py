"""gpukit.compile: the programs that devices take, when they run, and examples of others."""

from __future__ import annotations

import pickle

import pytest

import gpukit
from gpukit import _core
from gpukit._compile import compiled as compiled_functions


@pytest.fixture(autouse=True)
def always_chains(monkeypatch):
    monkeypatch.setattr(compiled_functions, "FEW_ELEMENTS", 0)


F32 = gpukit.float32


@pytest.mark.parametrize(
    ("inputs", "steps", "results"),
    [
        ([], [], []),
        ([F32] * 9, [("neg", (0,), None)], [9]),
        ([F32], [("nothing", (0,), None)], [1]),
        ([F32], [("neg", (1,), None)], [1]),
        ([F32], [("neg", (-1,), None)], [1]),
        ([F32], [("neg", (), None)], [1]),
        ([F32], [("add", (None, None), 1)], [1]),
        ([F32, gpukit.int32], [("add", (0, 1), None)], [2]),
        ([F32], [("bitwise_not", (0,), None)], [1]),
        ([F32], [("where", (0, 0, 0), None)], [1]),
        ([F32], [("convert", (0,), F32)], [1]),
        ([F32], [("convert", (0,), "nothing")], [1]),
        ([F32], [("clamp", (0,), (None, None))], [1]),
        ([F32], [("clamp", (0,), 3)], [1]),
        ([F32], [("neg", (0,), None)], [0]),
        ([F32], [("neg", (0,), None)], [7]),
        ([F32], [("neg", (0,), None)] * 49, [1]),
        ([F32], [("neg", (0,), None)] * 9, [1, 2, 3, 4, 5]),
        ([F32], [("neg", (0,), None)], [1, 1]),
        ([F32], [3], [1]),
        ([F32], [("neg",)], [1]),
        (["x"], [("neg", (0,), None)], [1]),
    ],
)
def test_programs_that_are_refused(inputs, steps, results):
    with pytest.raises((ValueError, TypeError, IndexError, RuntimeError)):
        _core.Chain(inputs, steps, results)


def test_inputs_that_a_program_does_not_take():
    program = _core.Chain([F32, F32], [("add", (0, 1), None), ("exp", (2,), None)], [3])
    x = gpukit.ones(3)
    with pytest.raises((ValueError, TypeError)):
        program.run([x])
    with pytest.raises(TypeError):
        program.run([x, 3])
    assert program.run([x, x.double()]) is None
    assert program.run([x, gpukit.ones(4)]) is None
    assert program.run([x, gpukit.ones(3, requires_grad=True)]) is None
    assert gpukit.equal(program.run([x, x])[0], gpukit.exp(x + x))
    with pytest.raises(TypeError):
        pickle.dumps(program)
    with pytest.raises((ValueError, gpukit.GpukitError)):
        _core.Chain([F32], [("neg", (0,), None)], []).run([x])


def test_few_elements_run_as_written(monkeypatch):
    monkeypatch.setattr(compiled_functions, "FEW_ELEMENTS", 10)
    calls = []

    class Names:
        def before_operator(self, call):
            calls.append(call.name)

    compiled = gpukit.compile(lambda x: gpukit.exp(x) + 1, fullgraph=True)
    compiled(gpukit.ones(5))
    for size, expected in ((10, ["exp", "add"]), (11, ["chain"])):
        calls.clear()
        with _core.observe(Names()):
            compiled(gpukit.ones(size))
        assert [name for name in calls if name != "ones"] == expected


EXAMPLES = {
    "CuPy: squared_diff": lambda x, y: (x - y) * (x - y),
    "CuPy: a sum of five": lambda x, y: x + x + x + x + x,
    "numexpr: a + 1": lambda x, y: x + 1,
    "numexpr: with a comparison": lambda x, y: x * y - 4.1 * x > 2.5 * y,
    "numexpr: functions": lambda x, y: gpukit.sin(x) + gpukit.asinh(x / y),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_others(name):
    function = EXAMPLES[name]
    compiled = gpukit.compile(function, fullgraph=True)
    x = gpukit.arange(10.0)
    for y in (gpukit.arange(10.0).flip(0), x, gpukit.arange(10).flip(0)):
        for _ in range(2):
            a, b = compiled(x, y), function(x, y)
            assert a.dtype == b.dtype
            assert gpukit.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    whole = gpukit.arange(10)
    assert gpukit.equal(compiled(whole, whole + 1), function(whole, whole + 1))
