"""Memory for time: a part of a network is computed again in the backward pass."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from gpukit import _core, random
from gpukit._arguments import bool_of, function_of, int_from
from gpukit._core import Tensor
from gpukit.autograd import Function, enable_grad, grad

__all__ = ["checkpoint", "checkpoint_sequential"]


# Where a tensor is: attributes, globals, a list or a dict and the key in it, or a cell.
_Places = list[tuple[Any, Any]]

_TABLES = frozenset(("_parameters", "_modules", "_transient_buffers"))  # also attributes
_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None)))
_MOST = 1000  # of the lists and dicts that are searched for tensors; a longer one is data
_VISITS = 10_000  # of one search, so that a call beside much data stays fast
_WRITES = frozenset((kind.__setitem__, kind.__delitem__) for kind in (dict, OrderedDict, list))
_ABSENT = object()


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


def _at_place(holder: Any, key: Any) -> Any:
    """What a place holds, or _ABSENT."""
    if isinstance(holder, dict):
        return dict.get(holder, key, _ABSENT)  # not holder[key]: a defaultdict would make it
    try:
        if isinstance(holder, CellType):
            return holder.cell_contents
        return list.__getitem__(holder, key)
    except (IndexError, ValueError):
        return _ABSENT


def _write(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, CellType):
        if value is _ABSENT:
            del holder.cell_contents
        else:
            holder.cell_contents = value
    elif value is _ABSENT:
        del holder[key]
    else:
        holder[key] = value


def _places_of(holder: Any) -> list[Any]:
    if isinstance(holder, CellType):
        return [None]
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))


@contextmanager
def _in_place_of(inside: list[tuple[_Places, Tensor]], copies: list[Tensor]) -> Iterator[None]:
    """The function finds the copies where the tensors were, so that gradients arrive in them.

    Afterwards each place holds what it held before, or what the function wrote there.
    """
    before: list[tuple[Any, Any, Any, Tensor]] = []
    try:
        for (places, _), copy in zip(inside, copies, strict=True):
            for holder, key in places:
                held = _at_place(holder, key)
                if held is copy or (held is _ABSENT and isinstance(holder, list)):
                    continue  # a place that was found twice, or a list that is shorter by now
                before.append((holder, key, held, copy))
                _write(holder, key, copy)
        yield
    finally:
        for holder, key, held, copy in reversed(before):
            if _at_place(holder, key) is copy:
                _write(holder, key, held)
        _put_back_moved(before)


def _put_back_moved(before: list[tuple[Any, Any, Any, Tensor]]) -> None:
    """The function may have moved copies: by `states.pop(0)` or `self.last = self.weight`."""
    stand_for = {id(copy): held for _, _, held, copy in before if held is not _ABSENT}
    for holder in {id(holder): holder for holder, *_ in before}.values():
        for key in _places_of(holder):
            held = stand_for.get(id(_at_place(holder, key)), _ABSENT)
            if held is not _ABSENT:
                _write(holder, key, held)


class _Search:
    """The tensors with gradients that a function reaches by names, and where they are.

    Names are those of its closure, of the globals that its code reads, of its `self`, of a
    partial's arguments, and of the functions, modules, lists and dicts that these lead to.
    Modules are searched whole. Of the rest the search ends after _VISITS values.
    """

    def __init__(self, *roots: Any) -> None:
        self.found: dict[int, tuple[_Places, Tensor]] = {}
        self._seen: set[int] = set()
        self._left = _VISITS
        self._waiting: deque[Any] = deque()
        for root in roots:
            self._follow(root)
        while self._waiting:
            value = self._waiting.popleft()
            if isinstance(value, _core.ModuleBase):
                self._in_module(value)
            elif self._left > 0:
                self._left -= 1
                self._visit(value)

    def _at(self, holder: Any, key: Any, value: Any) -> None:
        if type(value) in _PLAIN:
            return
        if not isinstance(value, Tensor):
            self._follow(value)
        elif value.requires_grad and (isinstance(holder, CellType) or _is_plain(type(holder))):
            self.found.setdefault(id(value), ([], value))[0].append((holder, key))

    def _follow(self, value: Any) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, (dict, list, tuple)):
            self._waiting.append(value)  # last: it may be data
        else:
            self._waiting.appendleft(value)

    def _visit(self, value: Any) -> None:
        if isinstance(value, (dict, list, tuple)):
            self._in_container(value)
        elif isinstance(value, FunctionType):
            self._in_function(value)
        elif isinstance(value, MethodType):
            self._follow(value.__func__)
            self._in_fields(value.__self__)
        elif isinstance(value, partial):
            for each in (value.func, value.args, value.keywords):
                self._follow(each)
        else:
            call = getattr(type(value), "__call__", None)  # noqa: B004
            if isinstance(call, FunctionType):
                self._follow(call)
                self._in_fields(value)
            elif callable(getattr(type(value), "modules", None)):
                self._in_fields(value)

    def _in_module(self, module: Any) -> None:
        fields = module.__dict__
        parameters = fields["_parameters"]
        for name, value in parameters.items():
            if value is not None and value.requires_grad:
                places, _ = self.found.setdefault(id(value), ([], value))
                places += (parameters, name), (fields, name)
        for name, value in list(fields.items()):
            if type(value) not in _PLAIN and name not in parameters and name not in _TABLES:
                self._at(fields, name, value)
        self._follow(getattr(type(module), "forward", None))

    def _in_container(self, value: Any) -> None:
        count = len(value)
        if count > _MOST:
            return
        self._left -= count // 16
        each: Any = dict.values(value) if isinstance(value, dict) else value
        if _PLAIN.issuperset(map(type, each)):
            return
        self._left -= count
        if isinstance(value, dict):
            for key, item in list(dict.items(value)):
                self._at(value, key, item)
            return
        for place, item in enumerate(value):  # a tuple's tensors cannot be replaced
            if isinstance(value, list) or not isinstance(item, Tensor):
                self._at(value, place, item)

    def _in_function(self, function: FunctionType) -> None:
        if (function.__module__ or "").partition(".")[0] == "gpukit":
            return
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # an empty cell
                self._at(cell, None, cell.cell_contents)
        self._follow(function.__defaults__)
        self._follow(function.__kwdefaults__)
        names = function.__globals__
        codes = [function.__code__]
        for code in codes:  # the code of a function inside is a constant of the outer one
            codes += (each for each in code.co_consts if isinstance(each, CodeType))
            self._left -= len(code.co_names)
            for name in code.co_names:
                if name in names:
                    self._at(names, name, names[name])

    def _in_fields(self, owner: Any) -> None:
        if isinstance(owner, ModuleType):
            return
        fields = getattr(owner, "__dict__", {})
        self._left -= len(fields)
        for name, value in list(fields.items()):
            self._at(fields, name, value)


def _is_plain(kind: type) -> bool:
    """Whether writing to such a list or dict, and deleting from it, does nothing else."""
    return (getattr(kind, "__setitem__", None), getattr(kind, "__delitem__", None)) in _WRITES


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
            gradients of the arguments, and of the tensors and modules that the function finds by
            its names (closure, globals, `self`, lists and dicts of these), are those of any call.
            Tensors that it gets in other ways receive theirs in `.grad`, by `backward()` only:
            those in tuples, in attributes of Python modules and of objects that are neither
            called nor modules, in lists and dicts of more than 1000 items or behind more than
            10,000 values, in lists and dicts with their own `__setitem__` or `__delitem__`, and
            those that methods it calls find by names.
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
        count = len(args)
        return function(*given[:count], **dict(zip(kwargs, given[count:], strict=True)))

    given = (*args, *kwargs.values())
    found = _Search(function, given).found.values()
    inside = [tensor for _, tensor in found]
    return _Again.apply(run, preserve, anchor, [places for places, _ in found], *inside, *given)


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
