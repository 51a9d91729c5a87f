"""What a drawn call is made of: descriptions that become a library's own objects, or source text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *SIGNED, *UNSIGNED, *FLOATS)


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype that holds this dtype's values: float32 for bfloat16."""
    return np.dtype("float32" if name == "bfloat16" else name)


def rounded_to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The float32 values whose lower 16 bits are zero, nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    even = (bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    kept = np.where(np.isnan(values), bits, even.astype(np.uint32))
    return kept.astype(np.uint32).view(np.float32)


@dataclass
class Array:
    """A tensor: the values of its storage, and the views that lead from there to it."""

    dtype: str
    data: np.ndarray
    views: tuple[tuple[Any, ...], ...] = ()
    requires_grad: bool = False
    is_index: bool = False

    def __post_init__(self) -> None:
        self.data = np.asarray(self.data)

    def source(self) -> str:
        """An expression that makes it; `m` is the library."""
        grad = ", requires_grad=True" if self.requires_grad else ""
        if self.data.size == 0:
            text = f"m.zeros({tuple(self.data.shape)}, dtype=m.{self.dtype}{grad})"
        else:
            text = f"m.tensor({literal(self.data.tolist())}, dtype=m.{self.dtype}{grad})"
        return text + "".join(f".{_view_source(view)}" for view in self.views)


@dataclass(frozen=True)
class Dtype:
    """A dtype of the library."""

    name: str


@dataclass(frozen=True)
class NumpyArray:
    """A NumPy array, given as it is to both libraries."""

    data: np.ndarray


@dataclass(frozen=True)
class PythonType:
    """`int`, `float` or `bool`, given as a dtype."""

    kind: type


OMIT = object()


def _view_source(view: tuple[Any, ...]) -> str:
    name, *rest = view
    if name == "slice":
        return (
            "__getitem__(("
            + "slice(None), " * rest[0]
            + f"slice({', '.join(map(repr, rest[1:]))}),))"
        )
    return f"{name}({', '.join(map(repr, rest))})"


def apply_view(tensor: Any, view: tuple[Any, ...]) -> Any:
    """One step from a storage to the tensor."""
    name, *rest = view
    if name == "slice":
        return tensor[(slice(None),) * rest[0] + (slice(*rest[1:]),)]
    return getattr(tensor, name)(*rest)


def viewed_shape(array: Array) -> tuple[int, ...]:
    """The shape of a tensor after its views."""
    return tuple(viewed(array).shape)


def viewed(array: Array) -> np.ndarray:
    """What a tensor holds after its views, as an array of NumPy's."""
    found = array.data
    for name, *rest in array.views:
        if name == "transpose":
            found = found.swapaxes(*rest)
        elif name == "expand":
            found = np.broadcast_to(found, rest[0])
        else:
            found = apply_view(found, (name, *rest))
    return found


def literal(value: Any) -> str:
    """Python text of a value, with nan and inf as names."""
    if isinstance(value, Array):
        return value.source()
    if isinstance(value, Dtype):
        return f"m.{value.name}"
    if isinstance(value, PythonType):
        return value.kind.__name__
    if isinstance(value, NumpyArray):
        return f"np.array({literal(value.data.tolist())}, dtype=np.{value.data.dtype})"
    if isinstance(value, np.generic):
        return f"np.{type(value).__name__}({literal(value.item())})"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, slice):
        return f"slice({literal(value.start)}, {literal(value.stop)}, {literal(value.step)})"
    return repr(value)


@dataclass
class Call:
    """One call, without a library: it is run by each."""

    row: str
    form: str  # function, method, operator, in-place operator, property, get, set
    name: str  # dotted name in gpukit
    peer: str  # dotted name in the peer
    arguments: list[Any]
    keywords: dict[str, Any] = field(default_factory=dict)
    library: str = "torch"

    def with_values(self, arguments: list[Any], keywords: dict[str, Any]) -> Call:
        """The same call of other arguments."""
        return replace(self, arguments=arguments, keywords=keywords)

    def arrays(self) -> list[Array]:
        """Every tensor among the arguments, in their order."""
        found: list[Array] = []
        for value in (*self.arguments, *self.keywords.values()):
            _collect(value, found)
        return found

    @property
    def differentiates(self) -> bool:
        """Whether a tensor among the arguments asks for a gradient."""
        return any(array.requires_grad for array in self.arrays())


def _collect(value: Any, found: list[Array]) -> None:
    if isinstance(value, Array):
        found.append(value)
    elif isinstance(value, list | tuple):
        for item in value:
            _collect(item, found)


def changed(value: Any, change: Any) -> Any:
    """A value with every Array and Dtype inside it replaced."""
    if isinstance(value, Array | Dtype):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(changed(item, change) for item in value)
    return value


def snippet(call: Call, library: str, device: str = "cpu") -> str:
    """A program that makes the call with one library and prints what it gives."""
    path = call.name if library.startswith("gpukit") else call.peer
    lines = ["import numpy as np", f"import {library.replace('gpukit.array_api', 'gpukit')} as m"]
    if library == "gpukit.array_api":
        lines.append("m = m.array_api")
    if device != "cpu":
        lines.append(f"m.set_default_device({device!r})  # with GPUKIT_SIMULATE=2xT4")
    lines.append('nan, inf = float("nan"), float("inf")')
    names = []
    for index, value in enumerate(call.arguments):
        names.append(f"a{index}")
        lines.append(f"a{index} = {literal(value)}")
    keywords = [f"{key}={literal(value)}" for key, value in call.keywords.items()]
    lines.append(f"r = {_call_source(call, path, names, keywords)}")
    lines.append("print(r)")
    return "\n".join(lines)


def _call_source(call: Call, path: str, names: list[str], keywords: list[str]) -> str:
    if call.form == "method" and "." not in path and path != "tensordot":
        return f"{names[0]}.{path}({', '.join([*names[1:], *keywords])})"
    if call.form == "property":
        return f"{names[0]}.{path}"
    if call.form == "get":
        return f"{names[0]}[{names[1]}]"
    if call.form == "set":
        return f"{names[0]}.__setitem__({names[1]}, {names[2]}) or {names[0]}"
    if "operator" in call.form:
        return f"__import__('operator').{path}({', '.join(names)})"
    return f"m.{path}({', '.join([*names, *keywords])})"
