"""Reductions at a group's end: what they make is computed while the values are in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._compile.trace import Operation, Trace, Value

MOST_ENDINGS = 4
_NAMES = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "min", "max": "max", "min": "min"}
_NORMS = {1: "norm1", 2: "norm2", "fro": "norm2", None: "norm2"}
# With a gradient only those whose derivative reads neither the values nor the result.
_WITH_GRADIENT = frozenset(("sum", "mean"))


@dataclass(frozen=True)
class Ending:
    """A reduction of a group's value over its last dimensions."""

    name: str
    value: int
    dims: int
    keepdim: bool
    result: int


def ending_of(operation: Operation, trace: Trace) -> Ending | None:
    """The operator as a reduction that a group may end in, or None."""
    arguments = dict(operation.arguments)
    value = arguments.pop("x" if operation.name == "linalg_vector_norm" else "input", None)
    if operation.changes or not isinstance(value, Value) or not isinstance(operation.result, Value):
        return None
    name = _name_of(operation.name, arguments)
    facts = trace.facts[value.number]
    dims = _last_dims(arguments.pop("dim", None), facts.rank)
    keepdim = arguments.pop("keepdim", False)
    if name is None or not dims or arguments or type(keepdim) is not bool:
        return None
    if not facts.dtype.is_floating_point or not _core.reduces_in_chains(facts.device):
        return None
    if trace.facts[operation.result.number].requires_grad and name not in _WITH_GRADIENT:
        return None
    return Ending(name, value.number, dims, keepdim, operation.result.number)


def why_no_ending(operation: Operation, trace: Trace) -> str | None:
    """Why a reduction is not computed with the values before it; None for what is no reduction."""
    value = operation.arguments.get("input", operation.arguments.get("x"))
    known = operation.name in _NAMES or operation.name in {"norm", "linalg_vector_norm"}
    if not known or not isinstance(value, Value):
        return None
    facts = trace.facts[value.number]
    if not _core.reduces_in_chains(facts.device):
        return "is a reduction, which ends a chain on the CPU only"
    if not facts.dtype.is_floating_point:
        return f"is a reduction of {facts.dtype}"
    if ending_of(operation, trace) is not None:
        return "is a reduction beside one over other dimensions, or of a value that is read often"
    made = operation.result
    if isinstance(made, Value) and trace.facts[made.number].requires_grad:
        return "is a reduction with a gradient that reads the values"
    return "is a reduction over dimensions that are not the last, or gives positions"


def _name_of(name: str, arguments: dict[str, Any]) -> str | None:
    """What chains call it; takes what says so from the arguments."""
    if name == "norm":
        return _NORMS.get(arguments.pop("p", 2))
    if name == "linalg_vector_norm":
        return _NORMS.get(arguments.pop("ord", 2))
    if name in {"max", "min"} and arguments:
        return None  # gives positions too
    return _NAMES.get(name)


def _last_dims(dim: Any, rank: int) -> int:
    """How many of the last dimensions are meant; 0 where others are."""
    if dim is None or dim in ((), []):
        return rank
    given = (dim,) if type(dim) is int else dim
    if type(given) not in {tuple, list} or not all(type(each) is int for each in given):
        return 0
    named = {each + rank if each < 0 else each for each in given}
    if not rank or not named:
        return 0
    return len(named) if named == set(range(rank - len(named), rank)) else 0
