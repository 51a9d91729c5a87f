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
from gpukit.func._trees import changed, filled, matched, reaches_others, tensors_in, without_graph

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
        func: Returns a tensor, or a tuple, list or dict of them.
        primals: Its arguments: tensors, or tuples, lists or dicts of them.
        has_aux: Whether func returns a pair, whose second part is passed on.

    Returns:
        The value, the function, and with has_aux the second part. The function takes vectors in
        the containers of the value, and returns a tuple of one product a primal, in its containers.

    Raises:
        TypeError: A primal, a result or a vector is no tensor.

    Example:
        >>> import gpukit
        >>> value, pull = gpukit.func.vjp(lambda x: x * 2, gpukit.ones(2))
        >>> pull(gpukit.tensor([1.0, 3.0]))
        (tensor([2., 6.]),)
    """
    given = tensors_in("vjp", "primals", list(primals))
    with enable_grad():
        sources = [_source(tensor) for tensor in given]
        result = func(*filled(list(primals), sources))
        value, aux = result if has_aux else (result, None)
        results = tensors_in("vjp", "the result of func", value)
        nested = any(tensor.requires_grad for tensor in given) or reaches_others(results, sources)

    def pull(cotangents: Any) -> tuple[Any, ...]:
        vectors = tensors_in("vjp", "the vectors", cotangents)
        if len(vectors) != len(results):
            raise ArgumentError(
                f"vjp: func returned {len(results)} tensors, got {len(vectors)} vectors. Give one "
                "for each, in the containers that func returns"
            )
        keeps = nested or any(vector.requires_grad for vector in vectors)
        reached = [i for i, each in enumerate(results) if each.requires_grad]
        if not reached:
            return tuple(filled(list(primals), [_core.zeros_like(each) for each in given]))
        found = _grad(
            [results[i] for i in reached],
            sources,
            [vectors[i] for i in reached],
            retain_graph=True,
            create_graph=keeps,
            materialize_grads=True,
        )
        slopes = [slope if keeps else slope.detach() for slope in found]
        return tuple(filled(list(primals), slopes))

    if not nested:
        value, aux = changed(value, without_graph), changed(aux, without_graph)
    return (value, pull, aux) if has_aux else (value, pull)


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
        func: Returns a tensor, or a tuple, list or dict of them.
        primals: A tuple of its arguments: tensors, or tuples, lists or dicts of them.
        tangents: The same containers around a vector for each tensor, of its shape.
        strict: A result that does not depend on an argument is an error, not a zero.
        has_aux: Whether func returns a pair, whose second part is passed on.

    Raises:
        TypeError: primals or tangents hold something else than tensors.

    Example:
        >>> import gpukit
        >>> gpukit.func.jvp(lambda x: x * x, (gpukit.tensor(3.0),), (gpukit.tensor(1.0),))
        (tensor(9.), tensor(6.))
    """
    given = tensors_in("jvp", "primals", list(primals))
    vectors = matched("jvp", "tangents", list(tangents), list(primals))
    seen: list[Any] = []

    def flat(*tensors: Tensor) -> tuple[Tensor, ...]:
        result = func(*filled(list(primals), tensors))
        result, other = result if has_aux else (result, None)
        seen[:] = [result, changed(other, without_graph)]
        return tuple(tensors_in("jvp", "the result of func", result))

    recorded = any(each.requires_grad for each in (*given, *vectors))
    found = functional.jvp(flat, tuple(given), tuple(vectors), recorded, strict)
    value, product = (filled(seen[0], tensors) for tensors in found)
    return (value, product, seen[1]) if has_aux else (value, product)


def linearize(func: _Function, *primals: Any) -> tuple[Any, _Function]:
    """Return func's value, and a function that multiplies its derivative by vectors.

    `func` runs once for all vectors, where `jvp` runs it for each.

    Args:
        func: Returns a tensor, or a tuple, list or dict of them.
        primals: Its arguments: tensors, or tuples, lists or dicts of them.

    Returns:
        The value, and a function of one vector for each argument, in the argument's containers and
        of its shapes, which gives the product in the containers of the value.

    Raises:
        TypeError: primals or vectors hold something other than tensors.
        ValueError: The vectors have other containers, or other shapes.

    Example:
        >>> import gpukit
        >>> value, product = gpukit.func.linearize(lambda x: x**3, gpukit.tensor(2.0))
        >>> value, product(gpukit.tensor(1.0)), product(gpukit.tensor(10.0))
        (tensor(8.), tensor(12.), tensor(120.))
    """
    value, pull = vjp(func, *primals)
    given = tensors_in("linearize", "primals", list(primals))
    results = tensors_in("linearize", "the result of func", value)
    smooth = [each.dtype.is_floating_point or each.dtype.is_complex for each in results]
    with enable_grad():
        cotangents = [
            _core.zeros_like(each, requires_grad=each_smooth)
            for each, each_smooth in zip(results, smooth, strict=True)
        ]
        slopes = tensors_in("linearize", "primals", list(pull(filled(value, cotangents))))
    received = [each for each in cotangents if each.requires_grad]

    def product(*vectors: Any) -> Any:
        weights = matched("linearize", "the vectors", list(vectors), list(primals))
        if [each.shape for each in weights] != [slope.shape for slope in slopes]:
            raise ShapeError(
                "linearize: the vectors must have the shapes of primals, "
                f"{[tuple(slope.shape) for slope in slopes]}, got "
                f"{[tuple(each.shape) for each in weights]}"
            )
        keeps = any(each.requires_grad for each in (*weights, *given))
        found = iter(_products(slopes, received, weights, keeps))
        return filled(
            value,
            [
                next(found) if is_smooth else _core.zeros_like(result)
                for result, is_smooth in zip(results, smooth, strict=True)
            ],
        )

    return value, product


def _products(
    slopes: list[Tensor], received: list[Tensor], weights: list[Tensor], keeps: bool
) -> list[Tensor]:
    """The slopes' derivatives by what they received, times weights: new tensors."""
    pairs = [pair for pair in zip(slopes, weights, strict=True) if pair[0].requires_grad]
    if not pairs or not received:
        return [_core.zeros_like(each) for each in received]
    outputs, taken = zip(*pairs, strict=True)
    found = _grad(
        outputs,
        received,
        taken,
        retain_graph=True,
        create_graph=keeps,
        allow_unused=True,
        materialize_grads=True,
    )
    # The product of an identity is the vector itself, which is the caller's.
    places = {weight.data_ptr() for weight in weights}
    return [each.clone() if each.data_ptr() in places else each for each in found]
