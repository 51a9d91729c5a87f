"""Compiled functions and modules: which trace a call uses, and when there is none."""

from __future__ import annotations

import functools
import math
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._autocast import THREAD
from gpukit._compile.faults import Fault, UntraceableError, describe, warn
from gpukit._compile.guards import Guards, attributes, attributes_are_plain, frozen, meta
from gpukit._compile.preparation import Prepared, prepared
from gpukit._compile.replay import ChangedError
from gpukit._compile.scan import Reading, known_code, read
from gpukit._compile.trace import CONSTANTS, Place, Trace, UnknownTypeError, containers_in
from gpukit._compile.tracer import Tracer

if TYPE_CHECKING:
    from gpukit._compile.explanation import Explanation

MOST_TRACES = 64
# Tensors of so few elements stay in the caches between operators, which then take less time than
# looking for the trace and cutting tiles does.
FEW_ELEMENTS = 1 << 15


class _Thread(threading.local):
    """Whether this thread records; a compiled function inside another is part of its trace."""

    recording = False


_this_thread = _Thread()


@dataclass(frozen=True)
class Options:
    """What compile() was asked for."""

    fullgraph: bool = False
    dynamic: bool | None = None
    backend: str | None = None


@dataclass
class _Entry:
    """A trace with its guards; without a replay, a kind of call that runs eagerly."""

    guards: Guards
    shapes: tuple[Any, ...] | None
    held: frozenset[int]
    shared: tuple[int, ...]
    attributes: tuple[Any, ...] | None = None  # where the function may ask for them
    trace: Trace | None = None
    prepared: Prepared | None = None  # at the second call: many functions are called once

    def takes(self, tensors: list[Any]) -> bool:
        """Whether the call is one of those that the trace stands for."""
        if self.shapes is not None and self.shapes != _shapes(tensors):
            return False
        if self.attributes is not None and self.attributes != attributes(tensors):
            return False
        if self.held and self.shared != _shared(tensors, self.held):
            return False
        return self.guards.hold()


class CompiledFunction:
    """What gpukit.compile gives for a function: called like it, with the same results."""

    def __init__(self, function: Callable[..., Any], options: Options, module: Any = None) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._roots: tuple[Any, ...] = (function if module is None else module,)
        self._name = describe(self._roots[0])
        self._known = known_code(self._roots[0])  # now: the first call is to take little time
        self._options = options
        self._lock = threading.Lock()
        self._entries: dict[Any, list[_Entry]] = {}
        self._traced: list[_Entry] = []
        self._fault: Fault | None = None
        self._warned = False

    @property
    def _compiled_from(self) -> Any:
        return self._roots[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, by a trace where there is one for such a call."""
        if _this_thread.recording or self._options.backend == "eager" or THREAD.depth > 0:
            return self._function(*args, **kwargs)
        if self._fault is not None:
            self._refuse(self._fault)
            return self._function(*args, **kwargs)
        tensors: list[Any] = []
        modules: list[Any] = []
        try:
            described = _described_call(args, kwargs, tensors, modules)
        except UnknownTypeError as error:
            self._refuse(Fault(f"it is given a {error.args[0].__name__}", None))
            return self._function(*args, **kwargs)
        key = (_settings(), described, _pattern(tensors))
        for entry in self._entries.get(key, ()):
            if entry.takes(tensors):
                return self._replayed(entry, tensors, args, kwargs)
        return self._recorded(key, tensors, modules, args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method of the instance, as of any function in a class."""
        return self if instance is None else types.MethodType(self, instance)

    def __copy__(self) -> CompiledFunction:
        """The same function, with traces of its own."""
        return CompiledFunction(self._function, self._options)

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledFunction:
        """As a copy: functions are shared."""
        return self.__copy__()

    def __reduce__(self) -> Any:
        """By name where the name means this object, else the function and the options."""
        name = getattr(self, "__qualname__", "")
        module = sys.modules.get(getattr(self, "__module__", ""))
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (CompiledFunction, (self._function, self._options))

    def __repr__(self) -> str:
        return f"<compiled {self._name}>"

    def explain(self) -> Explanation:
        """Say which operators run together, what they move, and what ended each group.

        Returns:
            An Explanation, whose text is meant to be read; bytes are those of the traced shapes.

        Example:
            >>> import gpukit
            >>> f = gpukit.compile(lambda x: gpukit.tanh(x * 2) + 1)
            >>> _ = f(gpukit.ones(1000))
            >>> f.explain().bytes_before, f.explain().bytes_after
            (24000, 8000)
        """
        from gpukit._compile.explanation import explained

        fault = str(self._fault) if self._fault is not None else ""
        made = [self._prepared(entry) for entry in list(self._traced)]
        traces = [(each.trace, each.plan) for each in made]
        return explained(self._name, traces, fault, self._options.backend)

    def _replayed(
        self, entry: _Entry, tensors: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if entry.trace is not None and self._gains(entry, tensors):
            try:
                return self._prepared(entry).replay.run(tensors)
            except ChangedError as error:
                raise error.cause from None
            except Exception:  # noqa: S110 (the function itself raises it, at its own line)
                pass
        return self._function(*args, **kwargs)

    def _gains(self, entry: _Entry, tensors: list[Any]) -> bool:
        """Whether the replay is the quicker way; a backend that was named is taken."""
        if self._options.backend is not None:
            return True
        many = any([math.prod(tensor.shape) > FEW_ELEMENTS for tensor in tensors])  # noqa: C419 (quicker)
        return many and self._prepared(entry).gains

    def _prepared(self, entry: _Entry) -> Prepared:
        if entry.prepared is None:
            assert entry.trace is not None
            with self._lock:
                if entry.prepared is None:
                    entry.prepared = prepared(entry.trace, self._options.backend)
        return entry.prepared

    def _recorded(
        self,
        key: Any,
        tensors: list[Any],
        modules: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Runs the function while its operators are recorded."""
        if sum(map(len, list(self._entries.values()))) >= MOST_TRACES:
            many = f"it has {MOST_TRACES} traces; numbers that change with each call make new ones"
            self._refuse(Fault(many, None))
            self._fault = Fault(many, self._place())
            return self._function(*args, **kwargs)
        reading = read((*self._roots, *modules), self._known)
        if reading.fault is not None:
            self._fault = reading.fault
            self._refuse(reading.fault)
            return self._function(*args, **kwargs)
        if reading.reads_attributes and not attributes_are_plain(tensors):
            self._refuse(Fault("it is given a tensor with attributes that may change", None))
            return self._function(*args, **kwargs)
        guards = Guards(reading)
        given = attributes(tensors) if reading.reads_attributes else None
        tracer = Tracer(tensors, self._options.fullgraph)
        result = _observed(tracer, self._function, args, kwargs)
        tracer.finish(result)
        if tracer.fault is None and not _is_as_it_was(args, kwargs, key[1], tensors):
            self._fault = tracer.fault = Fault("it changes an argument", None)
        asks_sizes = reading.reads_sizes or tracer.asks_sizes
        if tracer.fault is None:
            tracer.fault = _fault_of_result(result, (args, kwargs), reading)
        if tracer.fault is None and asks_sizes and tracer.sized_by_values is not None:
            reason = "asks for sizes that depend on the values of a tensor"
            tracer.fault = Fault(reason, tracer.sized_by_values)
        exact = asks_sizes or self._options.dynamic is False
        tracer.trace.exact = exact and tracer.sized_by_values is None
        held = frozenset(guards.held_ids())
        shapes = _shapes(tensors) if exact else None
        entry = _Entry(guards, shapes, held, _shared(tensors, held), given)
        self._finish(entry, tracer)
        with self._lock:
            self._entries.setdefault(key, []).append(entry)
        return result

    def _finish(self, entry: _Entry, tracer: Tracer) -> None:
        """Keeps the trace, unless something stands against it."""
        trace = tracer.trace
        fault = tracer.fault or self._late_fault(entry, trace)
        if fault is not None:
            self._refuse(fault)
            return
        if trace.records and any(operation.changes for operation in trace.operations):
            return
        entry.guards.add_captured(list(trace.captured.values()), entry.shapes is not None)
        entry.trace = trace
        with self._lock:
            self._traced.append(entry)

    def _late_fault(self, entry: _Entry, trace: Trace) -> Fault | None:
        changed = entry.guards.broken()
        if changed is not None:
            self._fault = Fault(f"it changes {changed}", self._place())
            return self._fault
        if any(id(tensor) not in entry.held for tensor in trace.captured.values()):
            return Fault("it reads a tensor that it has not got by name", None)
        return None

    def _refuse(self, fault: Fault) -> None:
        fault = Fault(fault.reason, fault.place or self._place())
        if self._options.fullgraph:
            raise UntraceableError(fault)
        if not self._warned:
            self._warned = True
            warn(self._name, fault)

    def _place(self) -> Place | None:
        root = self._roots[0]
        if isinstance(root, _core.ModuleBase):
            root = getattr(type(root), "forward", None)
        code = getattr(root, "__code__", None)
        if code is None:
            return None
        return Place(code.co_filename, code.co_firstlineno, code.co_name)


def _observed(
    tracer: Tracer, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    observation = tracer.observe()
    _this_thread.recording = True
    try:
        return function(*args, **kwargs)
    finally:
        _this_thread.recording = False
        observation.stop()


def _settings() -> tuple[Any, ...]:
    """Of this thread and process, what operators depend on."""
    return (
        _core.is_grad_enabled(),
        _core.is_inference_mode_enabled(),
        _core.get_default_dtype(),
        _core.get_default_device(),
    )


def _described_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[Any], modules: list[Any]
) -> Any:
    """The arguments of a call; most are tensors and nothing else."""
    if not kwargs and all([type(each) is _core.Tensor for each in args]):  # noqa: C419 (quicker)
        tensors.extend(args)
        return tuple([meta(each) for each in args])
    return (_described(args, tensors, modules), _described(kwargs, tensors, modules))


def _described(structure: Any, tensors: list[Any], modules: list[Any]) -> Any:
    """Arguments to compare by; the tensors and modules among them are collected."""
    if isinstance(structure, _core.Tensor):
        tensors.append(structure)
        return meta(structure)
    kind = type(structure)
    if kind is tuple or kind is list:
        return (kind, tuple(_described(item, tensors, modules) for item in structure))
    if kind is dict:
        return (
            kind,
            tuple((key, _described(item, tensors, modules)) for key, item in structure.items()),
        )
    if isinstance(structure, _core.ModuleBase):
        modules.append(structure)
        return frozen(structure)
    if isinstance(structure, CONSTANTS):
        return frozen(structure)
    raise UnknownTypeError(kind)


def _is_as_it_was(
    args: tuple[Any, ...], kwargs: dict[str, Any], described: Any, tensors: list[Any]
) -> bool:
    """Whether the call has left its arguments with the same contents."""
    now: list[Any] = []
    try:
        same = _described_call(args, kwargs, now, []) == described
    except UnknownTypeError:
        return False
    return same and list(map(id, now)) == list(map(id, tensors))


def _fault_of_result(result: Any, arguments: Any, reading: Reading) -> Fault | None:
    """Lists and dicts are created for each call, so the result's may not live elsewhere."""
    own = list(containers_in(result))
    if not own:
        return None
    outside = [arguments, *(source.read() for source in reading.sources)]
    outside += [(each.__defaults__, each.__kwdefaults__) for each, _ in reading.codes]
    outside += [tuple(vars(module).values()) for module in reading.modules]
    outside += [value for _, _, value in reading.members]
    shared = set(own).intersection(containers_in(tuple(outside)))
    if shared or len(own) != len(set(own)):
        return Fault("it returns a list or dict that something else holds too", None)
    return None


def _pattern(tensors: list[Any]) -> tuple[int, ...]:
    """Which arguments are one tensor."""
    if len(tensors) < 2:
        return ()
    first: dict[int, int] = {}
    return tuple(first.setdefault(id(tensor), place) for place, tensor in enumerate(tensors))


def _shapes(tensors: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(tensor.shape) for tensor in tensors)


def _shared(tensors: list[Any], held: frozenset[int]) -> tuple[int, ...]:
    """Arguments that the function also reads from elsewhere."""
    return tuple(id(tensor) if id(tensor) in held else 0 for tensor in tensors)


def compiled_module(module: Any, options: Options) -> Any:
    """A module of the same class that shares everything with this one but its forward."""

    def plain(*args: Any, **kwargs: Any) -> Any:
        return type(module).forward(module, *args, **kwargs)

    function = CompiledFunction(plain, options, module)

    def forward(_: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    def reduced(_: Any, __: Any) -> Any:
        return (compiled_module, (module, options))

    kind = type(module)
    parts = {
        "forward": forward,
        "explain": staticmethod(function.explain),
        "__module__": kind.__module__,
        "__doc__": kind.__doc__,
        "__reduce_ex__": reduced,
        "_compiled_from": module,
    }
    made: Any = object.__new__(type(kind.__name__, (kind,), parts))
    object.__setattr__(made, "__dict__", module.__dict__)
    return made


def _warm_up() -> None:
    """What recording takes for the first time in a process: here, and not in a first call."""
    if _core.is_observed():
        return  # by somebody whom these operators do not concern

    def sample(x: Any, y: Any) -> Any:
        return _core.sqrt(x * 1.5 + y), x

    sample.__module__ = "a program"  # it is read as one of a user's
    tensors = [_core.ones((1,), dtype=_core.float32, device="cpu") for _ in range(2)]
    for _ in range(4):
        CompiledFunction(sample, Options())(*tensors)


_warm_up()
