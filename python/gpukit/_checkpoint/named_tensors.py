"""What `.npz` and `.safetensors` hold: a dict from names to tensors, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpukit import _core
from gpukit.errors import CheckpointError


def checked_names(value: Any, format: str) -> dict[str, _core.Tensor]:
    """The dict, or CheckpointError naming what does not fit the format."""
    if not isinstance(value, Mapping):
        raise CheckpointError(
            f"save: {format} holds a dict of tensors, got a {type(value).__name__}. "
            "Use .pth for anything else"
        )
    for name, tensor in value.items():
        if not isinstance(name, str):
            raise CheckpointError(f"save: {format} needs text as keys, got {name!r:.80}")
        if not isinstance(tensor, _core.Tensor):
            raise CheckpointError(
                f"save: {format} holds tensors only; obj[{name!r:.80}] is a "
                f"{type(tensor).__name__}. Use .pth for anything else"
            )
    return {name: tensor.detach() for name, tensor in value.items()}
