"""The possible value of an expression: an instance of a class, its elements, and the certainty."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Kind:
    """An instance of `cls`; `of` is its element type, `parts` are a tuple's elements.

    `sure` is False for what usually is so: a parameter of forward(), the result of a module.
    """

    cls: str = ""
    sure: bool = True
    of: Kind | None = None
    parts: tuple[Kind, ...] = ()
    own: ast.ClassDef | None = None  # a class of the file

    @property
    def unknown(self) -> bool:
        """The text does not say what it is."""
        return not (self.cls or self.own or self.of or self.parts)

    @property
    def tensor(self) -> bool:
        """A tensor or a parameter."""
        return self.cls in {"torch.Tensor", "torch.nn.Parameter"}

    def item(self, place: int | None = None) -> Kind:
        """The element at an index, or at any index."""
        if place is not None and self.parts:
            return self.parts[place] if place < len(self.parts) else UNKNOWN
        return self.of or UNKNOWN


UNKNOWN = Kind()
TENSOR = Kind("torch.Tensor")
LIKELY = Kind("torch.Tensor", sure=False)
PARAMETER = Kind("torch.nn.Parameter")
MODULE = Kind("torch.nn.Module", sure=False)
TEXT = Kind("str")
ARRAY = Kind("numpy.ndarray", sure=False)
NUMBER = Kind("number")
NODE = Kind("torch.autograd.graph.Node")


def agreed(kinds: list[Kind]) -> Kind:
    """The kind that all have; a less sure one where some are unknown, UNKNOWN where two differ."""
    known = [kind for kind in kinds if not kind.unknown and kind.cls != "NoneType"]
    first = known[0] if known else UNKNOWN
    if any(
        (k.cls, k.own) != (first.cls, first.own) and not (k.tensor and first.tensor) for k in known
    ):
        return UNKNOWN
    unsure = len(known) < len(kinds) or not all(kind.sure for kind in known)
    return replace(first, sure=first.sure and not unsure) if known else UNKNOWN


def items(kind: Kind) -> Kind:
    """The element type of iteration over something."""
    return replace(TENSOR, sure=kind.sure) if kind.tensor else kind.item()
