"""All derivatives of functions whose arguments and results may be containers of tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gpukit._core import Tensor
from gpukit.autograd import functional
from gpukit.errors import ArgumentError
from gpukit.func._trees import changed, filled, reaches_others, tensors_in, without_graph

_Function = Callable[..., Any]
_Places = int | tuple[int, ...]


def jacrev(func: _Function, argnums: _Places = 0, *, has_aux: bool = False) -> _Function:
    """Return a function that computes all first derivatives of `func`.

    Args:
        func: A function of tensors, or of tuples, lists and dicts of them, that returns such. It
            is called twice where it uses other tensors that require gradients. With has_aux a
            pair of it and anything else.
        argnums: By which argument to differentiate, or a tuple of them.
        has_aux: Whether func returns a pair, whose second part is passed on.

    Raises:
        TypeError: An argument holds something else than tensors.
        ValueError: There is no such argument.

    Example:
        >>> import gpukit
        >>> gpukit.func.jacrev(lambda x: x * x)(gpukit.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    return _jacobian("jacrev", func, argnums, has_aux)


def jacfwd(
    func: _Function, argnums: _Places = 0, has_aux: bool = False, *, randomness: str = "error"
) -> _Function:
    """Return a function that computes all first derivatives of `func`.

    torch computes them forward; here they are computed by the backward pass, as in `jacrev`.

    Args:
        func: As for `jacrev`.
        argnums: As for `jacrev`.
        has_aux: As for `jacrev`.
        randomness: 'error', 'different' or 'same'; func is called once in any case.

    Raises:
        TypeError: An argument holds something else than tensors.
        ValueError: There is no such argument, or randomness is another one.

    Example:
        >>> import gpukit
        >>> gpukit.func.jacfwd(lambda x: x * x)(gpukit.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if randomness not in {"error", "different", "same"}:
        raise ArgumentError(
            f"jacfwd: randomness must be 'error', 'different' or 'same', got {randomness!r}"
        )
    return _jacobian("jacfwd", func, argnums, has_aux)


def hessian(func: _Function, argnums: _Places = 0) -> _Function:
    """Return a function that computes all second derivatives of `func`.

    Args:
        func: A function of tensors, or of tuples, lists and dicts of them, that returns such.
        argnums: By which argument to differentiate, or a tuple of them.

    Raises:
        TypeError: An argument holds something else than tensors.
        ValueError: There is no such argument.

    Example:
        >>> import gpukit
        >>> gpukit.func.hessian(lambda x: (x * x * x).sum())(gpukit.tensor([1.0]))
        tensor([[6.]])
    """
    return _jacobian("hessian", _jacobian("hessian", func, argnums, False), argnums, False)


def _jacobian(name: str, func: _Function, argnums: _Places, has_aux: bool) -> _Function:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not all(isinstance(number, int) for number in numbers):
        raise TypeError(f"{name}: argnums must be an int or a tuple of ints, got {argnums!r}")

    @functools.wraps(func)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        chosen = [args[place] for place in _places(name, numbers, len(args))]
        given = tensors_in(name, "the arguments of argnums", chosen)
        shown: dict[str, Any] = {}

        def alone(*tensors: Tensor) -> tuple[Tensor, ...]:
            full = list(args)
            for number, tree in zip(numbers, filled(chosen, tensors), strict=True):
                full[number] = tree
            result = func(*full, **keywords)
            shown["result"], shown["aux"] = result if has_aux else (result, None)
            values = tensors_in(name, "the result of func", shown["result"])
            shown["others"] = reaches_others(values, tensors)
            return tuple(values)

        nested = any(tensor.requires_grad for tensor in given)
        rows = functional.jacobian(alone, tuple(given), create_graph=nested)
        if shown["others"] and not nested:
            rows = functional.jacobian(alone, tuple(given), create_graph=True)
        parts = [filled(chosen, row) for row in rows]
        whole = filled(
            shown["result"],
            [part[0] if isinstance(argnums, int) else tuple(part) for part in parts],
        )
        return (whole, changed(shown["aux"], without_graph)) if has_aux else whole

    return wrapper


def _places(name: str, numbers: tuple[int, ...], count: int) -> tuple[int, ...]:
    for number in numbers:
        if not -count <= number < count:
            raise ArgumentError(f"{name}: argnums is {number}, there are {count} arguments")
    return numbers
