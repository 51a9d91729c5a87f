"""`gpukit lint`: exit statuses, settings, output forms, repairs, standard input."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from gpukit.cli import main
from gpukit.lint.settings import _small_table, _table

BAD = "import torch\nx = torch.Tensor(3)\nd = torch.device('cude')\n"
GOOD = "import torch\nx = torch.empty(3)\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lint(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["lint", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_clean_is_0_findings_are_1_and_what_cannot_be_read_is_2(capsys):
    Path("good.py").write_text(GOOD)
    Path("bad.py").write_text(BAD)
    assert lint(capsys, "good.py")[:2] == (0, "All checks passed!\n")
    status, out, err = lint(capsys, "bad.py", "--output-format", "concise")
    assert (status, err) == (1, "")
    assert "bad.py:2:5: GPK312 [*] torch.Tensor(n) is uninitialized" in out
    assert "Found 2 errors." in out
    status, out, err = lint(capsys, "nowhere.py", "bad.py")
    assert status == 2
    assert "nowhere.py: no such file" in err
    assert "GPK312" in out  # the other files are still read


def test_full_marks_the_place(capsys):
    Path("bad.py").write_text("import torch\nprint('时间', torch.Tensor(3))\n")
    _, out, _ = lint(capsys, "bad.py")
    lines = out.splitlines()
    code = next(i for i, line in enumerate(lines) if line.startswith("2 |"))
    # Each of the two signs is two columns wide.
    assert lines[code + 1].index("^") == lines[code].index("torch.Tensor") + 2


def test_folders_are_walked_without_links_and_environments(capsys):
    Path("a/b/.venv").mkdir(parents=True)
    Path("a/one.py").write_text(BAD)
    Path("a/b/two.py").write_text(BAD)
    Path("a/b/.venv/three.py").write_text(BAD)
    Path("a/note.txt").write_text(BAD)
    Path("a/loop").symlink_to(Path("a").resolve(), target_is_directory=True)
    status, out, _ = lint(capsys, "a", "--output-format", "json")
    assert status == 1
    assert {each["filename"] for each in json.loads(out)} == {
        os.path.join("a", "one.py"),  # noqa: PTH118
        os.path.join("a", "b", "two.py"),  # noqa: PTH118
    }


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (["--select", "GPK312"], {"GPK312"}),
        (["--select", "GPK1,GPK312"], {"GPK109", "GPK312"}),
        (["--select", "GPK1", "--select", "uninitialized-tensor"], {"GPK109", "GPK312"}),
        (["--ignore", "GPK312"], {"GPK109"}),
        (["--select", "GPK3", "--ignore", "GPK312"], set()),
    ],
)
def test_rules_are_chosen(capsys, arguments, codes):
    Path("bad.py").write_text(BAD)
    status, out, _ = lint(capsys, "bad.py", "--output-format", "json", *arguments)
    assert {each["code"] for each in json.loads(out)} == codes
    assert status == (1 if codes else 0)


def test_an_unknown_rule_is_one_line(capsys):
    status, out, err = lint(capsys, "--select", "GPK999")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "GPK999" in err


def test_settings_are_read(capsys):
    Path("pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.gpukit.lint]\nignore = ["GPK312"]\nexclude = ["old", "*_gen.py"]\n'  # noqa: E501
    )
    Path("old").mkdir()
    for name in ("bad.py", "old/a.py", "b_gen.py"):
        Path(name).write_text(BAD)
    status, out, _ = lint(capsys, ".", "--output-format", "json")
    assert [(each["filename"], each["code"]) for each in json.loads(out)] == [("bad.py", "GPK109")]
    assert status == 1
    assert lint(capsys, "bad.py", "--select", "GPK312")[0] == 0  # still ignored


@pytest.mark.parametrize(
    "table", ["ignore = 3", 'ignore = "GPK1"', 'colour = ["x"]', 'ignore = ["NOPE"]', "= = ="]
)
def test_wrong_settings_are_one_line(capsys, table):
    Path("pyproject.toml").write_text(f"[tool.gpukit.lint]\n{table}\n")
    status, _, err = lint(capsys, ".")
    assert status == 2
    assert err.count("\n") == 1


@pytest.mark.parametrize("reader", [_small_table, lambda file, _: _table(file)])
def test_both_readers_of_settings_agree(tmp_path, reader):
    """Python 3.10 has no tomllib, and takes the small one for both."""
    text = (
        '[a]\nb = 1\n[tool.gpukit.lint]  # ours\nselect = ["GPK1", # one\n  "GPK2"]\n'
        "ignore = ['GPK107']\n[tool.other]\nx = true\n"
    )
    file = tmp_path / "pyproject.toml"
    file.write_text(text)
    assert reader(file, text) == {"select": ["GPK1", "GPK2"], "ignore": ["GPK107"]}
    file.write_text("[a]\n")
    assert reader(file, "[a]\n") is None


def test_sarif_and_github_hold_the_same_findings(capsys):
    Path("bad,1.py").write_text(BAD)
    _, out, _ = lint(capsys, "bad,1.py", "--output-format", "sarif")
    run = json.loads(out)["runs"][0]
    assert [each["ruleId"] for each in run["results"]] == ["GPK312", "GPK109"]
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]
    _, out, _ = lint(capsys, "bad,1.py", "--output-format", "github")
    assert [line.partition(",")[0] for line in out.splitlines()] == [
        "::error title=gpukit (GPK312)",
        "::error title=gpukit (GPK109)",
    ]
    assert "file=bad%2C1.py,line=2,col=5::" in out


@pytest.mark.parametrize("form", ["json", "sarif", "github", "concise", "full"])
def test_every_form_prints_where_nothing_was_found(capsys, form):
    Path("good.py").write_text(GOOD)
    status, out, _ = lint(capsys, "good.py", "--output-format", form)
    assert status == 0
    if form in {"json", "sarif"}:
        json.loads(out)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_fix_repairs_in_place_and_keeps_the_rest(capsys, ends):
    text = BAD + "# a comment\nif True:\n\tx.to('cuda')  # kept\n"
    Path("bad.py").write_bytes(text.replace("\n", ends).encode())
    Path("bad.py").chmod(0o640)
    status, out, err = lint(capsys, "bad.py", "--fix")
    assert status == 0, out
    assert "3 fixed" in err
    fixed = text.replace("Tensor(3)", "empty(3)").replace("'cude'", "'cuda'")
    fixed = fixed.replace("\tx.to", "\tx = x.to").replace("\n", ends)
    assert Path("bad.py").read_bytes().decode() == fixed
    assert Path("bad.py").stat().st_mode & 0o777 == 0o640
    assert [each.name for each in Path().iterdir()] == ["bad.py"]


def test_fix_repairs_the_cells_of_a_notebook(capsys):
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n"]},
        {"cell_type": "code", "source": ["!nvidia-smi\n", "import torch"], "outputs": [{"x": "é"}]},
        {"cell_type": "code", "source": "x = torch.Tensor(3)"},
    ]
    Path("a.ipynb").write_text(
        json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False)
    )
    assert lint(capsys, "a.ipynb", "--fix")[0] == 0
    new = json.loads(Path("a.ipynb").read_text())
    assert new["cells"][:2] == cells[:2]
    assert new["cells"][2]["source"] == "x = torch.empty(3)"


def test_fix_leaves_files_without_repairs_untouched(capsys):
    Path("bad.py").write_text("import torch\nx = torch.rand(2).numpy()\nprint(speedup)\n")
    before = Path("bad.py").stat()
    assert lint(capsys, "bad.py", "--fix")[0] == 1
    after = Path("bad.py").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_standard_input(capsys, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(BAD.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    status, out, _ = lint(capsys, "-", "--output-format", "concise", "--stdin-filename", "mine.py")
    assert status == 1
    assert out.startswith("mine.py:2:5: GPK312")
    Stdin.buffer = io.BytesIO(BAD.encode())
    status, out, _ = lint(capsys, "-", "--fix")
    assert status == 0
    assert out == BAD.replace("Tensor(3)", "empty(3)").replace("cude", "cuda")


def test_a_rule_is_explained(capsys):
    status, out, _ = lint(capsys, "--rule", "gpk312")
    assert status == 0
    assert "uninitialized-tensor" in out
    assert "Bad:" in out
    assert lint(capsys, "--rule", "GPK999")[0] == 2
