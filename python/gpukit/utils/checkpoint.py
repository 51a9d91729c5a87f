"""Memory for time: a part of a network is computed again in the backward pass.

While the function runs the first time, the tensors that the graph saves are not kept: each is
replaced by its number. When the backward pass needs the first of them, the function runs again,
and its tensors are given out by number. This is torch's `use_reentrant=False`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any

from gpukit import _core, random
from gpukit._arguments import bool_of, function_of, int_from
from gpukit._autocast import THREAD
from gpukit._core import Tensor
from gpukit.amp.autocast_mode import restored
from gpukit.autograd import enable_grad
from gpukit.autograd.graph import saved_tensors_hooks
from gpukit.errors import ArgumentError, AutogradError

__all__ = [
    "CheckpointError",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]


class CheckpointError(AutogradError):
    """A checkpointed function did not compute the same the second time.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.utils.checkpoint.CheckpointError, RuntimeError)
        True
    """


class _Complete(BaseException):
    """Ends the second run: all that the backward pass needs is computed. No program catches it."""


class _Saved:
    """Stands in the graph for a tensor. The second run puts the tensor into it."""

    def __init__(self, call: _Call, tensor: Tensor) -> None:
        self.call = call
        self.kind = (tuple(tensor.shape), tensor.dtype, tensor.device)
        self.tensor: Tensor | None = None
        self.version = 0

    def take(self) -> Tensor:
        """The tensor, which is not kept: a pass that comes later computes it again."""
        with self.call.lock:  # a pass of another thread takes them, too
            if self.tensor is None:
                self.call.run_again()
            tensor, self.tensor = self.tensor, None
        if tensor is None:
            raise CheckpointError(
                "checkpoint: the function saved fewer tensors for the backward pass the second "
                "time. It must compute the same both times: look for branches on random numbers, "
                "on time, or on values that have changed since."
            )
        if tensor._version != self.version:  # noqa: SLF001
            raise AutogradError(
                f"backward(): a tensor of shape {tuple(tensor.shape)} is needed as it was, but it "
                "was changed in place inside a checkpoint. Use the form that gives a new "
                "tensor, or change a copy: tensor.clone()"
            )
        return tensor


_stops_early = True  # unless set_checkpoint_early_stop says otherwise


class _Call:
    """One call of checkpoint: what it takes to run its function again."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        preserve: bool,
        check: bool,
        early_stop: bool,
        context: Any,
    ) -> None:
        self.function = function
        self.check = check
        self.early_stop = early_stop
        self.context = context
        kept: dict[int, _Argument] = {}
        self.args = [_kept(value, kept) for value in args]
        self.kwargs = {name: _kept(value, kept) for name, value in kwargs.items()}
        self.lock = threading.RLock()
        self.state = random.get_rng_state() if preserve else None
        self.autocast = dict(THREAD.settings)
        self.saved: list[weakref.ref[_Saved]] = []  # the graph's nodes own them

    def pack(self, tensor: Tensor) -> _Saved:
        """Keep its number."""
        saved = _Saved(self, tensor)
        self.saved.append(weakref.ref(saved))
        return saved

    def run_again(self) -> None:
        """Run the function a second time, with the random numbers and autocast of the first."""
        with ExitStack() as stack:
            if self.state is not None:
                stack.callback(random.set_rng_state, random.get_rng_state())
                random.set_rng_state(self.state)
            made: dict[_Argument, Tensor] = {}
            args = [_unpacked(value, made) for value in self.args]
            kwargs = {name: _unpacked(value, made) for name, value in self.kwargs.items()}
            for each in (enable_grad(), self.context, restored(self.autocast)):
                stack.enter_context(each)
            stack.enter_context(saved_tensors_hooks(_Filler(self), _same))
            with suppress(_Complete):
                self.function(*args, **kwargs)


class _Filler:
    """The pack hook of the second run: gives each tensor to what stands for it."""

    def __init__(self, call: _Call) -> None:
        self.call = call
        self.number = 0

    def __call__(self, tensor: Tensor) -> Tensor:
        call, number = self.call, self.number
        self.number += 1
        if number < len(call.saved):
            saved = call.saved[number]()
            if saved is not None:
                self._fill(saved, tensor)
            if call.early_stop and self.number == len(call.saved):
                raise _Complete
        return tensor.detach()

    def _fill(self, saved: _Saved, tensor: Tensor) -> None:
        kind = (tuple(tensor.shape), tensor.dtype, tensor.device)
        if self.call.check and kind != saved.kind:
            raise CheckpointError(
                f"checkpoint: tensor {self.number - 1} that the function saves for the backward "
                f"pass was {_text(saved.kind)} the first time, and {_text(kind)} the second. It "
                "must compute the same both times."
            )
        saved.tensor = tensor.detach()
        saved.version = tensor._version  # noqa: SLF001


def _text(kind: tuple[Any, ...]) -> str:
    shape, dtype, device = kind
    return f"{list(shape)} of {dtype} on {device}"


def _same(tensor: Tensor) -> Tensor:
    """The unpack hook of the second run, for a backward pass inside of the function."""
    return tensor


class _Argument:
    """A tensor among the arguments. Around an outer checkpoint's function, its hooks keep it."""

    def __init__(self, tensor: Tensor) -> None:
        self.saved = _core.SavedTensor(tensor)
        self.version = tensor._version  # noqa: SLF001
        self.place = tensor.data_ptr()
        self.original = weakref.ref(tensor)
        self.type = type(tensor)
        self.attributes = dict(tensor.__dict__)

    def tensor(self) -> Tensor:
        """The object of the first run while the program has it, else one like it."""
        original = self.original()
        if original is not None:
            version = original._version  # noqa: SLF001
            if (version, original.data_ptr()) == (self.version, self.place):
                return original
        tensor = self.saved.unpack()
        if self.type is not Tensor:
            tensor = tensor.as_subclass(self.type)
        tensor.__dict__.update(self.attributes)
        return tensor


def _kept(value: Any, kept: dict[int, _Argument]) -> Any:
    if not isinstance(value, Tensor):
        return value
    if id(value) not in kept:
        kept[id(value)] = _Argument(value)
    return kept[id(value)]


def _unpacked(value: Any, made: dict[_Argument, Tensor]) -> Any:
    """One tensor for one argument, however often it was given: functions ask `a is b`."""
    if not isinstance(value, _Argument):
        return value
    if value not in made:
        made[value] = value.tensor()
    return made[value]


def noop_context_fn() -> tuple[Any, Any]:
    """Return two contexts that do nothing: the default of checkpoint's context_fn.

    Returns:
        Two context managers.

    Example:
        >>> import gpukit
        >>> first, second = gpukit.utils.checkpoint.noop_context_fn()
    """
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Choose whether the second run ends when all that is needed has been computed.

    Args:
        enable: False runs the function to its end, for what it does besides.

    Raises:
        TypeError: enable is not a bool.

    Example:
        >>> import gpukit
        >>> with gpukit.utils.checkpoint.set_checkpoint_early_stop(False):
        ...     pass
    """
    global _stops_early
    before, _stops_early = _stops_early, bool_of("set_checkpoint_early_stop", "enable", enable)
    try:
        yield
    finally:
        _stops_early = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,  # noqa: ARG001
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,  # noqa: ARG001
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function without keeping what its backward pass needs; it is computed again there.

    Gradients are those of any call: of the arguments and of all tensors that the function uses.

    Args:
        function: A module, or any function of tensors. It must compute the same both times. Random
            numbers and autocast are those of the first time.
        args: Its arguments; tensors among them must not be changed in place before the backward
            pass.
        use_reentrant: Accepted for compatibility with PyTorch. Both ways do the same here.
        context_fn: Returns two context managers: the function runs in one of them the first time,
            in the other the second.
        determinism_check: "default" compares the shapes, dtypes and devices of both times, "none"
            does not.
        debug: Accepted for compatibility with PyTorch.
        early_stop: End the second run when all that is needed has been computed.
        preserve_rng_state: Draw the same random numbers the second time.
        kwargs: Keyword arguments of the function.

    Returns:
        What the function returns.

    Raises:
        TypeError: function or context_fn is not callable.
        ArgumentError: determinism_check is another word.
        CheckpointError: In the backward pass: the function computed something else.
        AutogradError: In the backward pass: an argument was changed in place.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.checkpoint import checkpoint
        >>> x = gpukit.ones(2, requires_grad=True)
        >>> checkpoint(lambda t: (t * t).sum(), x, use_reentrant=False).backward()
        >>> x.grad
        tensor([2., 2.])
    """
    function_of("checkpoint", "function", function, "model")
    preserve = bool_of("checkpoint", "preserve_rng_state", preserve_rng_state)
    stops = bool_of("checkpoint", "early_stop", early_stop) and _stops_early
    if determinism_check not in {"default", "none"}:
        raise ArgumentError(
            f"checkpoint: determinism_check must be 'default' or 'none', got {determinism_check!r}"
        )
    first, second = _contexts(context_fn)
    if not _core.is_grad_enabled():
        return function(*args, **kwargs)
    check = determinism_check == "default"
    call = _Call(
        function, args, kwargs, preserve=preserve, check=check, early_stop=stops, context=second
    )
    with first, saved_tensors_hooks(call.pack, _Saved.take):
        return function(*args, **kwargs)


def _contexts(context_fn: Any) -> tuple[Any, Any]:
    if not callable(context_fn):
        raise TypeError(
            "checkpoint: context_fn must be a function that returns two context managers, got "
            f"{context_fn!r:.80}"
        )
    contexts = tuple(context_fn())
    if len(contexts) != 2:
        raise ArgumentError(
            f"checkpoint: context_fn must return two context managers, got {len(contexts)}"
        )
    return contexts


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Tensor,
    use_reentrant: bool | None = None,  # noqa: ARG001
    **kwargs: Any,
) -> Any:
    """Call the layers of a sequence in segments, of which all but the last are checkpointed.

    Args:
        functions: A Sequential, or a list of modules or functions.
        segments: Number of segments.
        input: Argument of the first.
        use_reentrant: As in checkpoint.
        kwargs: preserve_rng_state, as in checkpoint.

    Returns:
        What the last function returns.

    Raises:
        TypeError: segments is not an int, or an unknown keyword.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.checkpoint import checkpoint_sequential
        >>> model = gpukit.nn.Sequential(gpukit.nn.ReLU(), gpukit.nn.Tanh())
        >>> checkpoint_sequential(model, 2, gpukit.zeros(1, requires_grad=True))
        tensor([0.], grad_fn=<TanhBackward0>)
    """
    op = "checkpoint_sequential"
    segments = int_from(op, "segments", segments, 1)
    preserve = bool_of(op, "preserve_rng_state", kwargs.pop("preserve_rng_state", True))
    if kwargs:
        raise TypeError(f"{op}: unknown argument {next(iter(kwargs))!r}")
    children = getattr(functions, "children", None)
    layers = list(functions) if children is None else list(children())

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for layer in layers[start:end]:
                value = layer(value)
            return value

        return run

    size = max(1, len(layers) // segments)
    start = 0
    for _ in range(segments - 1):
        end = start + size
        input = checkpoint(part(start, end), input, preserve_rng_state=preserve)
        start = end
    return part(start, len(layers))(input)
