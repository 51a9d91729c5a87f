"""What a trace holds: the operators of one call, as they can be called again with other tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gpukit import _core


class Place(NamedTuple):
    """A line of the user's program."""

    file: str
    line: int
    function: str


@dataclass(slots=True, unsafe_hash=True)  # frozen ones take three times as long to make
class Value:
    """A tensor of the trace, by number."""

    number: int


class Facts(NamedTuple):
    """What a value was when it was traced. The shape may be another one later, the rest not."""

    shape: tuple[int, ...]
    dtype: Any
    device: Any
    requires_grad: bool = False

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count * int(self.dtype.itemsize)


@dataclass
class Body:
    """The operators that an operator written in Python has called, in order."""

    operations: list[Operation] = field(default_factory=list)
    reason: str = ""  # why they cannot run in its place: "it reads ..."


@dataclass(slots=True)
class Operation:
    """One operator: what was called, with which values, and what it gave."""

    operator: Any
    name: str
    arguments: dict[str, Any]
    result: Any
    changes: bool  # writes into a tensor that was there before
    place: Place
    records: bool = True  # gradients were recorded
    body: Body | None = None

    def reads(self) -> list[int]:
        """The numbers of the values that it is given."""
        return [value.number for value in values_in(self.arguments)]

    def makes(self) -> list[int]:
        """The numbers of the values that it gives."""
        return [value.number for value in values_in(self.result)]


@dataclass
class Trace:
    """One call of a function, recorded."""

    arguments: list[int] = field(default_factory=list)
    captured: dict[int, Any] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    result: Any = None
    records: bool = False  # some value has a gradient
    exact: bool = False  # it is used for the shapes of the recorded call alone
    default_dtype: Any = field(default_factory=_core.get_default_dtype)

    def new_value(self, tensor: Any) -> int:
        """The number of a tensor that was not known yet."""
        facts = self.facts
        facts.append(Facts(tuple(tensor.shape), tensor.dtype, tensor.device, tensor.requires_grad))
        return len(facts) - 1


class UnknownTypeError(Exception):
    """An object that a trace cannot hold; its type is the only argument."""


CONSTANTS = (
    bool,
    int,
    float,
    str,
    bytes,
    type(None),
    type(...),
    slice,
    _core.dtype,
    _core.device,
)


CASTS = frozenset(
    "float double half bfloat16 bool byte char short int long type to".split()  # noqa: SIM905
)


def mapped(structure: Any, tensor: Callable[[Any], Any]) -> Any:
    """A copy of tuples, lists and dicts with `tensor` applied to the tensors.

    Raises:
        UnknownTypeError: Something that is neither a tensor, a constant nor one of these.
    """
    if isinstance(structure, _core.Tensor):
        return tensor(structure)
    kind = type(structure)
    if kind is tuple or kind is list:
        return kind(mapped(item, tensor) for item in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return kind(*(mapped(item, tensor) for item in structure))
    if _is_record(structure):
        return kind(mapped(item, tensor) for item in structure)
    if kind is dict:
        return {key: mapped(item, tensor) for key, item in structure.items()}
    if isinstance(structure, CONSTANTS):
        return structure
    raise UnknownTypeError(kind)


def _is_record(structure: Any) -> bool:
    """A tuple with names as operators in C++ give it, such as the result of sort."""
    return isinstance(structure, tuple) and hasattr(type(structure), "n_sequence_fields")


def containers_in(structure: Any) -> Iterator[int]:
    """The identities of the lists and dicts of a structure, each as often as it occurs."""
    if isinstance(structure, (list, dict)):
        yield id(structure)
    if isinstance(structure, dict):
        structure = tuple(structure.values())
    if isinstance(structure, (tuple, list)):
        for item in structure:
            yield from containers_in(item)


def filled(structure: Any, values: list[Any]) -> Any:
    """A copy of a structure with tensors in the places of their numbers."""
    kind = type(structure)
    if kind is Value:
        return values[structure.number]
    if kind is tuple or kind is list:
        return kind(filled(item, values) for item in structure)
    if kind is dict:
        return {key: filled(item, values) for key, item in structure.items()}
    if _is_record(structure):
        return kind(filled(item, values) for item in structure)
    if isinstance(structure, tuple):
        return kind(*(filled(item, values) for item in structure))
    return structure


def values_in(structure: Any) -> Iterator[Value]:
    """The values of a structure, in order."""
    if isinstance(structure, Value):
        yield structure
    elif isinstance(structure, dict):
        for item in structure.values():
            yield from values_in(item)
    elif isinstance(structure, (tuple, list)):
        for item in structure:
            yield from values_in(item)


def store(structure: Any, made: Any, values: list[Any]) -> None:
    """Puts the tensors of `made` where the structure of numbers says."""
    if isinstance(structure, Value):
        values[structure.number] = made
    elif isinstance(structure, (tuple, list)):
        for item, each in zip(structure, made, strict=True):
            store(item, each, values)
