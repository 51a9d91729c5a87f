"""Methods that a class defines itself are reached from the module around it, as in torch."""

from __future__ import annotations

import copy

import pytest
import torch

import gpukit

REDEFINED = [
    *("train", "eval", "apply", "_apply", "zero_grad", "requires_grad_", "state_dict"),
    *("_save_to_state_dict", "load_state_dict", "_load_from_state_dict", "named_parameters"),
    *("parameters", "named_buffers", "buffers", "to", "float", "half", "cpu", "extra_repr"),
    *("_get_name", "__repr__", "forward"),
]
CALLS = {
    "train": lambda root, m: root.train(),
    "eval": lambda root, m: root.eval(),
    "apply": lambda root, m: root.apply(lambda _: None),
    "zero_grad": lambda root, m: root.zero_grad(),
    "requires_grad_": lambda root, m: root.requires_grad_(False),
    "state_dict": lambda root, m: root.state_dict(),
    "load_state_dict": lambda root, m: root.load_state_dict(dict(root.state_dict())),
    "parameters": lambda root, m: list(root.parameters()),
    "buffers": lambda root, m: list(root.buffers()),
    "to": lambda root, m: root.to(m.float64),
    "half": lambda root, m: root.half(),
    "to_empty": lambda root, m: root.to_empty(device="cpu"),
    "cpu": lambda root, m: root.cpu(),
    "repr": lambda root, m: repr(root),
    "forward": lambda root, m: root(m.ones(1, 2)),
    "deepcopy": lambda root, m: copy.deepcopy(root),
}


def reached(m, call: str) -> set[str]:
    """Which methods of a submodule an operation of the root calls."""
    seen: set[str] = set()

    def noted(name):
        def method(self, *args, **kwargs):
            seen.add(name)
            return getattr(m.nn.Linear, name)(self, *args, **kwargs)

        return method

    kind = type("Own", (m.nn.Linear,), {name: noted(name) for name in REDEFINED})
    root = m.nn.Sequential(kind(2, 2), m.nn.ReLU())
    CALLS[call](root, m)
    return seen


@pytest.mark.parametrize("call", CALLS)
def test_a_submodules_own_methods_are_called(call):
    assert reached(gpukit, call) == reached(torch, call)


def test_a_layer_that_merges_its_weights_in_train():
    class Merging(gpukit.nn.Linear):
        merged = False

        def train(self, mode=True):
            self.merged = not mode
            return super().train(mode)

    layer = Merging(2, 2)
    assert gpukit.nn.Sequential(gpukit.nn.Sequential(layer)).eval()[0][0].merged
    assert not layer.training


def test_a_layer_that_moves_a_plain_tensor():
    class Holding(gpukit.nn.Module):
        def __init__(self):
            super().__init__()
            self.plain = {"table": gpukit.ones(2)}

        def _apply(self, fn, recurse=True):
            self.plain["table"] = fn(self.plain["table"])
            return super()._apply(fn, recurse)

    holding = Holding()
    gpukit.nn.ModuleList([holding]).double()
    assert holding.plain["table"].dtype == gpukit.float64
