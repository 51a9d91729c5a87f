"""The Chinese README and lessons: the code of the English ones, which runs, and their form."""

from __future__ import annotations

import re

import pytest

from support.mode import PROJECT
from support.tools import load_tool

lesson_text = load_tool("lesson_text")
ENGLISH = PROJECT / "docs" / "lessons"
CHINESE = PROJECT / "docs" / "zh" / "lessons"
LESSONS = sorted(path.name for path in ENGLISH.glob("0*.md"))
BLOCK = re.compile(r"^```(?:bash|python|text)\n.*?^```$", re.DOTALL | re.MULTILINE)
SIGN = re.compile(r"[\u4e00-\u9fff]")


def test_every_lesson_is_there():
    assert sorted(path.name for path in CHINESE.glob("0*.md")) == LESSONS
    listed = re.findall(r"^(0\d-[\w-]+)$", (CHINESE / "index.md").read_text("utf-8"), re.MULTILINE)
    assert [f"{name}.md" for name in listed] == LESSONS


@pytest.mark.parametrize("name", LESSONS)
def test_the_same_cells_in_the_same_order(name):
    english, chinese = (
        lesson_text.cells((folder / name).read_text(encoding="utf-8"))
        for folder in (ENGLISH, CHINESE)
    )
    assert [cell.kind for cell in chinese] == [cell.kind for cell in english]
    for ours, theirs in zip(chinese, english, strict=True):
        if ours.kind == "code":
            assert ours.text == theirs.text
        else:
            assert SIGN.search(ours.text), ours.text
            for mark in ("## ", "\n|", "\n* "):
                assert ours.text.count(mark) == theirs.text.count(mark), ours.text


def test_the_readme_has_the_same_code_and_numbers():
    english = (PROJECT / "README.md").read_text(encoding="utf-8")
    chinese = (PROJECT / "docs" / "zh" / "README.md").read_text(encoding="utf-8")
    code = [block for block in BLOCK.findall(english) if "gpukit doctor" not in block]
    assert [block for block in BLOCK.findall(chinese) if "gpukit doctor" not in block] == code
    assert english.count("\n## ") == chinese.count("\n## ")
    table = english[english.index("| | gpukit | NumPy") :].split("\n\n")[0]
    for value in re.findall(r"[\d.]+ (?:ns|µs|ms|s) ", table):
        assert value in chinese
