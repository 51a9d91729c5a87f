"""gpukit.profiler beside torch.profiler: the same programs, and the same counts of operators.

`OF_TORCH` and `OF_GPUKIT` map the names of the two libraries' events to one word each. What is
mapped to "" has no counterpart, for the reason beside it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

import gpukit
from support import trace_format

PROGRAM = Path(__file__).parent / "profiled_program.py"

OF_TORCH = {
    "aten::linear": "linear",
    "aten::relu": "relu",
    "aten::cross_entropy_loss": "cross_entropy",
    "aten::add": "add",
    "aten::sum": "sum",
    "aten::item": "item",
    "Optimizer.step#SGD.step": "step",
    "Optimizer.zero_grad#SGD.zero_grad": "zero_grad",
    "NllLossBackward0": "NllLossBackward0",
    "LogSoftmaxBackward0": "",  # gpukit's cross entropy is one node, named for its last part
    "AddmmBackward0": "AddmmBackward0",
    "ReluBackward0": "ReluBackward0",
    "TBackward0": "",  # gpukit's linear reads the weight transposed: no node of its own
    "torch::autograd::AccumulateGrad": "",  # gpukit adds to .grad inside the pass
    "aten::ones_like": "",  # the first gradient; gpukit makes it inside the pass
    "step": "range",
}
OF_GPUKIT = {
    "gpukit::linear": "linear",
    "gpukit::linear_relu": "linear relu",  # one operator where a layer's output goes to relu
    "gpukit::cross_entropy": "cross_entropy",
    "gpukit::add": "add",
    "gpukit::sum": "sum",
    "gpukit::item": "item",
    "gpukit::backward": "",  # torch does not record the call of backward
    "gpukit::clear_gradients": "",  # what Optimizer.zero_grad does inside
    "Optimizer.zero_grad#SGD.zero_grad": "zero_grad",
    "gpukit::sgd_step": "",  # what Optimizer.step does inside; torch's many are not compared either
    "Optimizer.step#SGD.step": "step",
    "NllLossBackward0": "NllLossBackward0",
    "AddmmBackward0": "AddmmBackward0",
    "ReluBackward0": "ReluBackward0",
    "step": "range",
}


ENGINE = "autograd::engine"


def training(library: Any) -> Any:
    """Three steps of an MLP, recorded."""
    nn = library.nn
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 4))
    optimizer = library.optim.SGD(net.parameters(), lr=0.1)
    x, y = library.rand(10, 16), library.zeros(10, dtype=library.int64)
    with library.profiler.profile(activities=[library.profiler.ProfilerActivity.CPU]) as p:
        for _ in range(3):
            with library.profiler.record_function("step"):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                optimizer.step()
            (loss + 1).sum().item()
    return p


def is_outermost(event: Any) -> bool:
    """Not inside another operator or derivative.

    torch's engine has a frame of its own around each node, with the sums that give a gradient the
    shape of its input; the node is counted, the frame and the sums are not.
    """
    parents = []
    while (event_ := parents[-1].cpu_parent if parents else event.cpu_parent) is not None:
        parents.append(event_)
    in_engine = any(parent.name.startswith(ENGINE) for parent in parents)
    if event.name.startswith(ENGINE) or (in_engine and event.name.startswith("aten::")):
        return False
    return all(parent.name.startswith(ENGINE) or parent.name == "step" for parent in parents)


def test_the_same_counts_for_the_same_training_step() -> None:
    want: Counter[str] = Counter()
    for event in training(torch).events():
        if is_outermost(event):
            want.update(OF_TORCH[event.name].split())
    got: Counter[str] = Counter()
    for event in training(gpukit).events():
        got.update(OF_GPUKIT[event.name].split())
    assert got == want
    assert want["linear"] == 9


def test_derivatives_of_both_are_counted_alike() -> None:
    """Also by the rows of the table that users read."""

    def derivatives(library: Any, names: dict[str, str]) -> dict[str, int]:
        rows = training(library).key_averages()
        return {row.key: row.count for row in rows if names.get(row.key, "").endswith("Backward0")}

    assert derivatives(gpukit, OF_GPUKIT) == derivatives(torch, OF_TORCH)


def run(library: str, folder: Path) -> str:
    """What the program prints after the import was changed.

    It has a process of its own: torch's profiler crashed when it was used twice in one of pytest.
    """
    source = re.sub(r"\btorch\b", library, PROGRAM.read_text(encoding="utf-8"))
    script = folder / "program.py"
    script.write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, Path]]:
    found = {}
    for library in ("torch", "gpukit"):
        folder = tmp_path_factory.mktemp(library)
        found[library] = (run(library, folder), folder)
    return found


def heads(printed: str) -> list[str]:
    """The titles of each table that was printed."""
    return [" ".join(line.split()) for line in printed.splitlines() if "# of Calls" in line]


def test_the_same_program_prints_the_same_columns(both: Any) -> None:
    ours, theirs = heads(both["gpukit"][0]), heads(both["torch"][0])
    assert len(ours) == len(theirs) >= 6
    # torch scales its FLOPs' title, and has no stacks in tables of CPU events here.
    assert [re.sub(r" Total KFLOPs| Source Location", "", line) for line in ours] == [
        re.sub(r" Total \w*FLOPs| Source Location", "", line) for line in theirs
    ]


def test_the_same_steps_are_recorded(both: Any) -> None:
    assert both["gpukit"][0].count("recorded steps: [4, 8]") == 1
    assert both["torch"][0].count("recorded steps: [4, 8]") == 1


def test_the_same_files_are_written(both: Any) -> None:
    for library in ("torch", "gpukit"):
        folder = both[library][1]
        assert (folder / "trace.json").stat().st_size > 1000
        assert len(list((folder / "log").iterdir())) == 1
    trace_format.check(trace_format.read(both["gpukit"][1] / "trace.json"))


def test_the_checks_of_the_format_take_torchs_fields(both: Any) -> None:
    """Categories and phases of operators and annotations are torch's."""
    ours, theirs = (
        trace_format.read(both[library][1] / "trace.json")["traceEvents"]
        for library in ("gpukit", "torch")
    )

    def kinds(events: Any) -> set[tuple[str, str]]:
        return {(e["ph"], e["cat"]) for e in events if "cat" in e and e["ph"] in "Xsf"}

    shared = {("X", "cpu_op"), ("X", "user_annotation"), ("s", "fwdbwd"), ("f", "fwdbwd")}
    assert shared <= kinds(ours)
    assert shared <= kinds(theirs)
