"""The order of a picture's dimensions in memory; called as composed.py says.

A tensor in channels_last has the sizes of (N, C, H, W) and lies in memory as (N, H, W, C).
"""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._tensors.legacy import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    preserve_format,
)
from gpukit.errors import ArgumentError, ShapeError

_RANKS = {each: each.rank for each in (channels_last, channels_last_3d)}


def _known(function: str, memory_format: Any) -> Any:
    """The format itself, which its name may stand for."""
    for each in (contiguous_format, preserve_format, *_RANKS):
        if memory_format is each or (isinstance(memory_format, str) and memory_format == each):
            return each
    raise TypeError(
        f"{function}: memory_format must be gpukit.contiguous_format, preserve_format, "
        f"channels_last or channels_last_3d, got {memory_format!r:.80}"
    )


def _of_rank(function: str, input: Tensor, memory_format: Any) -> None:
    rank = _RANKS[memory_format]
    if input.ndim != rank:
        raise ShapeError(
            f"{function}: {memory_format} needs {rank} dimensions, input is {tuple(input.shape)}. "
            f"required rank {rank} tensor to use {memory_format.name} format"
        )


def _lies(input: Tensor) -> bool:
    """Whether the elements lie in the order (N, ..., C) without gaps; sizes of 1 do not count."""
    expected = 1
    for dim in (1, *range(input.ndim - 1, 1, -1), 0):
        size = input.shape[dim]
        if size != 1 and input.stride(dim) != expected:
            return False
        expected *= size
    return True


def _channels_last(input: Tensor) -> Tensor:
    """A copy in the order (N, ..., C), with the sizes of input."""
    return input.movedim(1, -1).clone().movedim(-1, 1)


def contiguous(input: Tensor, memory_format: Any) -> Tensor:
    """The tensor in a format; itself where it is."""
    wanted = _known("contiguous", memory_format)
    if wanted is preserve_format:
        raise ArgumentError(
            "contiguous: preserve_format names no order. Use contiguous_format or channels_last"
        )
    if wanted is contiguous_format:
        return input.contiguous()
    _of_rank("contiguous", input, wanted)
    return input if _lies(input) else _channels_last(input)


def is_contiguous(input: Tensor, memory_format: Any) -> bool:
    """Whether the tensor lies in a format."""
    wanted = _known("is_contiguous", memory_format)
    if wanted is preserve_format:
        raise ArgumentError(
            "is_contiguous: preserve_format names no order. Use contiguous_format or channels_last"
        )
    if wanted is contiguous_format:
        return input.is_contiguous()
    return input.ndim == _RANKS[wanted] and _lies(input)


def _preserved(input: Tensor) -> bool:
    """Whether input is in channels_last, and not contiguous too."""
    return input.ndim in {4, 5} and not input.is_contiguous() and _lies(input)


def clone(input: Tensor, memory_format: Any) -> Tensor:
    """A copy in a format."""
    wanted = _known("clone", memory_format)
    if wanted in _RANKS:
        _of_rank("clone", input, wanted)
    if wanted in _RANKS or (wanted is preserve_format and _preserved(input)):
        return _channels_last(input)
    return input.clone()


def to(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """The tensor elsewhere or in another dtype, in a format."""
    wanted = _known("to", memory_format)
    moved = input.to(**others) if others else input
    if wanted in _RANKS:
        _of_rank("to", moved, wanted)
        return moved if _lies(moved) else _channels_last(moved)
    return moved if wanted is preserve_format else moved.contiguous()


def _like(function: Any, input: Tensor, memory_format: Any, arguments: dict[str, Any]) -> Tensor:
    name = function.__name__
    wanted = _known(name, memory_format)
    if wanted in _RANKS:
        _of_rank(name, input, wanted)
    elif wanted is contiguous_format or not _preserved(input):
        result: Tensor = function(input, **arguments)
        return result
    requires_grad = arguments.pop("requires_grad", False)
    made: Tensor = function(input.detach().movedim(1, -1), **arguments).movedim(-1, 1)
    return made.requires_grad_() if requires_grad else made


def empty(size: tuple[Any, ...], memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    wanted = _known("empty", memory_format)
    if wanted is preserve_format:
        raise ArgumentError(
            "empty: preserve_format keeps a tensor's order, and there is none. Use "
            "contiguous_format or channels_last"
        )
    out = others.pop("out", None)
    made = _core.empty(*size, **others)
    if wanted is not contiguous_format:
        made = _like(_core.empty_like, made, wanted, {"requires_grad": made.requires_grad})
    return made if out is None else out.copy_(made)


def empty_like(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    return _like(_core.empty_like, input, memory_format, others)


def zeros_like(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    return _like(_core.zeros_like, input, memory_format, others)


def ones_like(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    return _like(_core.ones_like, input, memory_format, others)


def full_like(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    return _like(_core.full_like, input, memory_format, others)


def rand_like(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    return _like(_core.rand_like, input, memory_format, others)


def randn_like(input: Tensor, memory_format: Any, **others: Any) -> Tensor:
    """As its row says."""
    return _like(_core.randn_like, input, memory_format, others)
