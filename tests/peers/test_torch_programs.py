"""Programs of beginners' courses: `torch` becomes `gpukit` in their text, and they print the same.

A program of `programs/` is written as people write it for torch. What it prints is compared word
by word; numbers may differ in the last digits that are shown, and shapes are plain tuples here.
Where there is a GPU, in this run a simulated one, a program that asks for it computes on it.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path

import pytest

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "programs").glob("*.py"))}
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
SIZE = re.compile(r"torch\.Size\(\[([^\]]*)\]\)")


def printed(source: str, library: str) -> str:
    """What a program prints when it is run with a library in torch's place."""
    code = compile(re.sub(r"\btorch\b", library, source), library, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, {"__name__": "__main__"})
    return out.getvalue()


def plain(match: re.Match[str]) -> str:
    """A size as the tuple it is."""
    sizes = match[1].split(", ") if match[1] else []
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_the_same(name: str) -> None:
    source = PROGRAMS[name].read_text(encoding="utf-8")
    want = SIZE.sub(plain, printed(source, "torch"))
    got = printed(source, "gpukit").replace("gpukit", "torch")
    assert NUMBER.sub("#", got) == NUMBER.sub("#", want)
    numbers = [[float(text) for text in NUMBER.findall(shown)] for shown in (got, want)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-3, abs=2e-4)
