"""Waiting for what other libraries queued: torch, CuPy and JAX, each in its own way."""

from __future__ import annotations

import contextlib
import dis
import functools
import itertools
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gpukit.errors import BenchError

# Libraries that queue work and that bench cannot wait for, with what does.
_UNKNOWN = {
    "mlx": "mlx.core.synchronize",
    "numba.cuda": "numba.cuda.synchronize",
    "paddle": "paddle.device.synchronize",
    "pycuda": "pycuda.driver.Context.synchronize",
    "pyopencl": "queue.finish",
    "taichi": "taichi.sync",
    "tensorflow": "tensorflow.experimental.sync_devices",
    "tinygrad": "tinygrad.Device.default.synchronize",
    "warp": "warp.synchronize",
}
_MAX_DEPTH = 5
_MAX_SEEN = 5000
_MAX_LISTED = 100
_PLAIN = {int, float, complex, str, bytes, bool, type(None)}


def _loaded(name: str) -> Any:
    """A module that the process has imported and that is complete; never imports one."""
    module = sys.modules.get(name)
    specification = getattr(module, "__spec__", None)
    return None if getattr(specification, "_initializing", False) else module


def _wait_for_torch(torch: Any) -> None:
    for name in ("cuda", "xpu"):
        part = getattr(torch, name, None)
        if part is not None and part.is_initialized():
            for index in range(part.device_count()):
                part.synchronize(index)
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    if mps is not None and mps.is_available():
        torch.mps.synchronize()


def _wait_for_cupy(cupy: Any) -> None:
    for index in range(cupy.cuda.runtime.getDeviceCount()):
        cupy.cuda.Device(index).synchronize()


def wait_for_queues() -> None:
    """Waits until torch and CuPy, where they are imported, have no work left on any device."""
    if (torch := _loaded("torch")) is not None:
        _wait_for_torch(torch)
    if (cupy := _loaded("cupy")) is not None:
        _wait_for_cupy(cupy)


def wait_for_arrays(answer: Any = None) -> None:
    """Waits for JAX arrays in a result and for live ones: a call may have kept them."""
    if (jax := _loaded("jax")) is not None:
        jax.block_until_ready(answer)
        jax.block_until_ready(jax.live_arrays())


class Waits:
    """What must be synchronised after a call, for other libraries.

    `own` is what the user gave; without it a library that nothing is known of is refused.
    """

    def __init__(self, function: Any, inputs: Sequence[Any], own: Callable[[], Any] | None) -> None:
        self._own = own
        self._reached = modules_reached(function, *inputs)
        if own is None:
            refuse_unknown(self._reached)

    @property
    def uncounted(self) -> list[str]:
        """The libraries in reach whose work nothing can count."""
        homes = {home.partition(".")[0].replace("jaxlib", "jax") for home in self._reached}
        known = {"cupy", "jax", *(name.partition(".")[0] for name in _UNKNOWN)}
        return sorted(homes & known)

    @property
    def needs_answers(self) -> bool:
        """True if only the result shows when its work is done."""
        return _loaded("jax") is not None and _reaches_jax(self._reached)

    def __call__(self, answer: Any) -> None:
        """Waits for what torch, CuPy and JAX have queued, then as the user said."""
        wait_for_queues()
        if self.needs_answers:
            wait_for_arrays(answer)
        if self._own is not None:
            self._own()

    def check_answer(self, answer: Any) -> None:
        """Raise BenchError if nothing shows when the work of a call is done."""
        if self._own is None:
            refuse_lost_jax(self._reached, answer)


def _reaches_jax(reached: set[str]) -> bool:
    return any(home.partition(".")[0] in {"jax", "jaxlib"} for home in reached)


def _names_of(code: types.CodeType) -> Iterator[tuple[str, bool]]:
    """The global names that code reads, and those that it imports (True)."""
    for step in dis.get_instructions(code):
        if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"}:
            yield step.argval, False
        elif step.opname == "IMPORT_NAME":
            yield step.argval, True
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_of(constant)


class _Import(str):
    """The name of a module that a function imports when it runs."""

    __slots__ = ()


def _of_function(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not filled yet
            yield cell.cell_contents
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for name, imported in _names_of(function.__code__):
        found = _Import(name) if imported else function.__globals__.get(name)
        if found is not None:
            yield found
    if (inner := getattr(function, "__wrapped__", None)) is not None:
        yield inner


def _parts(thing: Any) -> Iterator[Any]:
    """Objects reachable from a function, an object or a container."""
    if isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif isinstance(thing, types.MethodType):
        yield from (thing.__self__, thing.__func__)
    elif isinstance(thing, functools.partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, Mapping):
        yield from itertools.islice(thing.values(), _MAX_LISTED)
    elif isinstance(thing, (list, tuple, set, frozenset)):
        yield from itertools.islice(thing, _MAX_LISTED)
    elif not isinstance(thing, (types.ModuleType, type)):
        call = vars(type(thing)).get("__call__")
        if isinstance(call, types.FunctionType):
            yield call
        own = getattr(thing, "__dict__", None)
        yield from itertools.islice(own.values() if own else (), _MAX_LISTED)


def _home(thing: Any) -> str:
    """The name of the module that something is, or comes from."""
    if isinstance(thing, _Import):
        return str(thing)
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    own = thing if isinstance(thing, (type, types.FunctionType)) else type(thing)
    name = getattr(own, "__module__", "")
    return name if isinstance(name, str) else ""


def modules_reached(function: Any, *arguments: Any) -> set[str]:
    """The modules of everything that a function can be seen to use, inside its own package too."""
    homes: set[str] = set()
    seen: set[int] = set()
    level = [function, *arguments]
    for _ in range(_MAX_DEPTH):
        fresh = [x for x in level if type(x) not in _PLAIN and id(x) not in seen]
        seen.update(map(id, fresh))
        homes.update(map(_home, fresh))
        own = [x for x in fresh if not _is_library(_home(x))]
        level = list(itertools.islice(itertools.chain.from_iterable(map(_parts, own)), _MAX_SEEN))
    return homes


def _is_library(home: str) -> bool:
    """True for a library whose internals need no inspection: it has been identified already."""
    root = home.partition(".")[0]
    return root in {"gpukit", "torch", "cupy", "jax", "jaxlib", "numpy"} or _unknown(home) != ""


def _unknown(home: str) -> str:
    return next((name for name in _UNKNOWN if f"{home}.".startswith(f"{name}.")), "")


def refuse_unknown(reached: set[str]) -> None:
    """Raise BenchError for a library that queues work in a way that bench cannot wait for."""
    found = sorted({_unknown(home) for home in reached} - {""})
    if found:
        name = found[0]
        raise BenchError(
            f"bench: fn uses {name}, whose calls return before their work is done, and bench "
            "cannot wait for it: any number would be that of the launch. Give "
            f"wait={_UNKNOWN[name]}"
        )


def _arrays(value: Any) -> Iterator[Any]:
    """The parts of a result, inside lists, tuples and dicts."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    else:
        yield value


def _is_of(value: Any, library: str) -> bool:
    return _home(value).partition(".")[0] in {library, f"{library}lib"}


def refuse_lost_jax(reached: set[str], answer: Any) -> None:
    """Raise BenchError when work of JAX may run on and nothing is left to wait for it by."""
    if not _reaches_jax(reached) or any(_is_of(part, "jax") for part in _arrays(answer)):
        return
    raise BenchError(
        "bench: fn uses jax and returns none of its arrays, so nothing shows when their work is "
        "done. Return the arrays (bench calls jax.block_until_ready on them), or end fn with it "
        "and give wait=lambda: None"
    )


def devices_of(answer: Any) -> set[str]:
    """The devices of the torch, CuPy and JAX arrays in a result."""
    found: set[str] = set()
    for part in _arrays(answer):
        if _is_of(part, "torch") and hasattr(part, "device"):
            found.add(str(part.device))
        elif _is_of(part, "cupy") and hasattr(part, "device"):
            found.add(f"cuda:{part.device.id}")
        elif _is_of(part, "jax") and hasattr(part, "devices"):
            found.update(_jax_name(device) for device in part.devices())
    return found


def _jax_name(device: Any) -> str:
    return "cpu" if device.platform == "cpu" else f"{device.platform}:{device.id}"
