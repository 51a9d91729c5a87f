"""Paths of vendor libraries; the extension asks once, before the first use."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from gpukit import _core

_NVIDIA_PACKAGES = ("cublas", "cu12", "cu13", "cuda_runtime", "cuda_nvrtc", "nccl")


def prepare_cuda() -> None:
    """Do what GPUKIT_SIMULATE and GPUKIT_SYNC_DEBUG ask for, and name NVIDIA's wheel folders."""
    from gpukit._simulation import session
    from gpukit.cuda import _debug

    _core.set_library_folders(nvidia_folders())
    session.start_from_environment()
    _debug.start_from_environment()


def prepare_cpu_blas() -> None:
    """Name the BLAS for products on the CPU, if a wheel that holds one is installed."""
    _core.set_cpu_blas_path(openblas_path())


def nvidia_folders() -> list[str]:
    """The `lib` folders of NVIDIA's wheels in this environment that may hold what gpukit opens."""
    spec = find_spec("nvidia")
    if spec is None or spec.submodule_search_locations is None:
        return []
    places = [Path(location) for location in spec.submodule_search_locations]
    folders = [place / package / "lib" for place in places for package in _NVIDIA_PACKAGES]
    return [str(folder) for folder in folders if folder.is_dir()]


def openblas_path() -> str:
    """The library of scipy-openblas32, else the one inside NumPy's wheel, else ""."""
    macos = sys.platform == "darwin"
    own = _package_folder("scipy_openblas32")
    numpy = _package_folder("numpy")
    folders = [
        *([own / "lib"] if own else []),
        *([numpy / ".dylibs" if macos else numpy.with_name("numpy.libs")] if numpy else []),
    ]
    pattern = "lib*openblas*.dylib" if macos else "lib*openblas*.so*"
    found = (file for folder in folders for file in sorted(folder.glob(pattern)))
    library = next(found, None)
    return str(library.resolve()) if library else ""


def _package_folder(name: str) -> Path | None:
    """The path of a package; it is not imported."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
