"""Programs for torch.distributed, written from memory of its documentation before they were tried:

with the import changed they print what they print with torch and gloo, but for last digits. A
program is run once with each library, on two ranks.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

import pytest

from support.printed import assert_prints_alike
from support.rank_runs import run_ranks

FOLDER = Path(__file__).parent / "torch_programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
# What does not run here, and the error that says what to do.
REFUSED = {"objects": "it would send pickles, which run code; send tensors"}
# Each rank prints in one piece: the order of the ranks is no part of a program.
PREFIX = """
import atexit, io, os, sys
sys.stdout = io.StringIO()
atexit.register(lambda: os.write(1, sys.stdout.getvalue().encode()))
"""
pytestmark = [pytest.mark.long, pytest.mark.timeout(115)]


def free_port() -> int:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return int(each.getsockname()[1])


def lines(path: Path, text: str) -> tuple[list[str], str]:
    """What both ranks print, sorted, and the errors."""
    path.write_text(PREFIX + text)
    environment = {name: value for name, value in os.environ.items() if "GPUKIT" not in name}
    environment |= {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
        "JOB": path.stem,
    }
    done = run_ranks(
        [sys.executable, "-m", "gpukit", "run", "-n", "2", "--timeout", "50", str(path)],
        env=environment, capture_output=True, timeout=60,
    )  # fmt: skip
    return sorted(done.stdout.splitlines()), done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_are_those_of_torch(name: str, tmp_path: Path) -> None:
    text = (FOLDER / f"{name}.py").read_text()
    wanted, told = lines(tmp_path / "theirs.py", text)
    assert wanted, told
    found, told = lines(tmp_path / "ours.py", re.sub(r"\btorch\b", "gpukit", text))
    if name in REFUSED:
        assert REFUSED[name] in told
        return
    assert_prints_alike("\n".join(found), "\n".join(wanted), rel=1e-5, abs=1e-6, told=told)


def test_there_are_twelve() -> None:
    assert len(PROGRAMS) == 12
