"""What dask loads at its start where gpukit is installed: how large tensors are.

A separate package, like gpukit_pytest, because dask imports it in every program. It imports
gpukit only when dask first asks for the size of one of gpukit's objects.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any


def register_sizes(sizeof: Any) -> None:
    """The entry point of dask.sizeof.

    Args:
        sizeof: dask's dispatcher of sizes.
    """

    @sizeof.register_lazy("gpukit")  # type: ignore[untyped-decorator]
    def register() -> None:
        with suppress(Exception):  # dask goes on with its own estimate
            import gpukit.interop.dask  # noqa: F401 (registers)
