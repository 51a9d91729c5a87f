"""`gpukit new`: what it makes runs, and nothing is overwritten."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpukit import lint
from gpukit._cli import new_files
from gpukit.cli import main


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(command, folder):
    environment = {**os.environ, "GPUKIT_SIMULATE": "2xT4"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_folder_is_made_and_its_program_runs(tmp_path, capsys):
    assert main(["new", "study"]) == 0
    told = capsys.readouterr().out.splitlines()
    files = sorted(path.name for path in (tmp_path / "study").iterdir())
    assert files == sorted(new_files.project("study", ""))
    assert told[:-1] == [f"study/{name}" for name in new_files.project("study", "")]
    assert told[-1] == "next: cd study && python train.py"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    printed = run([sys.executable, "train.py"], tmp_path / "study")
    losses = [float(line.rpartition(" ")[2]) for line in printed.splitlines()[1:]]
    assert len(losses) == 5
    assert losses[-1] < 0.5 * losses[0]
    assert (tmp_path / "study" / "model.pt").stat().st_size > 1000


def test_its_tests_pass(tmp_path):
    main(["new", "study"])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_train.py"]
    assert "1 passed" in run(command, tmp_path / "study")


def test_its_requirement_is_this_version(tmp_path):
    import gpukit

    main(["new", "study"])
    (line, other) = (tmp_path / "study" / "requirements.txt").read_text().split()
    assert gpukit.__version__.startswith(line.removeprefix("gpukit>="))
    assert other == "pytest"


def test_lint_finds_nothing_in_it(tmp_path):
    main(["new", "study"])
    for path in (tmp_path / "study").iterdir():
        if path.suffix in {".py", ".ipynb"}:
            assert lint.check_file(path) == []


def check_notebook(notebook: dict) -> None:
    """What the schema of nbformat 4.5 requires."""
    assert set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    for cell in notebook["cells"]:
        own = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"id", "cell_type", "metadata", "source"} | own
        assert re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell["id"])
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)


def test_a_notebook_is_valid_and_its_cells_run(tmp_path, capsys):
    assert main(["new", "use gpu.ipynb"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "use gpu.ipynb"
    notebook = json.loads((tmp_path / "use gpu.ipynb").read_text(encoding="utf-8"))
    check_notebook(notebook)
    texts = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    assert texts[0][1].startswith("# use gpu")
    code = "\n".join(text for kind, text in texts if kind == "code")
    ast.parse(code)
    (tmp_path / "cells.py").write_text(code)
    run([sys.executable, "cells.py"], tmp_path)
    assert (tmp_path / "net.pt").is_file()


@pytest.mark.parametrize("name", ["study", "study.ipynb"])
def test_nothing_is_overwritten(tmp_path, capsys, name):
    (tmp_path / name).write_text("mine")
    assert main(["new", name]) == 1
    assert "already exists and is not overwritten" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "mine"


def test_an_empty_folder_and_a_dangling_link_are_kept(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("empty", "link"):
        assert main(["new", name]) == 1
        assert "already exists" in capsys.readouterr().err
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("no/study", "there is no folder 'no'"),
        ("a\nb", "is not the name of a folder"),
        (".ipynb", "needs a name before .ipynb"),
    ],
)
def test_names_that_will_not_do(capsys, name, text):
    assert main(["new", name]) == 1
    assert text in capsys.readouterr().err


def test_a_failure_leaves_nothing(tmp_path, monkeypatch, capsys):
    def fail(self, *_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_text", fail)
    assert main(["new", "study"]) == 1
    assert "the disk is full" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_json(capsys):
    assert main(["new", "study", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    assert told["made"] == "study"
    assert "study/train.py" in told["files"]
