"""The README's Python runs, and it keeps its length."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)


def test_it_has_examples_and_at_most_600_words() -> None:
    assert len(BLOCKS) == 2
    assert len(TEXT.split()) <= 600


def test_its_numbers_are_those_that_were_measured() -> None:
    table = TEXT.split("## Numbers", 1)[1].split("\n## ", 1)[0]
    cells = re.findall(r"\d[\d.]* (?:[mµn]?s)\b", table)
    measured = (README.parent / "benchmarks" / "results" / "cpu.md").read_text(encoding="utf-8")
    assert len(cells) == 12
    assert [cell for cell in cells if cell not in measured] == []


def test_it_shows_pictures_in_both_themes() -> None:
    shown = re.findall(r"docs/_static/info-(\w+)\.png", TEXT)
    assert sorted(shown) == ["dark", "light"]


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_blocks_run_as_a_reader_runs_them(number: int) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    program = "import gpukit\n" + BLOCKS[number]
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if number == 1:
        assert "tensor([1., 1., 1.], device='cuda:1', simulated=True)" in done.stdout
