"""Memory for time: a part of a network is computed again in the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from gpukit import _core, random
from gpukit._arguments import bool_of, function_of, int_from
from gpukit._core import Tensor
from gpukit.autograd import Function, enable_grad

__all__ = ["checkpoint", "checkpoint_sequential"]


# Where a parameter is: the attributes of a module, and its name there.
_Places = list[tuple[dict[str, Any], str]]


class _Again(Function):
    """Keeps the inputs alone, and runs the function again for the gradients."""

    @staticmethod
    def forward(
        ctx: Any,
        run: Callable[..., Any],
        preserve: bool,
        _anchor: Tensor,
        places: list[_Places],
        *values: Any,
    ) -> Any:
        ctx.run, ctx.inside = run, list(zip(places, values, strict=False))
        args = values[len(places) :]
        ctx.state = random.get_rng_state() if preserve else None
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        return run(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        args = list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[i] = tensor.detach().requires_grad_(ctx.needs_input_grad[4 + len(ctx.inside) + i])
        now = random.get_rng_state()
        if ctx.state is not None:
            random.set_rng_state(ctx.state)
        try:
            copies = [parameter.detach().requires_grad_() for _, parameter in ctx.inside]
            with enable_grad(), _in_place_of(ctx.inside, copies):
                found = ctx.run(*args)
        finally:
            if ctx.state is not None:
                random.set_rng_state(now)
        outputs = found if isinstance(found, tuple) else (found,)
        _add_gradients([o for o in outputs if isinstance(o, Tensor)], gradients)
        return (
            None,
            None,
            None,
            None,
            *(copy.grad for copy in copies),
            *(a.grad if isinstance(a, Tensor) and a.requires_grad else None for a in args),
        )


@contextmanager
def _in_place_of(inside: list[tuple[_Places, Tensor]], copies: list[Tensor]) -> Iterator[None]:
    """Modules have the copies for their parameters, so that gradients arrive in the copies."""

    def put(values: Iterable[Tensor]) -> None:
        for (places, _), value in zip(inside, values, strict=True):
            for fields, name in places:
                fields["_parameters"][name] = fields[name] = value

    put(copies)
    try:
        yield
    finally:
        put(parameter for _, parameter in inside)


def _parameters_of(function: Any) -> tuple[list[_Places], list[Tensor]]:
    """Of the modules that a function is, is a method of, or has in its closure."""
    cells = getattr(function, "__closure__", None) or ()
    owners = [function, getattr(function, "__self__", None), getattr(function, "func", None)]
    for cell in cells:
        with suppress(ValueError):  # an empty cell
            value = cell.cell_contents
            owners += value if isinstance(value, (list, tuple)) else [value]
    found: dict[int, tuple[_Places, Tensor]] = {}
    seen = set()
    for owner in owners:
        modules = getattr(owner, "modules", None)
        if not callable(modules) or not hasattr(owner, "named_parameters"):
            continue
        for module in () if isinstance(owner, type) else modules():
            if id(module) in seen:
                continue
            seen.add(id(module))
            for name, parameter in vars(module)["_parameters"].items():
                if parameter is not None and parameter.requires_grad:
                    places, _ = found.setdefault(id(parameter), ([], parameter))
                    places.append((module.__dict__, name))
    return [places for places, _ in found.values()], [each for _, each in found.values()]


@enable_grad()
def _add_gradients(outputs: list[Tensor], gradients: Sequence[Tensor | None]) -> None:
    """Run the backward pass of the second time."""
    parts = [
        (output * gradient).sum()
        for output, gradient in zip(outputs, gradients, strict=True)
        if output.requires_grad and gradient is not None
    ]
    if parts:
        sum(parts[1:], parts[0]).backward()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,  # noqa: ARG001
    context_fn: Callable[..., Any] | None = None,
    determinism_check: str = "default",  # noqa: ARG001
    debug: bool = False,  # noqa: ARG001
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function without keeping what its backward pass needs; it is computed again there.

    Args:
        function: A module, or any function of tensors. It must compute the same both times.
        args: Its arguments.
        use_reentrant: Accepted for compatibility with PyTorch. Both ways do the same here: the
            gradients of parameters of modules that the function is, is a method of or has in its
            closure are those of any call; other tensors inside receive theirs in `.grad`, so
            that theirs need `backward()`, not `autograd.grad`.
        context_fn: Must be None.
        determinism_check: Accepted for compatibility with PyTorch.
        debug: Accepted for compatibility with PyTorch.
        preserve_rng_state: Draw the same random numbers the second time.
        kwargs: Keyword arguments of the function.

    Returns:
        What the function returns.

    Raises:
        TypeError: function is not callable, or context_fn is given.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.checkpoint import checkpoint
        >>> x = gpukit.ones(2, requires_grad=True)
        >>> checkpoint(lambda t: (t * t).sum(), x, use_reentrant=False).backward()
        >>> x.grad
        tensor([2., 2.])
    """
    function_of("checkpoint", "function", function, "model")
    if context_fn is not None:
        raise TypeError("checkpoint: context_fn is not supported; leave it out")
    preserve = bool_of("checkpoint", "preserve_rng_state", preserve_rng_state)
    if not _core.is_grad_enabled():
        return function(*args, **kwargs)
    # Parameters inside the function need a node too where no argument has one.
    anchor = _core.zeros((), requires_grad=True)

    def run(*given: Any) -> Any:
        return function(*given, **kwargs)

    places, inside = _parameters_of(function)
    return _Again.apply(run, preserve, anchor, places, *inside, *args)


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
        >>> checkpoint_sequential(model, 2, gpukit.zeros(1))
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
