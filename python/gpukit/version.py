"""Versions that are often confused, each under its own name. None if the library is absent.

All torch.version names exist: `__version__`, `cuda`, `hip`, `rocm` and `xpu` (None, for gpukit
computes on the CPU and on NVIDIA's GPUs), `debug` (False: the extension is an optimised build) and
`git_version`, the commit that pip installed, or "Unknown", as in torch.

`cuda` is the CUDA toolkit that gpukit was built with, as torch.version.cuda is torch's; None in a
build without CUDA. `driver` is the GPU driver's own number ("580.82.07"), `driver_cuda` the newest
CUDA that this driver accepts, `cublas` the cuBLAS in use. gpukit has no CUDA run-time library, so
`runtime` is the same as `cuda`.

Example:
    >>> import gpukit
    >>> gpukit.version.hip is None, gpukit.version.__version__ == gpukit.__version__
    (True, True)
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from gpukit import _core

_NAMES = ["archs", "cublas", "cuda", "driver", "driver_cuda", "git_version", "gpukit", "runtime"]

debug = False
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
__version__: str = _core.build_info()["version"]

_KERNEL_COMPILER = "12.9"


def _packed(version: int) -> str | None:
    """12080 as 12.8."""
    return f"{version // 1000}.{version % 1000 // 10}" if version else None


def _report() -> dict[str, Any]:
    return _core.driver_report()


def _driver() -> str | None:
    report = _report()
    if not report["library"]:
        return None
    if report["simulated"]:
        return "simulated"
    match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)$", str(Path(report["library"]).resolve()))
    if match:
        return match[1]
    from gpukit.monitor.facts import driver_version

    return driver_version()


def _cublas() -> str | None:
    version = int(_report()["matmul_version"])
    if not version:
        return None
    return f"{version // 10000}.{version % 10000 // 100}.{version % 100}"


@cache
def _git_version() -> str:
    """The commit of an installation from a repository, as pip records it (PEP 610)."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        said = json.loads(distribution("gpukit").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return "Unknown"
    return str(said.get("vcs_info", {}).get("commit_id", "Unknown"))


def __getattr__(name: str) -> Any:
    if name == "gpukit":
        return __version__
    if name == "git_version":
        return _git_version()
    if name == "driver_cuda":
        return _packed(int(_report()["driver_version"]))
    if name == "driver":
        return _driver()
    if name in {"cuda", "runtime"}:
        return _KERNEL_COMPILER if _core.build_info()["cuda"] else None
    if name == "cublas":
        return _cublas()
    if name == "archs":
        return str(_core.build_info()["cuda_archs"]).split()
    from gpukit._names.suggest import no_attribute

    return no_attribute(__name__, name)


def __dir__() -> list[str]:
    return sorted([*_NAMES, "debug", "hip", "rocm", "xpu"])
