"""Copy, deepcopy and pickle of tensors: bytes, shape and dtype; no code runs on load."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gpukit import _core
from gpukit.errors import AutogradError


def _attributes(tensor: _core.Tensor) -> dict[str, Any]:
    """What the user hung on the tensor."""
    return dict(tensor.__dict__)


def _gradient(tensor: _core.Tensor) -> _core.Tensor | None:
    """Its gradient; a result that keeps none is not asked, since that warns."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def _dressed(result: _core.Tensor, cls: type, requires_grad: bool) -> _core.Tensor:
    if cls is not _core.Tensor:
        result = result.as_subclass(cls)
    if requires_grad:
        result.requires_grad_(True)
    return result


def shallow_copy(tensor: _core.Tensor) -> _core.Tensor:
    """A new tensor over the same memory, of the same class and with the same attributes."""
    result = _dressed(tensor.detach(), type(tensor), tensor.requires_grad)
    result.__dict__.update(_attributes(tensor))
    result.grad = _gradient(tensor)
    return result


def deep_copy(tensor: _core.Tensor, memo: dict[int, Any]) -> _core.Tensor:
    """A copy with memory, attributes and gradient of its own."""
    known: _core.Tensor | None = memo.get(id(tensor))
    if known is not None:
        return known
    node = tensor.grad_fn
    if node is not None:
        raise AutogradError(
            "deepcopy: the tensor is the result of a recorded operation "
            f"({node.name()}); a copy would not belong to its graph. "
            "Use x.detach().clone()"
        )
    result = _dressed(tensor.detach().clone(), type(tensor), tensor.requires_grad)
    memo[id(tensor)] = result
    result.__dict__.update(deepcopy(_attributes(tensor), memo))
    if tensor.grad is not None:
        result.grad = deepcopy(tensor.grad, memo)
    return result


def reduce(tensor: _core.Tensor) -> tuple[Any, ...]:
    """How pickle stores a tensor."""
    arguments = (
        type(tensor),
        tensor.detach().cpu().tobytes(),
        tensor.dtype,
        tensor.shape,
        str(tensor.device),
        tensor.requires_grad,
    )
    return rebuild, arguments, (_attributes(tensor), _gradient(tensor)), None, None, _set_state


def rebuild(  # noqa: PLR0917 (pickle calls it by position)
    cls: type,
    data: bytes,
    dtype: _core.dtype,
    shape: tuple[int, ...],
    device: str,
    requires_grad: bool,
) -> _core.Tensor:
    """The tensor of a pickle, on the device it was saved from."""
    result = _core.tensor_from_bytes(data, dtype, shape)
    return _dressed(result.to(device), cls, requires_grad)


def _set_state(tensor: _core.Tensor, state: tuple[dict[str, Any], _core.Tensor | None]) -> None:
    attributes, gradient = state
    tensor.__dict__.update(attributes)
    tensor.grad = gradient
