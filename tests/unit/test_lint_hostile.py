"""Input that is not Python, no notebook, or hostile: one line and status 2, never a traceback."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpukit.cli import main
from gpukit.lint import LintError, check_text
from gpukit.lint.checking import check_source, rules
from gpukit.lint.reading import MAX_BYTES, read

N = 100_000
NESTED = {
    "brackets": "x = " + "(" * N + ")" * N,
    "brackets on lines": "x = " + "(\n" * 5000 + ")\n" * 5000,
    "lists": "[" * N,
    "minus": "x = " + "-" * N + "1",
    "tilde": "x = " + "~" * N + "1",
    "not": "x = " + "not " * N + "1",
    "sum": "x = 1" + "+1" * N,
    "sum on lines": "x = (1\n" + "+1\n" * N + ")",
    "dots": "x = a" + ".b" * N,
    "calls": "x = a" + "()" * N,
    "indices": "x = a" + "[0]" * N,
    "powers": "x = 1" + "**1" * N,
    "lambda": "x = " + "lambda: " * N + "1",
    "if else": "x = " + "1 if 1 else " * N + "1",
    "and": "x = 1" + " and 1" * N,
    "compare": "x = 1" + " < 1" * N,
    "assign": "x = " * N + "1",
    "elif": "if a:\n pass\n" + "elif a:\n pass\n" * 20_000,
    "if": "".join(" " * i + "if a:\n" for i in range(400)) + " " * 400 + "pass\n",
    "strings": "x = " + "'a' " * N,
    "f-strings": "x = f'" + "{" * N,
    "await": "async def f():\n    " + "await " * N + "x",
    "tabs": "\t" * N + "x",
    "joined lines": "x = 1" + " + \\\n1" * N,
    "decorators": "@a\n" * N + "def f(): pass",
    "comprehension": "x = [" + "a for a in " * 5000 + "b]",
}


@pytest.mark.parametrize("kind", NESTED)
def test_deep_nesting_is_one_line_or_nothing(kind, tmp_path, capsys):
    (tmp_path / "deep.py").write_text("import torch\n" + NESTED[kind])
    start = time.monotonic()
    status = main(["lint", str(tmp_path / "deep.py")])
    said = capsys.readouterr()
    assert status in {0, 1, 2}
    assert status != 2 or said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert time.monotonic() - start < 60


BROKEN = {
    "binary.py": bytes(range(256)) * 8,
    "null.py": b"x = 1\0\n",
    "latin.py": b"x = '\xe9\xff'\n",
    "unknown.py": b"# -*- coding: nothing-like-it -*-\nx = 1\n",
    "wrong.py": b"def f(:\n",
    "indent.py": b"  x = 1\n y = 2\n",
    "big.py": b"#" * (MAX_BYTES + 1),
    "utf16.py": "import torch\n".encode("utf-16"),
    "empty.ipynb": b"",
    "list.ipynb": b"[]",
    "cells.ipynb": b'{"cells": 3}',
    "cell.ipynb": b'{"cells": [3]}',
    "source.ipynb": b'{"cells": [{"cell_type": "code", "source": {"a": 1}}]}',
    "parts.ipynb": b'{"cells": [{"cell_type": "code", "source": [1, 2]}]}',
    "half.ipynb": b'{"cells": [{"cell_type": "code"',
    "deep.ipynb": b"[" * 200_000,
    "old.ipynb": b'{"worksheets": []}',
    "python.ipynb": b'{"cells": [{"cell_type": "code", "source": "def f(:"}]}',
    "binary.ipynb": b"\x89PNG\r\n\x1a\n\0\0",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_line(name, tmp_path, capsys):
    (tmp_path / name).write_bytes(BROKEN[name])
    assert main(["lint", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert name in said
    assert len(said) < 500 + len(str(tmp_path))


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbfimport torch\n", b"\n\n", b"# only\n", b"x = 1\x0c\ny = 2\n"]
)
def test_odd_files_are_clean(data, tmp_path):
    (tmp_path / "odd.py").write_bytes(data)
    assert main(["lint", str(tmp_path / "odd.py")]) == 0


def test_paths_that_are_no_files_are_one_line(tmp_path, capsys):
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    for name in ("loop.py", "gone.py", "a\0b.py", "x" * 5000, "/dev/null"):
        assert main(["lint", str(tmp_path / name)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", [["lint", "--fix"], ["port", "--write"]])
def test_a_file_that_nobody_may_write_stays(command, tmp_path, capsys):
    file = tmp_path / "kept.py"
    file.write_text("import torch\nx = torch.rand(3)\nx.cuda()\n")
    file.chmod(0o444)
    before = file.read_bytes(), file.stat().st_mode
    assert main([*command, str(file)]) == 2
    assert "kept.py: is read-only and stays as it is\n" in capsys.readouterr().err
    assert (file.read_bytes(), file.stat().st_mode) == before


def test_control_characters_do_not_reach_the_terminal(tmp_path, capsys):
    text = "import torch\nx = torch.Tensor(3)  # \x1b[2J\x1b]0;owned\x07 \u202e\n"
    name = tmp_path / "a\x1b[31m\n::error::.py"
    name.write_text(text)
    for form in ("full", "concise", "github", "json", "sarif"):
        assert main(["lint", str(name), "--output-format", form]) == 1
        said = capsys.readouterr().out
        assert not {"\x1b", "\x07", "\u202e"} & set(said)
        if form == "github":
            assert said.count("\n") == 1
    name.write_text("def f(:\n")
    assert main(["lint", str(name)]) == 2
    assert "\x1b" not in capsys.readouterr().err


PIECES = [line for rule in rules().values() for line in rule.bad.splitlines()]


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_shuffled_programs_never_raise(chance: random.Random):
    lines = [chance.choice(PIECES) for _ in range(chance.randint(1, 30))]
    _survives("\n".join(lines))
    _survives("\n".join(line.strip() for line in lines if not line.rstrip().endswith(":")))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(rules().values())), st.randoms(use_true_random=False))
def test_damaged_programs_never_raise(rule, chance: random.Random):
    text = list(rule.bad)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(text))
        text[at : at + chance.randint(0, 3)] = chance.choice(
            ["", "(", ")", "x", "\n", "'", ".", "%", "!", "é"]
        )
    _survives("".join(text))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.py", "a.ipynb"]))
def test_drawn_bytes_never_raise(data, name):
    try:
        check_source(read(name, data))
    except LintError as error:
        assert str(error).startswith(name)  # noqa: PT017


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["cells", "cell_type", "source", "code"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_drawn_notebooks_never_raise(document):
    _survives(json.dumps(document), "a.ipynb")
    cell = {"cell_type": "code", "source": document}
    _survives(json.dumps({"cells": [cell, document]}), "a.ipynb")


def _survives(text: str, name: str = "a.py") -> None:
    try:
        for finding in check_text(text, name):
            assert finding.line >= 1
            assert finding.column >= 1
    except LintError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_a_large_sound_file_is_read_in_bounded_time():
    body = "".join(
        f"x{i} = torch.rand({i}, device='cuda')\ny{i} = x{i} + x{i}\n" for i in range(4000)
    )
    start = time.process_time()
    assert check_text("import torch\n" + body) == []
    assert time.process_time() - start < 10


def test_a_long_program_of_mistakes_takes_time_in_proportion():
    texts = [each.bad for each in rules().values()]
    python = [text for text in texts if not re.search(r"^(?:[!%]|# %%)", text, re.MULTILINE)]
    text = "".join(f"{each}\n" for each in python) * 10
    start = time.process_time()
    assert len(check_text(text)) > 600
    assert time.process_time() - start < 3


def test_the_sources_of_gpukit_are_read():
    folder = Path(__file__).resolve().parents[2] / "python" / "gpukit"
    files = sorted(folder.rglob("*.py"))
    assert len(files) > 50
    for file in files:
        check_source(read(str(file), file.read_bytes()))
