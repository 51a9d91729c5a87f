"""Versions for a bug report, from metadata: nothing is imported for them."""

from __future__ import annotations

import platform
import sys

import gpukit
from gpukit import _core
from gpukit._system import platforms
from gpukit._system.machine import Machine

# Library -> the distributions that bring it.
NEIGHBOURS = {
    "numpy": ("numpy",),
    "torch": ("torch",),
    "cupy": ("cupy", "cupy-cuda12x", "cupy-cuda13x", "cupy-cuda11x"),
    "jax": ("jax",),
    "tensorflow": ("tensorflow", "tensorflow-cpu"),
}
STACK = (
    "rich",
    "psutil",
    "nvidia-ml-py",
    "cuda-pathfinder",
    "scipy-openblas32",
    "safetensors",
    "ml_dtypes",
)


def neighbour_versions(machine: Machine) -> dict[str, str | None]:
    """The versions of the libraries that people use with gpukit; None means not installed."""
    return {
        name: next((v for package in packages if (v := machine.version_of(package))), None)
        for name, packages in NEIGHBOURS.items()
    }


def stack_versions(machine: Machine) -> dict[str, str | None]:
    """The versions of the libraries that gpukit itself uses."""
    return {name: machine.version_of(name) for name in STACK}


def show_versions(as_dict: bool = False) -> dict[str, str | None] | None:
    """Prints the versions that a bug report needs; with `as_dict` returns them instead.

    Args:
        as_dict: Return the versions by name, None for what is not installed.

    Raises:
        TypeError: as_dict is not True or False.

    Example:
        >>> import gpukit
        >>> sorted(gpukit.show_versions(as_dict=True))[:2]
        ['cuda-pathfinder', 'cupy']
    """
    if not isinstance(as_dict, bool):
        raise TypeError(f"show_versions: as_dict must be True or False, got {as_dict!r}")
    machine = Machine()
    versions: dict[str, str | None] = {
        "gpukit": gpukit.__version__,
        "python": sys.version.split()[0],
        **neighbour_versions(machine),
        **stack_versions(machine),
    }
    if as_dict:
        return versions
    for name, version in versions.items():
        print(f"{name}: {version or 'not installed'}")  # noqa: T201
    return None


def env() -> str:
    """Text to paste into a bug report: system, versions and what `info` found. No paths of yours.

    Starts no driver.

    Example:
        >>> import gpukit
        >>> gpukit.env().splitlines()[0].startswith("gpukit ")
        True
    """
    from gpukit._system.found_libraries import without_home

    build = _core.build_info()
    versions = show_versions(as_dict=True) or {}
    report = gpukit.info(verify=False)
    cubins = build["cuda_archs"] or "none"
    lines = [
        f"gpukit {gpukit.__version__} ({build['compiler']}; cubins: {cubins})",
        f"Python {platform.python_version()}, {platform.system()} {platform.release()}, "
        f"{platform.machine()}, {platforms.detect().label}",
        *(f"{name}: {version or 'not installed'}" for name, version in versions.items()),
        "",
        report.to_text(),
    ]
    return without_home("\n".join(lines))
