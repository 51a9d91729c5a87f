"""`gpukit.nn.Parameter`, without needing gpukit.nn: files know it by name only."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gpukit import _core


def is_parameter(tensor: _core.Tensor) -> bool:
    """True for a Parameter. There is none while gpukit.nn was never imported."""
    nn = sys.modules.get("gpukit.nn")
    return nn is not None and isinstance(tensor, nn.Parameter)


def as_parameter(tensor: _core.Tensor, requires_grad: bool) -> Any:
    """A Parameter over the tensor's memory."""
    if find_spec("gpukit.nn") is None:
        return tensor.requires_grad_(requires_grad)
    return import_module("gpukit.nn").Parameter(tensor, requires_grad)
