"""NCCL, opened from a place that was checked, and its communicators of this process's GPUs.

Those of several processes are gpukit.distributed's.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gpukit import _core
from gpukit.errors import DeviceError, DistributedError

_SUCCESS, _UNHANDLED_CUDA_ERROR, _IN_PROGRESS = 0, 1, 7
_OLDEST = 21000  # 2.10: bfloat16 and the average

# NCCL's numbers of dtypes and reductions.
TYPES = {
    "int8": 0,
    "uint8": 1,
    "int32": 2,
    "uint32": 3,
    "int64": 4,
    "uint64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
    "bfloat16": 9,
}
OPS = {"sum": 0, "product": 1, "max": 2, "min": 3, "avg": 4}

_pointer, _int, _size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
UniqueId = ctypes.c_ubyte * 128


class _UniqueId(ctypes.Structure):
    """It is passed by value, which arrays are not."""

    _fields_ = (("bytes", UniqueId),)


# Arguments of the functions in use; all return a status but those of texts.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "ncclGetVersion": (ctypes.POINTER(_int),),
    "ncclCommInitAll": (ctypes.POINTER(_pointer), _int, ctypes.POINTER(_int)),
    "ncclGetUniqueId": (ctypes.POINTER(_UniqueId),),
    "ncclCommInitRank": (ctypes.POINTER(_pointer), _int, _UniqueId, _int),
    "ncclCommDestroy": (_pointer,),
    "ncclCommAbort": (_pointer,),
    "ncclCommGetAsyncError": (_pointer, ctypes.POINTER(_int)),
    "ncclGroupStart": (),
    "ncclGroupEnd": (),
    "ncclAllReduce": (_pointer, _pointer, _size, _int, _int, _pointer, _pointer),
    "ncclReduce": (_pointer, _pointer, _size, _int, _int, _int, _pointer, _pointer),
    "ncclBroadcast": (_pointer, _pointer, _size, _int, _int, _pointer, _pointer),
    "ncclAllGather": (_pointer, _pointer, _size, _int, _pointer, _pointer),
    "ncclReduceScatter": (_pointer, _pointer, _size, _int, _int, _pointer, _pointer),
    "ncclSend": (_pointer, _size, _int, _int, _pointer, _pointer),
    "ncclRecv": (_pointer, _size, _int, _int, _pointer, _pointer),
}
_TEXTS = {"ncclGetErrorString": (_int,), "ncclGetLastError": (_pointer,)}


class Library:
    """One NCCL. Its calls are made one after the other: a group belongs to a thread."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._library = ctypes.CDLL(path)
        for name, arguments in _FUNCTIONS.items():
            getattr(self._library, name).argtypes = arguments
        for name, arguments in _TEXTS.items():
            getattr(self._library, name).argtypes = arguments
            getattr(self._library, name).restype = ctypes.c_char_p
        self._lock = threading.RLock()
        self._communicators: dict[tuple[int, ...], list[Any]] = {}
        self._session = _core.session_id()  # that the communicators were made in
        number = _int()
        self.call("ncclGetVersion", ctypes.byref(number))
        self.version = number.value

    def call(self, function: str, *arguments: Any) -> None:
        """Call a function; its status as an exception."""
        status = getattr(self._library, function)(*arguments)
        if status == _SUCCESS:
            return
        words = self._library.ncclGetErrorString(status).decode(errors="replace")
        more = (self._library.ncclGetLastError(None) or b"").decode(errors="replace").strip()
        kind = DeviceError if status == _UNHANDLED_CUDA_ERROR else DistributedError
        raise kind(
            f"{function}: {words}{': ' if more else ''}{more}",
            details={"status": status, "function": function},
        )

    @contextmanager
    def group(self, devices: Sequence[int]) -> Iterator[list[Any]]:
        """One call for each device, queued together: gives their communicators."""
        with self._lock:
            communicators = self._communicators_of(tuple(devices))
            self.call("ncclGroupStart")
            try:
                yield communicators
            except BaseException:  # some ranks are queued and others are not: none may wait
                self._library.ncclGroupEnd()
                self._abort(tuple(devices))
                raise
            self.call("ncclGroupEnd")

    def _communicators_of(self, devices: tuple[int, ...]) -> list[Any]:
        if self._session != _core.session_id():
            for each in list(self._communicators):
                self._abort(each)
            self._session = _core.session_id()
        known = self._communicators.get(devices)
        if known is not None:
            self._check(devices, known)
            return known
        made = (_pointer * len(devices))()
        self.call("ncclCommInitAll", made, len(devices), (_int * len(devices))(*devices))
        return self._communicators.setdefault(devices, list(made))

    # ---- communicators of several processes ----

    def unique_id(self) -> bytes:
        """What one rank makes, and all ranks join with."""
        made = _UniqueId()
        self.call("ncclGetUniqueId", ctypes.byref(made))
        return bytes(made.bytes)

    def join(self, identity: bytes, ranks: int, rank: int, device: int) -> Any:
        """The communicator of this rank, on a device; waits for the other ranks."""
        made = _pointer()
        given = _UniqueId(UniqueId.from_buffer_copy(identity))
        with _current(device):
            self.call("ncclCommInitRank", ctypes.byref(made), ranks, given, rank)
        return made

    def leave(self, communicator: Any) -> None:
        """Release a communicator whose operations have ended."""
        self.call("ncclCommDestroy", communicator)

    def abort(self, communicator: Any) -> None:
        """End a communicator's operations, and release it."""
        self._library.ncclCommAbort(communicator)

    def error_of(self, communicator: Any) -> str:
        """What went wrong with an operation on the GPU; "" if nothing did."""
        failed = _int()
        self.call("ncclCommGetAsyncError", communicator, ctypes.byref(failed))
        if failed.value in {_SUCCESS, _IN_PROGRESS}:
            return ""
        words = self._library.ncclGetErrorString(failed.value).decode(errors="replace")
        more = (self._library.ncclGetLastError(communicator) or b"").decode(errors="replace")
        return f"{words}{': ' if more else ''}{more.strip()}"

    def _abort(self, devices: tuple[int, ...]) -> None:
        for each in self._communicators.pop(devices, ()):
            self.abort(each)

    def _check(self, devices: tuple[int, ...], communicators: list[Any]) -> None:
        """An earlier call may have failed on the GPUs: its communicators are given up."""
        failures = [failure for each in communicators if (failure := self.error_of(each))]
        if failures:
            self._abort(devices)
            raise DistributedError(
                f"nccl: an earlier operation of the GPUs {list(devices)} failed: {failures[0]}"
            )


@contextmanager
def _current(device: int) -> Iterator[None]:
    """A device's context is this thread's: NCCL asks for it where it is not told a device."""
    driver = ctypes.CDLL(str(_core.driver_report()["library"]))
    context = _pointer()
    _check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), device)
    try:
        _check(driver.cuCtxPushCurrent_v2(context), device)
        try:
            yield
        finally:
            driver.cuCtxPopCurrent_v2(ctypes.byref(context))
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(device)


def _check(status: int, device: int) -> None:
    if status != _SUCCESS:
        raise DeviceError(
            f"nccl: the driver gave {status} for the context of cuda:{device}",
            details={"status": status},
        )


_opened: dict[str, Library] = {}


def _after_fork() -> None:
    """A child has its parent's communicators and lock, and may use neither."""
    _opened.clear()


os.register_at_fork(after_in_child=_after_fork)


def library() -> Library:
    """NCCL for the driver in use. DistributedError with the places that were tried without one."""
    driver = str(_core.driver_report()["library"])
    closed, candidates = _core.nccl_candidates(driver)
    tried = [f"not looked for: {closed}"] if closed else []
    for path, _, refusal in candidates:
        if path in _opened:
            return _opened[path]
        if refusal:
            tried.append(f"{path} is not used: {refusal}")
            continue
        try:
            found = Library(path)
        except (OSError, AttributeError) as error:
            tried.append(f"{path} cannot be used: {error}")
            continue
        if found.version < _OLDEST:
            tried.append(f"{path} is too old ({found.version}); NCCL 2.10 is needed")
            continue
        return _opened.setdefault(path, found)
    raise DistributedError(
        f"nccl: no usable NCCL ({'; '.join(tried) or 'libnccl.so.2 was not found'}). It comes with "
        "torch for CUDA; alone: pip install nvidia-nccl-cu12",
        fix="pip install nvidia-nccl-cu12",
    )
