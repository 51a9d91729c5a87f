"""Calls everything with hostile arguments: `-m support.hostile_calls SEED CALLS SECONDS FILE`.

Only the way it ends counts. FILE says which call was under way, for the parent to show.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import os
import random
import resource
import sys
import time
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gpukit
from gpukit import _core
from support.hostile_values import Values, bound_classes

ROOM_BYTES = 3 << 30  # address space beyond what the start takes: huge tensors are MemoryErrors
LONGEST_CALL_S = 60
COUNTS = (0, 1, 1, 1, 2, 2, 3, 4)
# They end sessions or the process's use of a library on purpose, or wait and work for long.
LEFT_OUT = {
    "mark_exiting",
    "replace_session",
    "reset_session",
    "set_library_folders",
    "set_cpu_blas_path",
    "set_inner_folders",
    "simulate",
    "selftest",
    "smi",
    "info",
    "vendors",
    "show_versions",
    "monitor",
    "bench",
    "cloud",
    "doctor",
    "watch",
    "free",
    "gil_report",
    "memory",
    "load_ipython_extension",
    "unload_ipython_extension",
    "save",
    "load",
    "parallel",
    "set_printoptions",
    "main",
    "prefetch",
}
MODULES = (
    "",
    "linalg",
    "fft",
    "random",
    "cuda",
    "autograd",
    "accelerator",
    "backends",
    "config",
    "nn.functional",
    "nn.utils",
    "nn.utils.rnn",
    "nn.init",
    "array_api",
)


def public_modules() -> Iterator[Any]:
    """gpukit, its modules of functions, and its compiled part."""
    yield _core
    for name in MODULES:
        module: Any = gpukit
        for part in name.split(".") if name else ():
            module = getattr(module, part, None)
        if module is not None:
            yield module


def functions() -> list[tuple[str, Any]]:
    """Every public callable that is not a class."""
    found = {}
    for module in public_modules():
        for name in getattr(module, "__all__", None) or dir(module):
            thing = getattr(module, name, None)
            if name in LEFT_OUT or name.startswith("_") or isinstance(thing, types.ModuleType):
                continue
            if callable(thing) and getattr(thing, "__module__", "").startswith("gpukit"):
                found[f"{module.__name__}.{name}"] = thing
    return sorted(found.items())


def ended_objects() -> list[Any]:
    """Objects of a session that is over."""
    with gpukit.simulate(2, "T4", memory="64MiB"):
        objects = [
            gpukit.ones(4, device="cuda:1"),
            gpukit.cuda.Stream(),
            gpukit.cuda.Event(),
            gpukit.cuda.CUDAGraph(),
            gpukit.cuda.current_stream(),
        ]
        objects[2].record()
        step = gpukit.zeros(2, device="cuda")
        with gpukit.cuda.graph(objects[3]):
            step.add_(1)
    return objects


def drawn_call(values: Values, known: list[tuple[str, Any]]) -> tuple[str, Any]:
    """(its name, the call without arguments): a function, a method, an attribute or a class."""
    rng = values.rng
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(known)
    if kind < 0.55:
        cls = rng.choice(bound_classes())
        return f"class {cls.__name__}", cls
    owner = rng.choice(values.tensors)
    if kind < 0.8:
        owner = rng.choice(
            [v for v in values.kept if of_gpukit(v) and not isinstance(v, type)] or [owner]
        )
    name = rng.choice([n for n in dir(type(owner)) if n not in {"__del__", "__class__"}])
    kind = rng.random()
    if kind < 0.2:
        return f"{type(owner).__name__}.{name} = …", lambda value=None, *_, **__: setattr(
            owner, name, value
        )
    if kind < 0.25:
        return f"del {type(owner).__name__}.{name}", lambda *_, **__: delattr(owner, name)
    if kind < 0.3:
        unbound = getattr(type(owner), name, None)
        return f"{type(owner).__name__}.{name} unbound", unbound if callable(unbound) else id
    return f"{type(owner).__name__}.{name}", lambda *a, **k: _called(getattr(owner, name), a, k)


def of_gpukit(value: Any) -> bool:
    """Whether a crash in a method of the value would be gpukit's."""
    return any(cls.__module__.startswith("gpukit") for cls in type(value).__mro__)


def _called(thing: Any, args: Any, kwargs: Any) -> Any:
    return thing(*args, **kwargs) if callable(thing) else thing


def small(value: Any) -> bool:
    """Whether a result may be kept and shown."""
    return not isinstance(value, gpukit.Tensor) or (
        value.numel() < 10_000 and value.untyped_storage().nbytes() < 1 << 20
        if hasattr(value, "untyped_storage")
        else value.numel() < 10_000
    )


def use(values: Values, result: Any) -> None:
    """What comes out is used again, shown, hashed and compared."""
    if not small(result):
        return
    if isinstance(result, types.GeneratorType):
        result = next(result, None)
    values.keep(result)
    what = values.rng.randrange(6)
    if what == 0:
        repr(result)
    elif what == 1:
        hash(result)
    elif what == 2:
        bool(result == result)


def end_captures(values: Values) -> None:
    """Of graphs that a call began to capture: fresh tensors cannot be uploaded meanwhile."""
    for each in (*values.tensors, *values.kept):
        if isinstance(each, gpukit.cuda.CUDAGraph):
            with contextlib.suppress(Exception):
                each.capture_end()


def restart_pytest(values: Values) -> None:
    """The state of the process that earlier calls have set, and fresh tensors."""
    end_captures(values)
    _core.switch_cuda_index(0)
    _core.set_default_device(None)
    _core.set_default_dtype("float32")
    _core.set_grad_mode(True)
    values.tensors = values.fresh()
    gc.collect()


def run(
    seed: int,
    calls: int,
    seconds: float,
    note: io.FileIO,
    devices: list[str],
    ended: list[Any],
) -> tuple[int, int]:
    """Make the calls: (how many gave a result, how many were made)."""
    rng = random.Random(seed)
    values = Values(rng, devices, ended)
    known = functions()
    names = [
        "dim",
        "dtype",
        "device",
        "out",
        "keepdim",
        "generator",
        "other",
        "size",
        "requires_grad",
        "stream",
    ]
    end, answered, made = time.monotonic() + seconds, 0, 0
    for number in range(calls):
        if time.monotonic() > end:
            break
        if number % 500 == 499:
            restart_pytest(values)
        try:  # some values are results of calls on tensors whose attributes earlier calls replaced
            name, call = drawn_call(values, known)
            args = [values.draw() for _ in range(rng.choice(COUNTS))]
            if args and rng.random() < 0.4:
                args[0] = rng.choice(values.tensors)
            kwargs = {rng.choice(names): values.draw() for _ in range(rng.randrange(3) // 2)}
        except Exception:
            continue
        text = (
            f"{seed}:{number} {name}({', '.join(type(a).__name__ for a in args)}, {list(kwargs)})"
        )
        os.pwrite(note.fileno(), text.encode("utf-8", "replace").ljust(400)[:400], 0)
        made += 1
        faulthandler.dump_traceback_later(LONGEST_CALL_S, exit=True)
        try:
            use(values, call(*args, **kwargs))
            answered += 1
        except (Exception, RecursionError):
            pass
    faulthandler.cancel_dump_traceback_later()
    return answered, made


def main() -> None:
    """One child process."""
    seed, calls, seconds, path = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    warnings.simplefilter("ignore")
    faulthandler.enable()
    simulator = _core.build_info()["cuda"]
    devices = ["cpu", "cuda:0", "cuda:1"] if simulator else ["cpu"]
    ended = ended_objects() if simulator else []
    gpus = gpukit.simulate(2, "T4", memory="64MiB") if simulator else contextlib.nullcontext()
    with Path(path).open("wb", buffering=0) as note, gpus:
        for device in devices:
            gpukit.ones(1, device=device) + gpukit.ones(1, device=device)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + ROOM_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            answered, made = run(seed, calls, seconds, note, devices, ended)
    print(answered, made)


if __name__ == "__main__":
    main()
