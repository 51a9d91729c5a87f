"""NVML through nvidia-ml-py. The only place that calls it; every call is guarded.

nvidia-ml-py loads NVML by its bare name, which may be a file from any source. gpukit keeps a copy
of that module to itself and passes it the handle of a library that was checked under its absolute
path: the
driver's own, or the one that belongs to a simulation. Without such a library nothing is started.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import stat
import sys
import threading
import time
from types import ModuleType
from typing import Any

from gpukit import _core, _env

_COPY = "gpukit.monitor._pynvml"
_WORDS = {
    1: "NVML is not started",
    2: "NVML refused the question",
    3: "not supported by this GPU",
    4: "no permission",
    6: "not found",
    7: "NVML's result did not fit",
    9: "NVIDIA's kernel driver is not loaded",
    10: "NVML timed out",
    12: "NVML's library was not found",
    13: "this driver is too old to report it",
    14: "the card's information memory is damaged",
    15: "the GPU is lost: it fell off the bus; restart the machine",
    16: "the GPU needs a reset",
    17: "the operating system refused",
    18: "driver and NVML are of different versions; restart the machine",
    20: "NVML is out of memory",
    21: "no data",
    27: "not ready yet",
    28: "the GPU was not found",
    999: "unknown error of NVML",
}
NOT_SUPPORTED = _WORDS[3]
_OUR_MODULE_MISSING = "nvidia-ml-py is not installed; use pip install nvidia-ml-py"


class NvmlFault(Exception):  # noqa: N818 (never leaves this package)
    """Why a reading is missing."""

    def __init__(self, reason: str, code: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


class Library:
    """One NVML, started."""

    def __init__(self, module: ModuleType, path: str) -> None:
        self.path = path
        self.readers: dict[int, Any] = {}  # by GPU; kept for what hangs (reading.py)
        self.stuck: dict[str, float] = {}
        self._module = module
        self._error: type[Exception] = module.NVMLError

    def constant(self, name: str) -> Any:
        """A value that nvidia-ml-py names."""
        return getattr(self._module, name)

    def call(self, function: str, *arguments: Any, **options: Any) -> Any:
        """Call an NVML function by name; NvmlFault with the reason when it fails."""
        try:
            return getattr(self._module, function)(*arguments, **options)
        except self._error as error:
            code = int(getattr(error, "value", 0))
            reason = _WORDS.get(code, f"NVML error {code}")
            raise NvmlFault(reason, code) from None
        except AttributeError:
            raise NvmlFault("this nvidia-ml-py is too old to ask", 13) from None
        except (OSError, ValueError, TypeError, MemoryError, RuntimeError) as error:
            raise NvmlFault(f"nvidia-ml-py failed: {error}") from None

    def newest(self, *functions: str, arguments: tuple[Any, ...] = ()) -> Any:
        """The result of the first of these functions that the driver has."""
        fault = NvmlFault(_WORDS[13], 13)
        for function in functions:
            try:
                return self.call(function, *arguments)
            except NvmlFault as error:  # noqa: PERF203
                fault = error
                if error.code != 13:
                    break
        raise fault


class _Opening:
    """A library being opened, in a thread: the first call may hang for hours on a sick driver."""

    def __init__(self, driver: str) -> None:
        self.started = time.monotonic()
        self.library: Library | None = None
        self.reason, self.code = "", 0
        self._done = threading.Event()
        threading.Thread(
            target=self._run, args=(driver,), name="gpukit-nvml-open", daemon=True
        ).start()

    def _run(self, driver: str) -> None:
        try:
            self.library = _open(driver)
        except NvmlFault as fault:
            self.reason, self.code = fault.reason, fault.code
        except Exception as error:  # whatever it was, it is the reason
            self.reason = f"NVML could not be opened: {error}"
        self._done.set()

    def failed(self) -> bool:
        return self._done.is_set() and self.library is None

    def wait(self, seconds: float) -> Library:
        """The library, or NvmlFault."""
        if not self._done.wait(max(0.0, seconds)):
            waited = time.monotonic() - self.started
            raise NvmlFault(f"NVML has not responded for {waited:.1f} s while it starts")
        if self.library is None:
            raise NvmlFault(self.reason, self.code)
        return self.library


_lock = threading.Lock()
_openings: dict[str, _Opening] = {}


def _forget_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    _openings.clear()


os.register_at_fork(after_in_child=_forget_after_fork)


def library(seconds: float = 0.9) -> Library:
    """NVML of the driver in use, started; NvmlFault with the reason when there is none in time.

    Starts a simulation that GPUKIT_SIMULATE asks for, but never the real driver.
    """
    driver = _driver_path()
    with _lock:
        opening = _openings.get(driver)
        if opening is None or opening.failed():  # a driver may come while the process runs
            opening = _openings[driver] = _Opening(driver)
    return opening.wait(seconds)


def _driver_path() -> str:
    """The driver library that this process has open, or "" when there is none yet."""
    if not _core.session_is_open() and _env.text("GPUKIT_SIMULATE"):
        _core.prepare_cuda()
    if not _core.session_is_open():
        return ""
    return str(_core.driver_report()["library"])


def _open(driver: str) -> Library:
    closed, candidates = _core.nvml_candidates(driver)
    if closed:
        raise NvmlFault(f"NVML is not looked for: {closed}")
    refusals = []
    for path, _, refusal in candidates:
        if refusal:
            refusals.append(f"{path} is not used: {refusal}")
            continue
        try:
            _open_driver_of(path)
            handle = ctypes.CDLL(path)
        except OSError as error:
            refusals.append(f"{path} cannot be loaded: {error}")
            continue
        return _start(handle, path)
    raise NvmlFault("; ".join(refusals) or "no NVIDIA driver was found (no libnvidia-ml.so.1)")


def _open_driver_of(nvml: str) -> None:
    """Open the driver that came with this NVML, where NVML might open another file, unstarted.

    NVML opens libcuda.so.1 by its name alone. If an entry of LD_LIBRARY_PATH is empty or relative,
    the loader also looks in the working directory; a library that is open is not looked for. In
    any other case the loader's choice stands, for example a driver of the package cuda-compat.
    """
    if not _searches_working_directory(_env.text("LD_LIBRARY_PATH")) or _driver_is_open():
        return
    driver = os.path.join(os.path.dirname(os.path.realpath(nvml)), "libcuda.so.1")  # noqa: PTH118, PTH120
    if os.path.isfile(driver) and not os.stat(driver).st_mode & stat.S_IWOTH:  # noqa: PTH113, PTH116
        with contextlib.suppress(OSError):  # NVML may do without
            ctypes.CDLL(driver)


def _searches_working_directory(library_path: str) -> bool:
    entries = library_path.replace(";", ":").split(":") if library_path else []
    return any(not entry.startswith("/") for entry in entries)


def _driver_is_open() -> bool:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:  # noqa: PTH123
            return any("/libcuda.so" in line for line in maps)
    except OSError:
        return False


def _start(handle: ctypes.CDLL, path: str) -> Library:
    module = _own_copy()
    module.nvmlLib = handle  # type: ignore[attr-defined]
    opened = Library(module, path)
    opened.call("nvmlInitWithFlags", 0)
    return opened


def _own_copy() -> ModuleType:
    """nvidia-ml-py, executed once more under another name: other users of it see nothing of us."""
    found = importlib.util.find_spec("pynvml")
    if found is None or found.origin is None:
        raise NvmlFault(_OUR_MODULE_MISSING)
    spec = importlib.util.spec_from_file_location(_COPY, found.origin)
    if spec is None or spec.loader is None:
        raise NvmlFault(_OUR_MODULE_MISSING)
    module = importlib.util.module_from_spec(spec)
    sys.modules[_COPY] = module  # it looks itself up there for its error classes
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules.pop(_COPY, None)
    if not hasattr(module, "nvmlLib") or not hasattr(module, "nvmlInitWithFlags"):
        raise NvmlFault(f"{found.origin} is not nvidia-ml-py; use pip install nvidia-ml-py")
    return module
