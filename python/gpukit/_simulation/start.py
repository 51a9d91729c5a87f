"""In the folder of `gpukit sim` it is sitecustomize.py; it needs no gpukit.

The simulated driver runs PTX. Programs that find nvJitLink let it make machine code, which the
simulator cannot run; without it they hand their PTX to the driver. So cuda.pathfinder, which looks
for NVIDIA's libraries, does not find this one.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_FINDER = "cuda.pathfinder"
_HIDDEN = "nvJitLink"


def _hide(module: ModuleType) -> None:
    """Let the finder of libraries say "not found" for nvJitLink."""
    find = getattr(module, "load_nvidia_dynamic_lib", None)
    error = getattr(module, "DynamicLibNotFoundError", RuntimeError)
    if find is None:
        return

    def load_nvidia_dynamic_lib(libname: str) -> Any:
        if libname == _HIDDEN:
            raise error(f"{_HIDDEN} is hidden by gpukit sim: the simulated driver runs PTX")
        return find(libname)

    vars(module)["load_nvidia_dynamic_lib"] = load_nvidia_dynamic_lib


class _Watcher(importlib.abc.MetaPathFinder):
    """Changes cuda.pathfinder when it is imported."""

    def __init__(self) -> None:
        self.looking = False

    def find_spec(
        self, fullname: str, _path: object = None, _target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _FINDER or self.looking:
            return None
        self.looking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self.looking = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _hide(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _run_hidden_one() -> None:
    """Run the sitecustomize.py that this one shadows."""
    here = Path(__file__).parent.resolve()
    rest = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, _Watcher())
    _run_hidden_one()
