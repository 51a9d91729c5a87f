"""Runs a program of other CUDA libraries and gpukit on a driver that passes as a real one.

    PYTHONPATH=tests python -m support.run_beside 2xT4 examples/cuda/share_with_numba.py

`gpukit sim` does not serve here: memory of a device that says that it is simulated is not shared.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gpukit._simulation.folder import environment, sim_folder
from support.mode import TESTS
from support.real_driver import make_driver, variables_of
from support.sim_driver import installed_folder

START = """
import runpy, sys
from support.real_driver import configure
configure(sys.argv.pop(1))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def main(cards: str, program: str, *arguments: str) -> int:
    """The program's exit status."""
    with sim_folder(installed_folder()) as folder:
        for name in ("libcuda.so.1", "libcuda.so"):
            (folder / name).unlink()
        driver = make_driver(folder)
        (folder / "libcuda.so").symlink_to(driver)
        env = environment(folder, cards)
        del env["GPUKIT_SIMULATE"]
        env |= variables_of(driver)
        env["PYTHONPATH"] += os.pathsep + str(TESTS)
        command = [sys.executable, "-c", START, cards, str(Path(program).resolve())]
        return subprocess.run([*command, *arguments], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
