"""Linear algebra under torch's names; the rows are in bind_decompositions.cpp.

They are called by keyword, with the arguments that were given and nothing checked yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit._operators import least_squares, matrix_functions, norms, spectral, systems, triangles

_MODULES = (systems, triangles, spectral, matrix_functions, least_squares, norms)


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of a row."""
    for module in _MODULES:
        found: Callable[..., Any] | None = vars(module).get(name)
        if found is not None:
            globals()[name] = found  # asked once
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
