"""Programs of beginners' courses: `torch` becomes `gpukit` in their text, and they print the same.

A program of `programs/` is written as people write it for torch. What it prints is compared word
by word; numbers may differ in the last digits that are shown, and shapes are plain tuples here.
Where there is a GPU, in this run a simulated one, a program that asks for it computes on it.

A program whose data loaders start worker processes has a process of its own, in which no GPU
driver was started before. With a `__main__` guard it is a file, which the workers import again;
without one it is `python -c`, whose workers are forked (docs/training.md).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from gpukit import AutogradError, InvalidDeviceError
from support.library_state import restored_settings, settings_of
from support.printed import NUMBER, assert_prints_alike

from .program_differences import OTHERWISE, REFUSED

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "programs").glob("*.py"))}
SIZE = re.compile(r"torch\.Size\(\[([^\]]*)\]\)")
STARTS_WORKERS = re.compile(r"\bnum_workers=[1-9]|torch\.multiprocessing")


def printed(source: str, library: str) -> str:
    """What a program prints when it is run with a library in torch's place."""
    code = compile(re.sub(r"\btorch\b", library, source), library, "exec")
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        warnings.catch_warnings(),
        restored_settings(importlib.import_module(library)),
    ):
        warnings.simplefilter("ignore")
        exec(code, {"__name__": "__main__"})
    return out.getvalue()


def printed_by_a_process(source: str, library: str, folder: Path) -> str:
    """What a program prints that is run as a user runs it."""
    text = re.sub(r"\btorch\b", library, source)
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    program = [str(file)] if "__name__ ==" in source else ["-c", text]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def plain(match: re.Match[str]) -> str:
    """A size as the tuple it is."""
    sizes = match[1].split(", ") if match[1] else []
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in REFUSED | OTHERWISE])
def test_prints_the_same(name: str, tmp_path: Path) -> None:
    source = PROGRAMS[name].read_text(encoding="utf-8")
    by_process = "torch.multiprocessing" in source  # its processes import the program
    text = (
        printed_by_a_process(source, "torch", tmp_path) if by_process else printed(source, "torch")
    )
    want = SIZE.sub(plain, text)
    if STARTS_WORKERS.search(source):
        got = printed_by_a_process(source, "gpukit", tmp_path)
    else:
        got = printed(source, "gpukit")
    got = got.replace("gpukit", "torch")
    assert_prints_alike(got, want, rel=1e-3, abs=2e-4)


@pytest.mark.parametrize("name", REFUSED)
def test_says_what_to_do_instead(name: str) -> None:
    source = PROGRAMS[name].read_text(encoding="utf-8")
    assert printed(source, "torch")
    with pytest.raises((AttributeError, AutogradError, InvalidDeviceError), match=REFUSED[name]):
        printed(source, "gpukit")


@pytest.mark.parametrize("name", OTHERWISE)
def test_runs_and_prints_otherwise(name: str) -> None:
    source = PROGRAMS[name].read_text(encoding="utf-8")
    want = NUMBER.sub("#", SIZE.sub(plain, printed(source, "torch"))).splitlines()
    got = NUMBER.sub("#", printed(source, "gpukit").replace("gpukit", "torch")).splitlines()
    differing = sum(mine != theirs for mine, theirs in zip(got, want, strict=False))
    expected = OTHERWISE[name][0]
    counts = expected if isinstance(expected, tuple) else [expected]
    assert differing + abs(len(got) - len(want)) in counts


def test_most_programs_print_the_same() -> None:
    apart = REFUSED | OTHERWISE
    assert apart.keys() <= PROGRAMS.keys()
    assert len(PROGRAMS) - len(apart) >= 380
    assert len(apart) <= 0.05 * len(PROGRAMS)


@pytest.mark.parametrize("library", ["torch", "gpukit"])
def test_a_program_leaves_no_settings_behind(library: str) -> None:
    source = """
import torch
from torch.distributions import Normal, kl
torch.set_default_dtype(torch.float64)
torch.set_printoptions(precision=1, sci_mode=True)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True, warn_only=True)
torch.autograd.set_detect_anomaly(True, check_nan=False)
torch.set_num_threads(torch.get_num_threads() + 1)
torch.set_float32_matmul_precision("medium")
torch.distributions.Distribution.set_default_validate_args(False)
torch.set_default_device("meta")
kl.register_kl(type("A", (Normal,), {}), Normal)(lambda p, q: p)
print(torch.get_default_dtype())
"""
    module = importlib.import_module(library)
    before = settings_of(module)
    assert printed(source, library) == f"{library}.float64\n"
    assert settings_of(module) == before
    assert str(module.tensor([0.25])) == "tensor([0.2500])"
