"""The same call through torch and through gpukit."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import gpukit

ALL = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]
# What torch computes with on the CPU.
COMPUTED = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
HALF = ("float16", "bfloat16")


def values(dtype: str, count: int = 7) -> list[Any]:
    if dtype == "bool":
        return [k % 3 != 0 for k in range(count)]
    if "int" in dtype:
        return [(0, 1, 3, 126, 77, 2, 100)[k % 7] for k in range(count)]
    return [(0.5, 0.25, 2.0, -1.5, 100.0, 0.0, 0.1)[k % 7] for k in range(count)]


def pair(dtype: str, device: Any, data: Any = None) -> tuple[Any, Any]:
    data = values(dtype) if data is None else data
    ours = gpukit.tensor(data, dtype=dtype, device=device)
    return torch.tensor(data, dtype=getattr(torch, dtype)), ours


def same(theirs: Any, ours: Any, rtol: float = 0.0) -> None:
    assert str(ours.dtype).rpartition(".")[2] == str(theirs.dtype).rpartition(".")[2]
    assert tuple(ours.shape) == tuple(theirs.shape)
    want = np.asarray(theirs.double().tolist())
    np.testing.assert_allclose(np.asarray(ours.cpu().double().tolist()), want, rtol=rtol)


def outcome(call: Any, *arguments: Any, **named: Any) -> Any:
    """The result, or None for an error."""
    try:
        return call(*arguments, **named)
    except (RuntimeError, TypeError, ValueError):
        return None
