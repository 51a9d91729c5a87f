"""The CUDA backend of this build."""

from __future__ import annotations

from gpukit import _core

__all__ = ["is_built", "matmul"]


class _Matmul:
    """Switches of matrix products."""

    @property
    def allow_tf32(self) -> bool:
        """Whether float32 products on a GPU may use TF32."""
        return _core.get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"allow_tf32 must be True or False, got {value!r}")
        _core.set_float32_matmul_precision("high" if value else "highest")


matmul = _Matmul()


def is_built() -> bool:
    """Return True when this build has its CUDA part."""
    return bool(_core.build_info()["cuda"])
