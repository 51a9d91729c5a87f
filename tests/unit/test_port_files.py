"""`gpukit port`: which text it changes, what stays byte for byte, statuses, forms, writing."""

from __future__ import annotations

import io
import json
import os
import random
import re
import stat
import subprocess
import sys
import tokenize
import unicodedata
from pathlib import Path

import pytest

import gpukit
from gpukit.cli import main
from gpukit.port import LintError, port_file, port_text

IMPORTS = {
    "import torch": "import gpukit as torch",
    "import torch as th": "import gpukit as th",
    "import torch, time": "import gpukit as torch, time",
    "import os, torch as t, torch.nn as nn": "import os, gpukit as t, gpukit.nn as nn",
    "import torch.nn": "import gpukit as torch",
    "import torch.nn.functional as F": "import gpukit.nn.functional as F",
    "from torch import nn, optim": "from gpukit import nn, optim",
    "from torch import *": "from gpukit import *",
    "from torch.utils.data import DataLoader": "from gpukit.utils.data import DataLoader",
    "from   torch . nn import Linear": "from   gpukit . nn import Linear",
    "from torch import (  # torch\n    nn,  # torch\n    optim,\n)": "from gpukit import (  # torch\n    nn,  # torch\n    optim,\n)",  # noqa: E501
    "from torch.nn \\\n    import Linear": "from gpukit.nn \\\n    import Linear",
    "from \\\n    torch import nn": "from \\\n    gpukit import nn",
    "from \\\n\\\n\\\n\\\n    torch import nn": "from \\\n\\\n\\\n\\\n    gpukit import nn",
    "import torch. \\\n    nn": "import gpukit as torch\n",
    "import torch. \\\n    nn, time": "import gpukit as torch \\\n, time",
    "import torch \\\n    . nn  # here": "import gpukit as torch\n  # here",
    "import torch \\\n    .nn as n": "import gpukit \\\n    .nn as n",
    "import torch.nn \\\n    as n, time": "import gpukit.nn \\\n    as n, time",
    "x = 1; import torch; y = 2": "x = 1; import gpukit as torch; y = 2",
    "名 = '火炬'; import torch  # 火炬": "名 = '火炬'; import gpukit as torch  # 火炬",
    "try:\n\timport torch\nexcept ImportError:\n\ttorch = None": "try:\n\timport gpukit as torch\nexcept ImportError:\n\ttorch = None",  # noqa: E501
    "def f():\n    from torch import nn": "def f():\n    from gpukit import nn",
    "if 1: import torch": "if 1: import gpukit as torch",
    "import torchvision, torch_geometric": "import torchvision, torch_geometric",
    "from torchvision import models": "from torchvision import models",
    "from .torch import nn\nfrom . import torch": "from .torch import nn\nfrom . import torch",
    "from d2l import torch as d2l\nd2l.try_gpu()": "import gpukit as d2l\nd2l.try_gpu()",
    "from d2l import torch as d2l\nd2l.Timer()": "from d2l import torch as d2l\nd2l.Timer()",
    "import d2l.torch as d2l\nd2l.try_gpu()": "import gpukit as d2l\nd2l.try_gpu()",
    "import d2l . torch as d2l\nd2l.try_gpu()": "import gpukit as d2l\nd2l.try_gpu()",
    "import d2l.torch\nd2l.torch.try_gpu()": "import d2l.torch\nd2l.torch.try_gpu()",
    "import d2l\nd2l.torch.try_gpu()": "import d2l\nd2l.torch.try_gpu()",
    "from d2l.torch import try_gpu\ntry_gpu()": "from gpukit import try_gpu\ntry_gpu()",
    "from d2l import (\n    torch as d2l,  # its\n)\nd2l.try_gpu()": "import gpukit as d2l\n  # its\n\nd2l.try_gpu()",  # noqa: E501
    "import tensorflow.config as c\nc.list_physical_devices()": "import gpukit.config as c\nc.list_physical_devices()",  # noqa: E501
    "from tensorflow import config\nconfig.list_physical_devices()": "from gpukit import config\nconfig.list_physical_devices()",  # noqa: E501
    "import gpustat\ngpustat.new_query()": "import gpukit.monitor as gpustat\ngpustat.new_query()",
    "from gpustat import new_query as n\nn()": "from gpukit.monitor import new_query as n\nn()",
    "import gpustat\ngpustat.x()": "import gpustat\ngpustat.x()",
    "import tensorflow as tf\ntf.config.list_physical_devices('GPU')": "import gpukit as tf\ntf.config.list_physical_devices('GPU')",  # noqa: E501
    "import tensorflow as tf\ntf.ones(2)": "import tensorflow as tf\ntf.ones(2)",
    "import tensorflow as tf\nprint(tf)": "import tensorflow as tf\nprint(tf)",
    "s = 'import torch'  # import torch": "s = 'import torch'  # import torch",
    "import gpukit as torch": "import gpukit as torch",
    "": "",
}


@pytest.mark.parametrize("text", IMPORTS)
def test_imports_are_changed_and_nothing_else(text):
    for tail in ("", "\n", "\n\n# the end"):
        done = port_text(text + tail, "a.py")
        assert done.text == IMPORTS[text] + tail
        assert (done.diff == "") == (done.changed == 0) == (done.text == text + tail)
        assert port_text(done.text, "a.py").changed == 0


LESSON = '''"""A line through points."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)

    def forward(self, x):
        return self.layer(x)


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(-1, 1, 64).reshape(-1, 1)
loader = DataLoader(TensorDataset(x, 2 * x + 1), batch_size=16, shuffle=True)
net = Line().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(20):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(net(inputs.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
with torch.no_grad():
    slope = net.layer.weight.item()
'''


def test_a_lesson_runs_after_it():
    done = port_text(LESSON, "lesson.py")
    assert (done.changed, done.leftovers) == (4, [])
    names: dict[str, object] = {"__name__": "lesson"}
    exec(done.text, names)
    assert isinstance(names["x"], gpukit.Tensor)
    assert names["slope"] == pytest.approx(2, abs=1e-3)


def _code(lines: list[str]) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": lines}]})


@pytest.mark.parametrize("indent", [1, 2, 4, None, "\t"])
@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("tail", ["", "\n"])
def test_a_notebook_keeps_its_form(indent, escaped, tail):
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["import torch 火"]},
        {"cell_type": "code", "metadata": {}, "outputs": [{"text": "import torch"}],
         "source": ["!pip install torch\n", "import torch\n", "%matplotlib inline\n", "torch.ones?"]},  # noqa: E501
        {"cell_type": "code", "source": "%%time\nfrom torch import nn\nnn.Bilinear(1)"},
        {"cell_type": "code", "source": "%%bash\nimport torch"},
        {"cell_type": "code", "source": []},
    ]  # fmt: skip
    notebook = {"nbformat": 4, "metadata": {"é": 1.0, "big": 10**20}, "cells": cells}
    old = json.dumps(notebook, indent=indent, ensure_ascii=escaped) + tail
    done = port_text(old, "n.ipynb")
    new = old.replace(r"\nfrom torch import nn", r"\nfrom gpukit import nn")
    new = new.replace(r'"import torch\n"', r'"import gpukit as torch\n"')
    assert done.text == new
    assert done.diff.count("@@ -") == done.changed == 2
    assert [(left.cell, left.line, left.torch_name) for left in done.leftovers] == [
        (3, 3, "torch.nn.Bilinear")
    ]


def test_magics_that_hold_code_are_looked_at():
    lines = ["import torch\n", "%timeit torch.export(1)\n", "%time torch.ones(2)\n", "!torch.svd"]
    [left] = port_text(_code(lines), "n.ipynb").leftovers
    assert (left.line, left.torch_name) == (2, "torch.export")


@pytest.mark.parametrize(
    "source",
    [["import ", "torch\n", "x = 1"], ["import torch\nimport ", "os"], ["a\r\nimport torch"]],
)
def test_parts_of_a_cell_need_not_be_lines(source):
    done = port_text(_code(source), "n.ipynb")
    new = json.loads(done.text)["cells"][0]["source"]
    assert "".join(new) == "".join(source).replace("import torch", "import gpukit as torch")


@pytest.mark.parametrize(
    "data",
    [
        b"import torch\r\nx = '\xe7\x81\xab'\r\n",
        b"import torch\rx = 1\r\n\ny = 2",
        b"\xef\xbb\xbfimport torch\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\nimport torch\n",
        "# coding: gbk\nx = '火'\nimport torch\n".encode("gbk"),
        b"import torch\n\x0c\nx = 1\n",
        "x = '\u2028'; import torch\n".encode(),
    ],
)
def test_bytes_beside_the_imports_stay(tmp_path, data):
    file = tmp_path / "a.py"
    file.write_bytes(data)
    file.chmod(0o640)
    port_file(file, write=True)
    assert file.read_bytes() == data.replace(b"import torch", b"import gpukit as torch")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a.py"]  # noqa: PTH208


def _imports_of_torch(text: str) -> dict[int, str]:
    """Number from 0 -> the line as it must become, of each line that begins with such an import."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found, before = {}, tokenize.NEWLINE
    for token in tokens:
        starts = before in {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.NL}
        if starts and token.string in {"import", "from"}:
            new = re.sub(r"^(\s*from )torch\b", r"\1gpukit", token.line)
            new = re.sub(r"^(\s*import )torch(?:\.\w+)*$", r"\1gpukit as torch", new.rstrip("\n"))
            new = re.sub(r"^(\s*import )torch\b(.* as )", r"\1gpukit\2", new)
            found[token.start[0] - 1] = new.rstrip("\n")
        before = token.type if token.type != tokenize.COMMENT else before
    return found


def test_only_imports_change_in_programs_beside_torch():
    """In whole files, beside a second reader that knows tokens and no trees."""
    folder = Path(__file__).parents[1] / "peers"
    files = [
        path for path in sorted(folder.glob("test_*.py")) if "import torch" in path.read_text()
    ]
    assert len(files) > 8
    changed = 0
    for file in files[:9]:
        old = file.read_text(encoding="utf-8")
        expected = old.split("\n")
        for at, line in _imports_of_torch(old).items():
            expected[at] = line
        done = port_file(file)
        assert done.text.split("\n") == expected
        changed += done.changed
    assert changed >= 9


def test_a_random_program_changes_in_its_imports_alone():
    chosen = random.Random(3)
    plain = [text for text in IMPORTS if "\\\n" not in text and "d2l" not in text]
    for _ in range(60):
        parts = chosen.sample(["x = 'torch'", "# torch", "y = (1,\n  2)", *plain[:18]], 6)
        for text in plain[18:]:
            parts = [part for part in parts if part != text]
        done = port_text("\n".join(parts) + "\n", "a.py")
        assert done.text == "\n".join(IMPORTS.get(part, part) for part in parts) + "\n"


def test_the_difference_can_be_applied():
    for text in ("import torch\n" + "x = 1\n" * 9 + "from torch import nn", "import torch"):
        done = port_text(text, "a.py")
        assert _applied(text, done.diff) == done.text


def _applied(old: str, diff: str) -> str:
    """What a patch program makes of a text."""
    lines = old.split("\n")
    ended = lines[-1] == ""
    lines = lines[:-1] if ended else lines
    new, at = [], 0
    for line in diff.split("\n")[2:]:
        if found := re.match(r"@@ -(\d+)", line):
            stop = int(found.group(1)) - 1
            new += lines[at:stop]
            at = stop
        elif line[:1] in {" ", "-"}:
            assert lines[at] == line[1:]
            new += [line[1:]] if line[0] == " " else []
            at += 1
        elif line[:1] == "+":
            new.append(line[1:])
    return "\n".join([*new, *lines[at:]]) + ("\n" if ended else "")


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def port(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["port", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_statuses_are_the_linters(here, capsys):
    Path("good.py").write_text("import torch\ntorch.ones(2)\n")
    Path("left.py").write_text("import torch\ntorch.export(1)\n")
    assert port(capsys, "good.py")[0] == 0
    assert port(capsys, "left.py")[0] == 1
    status, out, err = port(capsys, "nowhere.py", "left.py")
    assert status == 2
    assert "nowhere.py: no such file" in err
    assert "torch" in out  # the other files are still ported
    with pytest.raises(SystemExit) as caught:
        main(["port"])
    assert caught.value.code == 2
    assert Path("left.py").read_text() == "import torch\ntorch.export(1)\n"


def test_the_difference_comes_first_then_what_is_left(here, capsys):
    Path("left.py").write_text("import torch\nx = torch.export(1)\n")
    _, out, _ = port(capsys, "left.py", "--output-format", "concise")
    assert out == (
        "--- left.py\n+++ left.py\n@@ -1,2 +1,2 @@\n-import torch\n+import gpukit as torch\n"
        " x = torch.export(1)\n"
        "left.py:2:5: GPP001 gpukit has no export: it is not part of gpukit; see docs/limits\n"
        "1 line to change, 1 place left over.\n"
    )
    _, out, _ = port(capsys, "left.py")
    assert "2 | x = torch.export(1)\n |     ^ missing-name" in out.replace("  |", " |")


def test_writing_changes_the_file_and_says_so(here, capsys):
    Path("left.py").write_text("import torch\nx = torch.export(1)\n")
    status, out, _ = port(capsys, "left.py", "--write", "--format", "concise")
    assert status == 1
    assert Path("left.py").read_text() == "import gpukit as torch\nx = torch.export(1)\n"
    assert "@@" not in out
    assert out.endswith("1 line changed, 1 place left over.\n")
    assert port(capsys, "left.py", "--format", "concise")[1].endswith(
        "0 lines to change, 1 place left over.\n"
    )


def test_a_file_that_cannot_be_written_stays(here, capsys, monkeypatch):
    Path("a.py").write_text("import torch\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gpukit.lint.writing.os.fsync", full)
    status, _, err = port(capsys, "a.py", "--write")
    assert status == 2
    assert "No space left" in err
    assert Path("a.py").read_text() == "import torch\n"
    assert os.listdir() == ["a.py"]  # noqa: PTH208


def test_json_github_and_sarif(here, capsys):
    Path("left.py").write_text("import torch\nx = torch.export(1)\n")
    document = json.loads(port(capsys, "left.py", "--format", "json")[1])
    assert document["schema"] == 1
    [file] = document["files"]
    assert (file["filename"], file["changed"], file["written"]) == ("left.py", 1, False)
    [left] = file["leftovers"]
    assert (left["code"], left["name"], left["torch_name"]) == (
        "GPP001", "missing-name", "torch.export",
    )  # fmt: skip
    assert left["location"] == {"row": 2, "column": 5}
    assert "+import gpukit as torch" in file["diff"]
    out = port(capsys, "left.py", "--format", "github")[1]
    assert out.startswith("::error title=gpukit (GPP001),file=left.py,line=2,col=5::left.py:2:5")
    run = json.loads(port(capsys, "left.py", "--format", "sarif")[1])["runs"][0]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == ["GPP001"]
    assert run["results"][0]["ruleId"] == "GPP001"


@pytest.mark.parametrize("form", ["full", "concise", "json", "github", "sarif"])
def test_nothing_to_do_is_said_in_every_form(here, capsys, form):
    Path("a.py").write_text("x = 1\n")
    status, out, err = port(capsys, "a.py", "--format", form)
    assert (status, err) == (0, "")
    if form in {"json", "sarif"}:
        json.loads(out)
    elif form != "github":
        assert out == "0 lines to change, nothing left over.\n"


def test_standard_input(here, capsys, monkeypatch):
    class Input:
        buffer = io.BytesIO(b"import torch\ntorch.export(1)\n")

    monkeypatch.setattr(sys, "stdin", Input())
    status, out, _ = port(capsys, "-", "--stdin-filename", "my.py")
    assert status == 1
    assert "--- my.py" in out
    run = subprocess.run(
        [sys.executable, "-m", "gpukit", "port", "-", "--write"],
        input=b"import torch\r\ntorch.export(1)\r\n", capture_output=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stdout == b"import gpukit as torch\r\ntorch.export(1)\r\n"
    assert b"GPP001" in run.stderr


def test_folders(here, capsys):
    Path("a/.venv").mkdir(parents=True)
    for name in ("a/one.py", "a/.venv/two.py", "a/three.txt"):
        Path(name).write_text("import torch\n")
    Path("a/n.ipynb").write_text(_code(["import torch"]))
    document = json.loads(port(capsys, "a", "--format", "json", "--write")[1])
    assert {file["filename"] for file in document["files"]} == {
        str(Path("a", "one.py")), str(Path("a", "n.ipynb")),
    }  # fmt: skip
    assert Path("a/.venv/two.py").read_text() == "import torch\n"


@pytest.mark.parametrize("form", ["full", "concise", "json", "github", "sarif"])
def test_control_characters_are_escaped(here, capsys, form):
    """None reaches the terminal, and a line end in a name or a text adds no line."""
    text = "import torch\nx = '{}'; torch.export(1)\n"
    for name, inside in (("plain.py", "xx"), ("a\x1b[2J\n\r\x85.py", "\x1b[2J\u202e\x0b\x7f")):
        Path(name).write_bytes(text.format(inside).encode())
    _, expected, _ = port(capsys, "plain.py", "--format", form)
    _, out, _ = port(capsys, "a\x1b[2J\n\r\x85.py", "--format", form)
    bad = [sign for sign in out if unicodedata.category(sign)[0] == "C" and sign != "\n"]
    assert not bad
    assert out.count("\n") == expected.count("\n")
    assert len(out.splitlines()) == len(expected.splitlines())
    _, _, err = port(capsys, "no\nsuch\x1b.py", "--format", form)
    assert err.count("\n") == 1
    assert "\x1b" not in err


def test_the_file_is_not_run(here, capsys):
    Path("a.py").write_text("import torch\nopen('ran', 'w')\nraise SystemExit(9)\n")
    assert port(capsys, "a.py")[0] == 0
    assert not Path("ran").exists()


BROKEN = {
    "syntax.py": b"import torch\ndef f(:\n",
    "null.py": b"import torch\0\n",
    "binary.py": bytes(range(256)),
    "coding.py": b"# coding: nothing-like-it\nimport torch\n",
    "empty.ipynb": b"",
    "list.ipynb": b"[]",
    "half.ipynb": b'{"cells": [{"cell_type": "code"',
    "cell.ipynb": b'{"cells": [{"cell_type": "code", "source": ["def f(:"]}]}',
    "deep.ipynb": b"[" * 200_000,
    "brackets.py": b"import torch\nx = " + b"(" * 100_000,
    "dots.py": b"import torch\ntorch" + b".a" * 100_000,
    "sum.py": b"import torch\nx = torch.ones(1)" + b" + 1" * 100_000,
    "big.py": b"#" * (10 * 2**20 + 1),
}
if sys.version_info >= (3, 11):  # 3.10 parses it
    BROKEN["calls.py"] = b"import torch\ntorch.ones" + b"()" * 100_000


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_one_line(here, capsys, name):
    Path(name).write_bytes(BROKEN[name])
    status, out, err = port(capsys, name, "--write")
    assert status == 2
    assert err.startswith(f"gpukit port: {name}")
    assert err.count("\n") == 1
    assert Path(name).read_bytes() == BROKEN[name]
    del out


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nx = torch.ones(1)\n" + "x = x.view(1)\n" * 800,
        "import torch\nx" + " = x" * 90 + " = torch.ones(1)\nx.is_mkldnn\n",
        "import torch\n" + "def f(x):\n    return f(x)\n" * 300 + "f(torch.ones(1)).is_mkldnn\n",
        "import torch\na = b\nb = a\na.is_mkldnn\ntorch.x\n",
        "from torch import nn\nclass A(A): pass\nclass B(C): pass\nclass C(B): pass\nC().x\n",
        "import torch\n"
        + "".join(f"x{i} = x{i - 1}\n" for i in range(1, 2000))
        + "x1999.is_mkldnn\n",
        "import torch\nf = " + "lambda: " * 60 + "torch.x\n",
        "import torch\nx = [torch.ones(1)" + ",\n torch.ones(1)" * 1500 + "]\n",
    ],
)
def test_what_leads_to_itself_ends(text):
    assert port_text(text, "a.py").changed == 1


def test_errors_are_of_the_family():
    with pytest.raises(LintError) as caught:
        port_text("def f(:", "a.py")
    assert isinstance(caught.value, (gpukit.GpukitError, ValueError))
    assert issubclass(LintError, gpukit.GpukitError)
    assert issubclass(LintError, ValueError)
    assert gpukit.LintError is LintError is gpukit.lint.LintError
    assert caught.value.code == "GK-E114"
    with pytest.raises(LintError, match="no such file"):
        port_file("nowhere.py")
