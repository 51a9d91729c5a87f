"""Cells as IPython runs them: an indent before all of the code, magics with code on their line."""

from __future__ import annotations

import json

import pytest

from gpukit.lint import check_text
from gpukit.lint.fixing import fix_source
from gpukit.lint.reading import read
from gpukit.port import port_text

COPY = "import torch\nx = torch.ones(3)\nx.to('cuda')\nprint(x)\n"


def notebook(*cells):
    listed = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"cells": listed, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def found(*cells):
    return [
        (each.code, each.cell, each.line, each.column)
        for each in check_text(notebook(*cells), "a.ipynb")
    ]


def indented(text, indent):
    return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))


@pytest.mark.parametrize("indent", ["    ", "  ", "\t"])
@pytest.mark.parametrize("head", ["", "\n", "%%time\n", "%%capture\n", "%%time\n\n"])
def test_an_indent_before_the_whole_cell(head, indent):
    rows = head.count("\n")
    cell = head + indented(COPY, indent)
    assert found(cell) == [("GPK106", 1, rows + 3, len(indent) + 1)]


def test_an_indented_cell_with_blocks_texts_and_shell_lines():
    cell = "  # first\n  !pip install tensorflow-gpu\n  import torch\n\n  def f():\n"
    cell += "      return '''\na'''\n"
    assert found(cell + "  torch.device('cude')\n") == [
        ("GPK401", 1, 2, 1),
        ("GPK109", 1, 8, 16),
    ]


def test_an_indent_that_does_not_fit_is_still_an_error():
    with pytest.raises(ValueError, match="cell 1:2: no Python"):
        check_text(notebook("x = 1\n    y = 2\n"), "a.ipynb")


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_repair_lands_where_the_code_is(indent):
    text = notebook("y = 1", indented(COPY, indent))
    new, settled = fix_source(read("a.ipynb", text.encode()))
    assert settled == 1
    cells = [cell["source"] for cell in json.loads(new)["cells"]]
    assert cells == ["y = 1", indented(COPY.replace("x.to", "x = x.to"), indent)]


def test_the_porter_reads_them_too():
    done = port_text(notebook(indented("import torch\nx = torch.ones(3)\n", "    ")), "a.ipynb")
    assert "    import gpukit as torch" in json.loads(done.text)["cells"][0]["source"]


def test_a_timed_line_binds_its_names_and_is_read():
    assert found("import torch\nx = torch.ones(3)", "%time y = x + 1\nprint(y)") == []
    assert found(COPY.splitlines()[0], "%time x = torch.device('cude')") == [("GPK109", 2, 1, 24)]
    assert found("import torch", "for i in range(2):\n    %time z = i\nprint(z)") == []


@pytest.mark.parametrize(
    "line",
    [
        "%time with torch.no_grad(): q = 1",
        "%time for q in range(3): print(q)",
        "%time q = !ls",
        "%time !ls\nq = 1",
        "%time %run foo.py\nq = 1",
        "%time -n 3\nq = 1",
        "%time q = [1,\nq = 1",
        "if True:\n    %time !ls\nq = 1",
        "  %time for q in range(3): print(q)",
        "%time " * 2000 + "x\nq = 1",
    ],
)
def test_a_timed_line_of_any_kind_leaves_the_notebook_readable(line):
    assert found("import torch", f"{line}\nprint(q)") == []
    done = port_text(notebook("import torch", line), "a.ipynb")
    assert "gpukit" in json.loads(done.text)["cells"][0]["source"]
    script = f"import torch\n{line}\nprint(q)\n"
    if not line.startswith(" "):
        assert check_text(script, "a.py") == []


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_timed_block_is_read_in_its_own_columns(indent):
    cell = f"{indent}%time with torch.no_grad(): x = torch.device('cude')\n"
    assert found("import torch", cell) == [("GPK109", 2, 1, len(indent) + 46)]
    cell = f"{indent}%time x = torch.device('cude')\n"
    assert found("import torch", cell) == [("GPK109", 2, 1, len(indent) + 24)]
    [script] = check_text("import torch\n%time if 1: x = torch.device('cude')\n", "a.py")
    assert (script.line, script.column) == (2, 30)


def test_a_cell_s_magic_binds_what_it_names():
    assert found("%%capture none\nimport torch", "none.show()") == []
    assert found("%%capture\nimport torch", "none.show()") == [("GPK408", 2, 1, 1)]
    assert found("import torch", "%%timeit -n 10 x = torch.ones(3)\nx + 1") == []
    assert found("import torch", "%%timeit d = torch.device('cude')\nd.type") == [
        ("GPK109", 2, 1, 27)
    ]
    assert found("import torch", "%%timeit -r 3\nnone + 1") == [("GPK408", 2, 2, 1)]
