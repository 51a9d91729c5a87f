"""Derivatives of functions, by the backward pass."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import functional
from gpukit.autograd import grad as _grad
from gpukit.autograd._grad_mode import enable_grad
from gpukit.errors import ArgumentError, ShapeError
from gpukit.func._trees import changed, filled, reaches_others, tensors_in, without_graph

_Function = Callable[..., Any]


def grad(func: _Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> _Function:
    """Return a function that computes the gradient of `func`.

    Args:
        func: Returns a tensor of one element; with has_aux a pair of it and anything else.
        argnums: By which arguments to differentiate; each is a tensor, or a tuple, list or dict.
        has_aux: Whether func returns a pair, whose second part is passed on.

    Raises:
        ValueError: There is no such argument, or the result has several elements.

    Example:
        >>> import gpukit
        >>> gpukit.func.grad(lambda x: (x * x).sum())(gpukit.tensor([1.0, 2.0]))
        tensor([2., 4.])
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        slope, value = both(*args, **keywords)
        return (slope, value[1]) if has_aux else slope

    return wrapper


def grad_and_value(
    func: _Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> _Function:
    """Return a function that computes the gradient of `func` and its value.

    Args:
        func: As for `grad`.
        argnums: As for `grad`.
        has_aux: As for `grad`.

    Raises:
        ValueError: There is no such argument, or the result has several elements.

    Example:
        >>> import gpukit
        >>> gpukit.func.grad_and_value(lambda x: x * x)(gpukit.tensor(3.0))
        (tensor(6.), tensor(9.))
    """
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(func)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        for number in numbers:
            if not -len(args) <= number < len(args):
                raise ArgumentError(f"grad: argnums is {number}, there are {len(args)} arguments")
        chosen = [args[number] for number in numbers]
        given = tensors_in("grad", "the arguments of argnums", chosen)
        nested = any(tensor.requires_grad for tensor in given)
        with enable_grad():
            sources = [_source(tensor) for tensor in given]
            trees = filled(chosen, sources)
            full = list(args)
            for number, tree in zip(numbers, trees, strict=True):
                full[number] = tree
            result = func(*full, **keywords)
            value = result[0] if has_aux else result
            if not isinstance(value, Tensor) or value.numel() != 1:
                raise ShapeError(
                    f"grad: func must return a tensor of one element, got {_shown(value)}. Use "
                    "jacrev for several"
                )
            nested = nested or reaches_others([value], sources)
            slopes = _slopes(value, sources, nested)
        found = filled(trees, slopes)
        result = result if nested else changed(result, without_graph)
        return (found[0] if isinstance(argnums, int) else tuple(found)), result

    return wrapper


def _shown(value: Any) -> str:
    return f"shape {value.shape}" if isinstance(value, Tensor) else f"{value!r:.80}"


def _source(tensor: Tensor) -> Tensor:
    """The tensor as a place where gradients end: of an outer derivative a view of it."""
    if tensor.requires_grad:
        return tensor.view_as(tensor)
    return tensor.detach().requires_grad_()


def _slopes(value: Tensor, sources: Sequence[Tensor], nested: bool) -> list[Tensor]:
    if not value.requires_grad:
        return [_core.zeros_like(source.detach()) for source in sources]
    found = _grad(value.sum(), sources, create_graph=nested, allow_unused=True)
    return [
        _core.zeros_like(source.detach()) if slope is None else slope
        for slope, source in zip(found, sources, strict=True)
    ]


def vjp(func: _Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return func's value, and a function that multiplies a vector by its derivative.

    Args:
        func: A function of tensors that returns a tensor.
        primals: Its arguments.
        has_aux: Whether func returns a pair, whose second part is passed on.

    Raises:
        TypeError: A primal is no tensor.

    Example:
        >>> import gpukit
        >>> value, pull = gpukit.func.vjp(lambda x: x * 2, gpukit.ones(2))
        >>> pull(gpukit.tensor([1.0, 3.0]))
        (tensor([2., 6.]),)
    """
    given = tensors_in("vjp", "primals", list(primals))
    with enable_grad():
        sources = [_source(tensor) for tensor in given]
        result = func(*sources)
        value, aux = result if has_aux else (result, None)
        nested = any(tensor.requires_grad for tensor in given) or reaches_others([value], sources)

    def pull(cotangent: Tensor) -> tuple[Tensor, ...]:
        keeps = nested or cotangent.requires_grad
        found = _grad(
            value,
            sources,
            cotangent,
            retain_graph=True,
            create_graph=keeps,
            materialize_grads=True,
        )
        return tuple(slope if keeps else slope.detach() for slope in found)

    shown = value if nested else value.detach()
    return (shown, pull, aux) if has_aux else (shown, pull)


def jvp(
    func: _Function,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return func's value and its derivative times a vector.

    Args:
        func: A function of tensors that returns a tensor.
        primals: Its arguments, a tuple.
        tangents: A vector for each, of its shape.
        strict: A result that does not depend on an argument is an error, not a zero.
        has_aux: Whether func returns a pair, whose second part is passed on.

    Raises:
        TypeError: primals or tangents hold something else than tensors.

    Example:
        >>> import gpukit
        >>> gpukit.func.jvp(lambda x: x * x, (gpukit.tensor(3.0),), (gpukit.tensor(1.0),))
        (tensor(9.), tensor(6.))
    """
    tensors_in("jvp", "primals", list(primals))
    tensors_in("jvp", "tangents", list(tangents))
    aux: list[Any] = []

    def alone(*args: Tensor) -> Any:
        result, other = func(*args)
        aux[:] = [changed(other, without_graph)]
        return result

    inner = alone if has_aux else func
    value, product = functional.jvp(inner, tuple(primals), tuple(tangents), strict=strict)
    return (value, product, *aux)
