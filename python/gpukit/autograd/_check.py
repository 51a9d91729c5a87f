"""Gradients compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import COMPLEX, by_kind
from gpukit._names.earlier import renamed
from gpukit.autograd._grad_mode import enable_grad, no_grad
from gpukit.errors import AutogradError, DTypeError

_IS_CHECKED = by_kind(bool=False, integer=False, floating=True, complex=True)


@renamed(fn="func")
def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    eps: float = 1e-6,
    *,
    atol: float = 0.0,
    rtol: float = 1e-6,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of `func` with central differences; return True or raise.

    The outputs are added up with fixed irregular weights, so that one backward pass covers all
    of them. Every element of every input that requires grad is moved by `eps` in both directions.

    Args:
        func: takes the inputs and returns a tensor or several; deterministic.
        inputs: a tensor or a sequence; those checked are float64 or complex128 and require grad.
        eps: how far an element is moved.
        atol: a difference that is allowed in any case.
        rtol: a further allowed difference, relative to the largest difference quotient of that
            input, or to 1 where that is smaller.
        raise_exception: False returns False in place of raising where gradients differ.
        nondet_tol: accepted for compatibility with PyTorch and ignored, as those that follow.
        check_undefined_grad: ignored.
        check_grad_dtypes: ignored.
        check_batched_grad: ignored.
        fast_mode: ignored: every element is checked.
        masked: ignored.

    Raises:
        DTypeError: an input that requires grad is neither: differences would be too rough.
        AutogradError: gradients differ (the message names input, place and both values), or there
            is nothing to check.

    Example:
        >>> import gpukit
        >>> x = gpukit.rand(3, dtype=gpukit.float64, requires_grad=True)
        >>> gpukit.autograd.gradcheck(gpukit.exp, x)
        True
    """
    del nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode, masked
    arguments = _arguments(inputs)
    checked = _checked(arguments)
    exact = _core.autograd_grad(
        [_weighted(func(*arguments))], [arguments[i] for i in checked], None, None, False, True
    )
    found = dict(zip(checked, exact, strict=True))
    return _agree(func, arguments, found, eps=eps, atol=atol, rtol=rtol, raises=raise_exception)


@renamed(fn="func")
def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    eps: float = 1e-6,
    *,
    atol: float = 0.0,
    rtol: float = 1e-5,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the second derivatives of `func` with central differences of the first.

    The gradients of `func` are checked as `gradcheck` checks a function, with respect to the inputs
    and to the incoming gradients.

    Args:
        func: takes the inputs and returns a tensor or several; deterministic.
        inputs: a tensor or a sequence; those checked are float64 or complex128 and require grad.
        eps: how far an element is moved.
        atol: a difference that is allowed in any case.
        rtol: a further allowed difference, as for gradcheck.
        raise_exception: False returns False in place of raising where derivatives differ.
        nondet_tol: accepted for compatibility with PyTorch and ignored, as those that follow.
        check_undefined_grad: ignored.
        check_grad_dtypes: ignored.
        check_batched_grad: ignored.
        fast_mode: ignored: every element is checked.
        masked: ignored.

    Raises:
        DTypeError: an input that requires grad is neither.
        AutogradError: second derivatives differ, or there is nothing to check.

    Example:
        >>> import gpukit
        >>> x = gpukit.rand(3, dtype=gpukit.float64, requires_grad=True)
        >>> gpukit.autograd.gradgradcheck(gpukit.exp, x)
        True
    """
    del nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode, masked
    arguments = _arguments(inputs)
    checked = _checked(arguments)
    incoming = [_weights(output, n).requires_grad_() for n, output in _floating(func(*arguments))]

    def gradients(*values: Any) -> list[Tensor]:
        given, weights = list(values[: len(arguments)]), values[len(arguments) :]
        with enable_grad():
            for i in checked:
                given[i] = given[i] if given[i].requires_grad else given[i].requires_grad_()
            outputs = [output for _, output in _floating(func(*given)) if output.requires_grad]
            found = _core.autograd_grad(
                outputs, [given[i] for i in checked], list(weights), True, True, True
            )
        return [gradient for gradient in found if gradient is not None]

    every = [*arguments, *incoming]
    places = [*checked, *range(len(arguments), len(every))]
    total = _weighted(gradients(*every))
    exact: Sequence[Tensor | None] = [None] * len(places)
    if total.requires_grad:  # else the gradients are constants
        tensors = [every[i] for i in places]
        exact = _core.autograd_grad([total], tensors, None, None, False, True)
    found = dict(zip(places, exact, strict=True))
    return _agree(gradients, every, found, eps=eps, atol=atol, rtol=rtol, raises=raise_exception)


def _arguments(inputs: Tensor | Sequence[Any]) -> list[Any]:
    return [inputs] if isinstance(inputs, Tensor) else list(inputs)


def _checked(arguments: list[Any]) -> list[int]:
    """The positions of the inputs that require grad."""
    checked = [i for i, item in enumerate(arguments) if _is_checked(item)]
    if not checked:
        raise AutogradError("gradcheck: no input requires grad. Use x.requires_grad_()")
    for i in checked:
        if arguments[i].dtype not in {_core.float64, _core.complex128}:
            raise DTypeError(
                f"gradcheck: inputs[{i}] is {arguments[i].dtype}; use float64 or complex128, "
                "e.g. x.double()"
            )
    return checked


def _agree(
    fn: Callable[..., Any],
    arguments: list[Any],
    exact: dict[int, Tensor | None],
    *,
    eps: float,
    atol: float,
    rtol: float,
    raises: bool,
) -> bool:
    """Whether the gradients, by input index, match the outputs' difference quotients."""
    for i, gradient in exact.items():
        count = arguments[i].numel()
        own: list[complex] = (
            [0.0] * count if gradient is None else gradient.cpu().reshape(count).tolist()
        )
        near = [_slope(fn, arguments, i, place, eps) for place in range(count)]
        allowed = atol + rtol * max([1.0, *(abs(value) for value in near)])
        wrong = [k for k in range(count) if not abs(own[k] - near[k]) <= allowed]
        if wrong and not raises:
            return False
        if wrong:
            k = wrong[0]
            raise AutogradError(
                f"gradcheck: inputs[{i}], flat element {k}: the gradient is {own[k]}, the "
                f"difference quotient is {near[k]}; a difference of {allowed:.3g} is allowed"
            )
    return True


def _is_checked(item: Any) -> bool:
    return isinstance(item, Tensor) and item.requires_grad


def _weighted(outputs: Any) -> Tensor:
    """The weighted sum of the floating outputs."""
    total: Tensor | None = None
    for n, output in _floating(outputs):
        part: Tensor = (output * _weights(output, n)).sum().real
        total = part if total is None else total + part
    if total is None:
        raise AutogradError("gradcheck: the function returns no floating-point tensor")
    return total


def _floating(outputs: Any) -> list[tuple[int, Tensor]]:
    """The floating outputs and their indices."""
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs
    return list(enumerate(output for output in outputs if _IS_CHECKED[output.dtype]))


def _weights(output: Tensor, n: int) -> Tensor:
    """Irregular numbers of the output's shape."""
    dtype = _core.float64 if output.dtype is _core.complex128 else output.dtype
    dtype = _core.float32 if output.dtype is _core.complex64 else dtype
    angles = _core.arange(output.numel(), dtype=dtype, device=output.device) * 1.7 + (0.3 + n)
    weights: Tensor = _core.cos(angles) + 0.1
    if output.dtype in COMPLEX:
        weights = _core.complex(weights, _core.sin(angles) - 0.2)
    return weights.reshape(output.shape)


def _slope(fn: Callable[..., Any], arguments: list[Any], i: int, place: int, eps: float) -> complex:
    """The slope along one element; of a complex one along both of its parts."""
    slope: complex = _quotient(fn, arguments, i, place, eps)
    if arguments[i].dtype not in COMPLEX:
        return slope
    # (f(z + ih) - f(z - ih)) / 2ih, without its i: f is real.
    return complex(slope, (_quotient(fn, arguments, i, place, 1j * eps) * 1j).real)


def _quotient(
    fn: Callable[..., Any], arguments: list[Any], i: int, place: int, eps: complex
) -> Any:
    values = []
    for step in (eps, -eps):
        moved = arguments[i].detach().clone()
        moved.view(-1)[place] += step
        with no_grad():
            outputs = fn(*arguments[:i], moved, *arguments[i + 1 :])
            values.append(float(_weighted(outputs).item()))
    return (values[0] - values[1]) / (2 * eps)
