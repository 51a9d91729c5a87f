"""What the first call of a compiled function does, and what it leaves to the second."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import gpukit
from gpukit._compile import compiled, preparation, scan


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    made: list[Any] = []
    plan_of = preparation.plan_of
    monkeypatch.setattr(preparation, "plan_of", lambda trace: made.append(trace) or plan_of(trace))
    return made


def gate(x: Any) -> Any:
    return gpukit.sigmoid(x * 1.5 + 1) * x


def test_groups_are_made_at_the_second_call(plans: list[Any]) -> None:
    x = gpukit.randn(compiled.FEW_ELEMENTS + 1)
    made = gpukit.compile(gate, fullgraph=True)
    first = made(x)
    assert not plans
    assert gpukit.equal(made(x), first)
    made(x)
    assert len(plans) == 1
    small = gpukit.compile(gate, fullgraph=True)
    for _ in range(3):
        small(x[:9])
    assert len(plans) == 1  # of few elements nothing runs as a chain


def test_the_modes_are_those_of_the_recorded_call() -> None:
    x = gpukit.randn(50).requires_grad_()
    whole = gpukit.arange(50)

    def mixed(x: Any, whole: Any) -> Any:
        return gpukit.sqrt(whole) * x + gpukit.sin(whole) * x

    explained = []
    for change in (None, gpukit.no_grad, gpukit.inference_mode):
        made = gpukit.compile(mixed, fullgraph=True, backend="tiles")
        made(x, whole)
        if change is None:
            explained.append(str(made.explain()))
        else:
            gpukit.set_default_dtype(gpukit.float64)
            try:
                with change():
                    explained.append(str(made.explain()))
            finally:
                gpukit.set_default_dtype(gpukit.float32)
        result = made(x, whole)
        assert "CompiledFunctionBackward" in repr(result.grad_fn)
        assert gpukit.equal(result, mixed(x, whole))
    assert explained[0] == explained[1] == explained[2]
    assert gpukit.is_grad_enabled()
    assert not gpukit.is_inference_mode_enabled()


def test_the_first_call_imports_nothing() -> None:
    program = """
import sys
import gpukit

@gpukit.compile
def gate(x):
    return gpukit.sigmoid(x * 1.5 + 1) * x

x = gpukit.ones(70_000)
before = set(sys.modules)
gate(x)
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_the_first_call_allocates_what_the_function_does() -> None:
    program = """
import sys
import gpukit

def adam(a, m, s, g):
    mean = 0.9 * m + 0.1 * g
    square = 0.999 * s + 0.001 * g * g
    return a - 0.001 * (mean / 0.1) / (gpukit.sqrt(square / 0.001) + 1e-8), mean, square

given = [gpukit.ones(300_000) for _ in range(4)]
called = gpukit.compile(adam, fullgraph=True) if sys.argv[1] == "compiled" else adam
called(*given)
found = gpukit._core.memory_stats("cpu")
print(found["max_allocated_bytes"] >> 20, found["max_reserved_bytes"] >> 20)
"""
    seen = {
        subprocess.run(
            [sys.executable, "-c", program, way], capture_output=True, text=True, check=True
        ).stdout
        for way in ("plain", "compiled")
    }
    assert len(seen) == 1


def outer_factor(x: Any) -> Any:
    return x * FACTOR


FACTOR = 2.0


def test_functions_of_a_user_inside_gpukits_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrapped(function: Any) -> Any:
        def inner(x: Any) -> Any:
            return function(x)

        inner.__module__ = "gpukit.nn.functional"  # as a wrapper of gpukit's
        return inner

    inner = wrapped(outer_factor)
    made = gpukit.compile(lambda x: inner(x) + 1, fullgraph=True, backend="tiles")
    x = gpukit.ones(3)
    assert made(x).tolist() == [3.0] * 3
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert made(x).tolist() == [6.0] * 3


def test_code_is_read_when_compile_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    made = gpukit.compile(lambda x: outer_factor(x) + 1, fullgraph=True)
    monkeypatch.setattr(scan, "instructions_of", None)
    assert made(gpukit.ones(3)).tolist() == [FACTOR + 1] * 3
