"""The magics, in IPython's own shell."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gpukit
from gpukit._ipython.magics import MAGICS
from support import smi_texts


@pytest.fixture(scope="module")
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    created = InteractiveShell.instance(history_manager=None)
    created.run_line_magic("load_ext", "gpukit")
    yield created
    created.run_line_magic("unload_ext", "gpukit")
    InteractiveShell.clear_instance()


def test_all_magics_are_there_and_documented(shell):
    for magic in MAGICS:
        found = shell.find_magic(magic.name, "cell" if magic.kind == "cell" else "line")
        assert found is not None
        assert f"%{magic.name}" in found.__doc__


def run(script):
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_import_registers_nothing():
    script = (
        "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance();"
        "import gpukit; print(s.find_line_magic('doctor'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().splitlines()[-1] == "None"


def bundle(value):
    """The forms of a result, as the notebook asks for them."""
    forms = value._repr_mimebundle_(include=None, exclude=None)
    assert {"text/plain", "text/html", "text/markdown"} <= set(forms)
    assert "<script" not in forms["text/html"]
    return forms


@pytest.mark.parametrize("line", ["gpu", "smi", "doctor", "simulate", "gpumem", "gpufree"])
def test_line_magics_show_something(shell, line):
    assert bundle(shell.run_line_magic(line, ""))["text/plain"]


def test_doctor_of_a_cell_judges_and_explains(shell):
    judged = shell.run_cell_magic("doctor", "", smi_texts.MX150_BEFORE)
    assert judged.verdict == "not_ready"
    explained = shell.run_cell_magic("doctor", "", "RuntimeError: CUDA driver is a stub library")
    assert "stub-libcuda-loaded" in explained.to_text()


def test_gpubench_moves_the_tensors_of_an_expression(shell):
    shell.user_ns["x"] = gpukit.ones(8, 8)
    result = shell.run_line_magic("gpubench", "--device cpu --no-transfer x @ x")
    assert result.name == "x @ x"
    assert result.median > 0


def test_gpubench_of_a_cell(shell):
    shell.user_ns["gpukit"] = gpukit
    result = shell.run_cell_magic("gpubench", "--device cpu", "y = gpukit.ones(4) + 1\n")
    assert result.median > 0
    assert shell.user_ns["y"].sum().item() == 8.0


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("doctor", "--deeep", "--deeep"),
        ("gpubench", "", "give an expression"),
        ("gpubench", "--device", "expected one argument"),
        ("simulate", "2xT5", "T4|without the simulator"),  # a build may have none
        ("gpubench", "--device cude:0 1 + 1", "cuda:0"),
        ("gpumem", "cude:0", "cuda:0"),
        ("gpufree", "no_such_name", "no_such_name"),
    ],
)
def test_wrong_use_is_a_line_not_a_traceback(shell, name, line, words):
    from IPython.core.error import UsageError

    with pytest.raises(UsageError, match=words):
        shell.run_line_magic(name, line)


def test_gpuwatch_runs_the_cell_as_the_notebook_does(shell, capsys):
    shell.user_ns["gpukit"] = gpukit
    report = shell.run_cell_magic("gpuwatch", "", "y = gpukit.ones(3)\ny.sum().item()\n")
    assert bundle(report)["text/plain"]
    assert shell.user_ns["y"].shape == (3,)
    assert "3.0" in capsys.readouterr().out  # the last expression, as a cell shows it


@pytest.mark.parametrize("line", ["", "--error"])
def test_gpuwatch_names_the_lines_of_the_cell(shell, line, capsys):
    shell.user_ns["x"] = gpukit.ones(3, device=gpukit.try_gpu(quiet=True))
    cell = "y = x + 1\nvalue = y.sum().item()\n"
    if shell.user_ns["x"].device.type == "cpu":
        assert shell.run_cell_magic("gpuwatch", line, cell).rows == []
    elif line:
        with pytest.raises(gpukit.DeviceError, match="Python waits here"):
            shell.run_cell_magic("gpuwatch", line, cell)
        assert "value" not in shell.user_ns
        assert "Waits for a GPU" in capsys.readouterr().out
    else:
        (row,) = shell.run_cell_magic("gpuwatch", line, cell).rows
        assert (row.line, row.kind, row.count) == (3, "item", 1)  # line 1 is the magic's
        assert row.source == "value = y.sum().item()"
        assert shell.user_ns.pop("value") == 6.0
    for name in "xy":
        shell.user_ns.pop(name, None)


def test_gpuwatch_keeps_the_error_of_the_cell(shell):
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("gpuwatch", "", "1 / 0")
    with pytest.raises(ValueError, match="mine"):
        shell.run_cell_magic("gpuwatch", "", "raise ValueError('mine')")


def test_gpumem_and_gpufree_go_by_the_names_of_the_notebook(shell):
    device = gpukit.try_gpu(quiet=True)
    shell.user_ns["W"] = gpukit.zeros(1 << 20, device=device)
    shell.user_ns["kept"] = gpukit.zeros(1 << 19, device=device)
    report = shell.run_line_magic("gpumem", "")
    if device.type == "cuda":
        held = {holder.names: holder.nbytes for holder in report.holders}
        assert held[("W",)] == 4 << 20
        assert held[("kept",)] == 2 << 20
    freed = shell.run_line_magic("gpufree", "W")
    assert "W" not in shell.user_ns
    assert freed.dropped[0] == "W"
    if device.type == "cuda":
        assert freed.released_bytes >= 4 << 20
        assert "kept" in bundle(freed)["text/plain"]
    shell.run_line_magic("gpufree", "kept")


def test_simulate_on_and_off():
    script = (
        "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance();"
        "s.run_line_magic('load_ext', 'gpukit'); import gpukit;"
        "s.run_line_magic('simulate', '3xT4'); n = gpukit.cuda.device_count();"
        "s.run_line_magic('simulate', '1xT4'); m = gpukit.cuda.device_count();"
        "s.run_line_magic('simulate', 'off'); print(n, m, s.run_line_magic('simulate', ''))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    if gpukit.try_gpu(quiet=True).simulated:
        assert "3 1 Nothing is simulated" in done.stdout, done.stderr


HINTS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(history_manager=None, colors="NoColor")
{before}
import gpukit
for line in ({lines}):
    result = shell.run_cell("import gpukit; " + line)
    assert isinstance(result.error_in_exec, AttributeError), result
"""


def tracebacks(*lines: str, before: str = "") -> str:
    text = HINTS.format(before=before, lines="".join(f"{line!r}, " for line in lines))
    done = run(text)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("gpukit.ones(3).reshpae(3)", "Did you mean: 'reshape'?"),
        ("gpukit.nn.Linear(2, 3).paramters_()", "Did you mean: 'parameters'?"),
        ("gpukit.device('cpu').typp", "Did you mean: 'type'?"),
        ("gpukit.onse(3)", "Did you mean 'ones'?"),
    ],
)
def test_near_names_are_shown_in_ipython(line, hint):
    text = tracebacks(line)
    assert text.count("Did you mean") == 1
    assert hint in text


def test_errors_of_others_are_shown_as_before():
    text = tracebacks("(1).reel", "gpukit.ones(3).nothing_like_it")
    assert "AttributeError: 'int' object has no attribute 'reel'" in text
    assert "Did you mean" not in text


def test_a_handler_that_is_there_is_kept():
    before = "shell.set_custom_exc((AttributeError,), lambda *a, **k: print('mine'))"
    assert tracebacks("gpukit.ones(3).reshpae(3)", before=before) == "mine\n"
