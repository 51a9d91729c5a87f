"""`gpukit.nn.Parameter`, without importing gpukit.nn before it is needed."""

from __future__ import annotations

import sys

from gpukit import _core


def is_parameter(tensor: _core.Tensor) -> bool:
    """True for a Parameter. There is none while gpukit.nn was never imported."""
    module = sys.modules.get("gpukit.nn.parameter")
    return module is not None and isinstance(tensor, module.Parameter)


def as_parameter(tensor: _core.Tensor, requires_grad: bool) -> _core.Tensor:
    """A Parameter over the tensor's memory."""
    from gpukit.nn.parameter import Parameter

    return Parameter(tensor, requires_grad)
