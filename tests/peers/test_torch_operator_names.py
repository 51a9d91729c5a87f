"""The operators reported to observers, in the order in which torch reports the same program's.

A program of `programs/` runs once under torch's own TorchFunctionMode and once, as gpukit's, under
gpukit's observers. Both give a sequence of names; `operator_names.py` says which names mean the
same and which have no counterpart, with the reason. After it the sequences must be equal.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from peers.operator_names import APART, PROGRAMS, REGIONS, of_gpukit, of_torch
from torch.overrides import TorchFunctionMode, resolve_name

import gpukit
from gpukit import _core

FOLDER = Path(__file__).parent / "programs"


class Names:
    """The names that one library's program calls, and the regions that stand for several."""

    def __init__(self, library: Any) -> None:
        self.folder = str(Path(library.__file__).parent) + "/"
        self.regions = REGIONS[library.__name__]
        self.names: list[str] = []
        self.region: FrameType | None = None

    def add(self, name: str) -> None:
        found = self.outermost_region()
        if found is None:
            self.names.append(name)
        elif found[0] is not self.region and found[1] is not None:
            self.names.append(found[1])
        self.region = None if found is None else found[0]

    def outermost_region(self) -> tuple[FrameType, str | None] | None:
        frame: FrameType | None = sys._getframe(2)
        found = None
        while frame is not None:
            file, function = frame.f_code.co_filename, frame.f_code.co_name
            if file.startswith(self.folder):
                for (part, name), region in self.regions.items():
                    if name in (function, "*") and file[len(self.folder) :].startswith(part):
                        found = frame, function if region == "*" else region
                        break
            frame = frame.f_back
        return found


class TorchNames(TorchFunctionMode, Names):
    """The functions reported to torch's mode; what they call internally is not reported."""

    def __init__(self) -> None:
        TorchFunctionMode.__init__(self)
        Names.__init__(self, torch)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = resolve_name(func) or getattr(func, "__qualname__", str(func))
        if name == "torch.nn.functional.dropout" and not (kwargs or {}).get("training", True):
            name += " (not training)"
        self.add(name.removeprefix("torch."))
        return func(*args, **(kwargs or {}))


class GpukitNames(Names):
    """The operators that a gpukit program calls; what they call inside is theirs."""

    def __init__(self) -> None:
        super().__init__(gpukit)
        self.outer: Any = None

    def before_operator(self, call: Any) -> None:
        if self.outer is None and call.operator.kind != "module":
            self.add(call.name)
            self.outer = call

    def after_operator(self, call: Any) -> None:
        if self.outer is call:
            self.outer = None


def run(source: str, library: str, observing: Any) -> None:
    code = compile(re.sub(r"\btorch\b", library, source), library, "exec")
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), observing:
        warnings.simplefilter("ignore")
        exec(code, {"__name__": "__main__"})


def sequences(name: str) -> tuple[list[str], list[str]]:
    """The names that gpukit and torch report of a program, after the map."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    theirs, ours = TorchNames(), GpukitNames()
    run(source, "torch", theirs)
    run(source, "gpukit", _core.observe(ours))
    want = [mapped for each in theirs.names for mapped in of_torch(each)]
    got = [mapped for each in ours.names for mapped in of_gpukit(each)]
    return got, want


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in APART])
def test_the_same_operators_in_the_same_order(name: str) -> None:
    got, want = sequences(name)
    assert got == want
    assert len(want) >= 3
