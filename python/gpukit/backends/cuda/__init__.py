"""Switches of the CUDA backend, and whether this build has it."""

from __future__ import annotations

from typing import Any

from gpukit import _core

__all__ = ["is_built", "matmul"]


class _Matmul:
    """`allow_tf32`: float32 products may round their inputs to TF32. Off unless asked."""

    @property
    def allow_tf32(self) -> bool:
        return bool(_core.get_float32_matmul_precision() != "highest")

    @allow_tf32.setter
    def allow_tf32(self, value: Any) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"allow_tf32 must be True or False, got {value!r}")
        _core.set_float32_matmul_precision("high" if value else "highest")


matmul = _Matmul()


def is_built() -> bool:
    """Return True when this build has its CUDA part."""
    return bool(_core.build_info()["cuda"])
