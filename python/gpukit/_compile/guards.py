"""What has to be as it was for a trace to be used again."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._compile.scan import Reading
from gpukit._compile.trace import CONSTANTS


def frozen(value: Any) -> Any:
    """A value to compare by: constants by type and value, tensors and all else by identity.

    -0.0 and 0.0 differ, and NaN is like itself.
    """
    kind = type(value)
    if kind is float:
        return (kind, value.hex())
    if kind in {int, bool, str, bytes, type(None)}:
        return (kind, value)
    if kind in {tuple, list}:
        return (kind, tuple(frozen(item) for item in value))
    if kind is dict:
        return (kind, tuple((key, frozen(item)) for key, item in value.items()))
    if kind is slice:
        return (kind, frozen((value.start, value.stop, value.step)))
    if isinstance(value, (_core.dtype, _core.device, int, float, str)):
        return (kind, repr(value))
    return _Same(value)


class _Same:
    """Equal to what holds the same object."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


def meta(tensor: Any) -> tuple[Any, ...]:
    """What a trace depends on in a tensor, beside its shape and elements."""
    return (type(tensor), tensor.dtype, tensor.device, tensor.ndim, tensor.requires_grad)


def attributes(tensors: list[Any]) -> tuple[Any, ...]:
    """What a program has given tensors (`x.tag = 3`), to compare by."""
    return tuple([frozen(vars(tensor)) if vars(tensor) else None for tensor in tensors])


def attributes_are_plain(tensors: list[Any]) -> bool:
    """Whether comparing them is enough: nothing can change in them."""
    values = [value for tensor in tensors for value in vars(tensor).values()]
    return all(isinstance(value, (*CONSTANTS, _core.Tensor)) for value in values)


class Guards:
    """Taken before the traced call, and compared after it and before each later one."""

    def __init__(self, reading: Reading) -> None:
        self._sources = [(source, frozen(source.read())) for source in reading.sources]
        self._functions = [
            (function, code, frozen(function.__defaults__), frozen(function.__kwdefaults__))
            for function, code in reading.codes
        ]
        self._modules = [(module, _state(module)) for module in reading.modules]
        self._members = reading.members
        self._exact_shapes = False
        self._captured: list[tuple[Any, Any]] = []

    def add_captured(self, tensors: list[Any], exact_shapes: bool) -> None:
        """Tensors from outside, which the trace reads where they are."""
        self._exact_shapes = exact_shapes
        self._captured = [(tensor, self._of_tensor(tensor)) for tensor in tensors]

    def hold(self) -> bool:
        """Whether all is as it was."""
        return self.broken() is None

    def broken(self) -> str | None:
        """What is not as it was."""
        for source, expected in self._sources:
            if frozen(source.read()) != expected:
                return f"the value of {source.name!r}"
        for function, code, *defaults in self._functions:
            now = [frozen(function.__defaults__), frozen(function.__kwdefaults__)]
            if function.__code__ is not code or now != defaults:
                return f"the function {function.__name__}"
        for names, name, expected in self._members:
            if names.get(name) is not expected:
                return f"what {name!r} means"
        for module, state in self._modules:
            if _state(module) != state:
                return f"an attribute of {type(module).__name__}"
        for tensor, expected in self._captured:
            if self._of_tensor(tensor) != expected:
                return "a tensor that it reads"
        return None

    def held_ids(self) -> set[int]:
        """Tensors that guards compare by identity."""
        found: set[int] = set()
        for _, expected in self._sources:
            _add_ids(expected, found)
        for _, _, *defaults in self._functions:
            _add_ids(tuple(defaults), found)
        for _, state in self._modules:
            _add_ids(state, found)
        return found

    def _of_tensor(self, tensor: Any) -> Any:
        return (meta(tensor), tuple(tensor.shape) if self._exact_shapes else None)


def _state(module: Any) -> Any:
    """The attributes of a module: parameters, buffers, parts, and settings."""
    return type(module), tuple(
        (name, frozen(value))
        for name, value in vars(module).items()
        if name not in {"_parameters", "_buffers", "_modules", "_transient_buffers"}
    )


def _add_ids(expected: Any, found: set[int]) -> None:
    if isinstance(expected, _Same):
        found.add(id(expected.held))
    elif isinstance(expected, tuple):
        for item in expected:
            _add_ids(item, found)
