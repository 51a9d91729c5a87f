"""Gradients beside finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit.autograd._grad_mode import no_grad
from gpukit.errors import AutogradError, DTypeError

_IS_CHECKED = by_kind(bool=False, integer=False, floating=True)


def gradcheck(
    fn: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    eps: float = 1e-6,
    *,
    rtol: float = 1e-6,
) -> bool:
    """Compare the gradients of `fn` with central differences; return True or raise.

    The outputs are added up with fixed irregular weights, so that one backward pass tells of all
    of them. Every element of every input that requires grad is moved by `eps` both ways.

    Args:
        fn: takes the inputs and returns a tensor or several; deterministic.
        inputs: a tensor or a sequence; those checked are float64 and require grad.
        eps: how far an element is moved.
        rtol: the largest allowed difference, relative to the largest difference quotient of that
            input, or to 1 where that is smaller.

    Raises:
        DTypeError: an input that requires grad is not float64: differences would be too rough.
        AutogradError: gradients differ (the message names input, place and both values), or there
            is nothing to check.

    Example:
        >>> import gpukit
        >>> x = gpukit.rand(3, dtype=gpukit.float64, requires_grad=True)
        >>> gpukit.autograd.gradcheck(gpukit.exp, x)
        True
    """
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    checked = [i for i, item in enumerate(arguments) if _is_checked(item)]
    if not checked:
        raise AutogradError("gradcheck: no input requires grad. Use x.requires_grad_()")
    for i in checked:
        if arguments[i].dtype is not _core.float64:
            raise DTypeError(
                f"gradcheck: inputs[{i}] is {arguments[i].dtype}; use float64, e.g. x.double()"
            )
    exact = _core.autograd_grad(
        [_weighted(fn(*arguments))], [arguments[i] for i in checked], None, None, False, True
    )
    for i, gradient in zip(checked, exact, strict=True):
        count = arguments[i].numel()
        own = [0.0] * count if gradient is None else gradient.cpu().reshape(count).tolist()
        near = [_quotient(fn, arguments, i, place, eps) for place in range(count)]
        _check_input(i, own, near, rtol)
    return True


def _is_checked(item: Any) -> bool:
    return isinstance(item, Tensor) and item.requires_grad


def _weighted(outputs: Any) -> Tensor:
    """The floating outputs as one number."""
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs
    total: Tensor | None = None
    for n, output in enumerate(o for o in outputs if _IS_CHECKED[o.dtype]):
        count = output.numel()
        weights = _core.arange(count, dtype=output.dtype, device=output.device)
        weights = _core.cos(weights * 1.7 + (0.3 + n)) + 0.1
        part: Tensor = (output.reshape(count) * weights).sum()
        total = part if total is None else total + part
    if total is None:
        raise AutogradError("gradcheck: the function gives no floating tensor")
    return total


def _check_input(i: int, exact: list[float], rough: list[float], rtol: float) -> None:
    """Raise for the first element of input `i` whose gradient is not its difference quotient."""
    allowed = rtol * max([1.0, *(abs(value) for value in rough)])
    for place, (own, near) in enumerate(zip(exact, rough, strict=True)):
        if not abs(own - near) <= allowed:
            raise AutogradError(
                f"gradcheck: inputs[{i}], flat element {place}: the gradient is {own}, the "
                f"difference quotient {near}; {allowed:.3g} of difference is allowed"
            )


def _quotient(
    fn: Callable[..., Any], arguments: list[Any], i: int, place: int, eps: float
) -> float:
    """The slope along one element."""
    values = []
    for step in (eps, -eps):
        moved = arguments[i].detach().clone()
        moved.view(-1)[place] += step
        with no_grad():
            outputs = fn(*arguments[:i], moved, *arguments[i + 1 :])
            values.append(float(_weighted(outputs).item()))
    return (values[0] - values[1]) / (2 * eps)
