"""No call ends the interpreter: random calls with hostile arguments, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.long_job import repeat
from support.mode import TESTS

SEEDS = range(1, 1 + repeat(2, long=30))
CALLS, SECONDS = 4000, repeat(7, long=600)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_call_answers(seed: int, tmp_path: Path) -> None:
    note = tmp_path / "call"
    note.touch()
    command = [
        sys.executable,
        "-m",
        "support.hostile_calls",
        str(seed),
        str(CALLS),
        str(SECONDS),
        str(note),
    ]
    env = {name: value for name, value in os.environ.items() if name != "GPUKIT_SIMULATE"}
    child = subprocess.run(
        command,
        cwd=TESTS,
        env=env,
        capture_output=True,
        text=True,
        timeout=SECONDS + 120,
        check=False,
    )
    last = note.read_text(errors="replace").strip()
    assert child.returncode == 0, f"{last}\n{child.stderr[-3000:]}"
    answered, made = map(int, child.stdout.split())
    assert made > 100, "too few calls to say anything"
    assert answered > made // 20, "nearly everything was refused at once: the values are too odd"
