"""The committed notebooks are those that the lessons give, and hold no outputs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.mode import PROJECT

NOTEBOOKS = [
    *sorted((PROJECT / "docs").glob("**/lessons/notebooks/*.ipynb")),
    PROJECT / "docs" / "hardware.ipynb",
]


def check(project: Path) -> subprocess.CompletedProcess[str]:
    """Run the tool's check on a checkout."""
    command = [sys.executable, str(project / "tools" / "make_notebooks.py"), "--check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_they_are_current() -> None:
    done = check(PROJECT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_lesson_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "docs" / "lessons", tmp_path / "docs" / "lessons")
    shutil.copytree(PROJECT / "docs" / "zh", tmp_path / "docs" / "zh")
    for name in ("hardware-notebook.md", "hardware.ipynb"):
        shutil.copy(PROJECT / "docs" / name, tmp_path / "docs")
    shutil.copytree(PROJECT / "tools", tmp_path / "tools")
    lesson = next((tmp_path / "docs" / "lessons").glob("01-*.md"))
    lesson.write_text(lesson.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    done = check(tmp_path)
    assert done.returncode == 1
    assert lesson.stem in done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_no_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code and all(not cell["outputs"] for cell in code)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)


def test_chinese_notebooks_speak_chinese_and_lead_to_each_other() -> None:
    folder = PROJECT / "docs" / "zh" / "lessons"
    names = sorted(path.stem for path in folder.glob("0*.md"))
    assert sorted(path.stem for path in folder.glob("notebooks/*.ipynb")) == names
    for name in names:
        path = folder / "notebooks" / f"{name}.ipynb"
        title, language, *rest = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert re.search(r"[\u4e00-\u9fff]", "".join(title["source"]))
        assert language["source"][-1] == 'gpukit.set_language("zh")'
        prose = "".join("".join(cell["source"]) for cell in rest if cell["cell_type"] != "code")
        for target in re.findall(r"\]\((?!https:)([^)#]+)", prose):
            assert (path.parent / target).exists(), target
