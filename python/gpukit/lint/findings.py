"""Findings, rules, and the table of all rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpukit.lint.program import Program


class Edit(NamedTuple):
    """A safe replacement of the text of one node, by position (lines from 1, columns in bytes)."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Hit(NamedTuple):
    """Where a rule fired; `detail` names what it saw, `edit` repairs it if that is safe."""

    where: ast.AST | int
    detail: str = ""
    edit: Edit | None = None


@dataclass(frozen=True)
class Finding:
    """One mistake: its rule's code and name, the place, and one sentence with the fix.

    Lines and columns count from 1; `cell` is a notebook's cell, where `line` counts from its top.

    Example:
        >>> from gpukit import lint
        >>> [finding] = lint.check_text("import torch; x = torch.Tensor(3)", "a.py")
        >>> finding.place, finding.code, finding.fixable
        ('a.py:1:19', 'GPK312', True)
    """

    path: str
    line: int
    column: int
    code: str
    name: str
    message: str
    text: str = ""
    cell: int | None = None
    fixable: bool = False

    @property
    def place(self) -> str:
        """`path:line:column`, with the cell's number in a notebook."""
        cell = f"cell {self.cell}:" if self.cell is not None else ""
        return f"{self.path}:{cell}{self.line}:{self.column}"


Check = Callable[["Program"], Iterable[Hit]]


@dataclass(frozen=True)
class Rule:
    """One rule with an example that fires it and nothing else, and one that fires nothing."""

    code: str
    name: str
    message: str
    bad: str
    good: str
    check: Check
    fixable: bool = False


RULES: dict[str, Rule] = {}


def rule(
    code: str, name: str, message: str, *, bad: str, good: str, fixable: bool = False
) -> Callable[[Check], Check]:
    """Enters a check into the table. Cells of an example are divided by lines of `# %%`."""

    def enter(check: Check) -> Check:
        if code in RULES:
            raise ValueError(f"{code} is the code of {RULES[code].name}; {name} needs its own")
        RULES[code] = Rule(code, name, message, bad, good, check, fixable)
        return check

    return enter


def replace(node: ast.expr | ast.stmt, text: str) -> Edit:
    """The edit that replaces a node by `text`."""
    return Edit(
        node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0, text
    )
