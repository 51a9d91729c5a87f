"""A leftover: a place of torch's code that gpukit does not run, and what to write there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NamedTuple

from gpukit.lint.findings import Finding

CODES = {
    "GPP001": ("missing-name", "gpukit has no such name"),
    "GPP002": ("missing-member", "gpukit's object has no such member"),
    "GPP003": ("refused-argument", "gpukit's function does not take this argument"),
    "GPP004": ("refused-call", "gpukit refuses this call"),
    "GPP005": ("torch-library", "this library takes and returns torch tensors"),
    "GPP006": ("hidden-import", "torch is imported through a string"),
}


class Location(NamedTuple):
    """Where something is left over: the node, torch's name for it, and one sentence."""

    where: ast.AST | int
    code: str
    torch_name: str
    message: str
    at_end: bool = False  # the place is the node's last name, as in x.unfold


@dataclass(frozen=True)
class Leftover(Finding):
    r"""One place that gpukit will not run: torch's name for it, and what to write instead.

    Lines and columns count from 1; `cell` is a notebook's cell, where `line` counts from its top.

    Example:
        >>> from gpukit import port
        >>> [left] = port.port_text("import torch\nf = torch.export(abs)\n", "a.py").leftovers
        >>> left.place, left.code, left.torch_name
        ('a.py:2:5', 'GPP001', 'torch.export')
    """

    torch_name: str = ""
