"""One function with its inputs, and where it is to be measured."""

from __future__ import annotations

import concurrent.futures
import inspect
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import gpukit
from gpukit.bench.accuracy import dtype_name, tolerance


def map_tensors(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with every tensor changed, also inside lists, tuples and dicts."""
    if isinstance(value, gpukit.Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(item, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(map_tensors(item, change) for item in value)
    if isinstance(value, dict):
        return {key: map_tensors(item, change) for key, item in value.items()}
    return value


def moved(value: Any, device: Any) -> Any:
    """Tensors, also inside lists, tuples and dicts, on `device`; everything else unchanged."""
    return map_tensors(value, lambda tensor: tensor.to(device))


def tensors_in(value: Any) -> list[Any]:
    """Every tensor of a value, also inside lists, tuples and dicts."""
    found: list[Any] = []
    map_tensors(value, found.append)
    return found


def usable_gpus() -> list[Any]:
    """Every usable GPU."""
    return [d for d in gpukit.try_all_gpus() if d.type != "cpu"]


def choose_devices(device: Any, devices: Any, arguments: Sequence[Any]) -> list[Any]:
    """Those named, else CPU and every GPU for inputs on the CPU, else the inputs' own devices.

    [None] if neither says: the function's calls show which devices it uses.
    """
    if device is not None and devices is not None:
        raise ValueError("bench: give device= or devices=, not both")
    if device is not None:
        return [gpukit.device(device).resolve()]
    if devices is not None:
        named = [devices] if isinstance(devices, (str, int, gpukit.device)) else list(devices)
        if not named:
            raise ValueError("bench: devices is empty; name at least one, e.g. ['cpu', 'cuda:0']")
        return [gpukit.device(d).resolve() for d in named]
    homes = {tensor.device for tensor in tensors_in(list(arguments))}
    if not homes:
        return [None]
    if homes == {gpukit.cpu()}:
        return [gpukit.cpu(), *usable_gpus()]
    return sorted(homes, key=str)


@contextmanager
def default_device(device: Any) -> Iterator[None]:
    """Device for tensors that a function creates without a device. None: the user's default."""
    with ExitStack() as stack:
        if device is not None:
            stack.enter_context(device)
        if device is not None and device.type == "cuda":
            stack.enter_context(gpukit.cuda.device(device))
        yield


def one_device(device: Any) -> Any:
    """The device that is named, else the GPU if there is one, else the CPU."""
    return gpukit.try_gpu(quiet=True) if device is None else gpukit.device(device).resolve()


class Case:
    """One function with its inputs; `tol` is the largest error that counts as agreeing."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        name: str,
        tol: float | None = None,
    ) -> None:
        self.fn, self.args, self.kwargs = fn, tuple(args), dict(kwargs or {})
        self.name, self.tol = name, tol

    @property
    def inputs_on_host(self) -> bool:
        """True when some input must be copied to a GPU before the work."""
        return any(t.device.type == "cpu" for t in tensors_in([self.args, self.kwargs]))

    def tolerance(self, answer: Any, longest_sum: int) -> float:
        """The largest error relative to the largest element that still counts as agreeing."""
        return self.tol if self.tol is not None else tolerance(dtype_name(answer), longest_sum)


def refuse_unfinished(answer: Any) -> None:
    """Raise TypeError for what has not run yet: the time would be that of making it."""
    if isinstance(answer, (list, tuple)):
        for item in answer:
            refuse_unfinished(item)
        return
    kind, advice = _unfinished(answer)
    if kind:
        raise TypeError(
            f"bench: fn returns {kind}, which does its work later: there is nothing to time yet. "
            f"{advice}"
        )


def _unfinished(answer: Any) -> tuple[str, str]:
    if inspect.iscoroutine(answer):
        answer.close()  # intentionally never awaited
        return "a coroutine", "Give lambda: asyncio.run(fn())"
    if inspect.isasyncgen(answer):
        return "an asynchronous generator", "Give a function that runs it to its end"
    if isinstance(answer, (concurrent.futures.Future, gpukit.TransferFuture)):
        return "a future", "Give lambda: fn().result()"
    if inspect.isawaitable(answer) and not isinstance(answer, gpukit.Tensor):
        return "something to await", "Give lambda: asyncio.run(fn())"
    if isinstance(answer, Iterator) and not isinstance(answer, io.IOBase):
        what = (
            "a generator"
            if inspect.isgenerator(answer)
            else f"an iterator ({type(answer).__name__})"
        )
        return what, "Give a function that goes through it: lambda: list(fn())"
    return "", ""
