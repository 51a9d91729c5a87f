"""A driver that does not say that it is simulated: what gpukit does with foreign memory shows.

It is a copy of the installed simulated driver with its `gpukitSim…` names taken away, made anew by
each test run in a folder of its own. Nothing like it is installed; tools/check_wheel.py refuses it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from support.mode import TESTS
from support.sim_driver import NON_BLOCKING, Address, Driver, installed_folder

MARK, WITHOUT = b"gpukitSim", b"gpukitGpu"


def without_marks(library: bytes) -> bytes:
    """The library, whose `gpukitSim…` symbols nobody finds any more."""
    assert MARK + b"Version\0" in library
    return library.replace(MARK, WITHOUT)


def place(library: ctypes.CDLL, name: str) -> int:
    """The address of an exported function."""
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def configure(text: str) -> None:
    """Choose the cards, before gpukit starts. Nobody finds the function by its name any more, so
    its distance from another one is taken from the library as it was.
    """
    marked = ctypes.CDLL(str(installed_folder() / "libgpukit_simcuda.so"))
    distance = place(marked, "gpukitSimConfigure") - place(marked, "cuInit")
    driver = ctypes.CDLL(os.environ["GPUKIT_LIBCUDA"])
    start = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(place(driver, "cuInit") + distance)
    assert start(text.encode()) == 0


def make_driver(folder: Path) -> Path:
    """A libcuda.so.1 in the folder."""
    path = folder / "libcuda.so.1"
    path.write_bytes(without_marks((installed_folder() / "libgpukit_simcuda.so").read_bytes()))
    return path


def variables_of(driver: Path) -> dict[str, str]:
    """The variables of a process whose gpukit uses this driver, as on a machine with GPUs."""
    return {"GPUKIT_LIBCUDA": str(driver), "GPUKIT_CUBLAS": "none", "GPUKIT_TEST_MODE": "gpu"}


def run_beside(driver: Path, code: str, cards: str = "2xT4,mem=512MiB", **variables: str) -> str:
    """What a process prints that has this driver; `code` sees this module's names."""
    env = {name: value for name, value in os.environ.items() if name != "GPUKIT_SIMULATE"}
    env |= {**variables_of(driver), "PYTHONPATH": str(TESTS)}
    prelude = "import gpukit, numpy as np, pytest\nfrom support.real_driver import *\n"
    prelude += f"configure({cards!r})\n"
    child = subprocess.run(
        [sys.executable, "-c", prelude + code],
        env=env | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, f"exit {child.returncode}\n{child.stderr[-4000:]}"
    return child.stdout.strip()


class Library:
    """Another library of the process: the same driver, its own memory and streams."""

    def __init__(self) -> None:
        self.driver = Driver(Path(os.environ["GPUKIT_LIBCUDA"]))
        self.driver.retain_all()

    def on(self, device: int) -> Driver:
        """The driver with the device's context current."""
        self.driver.call("cuCtxSetCurrent", self.driver.contexts[device])
        return self.driver

    def array(self, values: Any, device: int = 0, **entries: Any) -> Array:
        """An array on a device."""
        host = np.ascontiguousarray(values)
        driver = self.on(device)
        address = driver.allocate(max(host.nbytes, 1))
        driver.call(
            "cuMemcpyHtoD_v2",
            address,
            ctypes.c_void_p(host.ctypes.data),
            ctypes.c_size_t(host.nbytes),
        )
        self.on(0)
        return Array(self, host, device, address, entries)

    def stream(self, device: int = 0) -> int:
        """A non-blocking stream, as torch's side streams are."""
        handle = self.on(device).stream(NON_BLOCKING).value
        self.on(0)
        assert handle is not None
        return handle


class Array:
    """An array with __cuda_array_interface__; `entries` replace what it says (None: leave out)."""

    def __init__(
        self, library: Library, host: Any, device: int, address: Address, entries: Any
    ) -> None:
        self.library, self.host, self.device, self.address = library, host, device, address
        self.entries = entries

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        whole = {
            "shape": self.host.shape,
            "typestr": self.host.dtype.str,
            "data": (self.address.value if self.host.size else 0, False),
            "version": 3,
            "stream": None,
        }
        return {name: value for name, value in (whole | self.entries).items() if value is not ...}

    def values(self) -> Any:
        """What its memory holds now."""
        self.library.on(self.device).call("cuCtxSynchronize")
        found = self.library.driver.download(self.address, self.host.size, self.host.dtype)
        self.library.on(0)
        return found.reshape(self.host.shape)

    def free(self) -> None:
        """Give the memory back to the driver."""
        self.library.on(self.device).free(self.address)
        self.library.on(0)
