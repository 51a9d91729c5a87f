"""Where vendor libraries lie. The extension asks once, before the first use; nothing is opened here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from gpukit import _core

_NVIDIA_PACKAGES = ("cublas", "cu12", "cu13", "cuda_runtime")


def prepare_cuda() -> None:
    """Start the simulation that GPUKIT_SIMULATE asks for, and name the folders of NVIDIA's wheels."""
    from gpukit import _simulate

    _core.set_library_folders(nvidia_folders())
    _simulate.start_from_environment()


def prepare_cpu_blas() -> None:
    """Name the one-thread BLAS for products on the CPU, if its wheel is installed."""
    _core.set_cpu_blas_path(openblas_path())


def nvidia_folders() -> list[str]:
    """The `lib` folders of NVIDIA's wheels in this environment that may hold cuBLAS."""
    spec = find_spec("nvidia")
    if spec is None or spec.submodule_search_locations is None:
        return []
    places = [Path(location) for location in spec.submodule_search_locations]
    folders = [place / package / "lib" for place in places for package in _NVIDIA_PACKAGES]
    return [str(folder) for folder in folders if folder.is_dir()]


def openblas_path() -> str:
    """The library of scipy-openblas32, or ""."""
    spec = find_spec("scipy_openblas32")
    if spec is None or not spec.submodule_search_locations:
        return ""
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    folder = Path(next(iter(spec.submodule_search_locations))) / "lib"
    found = sorted(folder.glob(f"libscipy_openblas*{suffix}"))
    return str(found[0].resolve()) if found else ""
