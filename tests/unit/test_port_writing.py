"""`gpukit port --write` and `gpukit lint --fix` change no byte outside their edits."""

from __future__ import annotations

import json
import random
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import gpukit
from gpukit.cli import main
from gpukit.lint.checking import check_text
from gpukit.lint.fixing import fix_file
from gpukit.port import aliases, port_file, port_text

# What the commands do, on a line that each of them changes.
PORT = ("import torch", "import gpukit as torch", lambda file: port_file(file, write=True))
FIX = ("import torch; x = torch.Tensor(3)", "import torch; x = torch.empty(3)", fix_file)
WAYS = {"port": PORT, "lint": FIX}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("", "utf-8"),
        ("", "utf-8-sig"),
        ("# coding: latin-1\n", "latin-1"),
        ("# coding: gbk\r\n", "gbk"),
        ("# coding: cp932\r\n", "cp932"),
        ("# coding: utf-7\n", "utf-7"),
        ("# coding: iso-2022-jp\n", "iso-2022-jp"),
    ],
)
def test_bytes_of_other_lines_stay(tmp_path, way, head, encoding):
    old, new, run = WAYS[way]
    chosen = random.Random(encoding)
    letters = [sign for sign in "é火ア ~\x0c\u2028\x85" if _fits(sign, encoding)]
    for _ in range(6):
        parts = [head]
        for _ in range(chosen.randrange(4)):
            parts += ["# ", *chosen.choices(letters, k=3), chosen.choice(["\n", "\r\n", "\r"])]
        parts += [
            "@",
            chosen.choice(["", "\n", "\r\n", "\r", "\n\n# é" if encoding[0] == "l" else ""]),
        ]
        text = "".join(parts)
        file = tmp_path / "a.py"
        file.write_bytes(text.replace("@", old).encode(encoding))
        run(file)
        assert file.read_bytes() == text.replace("@", new).encode(encoding)


def _fits(sign: str, encoding: str) -> bool:
    try:
        return sign.encode(encoding).decode(encoding) == sign
    except UnicodeError:
        return False


@pytest.mark.parametrize("way", WAYS)
def test_bytes_that_encoding_again_would_change_stay(tmp_path, way):
    old, new, run = WAYS[way]
    file = tmp_path / "a.py"
    twice = b"# coding: cp932\r\n# \x87\x90\n"  # the letter's other code is 81E0
    assert twice.decode("cp932").encode("cp932") != twice
    file.write_bytes(twice + old.encode() + b"\r\n")
    run(file)
    assert file.read_bytes() == twice + new.encode() + b"\r\n"


def test_a_text_is_no_file_and_its_coding_line_says_nothing():
    text = "# coding: latin-1\nname = '火'\nimport torch\nf = '火é'; torch.export(f)\n"
    done = port_text(text, "a.py")
    assert done.text == text.replace("import torch", "import gpukit as torch")
    [left] = done.leftovers
    assert (left.text, left.column) == ("f = '火é'; torch.export(f)", 11)
    assert port_text("# coding: no-such-coding\nimport torch\n", "a.py").changed == 1
    assert port_text("\ufeffimport torch\n", "a.py").text == "\ufeffimport gpukit as torch\n"
    [found] = check_text("# coding: latin-1\nimport torch\nx = '火'; y = torch.Tensor(3)\n")
    assert (found.line, found.column) == (3, 14)


# -- notebooks -----------------------------------------------------------------------------------


class Writer:
    """Writes JSON in one of the many forms that say the same."""

    def __init__(self, seed: int) -> None:
        self.chosen = random.Random(seed)
        self.gaps = self.chosen.choice([[""], ["", " "], ["\n  ", " ", "\t", "\r\n"]])
        self.escapes = self.chosen.choice([0.0, 0.1, 0.9])
        self.plain = self.chosen.random() < 0.5

    def gap(self) -> str:
        return self.chosen.choice(self.gaps)

    def letter(self, sign: str) -> str:
        if sign == "\0":  # the place of the change
            return sign
        if sign == "/" and self.chosen.random() < 0.5:
            return "\\/"
        if self.chosen.random() < self.escapes and ord(sign) < 2**16:
            form = self.chosen.choice(["\\u{:04x}", "\\u{:04X}"])
            return form.format(ord(sign))
        return json.dumps(sign, ensure_ascii=not self.plain)[1:-1]

    def value(self, value: object) -> str:
        if isinstance(value, str):
            return '"' + "".join(map(self.letter, value)) + '"'
        if isinstance(value, list):
            inside = [self.gap() + self.value(each) + self.gap() for each in value]
            return "[" + (",".join(inside) or self.gap()) + "]"
        if isinstance(value, dict):
            pairs = list(value.items())
            self.chosen.shuffle(pairs)
            inside = [
                f"{self.gap()}{self.value(key)}{self.gap()}:{self.gap()}{self.value(of)}{self.gap()}"
                for key, of in pairs
            ]
            return "{" + (",".join(inside) or self.gap()) + "}"
        return "null" if value is None else str(value)

    def source(self, text: str) -> str | list[str]:
        if self.chosen.random() < 0.3:
            return text
        if self.chosen.random() < 0.5:
            return text.splitlines(keepends=True)
        places = [at for at in range(len(text) + 1) if text[at - 1 : at] != "\0"]
        at = sorted(self.chosen.choices(places, k=3))
        return [text[one:two] for one, two in zip([0, *at], [*at, len(text)], strict=True)]

    def notebook(self) -> str:
        end = self.chosen.choice(["\n", "\r\n"])
        texts = [
            "x = '火😀/\\\\ \"'",
            "# import torch",
            "import \0torch",
            "  ",
            "!ls",
            "import time",
        ]
        cells: list[object] = []
        for _ in range(self.chosen.randrange(1, 5)):
            self.chosen.shuffle(texts)
            kind = self.chosen.choice(["code", "code", "markdown"])
            text = end.join(texts[: self.chosen.randrange(1, 6)])
            text = text if kind == "code" else text.replace("\0", "")
            cells.append(
                {
                    "cell_type": kind,
                    "source": self.source(text),
                    "outputs": [text.replace("\0", "")],
                }
            )
        whole = {"nbformat": 4, "cells": cells, "metadata": {"n": 1.50, "big": 10**30, "": None}}
        body = self.value(whole).replace("1.5", "1.50E0")
        return (
            self.chosen.choice(["", "\ufeff"])
            + self.gap()
            + body
            + self.chosen.choice(["", "\n", " \r\n"])
        )


@pytest.mark.parametrize("seed", range(60))
def test_a_notebook_of_any_form_changes_in_the_imports_alone(seed):
    text = Writer(seed).notebook()
    old, new = text.replace("\0", ""), text.replace("\0", "gpukit as ")
    done = port_text(old, "a.ipynb")
    assert done.text == new
    assert port_text(new, "a.ipynb").changed == 0


@pytest.mark.parametrize("seed", range(15))
def test_a_notebook_of_any_form_is_repaired_in_place(tmp_path, seed):
    text = Writer(seed).notebook().replace("\0", "")
    notebook = json.loads(text.removeprefix("\ufeff"))
    notebook["cells"].append({"cell_type": "code", "source": "import torch\nx = torch.Tensor(3)"})
    text = Writer(seed).value(notebook)
    file = tmp_path / "a.ipynb"
    file.write_bytes(text.encode())
    assert fix_file(file, {"GPK312"}) == 1
    new = json.loads(file.read_bytes())
    notebook["cells"][-1]["source"] = "import torch\nx = torch.empty(3)"
    assert new == notebook
    assert len(file.read_bytes().decode()) <= len(text)  # "Tensor" may have been escapes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["import ", "torch"], ["import ", "gpukit as torch"]),
        (["import tor", "ch as t\n"], ["import gpukit", " as t\n"]),
        (["from to", "r", "ch import nn"], ["from gpukit", "", " import nn"]),
        (["x = 1\n", "import torch"], ["x = 1\n", "import gpukit as torch"]),
    ],
)
def test_a_change_stays_in_its_strings(old, new):
    text = '{{"cells": [{{"cell_type": "code", "source": {}}}]}}'
    assert port_text(text.format(json.dumps(old)), "a.ipynb").text == text.format(json.dumps(new))


def test_of_two_sources_of_one_cell_the_last_counts():
    old = '{"cells": [{"source": "import torch", "cell_type": "code", "source": ["import torch"]}]}'
    new = port_text(old, "a.ipynb").text
    assert new == old.replace('["import torch"]', '["import gpukit as torch"]')


@pytest.mark.parametrize("cells", ["[]", '[{"cell_type": "markdown", "source": "import torch"}]'])
def test_a_notebook_without_code_stays(tmp_path, cells):
    file = tmp_path / "a.ipynb"
    file.write_text(f'{{"cells": {cells}}}')
    done = port_file(file, write=True)
    assert (done.changed, done.diff, done.leftovers, done.text) == (0, "", [], file.read_text())
    assert fix_file(file) == 0
    assert file.read_text() == f'{{"cells": {cells}}}'


# -- standard input ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["port", "lint"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_standard_input_comes_out_in_its_own_encoding(command, encoding):
    old, new, _ = WAYS[command]
    text = f"# coding: {encoding}\r\nname = 'é'\n@\r\n"
    run = subprocess.run(
        [sys.executable, "-m", "gpukit", command, "-", "--write" if command == "port" else "--fix"],
        input=text.replace("@", old).encode(encoding), capture_output=True, check=False,
    )  # fmt: skip
    assert run.stdout == text.replace("@", new).encode(encoding), run.stderr


def test_a_notebook_on_standard_input_is_repaired():
    text = '{"cells": [{"cell_type": "code", "source": "import torch; x = torch.Tensor(3)"}]}'
    run = subprocess.run(
        [sys.executable, "-m", "gpukit", "lint", "-", "--fix", "--stdin-filename", "a.ipynb"],
        input=text.encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert run.stdout == text.replace("Tensor", "empty").encode(), run.stderr


# -- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_link_that_is_named_stays_a_link_to_what_was_changed(tmp_path, way):
    old, new, run = WAYS[way]
    target, link = tmp_path / "there" / "a.py", tmp_path / "link.py"
    target.parent.mkdir()
    target.write_text(old + "\n")
    target.chmod(0o604)
    link.symlink_to(Path("there", "a.py"))
    run(link)
    assert link.is_symlink()
    assert link.readlink() == Path("there", "a.py")
    assert target.read_text() == new + "\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


@pytest.mark.parametrize("command", ["port", "lint"])
def test_links_that_lead_out_of_a_folder_are_not_followed(tmp_path, command, capsys):
    old, new, _ = WAYS[command]
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    outer.mkdir()
    for file in (inner / "a.py", outer / "b.py"):
        file.write_text(old + "\n")
    (inner / "out.py").symlink_to(outer / "b.py")
    (inner / "in.py").symlink_to("a.py")
    (inner / "nowhere.py").symlink_to("nothing.py")
    option = "--write" if command == "port" else "--fix"
    main([command, str(inner), option])
    assert (inner / "a.py").read_text() == new + "\n"
    assert (inner / "in.py").is_symlink()
    assert (outer / "b.py").read_text() == old + "\n"
    main([command, str(inner / "out.py"), option])  # named, it is meant
    assert (outer / "b.py").read_text() == new + "\n"
    capsys.readouterr()


# -- names that are not text ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["\ud800", "nn\udcff", "a\nb", "\x1b[2J", "\0"])
def test_a_name_that_cannot_be_printed_is_missing_as_any_other(name):
    for module in (gpukit, gpukit.nn, gpukit.nn.functional, gpukit.optim, gpukit.cuda):
        with pytest.raises(AttributeError):
            getattr(module, name)
    for module in ("torch", "torch.nn"):
        done = port_text(f"import torch\ngetattr({module}, {name!r})\n", "a.py")
        assert [left.code for left in done.leftovers] == ["GPP001"]
    check_text(f"import torch\ngetattr(torch, {name!r})\nx = torch.device({name!r})\n")


# -- how much work -------------------------------------------------------------------------------


def test_a_name_that_is_imported_often_is_decided_once(monkeypatch):
    asked = []
    monkeypatch.setattr(aliases, "_preferred", lambda paths: asked.append(paths) or paths[0])
    port_text("import torch\ntorch.ones(1)\n" * 50, "a.py")
    assert len(asked) == 1
