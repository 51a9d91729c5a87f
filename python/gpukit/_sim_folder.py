"""The folder of `gpukit sim`: the simulated libraries where programs look for NVIDIA's.

It lives as long as the command that is run, belongs to the user alone (0700), and is found by that
command and its children only, through their LD_LIBRARY_PATH and PYTHONPATH.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpukit import _env

# What programs open, and what stands there.
_LIBRARIES = {
    "libcuda.so.1": "libgpukit_simcuda.so",
    "libcuda.so": "libgpukit_simcuda.so",
    "libnvidia-ml.so.1": "libgpukit_simnvml.so",
}


@contextmanager
def sim_folder(simulated: Path) -> Iterator[Path]:
    """A new folder with links to the simulated libraries; it is removed at the end.

    Args:
        simulated: The folder of the simulated libraries.
    """
    folder = Path(tempfile.mkdtemp(prefix="gpukit-sim-"))
    try:
        for name, library in _LIBRARIES.items():
            (folder / name).symlink_to(simulated / library)
        start = folder / "python"
        start.mkdir(mode=0o700)
        shutil.copyfile(Path(__file__).with_name("_sim_start.py"), start / "sitecustomize.py")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def variables(folder: Path) -> dict[str, str]:
    """What a process needs to find the libraries of the folder."""
    return {
        "LD_LIBRARY_PATH": _in_front(folder, "LD_LIBRARY_PATH"),
        "PYTHONPATH": _in_front(folder / "python", "PYTHONPATH"),
        # NVRTC and numba keep what they compiled; what a simulated card made is not mixed in.
        "CUDA_CACHE_PATH": str(folder / "cache"),
    }


def _in_front(folder: Path, name: str) -> str:
    before = _env.text(name)
    return f"{folder}{os.pathsep}{before}" if before else str(folder)
