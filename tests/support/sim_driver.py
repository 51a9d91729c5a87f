"""A driver by itself, called as a client written in C would call it: simulated or real."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

SUCCESS = 0
NON_BLOCKING = 1
DISABLE_TIMING = 2
HOST_FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)

Address = c_uint64


class Objects(ctypes.Structure):
    """What gpukitSimLiveObjects counts."""

    _fields_ = [(name, c_uint64) for name in ("allocations", "streams", "events", "modules")]


class RampArgs(ctypes.Structure):
    """The one parameter of gk_ramp_i64, which writes start, start + 1, ... as int32."""

    _fields_ = [
        ("out", c_uint64),
        ("count", c_int64),
        ("start_float", c_double),
        ("step_float", c_double),
        ("start", c_int64),
        ("step", c_int64),
        ("dtype", c_int),
    ]

    def __init__(self, out: int, count: int, start: int = 0) -> None:
        super().__init__(out, count, 0.0, 0.0, start, 1, INT32)


INT32 = 6  # its row in csrc/base/dtypes.def
RAMP = "gk_ramp_i64"
RAMP_SIZES = [ctypes.sizeof(RampArgs)]
RAMP_THREADS = 256


def installed_folder() -> Path:
    """Where the installed package keeps its simulated libraries: beside its extension module."""
    extension = find_spec("gpukit._core")
    assert extension is not None and extension.origin is not None
    return Path(extension.origin).parent / "_sim"


class StatusError(AssertionError):
    """A call gave another status than the test expected."""


class Driver:
    """A loaded driver library. `call` checks the status of every function."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        self.contexts: list[c_void_p] = []

    def call(self, name: str, *args: Any, status: int = SUCCESS) -> None:
        """Call an exported function and compare its status."""
        got = getattr(self.library, name)(*args)
        if got != status:
            raise StatusError(f"{name} gave {got}, not {status}; {self.message()!r}")

    def message(self) -> str:
        """The last diagnostic, of a driver that has them."""
        return ""

    def retain_all(self) -> None:
        """Every device's primary context; the first becomes current on this thread."""
        self.call("cuInit", 0)
        count = c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        self.contexts = [self.retain(i) for i in range(count.value)]
        self.call("cuCtxSetCurrent", self.contexts[0])

    def retain(self, device: int) -> c_void_p:
        """A reference to a device's primary context."""
        context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        return context

    def attribute(self, attribute: int, device: int = 0) -> int:
        """A device attribute."""
        value = c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
        return value.value

    def name(self, device: int = 0) -> str:
        """A device's name."""
        text = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", text, 100, device)
        return text.value.decode()

    def allocate(self, size: int, status: int = SUCCESS) -> Address:
        """Device memory."""
        address = Address()
        self.call("cuMemAlloc_v2", ctypes.byref(address), c_size_t(size), status=status)
        return address

    def free(self, address: Address, status: int = SUCCESS) -> None:
        """Give device memory back."""
        self.call("cuMemFree_v2", address, status=status)

    def pinned(self, count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Page-locked float32 memory."""
        pointer = c_void_p()
        self.call("cuMemHostAlloc", ctypes.byref(pointer), c_size_t(4 * count), 0)
        floats = ctypes.cast(pointer, ctypes.POINTER(c_float))
        return np.ctypeslib.as_array(floats, (count,))

    def write(self, to: Address, array: np.ndarray, stream: Any = None, status: int = 0) -> None:
        """Host to device; the array is kept by the caller."""
        size = c_size_t(array.nbytes)
        source = c_void_p(array.ctypes.data)
        self.call("cuMemcpyHtoDAsync_v2", to, source, size, stream, status=status)

    def read_into(self, array: np.ndarray, start: Address, stream: Any = None) -> None:
        """Device to host."""
        size = c_size_t(array.nbytes)
        self.call("cuMemcpyDtoHAsync_v2", c_void_p(array.ctypes.data), start, size, stream)

    def upload(self, array: np.ndarray) -> Address:
        """A device copy of an array."""
        flat = np.ascontiguousarray(array)
        address = self.allocate(flat.nbytes)
        self.write(address, flat)
        return address

    def download(self, start: Address, count: int, dtype: Any) -> np.ndarray:
        """Elements of device memory."""
        array = np.empty(count, dtype)
        self.read_into(array, start)
        return array

    def stream(self, flags: int = NON_BLOCKING) -> c_void_p:
        """A new stream."""
        handle = c_void_p()
        self.call("cuStreamCreate", ctypes.byref(handle), flags)
        return handle

    def event(self, flags: int = 0) -> c_void_p:
        """A new event."""
        handle = c_void_p()
        self.call("cuEventCreate", ctypes.byref(handle), flags)
        return handle

    def elapsed_ms(self, start: c_void_p, end: c_void_p) -> float:
        """Milliseconds between two recorded events."""
        milliseconds = c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), start, end)
        return milliseconds.value

    def fill(self, to: Address, value: int, count: int, stream: Any = None) -> None:
        """Queue a fill of 32-bit words."""
        self.call("cuMemsetD32Async", to, c_uint(value), c_size_t(count), stream)

    def load(self, image: bytes, status: int = SUCCESS) -> c_void_p:
        """A module from an image."""
        module = c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image + b"\0", status=status)
        return module

    def function(self, module: c_void_p, name: str, status: int = SUCCESS) -> c_void_p:
        """A kernel of a module."""
        handle = c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(handle), module, name.encode(), status=status)
        return handle

    def launch(
        self,
        function: c_void_p,
        grid: int,
        block: int,
        *args: Any,
        stream: Any = None,
        status: int = SUCCESS,
    ) -> None:
        """Launch a one-dimensional grid."""
        pointers = (c_void_p * max(1, len(args)))(
            *[ctypes.cast(ctypes.pointer(argument), c_void_p) for argument in args]
        )
        shape = (grid, 1, 1, block, 1, 1, 0)
        self.call("cuLaunchKernel", function, *shape, stream, pointers, None, status=status)


class SimDriver(Driver):
    """A copy of the simulated driver, with what only it has."""

    def __init__(self, library: Path) -> None:
        super().__init__(library)
        self.library.gpukitSimLastMessage.restype = c_char_p
        self.library.gpukitSimCards.restype = c_char_p
        self.library.gpukitSimVersion.restype = c_char_p
        self.library.gpukitSimClockMs.restype = c_double
        self.library.gpukitSimCallCount.restype = c_uint64

    def message(self) -> str:
        """The last diagnostic."""
        return self.library.gpukitSimLastMessage().decode()

    def configure(self, text: str) -> str:
        """Start a simulation; returns what is wrong with the text, if anything."""
        failed = self.library.gpukitSimConfigure(text.encode())
        assert failed in (0, 1)
        return self.message() if failed else ""

    def start(self, text: str) -> None:
        """Start a simulation with the first device's context current on this thread."""
        assert self.configure(text) == ""
        self.retain_all()

    def objects(self) -> Objects:
        """What the clients have not given back."""
        counts = Objects()
        self.library.gpukitSimLiveObjects(ctypes.byref(counts))
        return counts
