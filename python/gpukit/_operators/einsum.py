"""einsum as permutations, reductions and batched matrix products."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit.errors import ArgumentError, ShapeError

_WIDENS = by_kind(bool=True, integer=True, floating=False, complex=False)  # where it is summed

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Stand for the dimensions of '...', the last one first; none of them can be typed as a label.
_DOTS = "0123456789"


def einsum(equation: str | Tensor, operands: tuple[Any, ...]) -> Tensor:
    """Contract the operands from left to right, as the equation says."""
    if isinstance(equation, Tensor):
        equation, operands = _of_lists((equation, *operands))
    terms, result = _parse(equation, operands)
    sizes = _sizes(terms, operands)
    term, left = _simplified(terms[0], operands[0], sizes, result + "".join(terms[1:]))
    for i, operand in enumerate(operands[1:], 1):
        needed = result + "".join(terms[i + 1 :])
        other, right = _simplified(terms[i], operand, sizes, needed + term)
        term, left = _contracted(term, left, other, right, needed)
    dropped = [i for i, label in enumerate(term) if label not in result]
    if dropped:
        left = _core.sum(left, dropped)  # integers in 64 bits
        term = "".join(label for label in term if label in result)
    return left if term == result else left.permute([term.index(label) for label in result])


def _of_lists(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Text and operands of the form that gives each operand a list of numbers."""
    if all(number is ... or isinstance(number, int) for number in args[1:]):
        args = (args[0], args[1:])  # one list arrives as its numbers
    inputs = args[: len(args) // 2 * 2]
    text = ",".join(_text_of(each) for each in inputs[1::2])
    if len(args) > len(inputs):
        text += "->" + _text_of(args[-1])
    return text, inputs[::2]


def _text_of(numbers: Any) -> str:
    """A list of numbers as letters, in torch's order."""
    if not isinstance(numbers, (list, tuple)):
        raise TypeError(
            "einsum: behind an operand comes the list of its dimensions' numbers, as in "
            f"einsum(x, [0, 1], y, [1, 2], [0, 2]), got {numbers!r:.80}"
        )
    for number in numbers:
        if number is not ... and (not isinstance(number, int) or not 0 <= number < len(_LETTERS)):
            raise ArgumentError(
                f"einsum: {number!r} in {numbers!r} is not a number from 0 to {len(_LETTERS) - 1} "
                "or ..."
            )
    return "".join("..." if number is ... else _LETTERS[number] for number in numbers)


def _parse(equation: Any, operands: tuple[Tensor, ...]) -> tuple[list[str], str]:
    """Labels of every operand and of the result, '...' written as digits."""
    if not isinstance(equation, str):
        raise TypeError(f"einsum: equation must be text such as 'ij,jk->ik', got {equation!r:.80}")
    if not operands:
        raise TypeError("einsum: argument 'operands' is missing, e.g. einsum('ij->ji', x)")
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(f"einsum: operands must be Tensors, got {operand!r}")
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != len(operands):
        raise ArgumentError(
            f"einsum: equation {equation!r} names {len(parts)} operands, got {len(operands)}"
        )
    terms = [_labels(part, x.ndim, equation) for part, x in zip(parts, operands, strict=True)]
    dots = max((term for part in terms for term in [_dots_of(part)]), key=len)
    result = _expanded(output, dots, equation) if arrow else _implied("".join(terms), dots)
    for label in result:
        if result.count(label) > 1 or not any(label in term for term in terms):
            raise ArgumentError(
                f"einsum: label {label!r} of the result of {equation!r} must occur once there, "
                "and in an operand"
            )
    return terms, result


def _dots_of(term: str) -> str:
    return "".join(label for label in term if label in _DOTS)


def _labels(part: str, rank: int, equation: str) -> str:
    """The labels of one operand, as many as it has dimensions."""
    named = len(part.replace("...", ""))
    dots = _DOTS[: max(rank - named, 0)][::-1] if "..." in part else ""
    term = _expanded(part, dots, equation)
    if len(term) != rank:
        raise ShapeError(
            f"einsum: {part!r} in {equation!r} names {named} dimensions, the operand has {rank}"
        )
    return term


def _expanded(part: str, dots: str, equation: str) -> str:
    plain = part.replace("...", "", 1)
    if wrong := [letter for letter in plain if letter not in _LETTERS]:
        raise ArgumentError(
            f"einsum: {wrong[0]!r} in {equation!r} is not a label; labels are letters"
        )
    return part.replace("...", dots, 1)


def _implied(labels: str, dots: str) -> str:
    """The result without '->': letters that occur once, in alphabetical order."""
    return dots + "".join(label for label in sorted(_LETTERS) if labels.count(label) == 1)


def _sizes(terms: list[str], operands: tuple[Tensor, ...]) -> dict[str, int]:
    """The size of each label; 1 broadcasts to others."""
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands, strict=True):
        for label, size in zip(term, operand.shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == 1:
                sizes[label] = size
            elif size not in {1, known}:
                name = "..." if label in _DOTS else label
                raise ShapeError(f"einsum: {name!r} has the sizes {known} and {size}")
    return sizes


def _simplified(
    term: str, operand: Tensor, sizes: dict[str, int], needed: str
) -> tuple[str, Tensor]:
    """Take diagonals for repeated labels, and sum labels that no other operand needs."""
    for label in dict.fromkeys(term):
        while term.count(label) > 1:
            first, second = term.index(label), term.rindex(label)
            operand = _diagonal(operand, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + label
    alone = [i for i, label in enumerate(term) if label not in needed]
    for i in alone:
        if operand.shape[i] != sizes[term[i]]:
            shape = [sizes[term[i]] if k == i else size for k, size in enumerate(operand.shape)]
            operand = operand.expand(shape)
    if alone:
        operand = _core.sum(operand, alone)  # integers in 64 bits
        term = "".join(label for i, label in enumerate(term) if i not in alone)
    return term, operand


def _diagonal(operand: Tensor, first: int, second: int) -> Tensor:
    """The elements with equal indices in two dimensions, as the last dimension."""
    rows, columns = operand.shape[first], operand.shape[second]
    if rows != columns:
        raise ShapeError(f"einsum: a label stands for the sizes {rows} and {columns}")
    if operand.ndim == 2:
        return _core.diagonal(operand)  # a view
    rest = [i for i in range(operand.ndim) if i not in {first, second}]
    flat = operand.permute([*rest, first, second]).flatten(-2)
    return flat[..., :: rows + 1] if rows else flat


def _contracted(
    term: str, left: Tensor, other: str, right: Tensor, needed: str
) -> tuple[str, Tensor]:
    """The product of two operands, summed over shared labels that no other operand needs."""
    shared = [label for label in term if label in other]
    summed = [label for label in shared if label not in needed]
    batch = [label for label in shared if label in needed]
    ours = [label for label in term if label not in other]
    theirs = [label for label in other if label not in term]
    left = _matched(left, term, right, other, shared)
    right = _matched(right, other, left, term, shared)
    labels = "".join([*batch, *ours, *theirs])
    if _WIDENS[left.dtype] and _WIDENS[right.dtype]:  # one may have been summed
        dtype = _core.promote_types(left.dtype, right.dtype)
        left, right = left.to(dtype), right.to(dtype)
    first = _arranged(left, term, [batch, ours, summed])
    second = _arranged(right, other, [batch, summed, theirs])
    product = first @ second if summed else first * second
    size = dict(zip(term, left.shape, strict=True)) | dict(zip(other, right.shape, strict=True))
    return labels, product.reshape([size[label] for label in labels])


def _matched(x: Tensor, term: str, other: Tensor, labels: str, shared: list[str]) -> Tensor:
    """The operand with shared sizes of 1 expanded to those of the other."""
    shape = list(x.shape)
    for label in shared:
        if shape[term.index(label)] == 1:
            shape[term.index(label)] = other.shape[labels.index(label)]
    return x if tuple(shape) == x.shape else x.expand(shape)


def _arranged(x: Tensor, term: str, groups: list[list[str]]) -> Tensor:
    """The operand with three dimensions, one for each group of labels."""
    x = x.permute([term.index(label) for group in groups for label in group])
    sizes, start = [], 0
    for group in groups:
        size = 1
        for extent in x.shape[start : start + len(group)]:
            size *= extent
        sizes.append(size)
        start += len(group)
    return x.reshape(sizes)
