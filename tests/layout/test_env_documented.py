"""docs/environment.md says what the table of csrc/base/env.cpp says, and what the code reads."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from support.mode import PROJECT

TABLE_FILE = PROJECT / "csrc" / "base" / "env.cpp"
PAGE = (PROJECT / "docs" / "environment.md").read_text(encoding="utf-8")
STRING = r'"((?:\\.|[^"\\])*)"'
LITERALS = re.compile(rf"{STRING}(?:\s*{STRING})*")
ENTRY = re.compile(r'(own_text\(|honoured\(|\{)"(\w+)",\s*Kind::k(\w+),')
READ = re.compile(r'\b_?env(?:::|\.)(?:text|flag|integer|number|is_set|raw)\("(\w+)"')
UNREAD_HEADING = "## Not read by gpukit"


@dataclass(frozen=True)
class Variable:
    """One row of the table in env.cpp."""

    name: str
    kind: str
    default: str
    choices: str
    bounds: tuple[str, ...]
    help: str
    own: bool

    def documented(self) -> str:
        """Its row in the page."""
        kind = self.kind
        if self.choices:
            kind = ", ".join(f"`{choice}`" for choice in self.choices.split("|"))
        elif self.bounds:
            kind = f"{kind}, {self.bounds[0]} to {self.bounds[1]}"
        default = f"`{self.default}`" if self.default else "unset"
        return f"| `{self.name}` | {kind} | {default} | {self.help} |"


def joined_literals(text: str) -> list[str]:
    """The string literals of C++ text, adjacent ones as one."""
    return ["".join(re.findall(STRING, match.group())) for match in LITERALS.finditer(text)]


def variable(form: str, name: str, kind: str, rest: str) -> Variable:
    """The row of one entry; `rest` is what follows its kind."""
    literals = joined_literals(rest)
    kind = kind.lower()
    if form == "own_text(":
        default, help_text = literals
        return Variable(name, kind, default, "", (), help_text, own=True)
    if form == "honoured(":
        return Variable(name, kind, "0" if kind == "flag" else "", "", (), literals[0], own=False)
    default, choices, help_text = literals
    bounds = re.search(r'",\s*([\d.]+),\s*([\d.]+),', rest)
    assert bounds is not None, name
    limits = () if choices else (bounds.group(1), bounds.group(2))
    return Variable(name, kind, default, choices, limits, help_text, own="true}" in rest)


def read_table() -> list[Variable]:
    """The rows of kTable, in their order."""
    text = TABLE_FILE.read_text(encoding="utf-8")
    begin = text.index("kTable = ")
    block = text[begin : text.index("});", begin)]
    starts = list(ENTRY.finditer(block))
    ends = [start.start() for start in starts[1:]] + [len(block)]
    return [
        variable(*start.groups(), block[start.end() : end])
        for start, end in zip(starts, ends, strict=True)
    ]


VARIABLES = read_table()


def sources() -> str:
    """All code that may read a variable, without the table itself."""
    paths = [
        *(PROJECT / "csrc").rglob("*.cpp"),
        *(PROJECT / "python").rglob("*.py"),
        *(PROJECT / "tests" / "support").rglob("*.py"),
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path != TABLE_FILE)


CODE = sources()


def test_every_entry_was_understood() -> None:
    text = TABLE_FILE.read_text(encoding="utf-8")
    mentioned = set(re.findall(r'"(GPUKIT_\w+)"', text))
    assert {row.name for row in VARIABLES if row.own} == mentioned
    assert len({row.name for row in VARIABLES}) == len(VARIABLES)


@pytest.mark.parametrize("own", [True, False], ids=["own", "honoured"])
def test_page_has_the_rows_in_order(own: bool) -> None:
    wanted = [row.documented() for row in VARIABLES if row.own == own]
    names = {f"| `{row.name}` |" for row in VARIABLES if row.own == own}
    found = [line for line in PAGE.splitlines() if any(line.startswith(name) for name in names)]
    assert found == wanted


def test_page_names_what_nothing_reads() -> None:
    section = PAGE.split(UNREAD_HEADING)[1].split("\n## ")[0]
    listed = set(re.findall(r"^\* `(\w+)`", section, re.MULTILINE))
    assert listed == {row.name for row in VARIABLES if f'"{row.name}"' not in CODE}


def test_code_reads_only_what_the_table_has() -> None:
    read = set(READ.findall(CODE))
    assert read
    assert read <= {row.name for row in VARIABLES}
