"""The folder in which programs find the simulated libraries instead of NVIDIA's.

`gpukit sim`, `pytest --gpukit-simulate` and the GitHub Action make one. It lives as long as the
command, is readable by the user only (0700), and is found only by the command and its children,
through their LD_LIBRARY_PATH and PYTHONPATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from gpukit import _env

PREFIX = "gpukit-sim-"
# What programs open, and what the link leads to.
_LIBRARIES = {
    "libcuda.so.1": "libgpukit_simcuda.so",
    "libcuda.so": "libgpukit_simcuda.so",
    "libnvidia-ml.so.1": "libgpukit_simnvml.so",
}
# Who removes the folder: a process id, and the descriptor of its end of the keeper's pipe.
OWNER = "owner"


def make_folder(simulated: Path, parent: Path | None = None) -> Path:
    """A new folder with links to the simulated libraries.

    Args:
        simulated: The folder of the simulated libraries.
        parent: Where to make it; None for the system's folder of temporary files.
    """
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    for name, library in _LIBRARIES.items():
        (folder / name).symlink_to(simulated / library)
    start = folder / "python"
    start.mkdir(mode=0o700)
    # A link: tools that note which files ran (coverage) find it when the folder is gone.
    (start / "sitecustomize.py").symlink_to(Path(__file__).with_name("start.py").resolve())
    return folder


@contextmanager
def sim_folder(simulated: Path) -> Iterator[Path]:
    """A new folder; it is removed at the end, even if this process is killed."""
    folder = make_folder(simulated)
    held = _keep(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def variables(folder: Path) -> dict[str, str]:
    """The variables that a process needs to find the folder's libraries."""
    return {
        "LD_LIBRARY_PATH": _in_front(folder, "LD_LIBRARY_PATH"),
        "PYTHONPATH": _in_front(folder / "python", "PYTHONPATH"),
        # NVRTC and numba cache what they compile; a simulated card has its own cache.
        "CUDA_CACHE_PATH": str(folder / "cache"),
    }


def environment(folder: Path, text: str) -> dict[str, str]:
    """All variables of a child that finds the libraries of the folder.

    Its programs may be `python` or `gpukit` of this very environment, which need not be on PATH.

    Args:
        folder: Of `make_folder`.
        text: What is simulated, e.g. "2xT4".
    """
    return _env.for_child(Path(sys.executable).parent, GPUKIT_SIMULATE=text, **variables(folder))


def become(command: Sequence[str], text: str, simulated: Path) -> NoReturn:
    """Replace this process by the command, in a new folder.

    The command has this process's id, terminal and files. The folder is removed when it ends, even
    if it is killed.

    Args:
        command: An absolute path, and arguments.
        text: What is simulated, e.g. "2xT4".
        simulated: The folder of the simulated libraries.

    Raises:
        OSError: The command cannot be run.
    """
    folder = make_folder(simulated)
    held = _keep(folder)
    try:
        os.set_inheritable(held, True)
        (folder / OWNER).write_text(f"{os.getpid()} {held}", encoding="ascii")
        environment = {**_env.all_variables(), "GPUKIT_SIMULATE": text, **variables(folder)}
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(command[0], list(command), environment)  # noqa: S606
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)
        raise


def _keep(folder: Path) -> int:
    """Start the process that removes the folder once the returned descriptor is closed."""
    read, write = os.pipe()
    keeper = Path(__file__).with_name("keeper.py")
    try:
        subprocess.run(  # noqa: S603
            [sys.executable, "-I", "-S", str(keeper), str(folder), str(read)],
            pass_fds=(read,),
            stdin=subprocess.DEVNULL,
            check=True,
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(write)
        raise
    finally:
        os.close(read)
    return write


def _in_front(folder: Path, name: str) -> str:
    before = _env.text(name)
    return f"{folder}{os.pathsep}{before}" if before else str(folder)
