"""The named tuples of `max(dim)`, `median(dim)`, `min(dim)`, `sort` and `topk`, for pickle."""

from __future__ import annotations

from gpukit import _core

__all__ = ["max", "median", "min", "sort", "topk"]  # noqa: F822 - created on demand


def __getattr__(name: str) -> type:
    """The type of one function's results."""
    found: type | None = _core.return_type(name) if name in __all__ else None
    if found is None:
        raise AttributeError(f"module 'gpukit.return_types' has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
