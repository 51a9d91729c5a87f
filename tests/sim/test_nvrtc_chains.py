"""Chains that NVRTC compiles: bit for bit the interpreting kernel's values, both run as PTX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gpukit
from gpukit._compile import nvrtc

PROGRAM = """
import json, sys
import gpukit
from gpukit._compile import cuda_source, nvrtc
from gpukit._simulation import session
from gpukit._system import libraries
from support.chains import drawn, same_bits

gpukit._core.set_library_folders(libraries.nvidia_folders())
session.restart(sys.argv[1])
device = gpukit.device("cuda:0")
found = {"operators": {}, "kernels": [], "chains": [], "compiled": 0}
special = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e-40, 3e38, 0.5, 2.5]

def both(function, *args):
    results = []
    for backend in ("tiles", "nvrtc"):
        compiled = gpukit.compile(function, fullgraph=True, backend=backend)
        compiled(*args)
        results.append(compiled(*args))
    return all(same_bits(a, b) for a, b in zip(*results, strict=True))

def operands(dtype):
    # One launch has all of them: random numbers, special ones, and no multiple of four.
    a = gpukit.cat([gpukit.linspace(-4, 4, 500), gpukit.tensor(special), gpukit.rand(52)])
    b = gpukit.cat([gpukit.rand(551) * 3, gpukit.tensor(special), gpukit.tensor([0.25])])
    return a.to(dtype).to(device), b.to(dtype).to(device)

for dtype in (gpukit.float32, gpukit.float16, gpukit.bfloat16):
    a, b = operands(dtype)
    unary = {**cuda_source._LIBRARY, **cuda_source._LIGHT, **cuda_source._TESTS}
    unary |= {"sigmoid": "", "gelu": ""}
    for name, text in unary.items():
        if name.startswith("bitwise"):
            continue
        of_two = "{b}" in text
        call = getattr(gpukit, name)
        # Contraction into multiply-adds would show in what stands before and after.
        def chain(a, b, call=call, of_two=of_two):
            first = a * 1.25
            made = call(first, b) if of_two else call(first)
            return made, made.to(a.dtype) * b + a, made.to(a.dtype) - a * b
        found["operators"][f"{name} {dtype}"] = both(chain, a, b)
    found["operators"][f"pow {dtype}"] = both(lambda a, b: (gpukit.pow(a * 2, b) + a,), a, b)
    found["operators"][f"atan2 {dtype}"] = both(lambda a, b: (gpukit.atan2(a * 2, b) + a,), a, b)
    pieces = (lambda a, b: (
        (a * 0.1).clamp(-0.7, 0.3), gpukit.where(a > 0.1, b, 0.1) * b,
        (a < 0.1).to(a.dtype) + (a * b).half().float(),
    ))
    found["operators"][f"others {dtype}"] = both(pieces, a, b)
    bits = lambda a, b: ((a > 0) & (b > 0), (a > 0) | (b > 1), (a > 0) ^ (b > a), ~(a > 0))
    found["operators"][f"bits {dtype}"] = both(bits, a, b)
    rows, row, column = a.reshape(-1, 1)[:552].reshape(8, 69), b[:69], a[:8].reshape(8, 1)
    found["operators"][f"broadcast {dtype}"] = both(
        lambda x, y: (gpukit.tanh(x * y + 0.5) * y,), rows, row
    ) and both(lambda x, y: (gpukit.tanh(x * y + 0.5) * y,), rows, column)
found["compiled"] = len(nvrtc._kernels)
found["warned"] = nvrtc._warned
for seed in range(int(sys.argv[2])):
    chain = drawn(seed, device, longest=12, size=12)
    function = chain.function()
    try:
        function(*chain.arguments[0])
    except Exception:
        continue
    found["chains"].append(both(function, *chain.arguments[0]))
found["kernels"] = len(nvrtc._kernels)
found["launched"] = sum(event.what == "kernel" for event in session._active.events())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(own_ptx: Path) -> dict[str, Any]:
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, f"1xT4,engine=ptx,ptx={own_ptx}", "60"],
        env={**os.environ, "GPUKIT_SIMULATE": "", "PYTHONPATH": tests},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    return made


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_each_operator_has_the_bits_of_the_interpreting_kernel(found: dict[str, Any]) -> None:
    assert not found["warned"]
    assert [name for name, same in found["operators"].items() if not same] == []
    assert found["compiled"] > 100
    assert found["launched"] >= found["compiled"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_random_chains_have_the_bits_of_the_interpreting_kernel(found: dict[str, Any]) -> None:
    assert all(found["chains"])
    assert found["kernels"] > found["compiled"]


def gate(x: Any, y: Any) -> Any:
    return gpukit.sigmoid(x * 1.5 + y) * y


def compiled_for(*args: Any) -> Any:
    compiled = gpukit.compile(gate, fullgraph=True, backend="nvrtc")
    compiled(*args)
    return compiled


def test_one_kernel_is_made_for_each_layout_and_kept() -> None:
    x, y = gpukit.randn(3, 40, device="cuda:0"), gpukit.randn(40, device="cuda:0")
    compiled = compiled_for(x, y)
    counts = []
    for _ in range(3):
        assert gpukit.allclose(compiled(x, y), gate(x, y), rtol=1e-6)
        assert gpukit.allclose(compiled(x, x), gate(x, x), rtol=1e-6)
        counts.append(len(nvrtc._kernels))
    assert counts[1] == counts[2] > 1
    assert gpukit.allclose(compiled(x[:, ::2], y[::2]), gate(x[:, ::2], y[::2]), rtol=1e-6)


@pytest.mark.parametrize("place", ["cpu", "cuda:0"])
def test_what_has_no_text_or_no_gpu_runs_as_it_does_else(place: str) -> None:
    x = gpukit.randn(50, device=place, dtype=gpukit.float64)
    compiled = gpukit.compile(lambda x: gpukit.lgamma(x * x + 1) * 2, backend="nvrtc")
    assert gpukit.equal(compiled(x), compiled(x))
    w = gpukit.randn(50, device=place).requires_grad_()
    for _ in range(2):
        result = compiled_for(w, w)(w, w)
        (gradient,) = gpukit.autograd.grad(result.sum(), w)
        (wanted,) = gpukit.autograd.grad(gate(w, w).sum(), w)
        # Compiled code on a simulated GPU has other functions than the operators there.
        assert gpukit.allclose(gradient, wanted, rtol=0 if place == "cpu" else 1e-5)


def test_without_a_compiler_it_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> Any:
        raise gpukit.errors.CompileError("no NVRTC was found")

    monkeypatch.setattr(nvrtc, "_kernel", refuse)
    monkeypatch.setattr(nvrtc, "_warned", [])
    x = gpukit.randn(50, device="cuda:0")
    compiled = compiled_for(x, x)
    with pytest.warns(gpukit.GpukitWarning, match="no NVRTC was found"):
        assert gpukit.equal(compiled(x, x), gate(x, x))
    assert gpukit.equal(compiled(x, x), gate(x, x))
