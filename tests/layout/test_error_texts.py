"""Programs read an error's code and details; its text is for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mode import PROJECT

PYTHON = re.compile(
    r"""\bin\ str\((error|exc\w*|e)\)
    |\bstr\((error|exc\w*|e)\)\.(r?split|r?partition|(r|starts|ends)with|remove\w+|r?find|r?index)
    |\bre\.\w+\(.*\bstr\((error|exc\w*|e)\)
    """,
    re.VERBOSE,
)
CPP = re.compile(
    r"what\(\)\)?\.(find|starts_with|ends_with|substr)|string_view \w+ = \w+\.what\(\)"
)
DOCTEST = re.compile(r"^\s*(>>>|\.\.\.) ")


def read_back(root: Path) -> Iterator[str]:
    """file:line of the code that looks into the text of an error."""
    for folder, pattern in (("python", PYTHON), ("csrc", CPP)):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".py", ".cpp", ".h"}:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if pattern.search(line) and not DOCTEST.match(line):
                    yield f"{path.relative_to(root)}:{number}"


def test_no_code_reads_the_text_of_an_error() -> None:
    assert not list(read_back(PROJECT))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("python/a.py", 'if " 0 usable" in str(error):'),
        ("python/b.py", 'reason = str(error).removeprefix(path).lstrip(":")'),
        ("python/c.py", 'status = re.search(r"status ([0-9]+)", str(exception))'),
        ("csrc/a.cpp", "const std::string_view text = error.what();"),
        ("csrc/b.h", 'if (std::string(error.what()).starts_with("add:")) throw;'),
    ],
)
def test_a_line_that_does_is_found(name: str, line: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(f"\n{line}\n", encoding="utf-8")
    assert list(read_back(tmp_path)) == [f"{name}:2"]
