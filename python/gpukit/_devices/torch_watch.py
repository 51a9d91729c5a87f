"""What torch's calls wait for, by line: copies, values read, synchronisations.

A TorchDispatchMode sees the operators that copy between devices or read a value, a
TorchFunctionMode which of torch's functions called it, and replacements for torch's functions of
synchronisation are called instead of them while it watches. On a GPU torch's own debug mode names
the lines that wait inside other operators. Only the thread that starts it is seen.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

# torch's functions -> what a wait inside of them is for, in the words of gpukit.watch.
_REASONS = {
    "item": "item",
    "tolist": "item",
    "__float__": "item",
    "__int__": "item",
    "__index__": "item",
    "__bool__": "bool",
    "__repr__": "print",
    "__format__": "print",
    "numpy": "numpy",
    "__array__": "numpy",
    "__getitem__": "index",
    "__setitem__": "index",
}
# Operators whose result size the host must read from the device.
_SIZED = {"nonzero", "masked_select", "_unique2", "unique_dim", "unique_consecutive"}
_DEBUG_TEXT = "called a synchronizing CUDA operation"
_PLACES = (("cuda", "synchronize"), ("accelerator", "synchronize"))
_CLASSES = ("Event", "Stream")
Row = tuple[str, int, str, str, int, int, float]


class TorchWatch:
    """Counts from start() to stop(). `told` is called with the kind and the bytes before a wait."""

    def __init__(
        self,
        kinds: list[str],
        min_bytes: int,
        told: Callable[[str, int], None] | None = None,
        allowed: Callable[[], bool] = lambda: False,
    ) -> None:
        self._kinds = set(kinds)
        self._min_bytes = min_bytes
        self._told = told
        self._allowed = allowed
        self._inner: tuple[str, ...] = (str(Path(__file__).parent.parent) + "/", warnings.__file__)
        self._rows: dict[tuple[str, int, str, str], tuple[int, int, float]] = {}
        self._reasons: list[str] = []
        self._modes: list[Any] = []
        self._undo: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begins, in this thread. ImportError without torch."""
        import torch

        self._inner = (*self._inner, str(Path(torch.__file__).parent) + "/")
        self._modes = [_function_mode(self), _dispatch_mode(self)]
        for mode in self._modes:
            mode.__enter__()
        for name, function in _PLACES:
            self._replace(getattr(torch, name, None), function)
        for name in _CLASSES:
            self._replace(getattr(torch.cuda, name, None), "synchronize")
        if torch.cuda.is_available():
            self._listen_to_debug_mode(torch)

    def stop(self) -> None:
        """Ends; a second time does nothing."""
        for undo in reversed(self._undo):
            undo()
        self._undo = []
        for mode in reversed(self._modes):
            mode.__exit__(None, None, None)
        self._modes = []

    def rows(self) -> list[Row]:
        """(file, line, function, kind, count, bytes, seconds) for each line and kind."""
        return [(*key, *values) for key, values in self._rows.items()]

    def _replace(self, owner: Any, name: str) -> None:
        real = getattr(owner, name, None)
        if real is None:
            return

        def synchronize(*args: Any, **kwargs: Any) -> Any:
            return self.wait("sync", 0, lambda: real(*args, **kwargs))

        try:
            setattr(owner, name, synchronize)
        except TypeError:  # a type of the extension
            return
        self._undo.append(lambda: setattr(owner, name, real))

    def _listen_to_debug_mode(self, torch: Any) -> None:
        """Torch's warnings of waits: those that no row has are of kind "sync"."""
        before, show = torch.cuda.get_sync_debug_mode(), warnings.showwarning
        torch.cuda.set_sync_debug_mode("warn")
        warnings.filterwarnings("always", message=f".*{_DEBUG_TEXT}")
        warnings.showwarning = self.take_warning(show)

        def undo() -> None:
            torch.cuda.set_sync_debug_mode(before)
            warnings.showwarning = show

        self._undo.append(undo)

    def take_warning(self, show: Callable[..., Any]) -> Callable[..., Any]:
        """A showwarning that counts torch's warnings of waits and shows all others."""

        def shown(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> Any:
            if _DEBUG_TEXT not in str(message):
                return show(message, category, filename, lineno, *rest)
            place = self._location()
            if not any(key[:2] == place[:2] for key in self._rows):
                self._count("sync", 0, 0.0, place)
            return None

        return shown

    # What the modes report.

    def entering(self, name: str) -> bool:
        """One of torch's functions begins; True where it is a reason to wait."""
        if name in _REASONS and not self._reasons:
            self._reasons.append(_REASONS[name])
            return True
        return False

    def leaving(self) -> None:
        """It has ended."""
        self._reasons.pop()

    def operator(self, function: Any, args: Any, kwargs: Any, call: Callable[[], Any]) -> Any:
        """Runs an operator, and counts it if it waits."""
        kind, size = self._kind(function.overloadpacket.__name__, args, kwargs)
        return call() if kind is None else self.wait(kind, size, call)

    def _kind(self, name: str, args: Any, kwargs: Any) -> tuple[str | None, int]:
        reason = self._reasons[0] if self._reasons else None
        first: Any = args[0] if args else None
        there = getattr(getattr(first, "device", None), "type", "cpu") != "cpu"
        if name == "_local_scalar_dense" and there:
            return reason or "item", first.element_size()
        if name == "_to_copy":
            return self._copy(first, kwargs.get("device"), kwargs, reason)
        if name == "copy_" and len(args) > 1 and hasattr(args[1], "device"):
            options = {"non_blocking": len(args) > 2 and args[2], **kwargs}
            return self._copy(args[1], first.device, options, reason)
        if name in _SIZED and there:
            return "index", first.element_size()
        if name == "index" and there and _has_mask(args[1]):
            return "index", first.element_size()
        return None, 0

    @staticmethod
    def _copy(
        source: Any, target: Any, options: dict[str, Any], reason: str | None
    ) -> tuple[str | None, int]:
        """A copy to the CPU waits unless it is non_blocking; so does one of ordinary memory."""
        there = getattr(target, "type", str(target).partition(":")[0]) if target else None
        here, size = source.device.type, source.numel() * source.element_size()
        if there in {None, here}:
            return None, 0
        if there == "cpu":
            return (None, 0) if options.get("non_blocking") else (reason or "copy", size)
        if here == "cpu" and not (options.get("non_blocking") and source.is_pinned()):
            return "pageable", size
        return None, 0

    def wait(self, kind: str, size: int, call: Callable[[], Any]) -> Any:
        """Calls, and counts it with its bytes and its time."""
        if kind not in self._kinds or size < self._min_bytes or self._allowed():
            return call()
        if self._told is not None:
            self._told(kind, size)
        place = self._location()
        begin = time.perf_counter()
        try:
            return call()
        finally:
            self._count(kind, size, time.perf_counter() - begin, place)

    def _count(self, kind: str, size: int, seconds: float, place: tuple[str, int, str]) -> None:
        key = (*place, kind)
        count, total, waited = self._rows.get(key, (0, 0, 0.0))
        self._rows[key] = (count + 1, total + size, waited + seconds)

    def _location(self) -> tuple[str, int, str]:
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((*self._inner, "<frozen")):
                return file, frame.f_lineno, frame.f_code.co_name
            frame = frame.f_back
        return "", 0, ""


def _has_mask(indices: Any) -> bool:
    dtypes = {str(getattr(index, "dtype", "")) for index in indices}
    return bool(dtypes & {"torch.bool", "torch.uint8"})


def _function_mode(watch: TorchWatch) -> Any:
    from torch.overrides import TorchFunctionMode

    class Reasons(TorchFunctionMode):  # type: ignore[misc]  # mypy does not see torch
        def __torch_function__(
            self, function: Any, _types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            entered = watch.entering(getattr(function, "__name__", ""))
            try:
                return function(*args, **(kwargs or {}))
            finally:
                if entered:
                    watch.leaving()

    return Reasons()


def _dispatch_mode(watch: TorchWatch) -> Any:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operators(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, function: Any, _types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            options = kwargs or {}
            return watch.operator(function, args, options, lambda: function(*args, **options))

    return Operators()
