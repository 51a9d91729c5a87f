"""What runs a chain on a GPU where no backend is named, and what explain() says of it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import gpukit
from gpukit import _core
from gpukit._compile import choice, compiled, cuda_source, nvrtc
from support.long_job import repeat

PROGRAM = """
import json, random, sys
import gpukit
from gpukit._compile import compiled, nvrtc
from gpukit._simulation import session
from gpukit._system import libraries
from support.chain_gradients import agree, with_gradients
from support.chains import drawn, same_bits

gpukit._core.set_library_folders(libraries.nvidia_folders())
compiled.FEW_ELEMENTS = 0
session.restart(sys.argv[1])

def gate(x, y):
    return gpukit.sigmoid(x * 1.5 + y) * y

def masks(x, y):
    return (x > 0) & (y > 0) | ~(x < y) ^ (x > 1)

found = {}
for device in ("cuda:0", "cuda:1"):
    x, y = gpukit.randn(551, device=device), gpukit.randn(551, device=device)
    for function in (gate, masks):
        fused = gpukit.compile(function, fullgraph=True)
        fused(x, y)
        before = len(nvrtc._kernels)
        same = all(same_bits(fused(x, y), function(x, y)) for _ in range(3))
        found[f"{function.__name__} {device}"] = (same, len(nvrtc._kernels) - before)
        found[f"{function.__name__} runs as"] = fused.explain().groups[0].runs_as
found["compilations"] = sum(
    len(kernel._program._compiled) for kernel in nvrtc._kernels.values()
)

def clipped(x, y):
    return gpukit.where(x > y, gpukit.tanh(x).clamp(-0.5, 0.5), y / 3) * x.abs()

def rectified(x, y):
    return gpukit.relu(x * 2 + y) * x

before = len(nvrtc._kernels)
for dtype in (gpukit.float32, gpukit.float16, gpukit.bfloat16):
    for function in (gate, clipped, rectified) if dtype == gpukit.float32 else (gate,):
        trained = gpukit.compile(function, fullgraph=True)
        for shape in ((29, 19), (19,)):
            values = [
                gpukit.randn(each, device="cuda:0").to(dtype).requires_grad_()
                for each in ((29, 19), shape)
            ]
            agree(trained, function, [values] * 2, 7)
        value = trained(*values)
        found[f"{function.__name__} {dtype}"] = repr(value.grad_fn)
        made = gpukit.autograd.grad(value.sum(), values)
        wanted = gpukit.autograd.grad(function(*values).sum(), values)
        assert all(same_bits(a, b) for a, b in zip(made, wanted))
    found[f"trained {dtype}"] = trained.explain().groups[0].runs_as
found["kernels of trained"] = len(nvrtc._kernels) - before
for seed in range(int(sys.argv[2])):
    chain = drawn(seed, gpukit.device("cuda:0"), longest=12, size=12)
    arguments = [with_gradients(args, random.Random(seed)) for args in chain.arguments]
    agree(gpukit.compile(chain.function(), fullgraph=True), chain.function(), arguments, seed)
found["kernels"] = len(nvrtc._kernels)
with gpukit.no_grad():
    parameter = gpukit.randn(551, device="cuda:0").requires_grad_()
    before = len(nvrtc._kernels)
    fused = gpukit.compile(lambda x: gpukit.sigmoid(x * 1.25), fullgraph=True)
    fused(parameter), fused(parameter)
    found["of parameters without gradients"] = len(nvrtc._kernels) - before
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_gpu_that_runs_ptx_has_chains_compiled(own_ptx: Path) -> None:
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, f"2xT4,engine=ptx,ptx={own_ptx}", str(repeat(3, long=8))],
        env={**os.environ, "GPUKIT_SIMULATE": "", "PYTHONPATH": tests},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["gate cuda:0"] == found["masks cuda:0"] == [True, 1]
    assert found["gate cuda:1"] == found["masks cuda:1"] == [True, 0]
    assert found["compilations"] == 2  # two cards of one kind share the code
    assert found["gate runs as"] == "a kernel compiled by NVRTC"
    for dtype in ("float32", "float16", "bfloat16"):
        assert found[f"trained gpukit.{dtype}"] == "a kernel compiled by NVRTC"
        assert "CompiledFunctionBackward" in found[f"gate gpukit.{dtype}"]
    assert "CompiledFunctionBackward" in found["clipped gpukit.float32"]
    assert found["kernels of trained"] >= 12  # of values and derivatives, by the ways inputs lie
    assert found["kernels"] > found["kernels of trained"]
    assert found["of parameters without gradients"] == 1


def gate(x: Any, y: Any) -> Any:
    return gpukit.sigmoid(x * 1.5 + y) * y


@pytest.fixture
def as_on_a_real_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEW_ELEMENTS", 0)
    monkeypatch.setattr(_core, "cuda_is_simulated", lambda: False)
    for name in ("_failed", "_ready", "_kernels"):
        monkeypatch.setattr(nvrtc, name, {})
    monkeypatch.setattr(nvrtc, "_warned", [])
    monkeypatch.setattr(nvrtc, "_spent", [0.0])


def recorded(x: Any) -> Any:
    made = gpukit.compile(gate, fullgraph=True)
    made(x, x)
    return made


def test_simulated_gpus_interpret_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEW_ELEMENTS", 0)
    made = recorded(gpukit.randn(50, device="cuda:0"))
    assert not choice.compiles_unasked()
    assert made.explain().groups[0].runs_as == "the interpreting kernel"
    assert "runs as the interpreting kernel" in str(made.explain())
    assert "runs as" not in str(recorded(gpukit.randn(50)).explain())


@pytest.mark.usefixtures("as_on_a_real_gpu")
def test_without_a_compiler_one_note_is_given_and_operators_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    def refuse(source: str) -> Any:
        tried.append(source)
        raise gpukit.errors.CompileError("no NVRTC was found")

    monkeypatch.setattr(nvrtc, "_kernel", refuse)
    x = gpukit.randn(50, device="cuda:0")
    made = recorded(x)
    with pytest.warns(gpukit.GpukitWarning, match="operator by operator.*no NVRTC was found"):
        assert gpukit.equal(made(x, x), gate(x, x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert gpukit.equal(made(x, x), gate(x, x))
    assert len(tried) == 1


@pytest.mark.usefixtures("as_on_a_real_gpu")
def test_without_a_compiler_operators_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str) -> Any:
        raise gpukit.errors.CompileError("no NVRTC was found")

    monkeypatch.setattr(nvrtc, "_kernel", refuse)
    x = gpukit.randn(50, device="cuda:0").requires_grad_()
    made = recorded(x)
    with pytest.warns(gpukit.GpukitWarning, match="no NVRTC was found"):
        made(x, x)
    for _ in range(2):
        found, wanted = made(x, x), gate(x, x)
        assert type(found.grad_fn) is type(wanted.grad_fn)
        for each in (found, wanted):
            each.sum().backward()
        assert gpukit.equal(found, wanted)


@pytest.mark.usefixtures("as_on_a_real_gpu")
@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: gpukit.relu((x @ w) * 2 + 1) * 3,
        lambda x, w: gpukit.sigmoid(w * 1.5 + x) * x,
        lambda x, w: (x.softmax(-1) * w.clamp(-0.5, 2) + 1).tanh(),
    ],
)
def test_a_chain_anywhere_in_a_function_has_one_kernel_with_and_without_gradients(
    function: Any,
) -> None:
    x, w = (gpukit.randn(20, 20, device="cuda:0").requires_grad_() for _ in range(2))
    made = gpukit.compile(function, fullgraph=True)
    made(x, w)
    found = made(x, w)
    assert gpukit.allclose(found, function(x, w), rtol=1e-5, atol=1e-6)
    forward = len(nvrtc._kernels)
    found.sum().backward()
    both = len(nvrtc._kernels)
    assert 0 < forward < both
    with gpukit.no_grad():
        known = dict(nvrtc._kernels)
        nvrtc._kernels.clear()
        made(x, w)  # another trace
        assert gpukit.allclose(made(x, w), found, rtol=1e-5, atol=1e-6)
        assert len(nvrtc._kernels) == forward  # the same, for parameters too
        nvrtc._kernels.update(known)
    assert len(nvrtc._kernels) == both
    nvrtc._spent[0] = 1000.0  # what is ready goes on
    again = made(x, w)
    assert type(again.grad_fn) is type(found.grad_fn)
    again.sum().backward()
    assert len(nvrtc._kernels) == both


def test_a_failed_compilation_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(source: str) -> Any:
        tried.append(source)
        raise gpukit.errors.CompileError("an error of the compiler")

    monkeypatch.setattr(nvrtc, "_kernel", refuse)
    monkeypatch.setattr(nvrtc, "_failed", {})
    monkeypatch.setattr(nvrtc, "_warned", ["said"])
    x = gpukit.randn(50, device="cuda:0")
    made = gpukit.compile(gate, fullgraph=True, backend="nvrtc")
    for _ in range(4):
        assert gpukit.equal(made(x, x), gate(x, x))
    assert len(tried) == 1
    other = gpukit.randn(50, device="cuda:1")
    for _ in range(3):
        made(other, other)
    assert len(tried) == 2


@pytest.mark.usefixtures("as_on_a_real_gpu")
def test_compiling_unasked_ends_in_time_and_waits_for_captures_to_end() -> None:
    x = gpukit.randn(50, device="cuda:0")
    made = recorded(x)
    graph = gpukit.cuda.CUDAGraph()
    with gpukit.cuda.graph(graph):
        y = made(x, x)
    assert not nvrtc._kernels
    graph.replay()
    assert gpukit.equal(y, gate(x, x))
    made(x, x)
    assert len(nvrtc._kernels) == 1
    nvrtc._spent[0] = nvrtc._MOST_SECONDS
    row = gpukit.randn(1, device="cuda:0")
    assert gpukit.equal(made(x, row), gate(x, row))
    assert len(nvrtc._kernels) == 1


@pytest.mark.usefixtures("as_on_a_real_gpu")
def test_functions_of_another_release_are_not_called_unasked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nvrtc, "RELEASE", (11, 8))
    x = gpukit.randn(50, device="cuda:0")
    with pytest.warns(gpukit.GpukitWarning, match="nvidia-cuda-nvrtc-cu11==11.8"):
        assert gpukit.equal(recorded(x)(x, x), gate(x, x))
    plain = gpukit.compile(lambda x: (x * 2 + 1) * x, fullgraph=True)
    plain(x)
    plain(x)
    assert len(nvrtc._ready) == 1  # sums and products have one meaning


def test_the_release_is_that_of_the_wheels_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[2] / "tools" / "compile_kernels.py"
    spec = importlib.util.spec_from_file_location("compile_kernels", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "compile_kernels", tool)
    spec.loader.exec_module(tool)
    assert tool.NVRTC_VERSION == cuda_source.RELEASE


@pytest.mark.usefixtures("as_on_a_real_gpu")
def test_what_has_no_text_runs_as_operators() -> None:
    x = gpukit.randn(50, device="cuda:0")
    made = gpukit.compile(lambda x: gpukit.hypot(x, x * 2) + 1, fullgraph=True)
    made(x)
    assert made.explain().groups[0].runs_as == "operators: some step has no text in CUDA C++"
