"""The lists of torch's members that `gpukit port` has are those of the torch that is installed."""

from __future__ import annotations

import random

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
