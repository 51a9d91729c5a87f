"""The lists of torch's members that `gpukit port` has are those of the torch that is installed."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import torch

import gpukit
from gpukit.port import port_text, vocabulary

CLASSES = {
    "TENSOR": torch.Tensor,
    "GENERATOR": torch.Generator,
    "EVENT": torch.cuda.Event,
    "STREAM": torch.cuda.Stream,
    "SCHEDULER": torch.optim.lr_scheduler.LRScheduler,
    "OPTIMIZER": torch.optim.Optimizer,
    "MODULE": torch.nn.Module,
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_members_are_torchs(name):
    known, owner = getattr(vocabulary, name), CLASSES[name]
    there = {each for each in dir(owner) if not each.startswith("_")}
    assert known <= there
    if name in {"TENSOR", "EVENT", "STREAM"}:
        assert there == known
    elif name == "MODULE":
        methods = {each for each in there if callable(getattr(owner, each))}
        assert {each for each in methods if each[0].islower()} - known == {"forward"}


def _modules(mine: ModuleType, other: ModuleType, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The modules that gpukit and torch have under one name, and those inside them."""
    for each in pkgutil.iter_modules(mine.__path__ if hasattr(mine, "__path__") else []):
        inner = f"{path}.{each.name}".lstrip(".")
        if each.name[0] == "_":
            continue
        try:
            pair = [importlib.import_module(f"{top}.{inner}") for top in ("torch", "gpukit")]
        except ImportError:
            continue
        yield inner, pair[1], pair[0]
        yield from _modules(pair[1], pair[0], inner)


def test_modules_of_one_name_share_names_or_are_known_to_differ():
    differ, count = set(), 0
    for path, mine, other in _modules(gpukit, torch, ""):
        names = getattr(mine, "__all__", None) or [each for each in dir(mine) if each[0] != "_"]
        differ |= set() if any(hasattr(other, name) for name in names) else {f"torch.{path}"}
        count += 1
    assert count > 15
    assert differ == set(vocabulary.OTHER_MEANING)


def test_the_names_of_torchs_version_are_gpukits_too():
    for name in torch.version.__all__:
        mine, other = getattr(gpukit.version, name), getattr(torch.version, name)
        assert isinstance(mine, type(other)) or (name == "cuda" and isinstance(mine, str)), name


@pytest.mark.parametrize(
    "module", ["", "nn.", "nn.functional.", "optim.", "utils.data.", "cuda.", "linalg."]
)
def test_what_torch_has_is_said_to_be_left_over_or_is_there(module):
    owner, mine = torch, gpukit
    for part in module.split(".")[:-1]:
        owner, mine = getattr(owner, part), getattr(mine, part)
    names = [each for each in sorted(dir(owner)) if not each.startswith("_")]
    names = random.Random(1).sample(names, min(len(names), 150))
    text = "import torch\n" + "".join(f"torch.{module}{each}\n" for each in names)
    lines = {left.line for left in port_text(text).leftovers}
    assert lines == {at for at, each in enumerate(names, 2) if not hasattr(mine, each)}
