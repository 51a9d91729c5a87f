"""The same function in other libraries: their arrays, their clocks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import gpukit
from gpukit.bench.case import map_tensors
from gpukit.bench.clock import DeviceClock

# Functions of torch's name that NumPy and its likes call otherwise.
_NUMPY_NAMES = {"bmm": "matmul", "cat": "concatenate", "clone": "copy", "mm": "matmul"}
KNOWN = ("gpukit", "numpy", "torch", "cupy", "jax")


def check_libraries(libraries: Any) -> tuple[str, ...]:
    """The names as a tuple. ValueError with the known ones for an unknown name."""
    names = (libraries,) if isinstance(libraries, str) else tuple(libraries)
    unknown = [name for name in names if name not in KNOWN]
    if unknown or not names:
        from gpukit._names.suggest import near

        meant = near(str(unknown[0]), KNOWN) if unknown else None
        hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(KNOWN)}."
        raise ValueError(f"bench: libraries must name libraries, got {libraries!r}. {hint}")
    return names


class Library:
    """How to run a function with another library's arrays on one device."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def installed(self) -> bool:
        """True when the package can be found; it is not imported."""
        return find_spec(self.name) is not None

    def module(self) -> ModuleType:
        """The package, imported."""
        return import_module(self.name)

    def reaches(self, device: Any) -> bool:
        """True when the library computes on this device. Only gpukit computes on simulated ones."""
        return bool(device.type == "cpu")

    def function(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The library's function with the same name as gpukit's; other functions run unchanged."""
        name = getattr(fn, "__name__", "")
        if getattr(gpukit, name, None) is not fn:
            return fn
        library = self._functions()
        found = getattr(library, name, None) or getattr(library, _NUMPY_NAMES.get(name, ""), None)
        if found is None:
            raise AttributeError(f"{self.name} has no {name!r}")
        return found  # type: ignore[no-any-return]

    def _functions(self) -> Any:
        return self.module()

    def array(self, tensor: Any, device: Any) -> Any:  # noqa: ARG002 (NumPy has one device)
        """The tensor's values as an array of the library on the device."""
        return tensor.cpu().numpy().copy()

    def inputs(self, value: Any, device: Any) -> Any:
        """Every tensor of a value as the library's array."""
        return map_tensors(value, lambda tensor: self.array(tensor, device))

    def wait(self, device: Any) -> Callable[[], None] | None:  # noqa: ARG002
        """What waits for the library's work; None when it is done at return."""
        return None

    def clock(self, device: Any, *, flush_l2: bool) -> DeviceClock:
        """The host clock, which waits for the library's work, and for gpukit's in the function."""
        wait = self.wait(device)
        return DeviceClock(flush_l2=flush_l2, wait=None if wait is None else lambda _answer: wait())


class _Torch(Library):
    def reaches(self, device: Any) -> bool:
        real = device.type == "cpu" or not device.simulated
        return real and (device.type == "cpu" or self.module().cuda.is_available())

    def array(self, tensor: Any, device: Any) -> Any:
        return self.module().from_numpy(super().array(tensor, device)).to(str(device))

    def wait(self, device: Any) -> Callable[[], None] | None:
        if device.type == "cpu":
            return None
        return lambda: self.module().cuda.synchronize(str(device))


class _Cupy(Library):
    def reaches(self, device: Any) -> bool:
        return device.type == "cuda" and not device.simulated

    def array(self, tensor: Any, device: Any) -> Any:
        with self.module().cuda.Device(device.index):
            return self.module().asarray(super().array(tensor, device))

    def wait(self, device: Any) -> Callable[[], None] | None:
        return lambda: self.module().cuda.Device(device.index).synchronize()


class _Jax(Library):
    def _device(self, device: Any) -> Any:
        platform = "cpu" if device.type == "cpu" else "gpu"
        return self.module().devices(platform)[device.index or 0]

    def reaches(self, device: Any) -> bool:
        if device.type != "cpu" and device.simulated:
            return False
        with contextlib.suppress(RuntimeError, IndexError):
            return self._device(device) is not None
        return False

    def _functions(self) -> Any:
        return import_module("jax.numpy")

    def array(self, tensor: Any, device: Any) -> Any:
        return self.module().device_put(super().array(tensor, device), self._device(device))

    def function(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        inner = super().function(fn)
        ready = self.module().block_until_ready
        return lambda *args, **kwargs: ready(inner(*args, **kwargs))


def library(name: str) -> Library:
    """The library of a known name."""
    kinds: dict[str, type[Library]] = {"torch": _Torch, "cupy": _Cupy, "jax": _Jax}
    return kinds.get(name, Library)(name)
