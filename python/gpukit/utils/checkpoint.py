"""Memory for time: a part of a network is computed again in the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from gpukit import _core, random
from gpukit._arguments import bool_of, function_of, int_from
from gpukit._core import Tensor
from gpukit.autograd import Function, enable_grad, grad

__all__ = ["checkpoint", "checkpoint_sequential"]


# Where a tensor is: attributes, globals, a list or a dict and the key in it, or a cell.
_Places = list[tuple[Any, Any]]

_TABLES = frozenset(("_parameters", "_modules", "_transient_buffers"))  # also attributes
_PLAIN = frozenset((bool, int, float, str, type(None)))
_MOST = 1000  # of the lists and dicts that are searched for tensors; a longer one is data


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
        recorded = _core.is_grad_enabled()  # create_graph: the gradients have gradients
        values: list[Any] = [tensor for _, tensor in ctx.inside] + list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            values[len(ctx.inside) + i] = tensor
        for i, (value, need) in enumerate(zip(values, ctx.needs_input_grad[4:], strict=True)):
            if not isinstance(value, Tensor):
                continue
            if recorded and need:  # a view: a value may be on the way to another one
                values[i] = value.view(value.shape)
            else:
                values[i] = value.detach().requires_grad_(need)
        outputs = _outputs_again(ctx, values)
        wanted = [v for v in values if isinstance(v, Tensor) and v.requires_grad]
        if recorded:
            given = [
                (output, gradient)
                for output, gradient in zip(outputs, gradients, strict=True)
                if gradient is not None and output.requires_grad
            ]
            results, ways = zip(*given, strict=True) if given else ((), ())
            found: Sequence[Tensor | None] = [None] * len(wanted)
            if given and wanted:
                found = grad(results, wanted, ways, create_graph=True, allow_unused=True)
        else:
            _add_gradients(outputs, gradients)
            found = [value.grad for value in wanted]
        of = {id(value): gradient for value, gradient in zip(wanted, found, strict=True)}
        return None, None, None, None, *(of.get(id(value)) for value in values)


def _outputs_again(ctx: Any, values: list[Any]) -> list[Tensor]:
    """Run the function a second time, with the random numbers of the first."""
    count = len(ctx.inside)
    now = random.get_rng_state()
    if ctx.state is not None:
        random.set_rng_state(ctx.state)
    try:
        with enable_grad(), _in_place_of(ctx.inside, values[:count]):
            found = ctx.run(*values[count:])
    finally:
        if ctx.state is not None:
            random.set_rng_state(now)
    outputs = found if isinstance(found, tuple) else (found,)
    return [output for output in outputs if isinstance(output, Tensor)]


@contextmanager
def _in_place_of(inside: list[tuple[_Places, Tensor]], copies: list[Tensor]) -> Iterator[None]:
    """The function finds the copies where the tensors are, so that gradients arrive in them."""

    def put(values: Iterable[Tensor]) -> None:
        for (places, _), value in zip(inside, values, strict=True):
            for holder, key in places:
                if isinstance(holder, CellType):
                    holder.cell_contents = value
                else:
                    holder[key] = value

    put(copies)
    try:
        yield
    finally:
        put(tensor for _, tensor in inside)


class _Search:
    """The tensors with gradients that a function reaches by names, and where they are.

    Names are those of its closure, of the globals that its code reads, of its `self`, of a
    partial's arguments, and of the functions, modules, lists and dicts that these lead to.
    """

    def __init__(self, function: Any) -> None:
        self.found: dict[int, tuple[_Places, Tensor]] = {}
        self._seen: set[int] = set()
        self._follow(function)

    def _at(self, holder: Any, key: Any, value: Any) -> None:
        if type(value) in _PLAIN:
            return
        if not isinstance(value, Tensor):
            self._follow(value)
        elif value.requires_grad:
            self.found.setdefault(id(value), ([], value))[0].append((holder, key))

    def _follow(self, value: Any) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, _core.ModuleBase):
            self._in_module(value.__dict__)
        elif isinstance(value, (dict, list, tuple)):
            if len(value) <= _MOST:
                self._in_container(value)
        elif isinstance(value, FunctionType):
            self._in_function(value)
        elif isinstance(value, MethodType):
            self._follow(value.__func__)
            self._in_fields(value.__self__)
        elif isinstance(value, partial):
            for each in (value.func, value.args, value.keywords):
                self._follow(each)
        elif callable(getattr(type(value), "modules", None)):
            self._in_fields(value)

    def _in_module(self, fields: dict[str, Any]) -> None:
        parameters = fields["_parameters"]
        for name, value in parameters.items():
            if value is not None and value.requires_grad:
                places, _ = self.found.setdefault(id(value), ([], value))
                places += (parameters, name), (fields, name)
        for name, value in list(fields.items()):
            if type(value) not in _PLAIN and name not in parameters and name not in _TABLES:
                self._at(fields, name, value)

    def _in_container(self, value: Any) -> None:
        if isinstance(value, dict):
            for key, each in list(value.items()):
                self._at(value, key, each)
            return
        for place, each in enumerate(value):  # a tuple's tensors cannot be replaced
            if isinstance(value, list) or not isinstance(each, Tensor):
                self._at(value, place, each)

    def _in_function(self, function: FunctionType) -> None:
        if (function.__module__ or "").partition(".")[0] == "gpukit":
            return
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # an empty cell
                self._at(cell, None, cell.cell_contents)
        self._follow(function.__defaults__)
        self._follow(function.__kwdefaults__)
        names = function.__globals__
        for name in function.__code__.co_names:
            if name in names:
                self._at(names, name, names[name])

    def _in_fields(self, owner: Any) -> None:
        if isinstance(owner, ModuleType):
            return
        fields = getattr(owner, "__dict__", {})
        for name, value in list(fields.items()):
            self._at(fields, name, value)


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
            gradients of the tensors and modules that the function finds by its names (closure,
            globals, `self`, lists and dicts of these) are those of any call; tensors that it
            gets in other ways receive theirs in `.grad`, by `backward()` only.
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

    found = _Search(function).found.values()
    inside = [tensor for _, tensor in found]
    return _Again.apply(run, preserve, anchor, [places for places, _ in found], *inside, *args)


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
