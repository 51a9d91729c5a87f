"""gpukit.memory and gpukit.free: who holds a block, and how it comes back, in IPython too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import gpukit

MIB = 1 << 20


class Model:
    def __init__(self):
        self.weight = gpukit.zeros(MIB // 4, device="cuda:0")


def test_holders_have_the_names_that_lead_to_them():
    big = gpukit.zeros(2 * MIB, device="cuda:0")
    batch = {"x": [gpukit.ones(MIB, device="cuda:0")]}
    model = Model()
    view = big[:10]
    report = gpukit.memory("cuda:0")
    names = {name: holder for holder in report.holders for name in holder.names}
    here = "test_holders_have_the_names_that_lead_to_them"
    assert names[f"big in {here}"] is names[f"view in {here}"]
    assert names[f"big in {here}"].nbytes == 8 * MIB
    assert names[f"big in {here}"].line.startswith("test_memory_names.py:")
    assert names[f"batch in {here}['x'][0]"].nbytes == 4 * MIB
    assert names[f"model in {here}.weight"].shape == (MIB // 4,)
    assert report.holders[0].nbytes >= report.holders[-1].nbytes
    assert report.allocated >= report.named
    assert "8.00 MiB" in repr(report)
    assert len(gpukit.memory("cuda:0", top=1).holders) == 1
    assert batch
    assert model
    assert view.numel() == 10


def test_weights_of_a_network_have_the_names_that_one_would_type():
    body = gpukit.nn.Sequential(gpukit.nn.Linear(64, 64), gpukit.nn.Linear(64, 2))
    net = gpukit.nn.Sequential(body).to("cuda:0")
    names = [name for holder in gpukit.memory("cuda:0", top=1000).holders for name in holder.names]
    here = "test_weights_of_a_network_have_the_names_that_one_would_type"
    assert f"body in {here}[1].bias" in names
    assert [name for name in names if here in name and "_modules" in name] == []
    assert net


def test_an_optimizers_state_is_named_by_the_shape_of_its_parameter():
    weight = gpukit.ones(64, 32, device="cuda:0", requires_grad=True)
    adam = gpukit.optim.Adam([weight])
    weight.sum().backward()
    adam.step()
    names = [name for holder in gpukit.memory("cuda:0", top=1000).holders for name in holder.names]
    assert any(name.endswith(".state[Tensor (64, 32)]['exp_avg']") for name in names)
    assert [name for name in names if "\n" in name] == []


def test_out_of_memory_names_the_largest_holders():
    hoard = gpukit.zeros(64 * MIB, device="cuda:0")
    with pytest.raises(gpukit.OutOfMemoryError, match=r"Held by this program: ") as caught:
        gpukit.empty(1 << 50, device="cuda:0")
    error = caught.value
    assert isinstance(error, MemoryError)
    assert error.holders[0].nbytes == hoard.nbytes
    assert "hoard in test_out_of_memory" in str(error)
    assert "256 MiB" in str(error)
    assert "test_memory_names.py:" in str(error)


def test_bad_arguments():
    with pytest.raises(NameError, match="'no_such_thing'"):
        gpukit.free("no_such_thing")
    with pytest.raises(TypeError, match="names must be strings"):
        gpukit.free(gpukit.ones(1))
    with pytest.raises(ValueError, match="top"):
        gpukit.memory(top=0)
    with pytest.raises(gpukit.InvalidDeviceError):
        gpukit.memory("cude:0")


NOTEBOOK = """
import gpukit
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
def cell(text):
    return shell.run_cell(text, store_history=True, silent=False)

cell("import gpukit; MIB = 1 << 20")
{cells}
before = gpukit.cuda.memory_allocated(0)
report = cell("report = gpukit.free({names})") and shell.user_ns["report"]
print("FREED", before, gpukit.cuda.memory_allocated(0), report.dropped)
"""

CELLS = {
    "a variable": ("cell('W = gpukit.zeros(MIB, device=\"cuda:0\")')", "'W'", "W"),
    "an output": ("cell('gpukit.zeros(MIB, device=\"cuda:0\")')", "", "Out[2]"),
    "an old output": (
        "cell('gpukit.zeros(MIB, device=\"cuda:0\")'); cell('1'); cell('2'); cell('3'); cell('4')",
        "",
        "Out[2]",
    ),
    "the last traceback": (
        "cell('def f():\\n    x = gpukit.zeros(MIB, device=\"cuda:0\")\\n    1 / 0'); cell('f()')",
        "",
        "traceback",
    ),
}


@pytest.mark.parametrize("case", CELLS)
def test_a_notebook_lets_go(case, tmp_path):
    cells, names, dropped = CELLS[case]
    code = NOTEBOOK.format(cells=cells, names=names)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "IPYTHONDIR": str(tmp_path)},
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("FREED"))
    _, before, after, what = line.split(" ", 3)
    assert int(before) >= 4 * MIB
    assert int(after) == 0
    assert dropped in what
