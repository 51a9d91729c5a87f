"""The named tuples of functions with several results (`sort`, `linalg.svd` …), for pickle."""

from __future__ import annotations

from gpukit import _core

__all__ = [  # noqa: F822 - created on demand
    "frexp",
    "geqrf",
    "kthvalue",
    "linalg_cholesky_ex",
    "linalg_eigh",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_lu",
    "linalg_lu_factor",
    "linalg_lu_factor_ex",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve_ex",
    "linalg_svd",
    "lu_unpack",
    "max",
    "median",
    "min",
    "mode",
    "qr",
    "slogdet",
    "sort",
    "svd",
    "topk",
    "triangular_solve",
]


def __getattr__(name: str) -> type:
    """The type of one function's results."""
    found: type | None = _core.return_type(name) if name in __all__ else None
    if found is None:
        raise AttributeError(f"module 'gpukit.return_types' has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
