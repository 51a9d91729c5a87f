"""What dask loads at its start is light, and a broken gpukit does not stop dask."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import gpukit_dask

if TYPE_CHECKING:
    import pytest


class Sizes:
    """The part of dask's dispatcher that the entry point uses."""

    def __init__(self) -> None:
        self.lazy: dict[str, Callable[[], None]] = {}

    def register_lazy(self, name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
        def keep(function: Callable[[], None]) -> Callable[[], None]:
            self.lazy[name] = function
            return function

        return keep


def test_a_broken_gpukit_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = Sizes()
    gpukit_dask.register_sizes(sizes)
    assert list(sizes.lazy) == ["gpukit"]
    monkeypatch.setitem(sys.modules, "gpukit.interop.dask", None)
    sizes.lazy["gpukit"]()


def test_registering_loads_no_gpukit() -> None:
    program = """
import sys, gpukit_dask
class Sizes:
    def register_lazy(self, name):
        return lambda function: function
gpukit_dask.register_sizes(Sizes())
print(sorted(name for name in sys.modules if name.split(".")[0] in {"gpukit", "numpy", "dask"}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
