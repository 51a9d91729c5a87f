"""Activations that shrink or normalise their input, composed of others."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_of, ints_of, number_for, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._operators import slopes
from gpukit.errors import ArgumentError, DTypeError
from gpukit.nn._named_nodes import names_node


def _check_floating(op: str, input: Tensor) -> None:
    tensor_of(op, "input", input)
    if not input.is_floating_point():
        raise DTypeError(f"{op}: input must be floating, it is {input.dtype}; use input.float()")


def softmin(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return softmax(-input) along dim.

    Args:
        input: A floating tensor of any shape.
        dim: The dimension; None is 0 for 0-, 1- and 3-d tensors, else 1.
        dtype: A floating dtype to compute in.

    Returns:
        Input's shape; its dtype, or `dtype`.

    Raises:
        IndexError: dim is not a dimension of input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.softmin(gpukit.zeros(2), dim=0)
        tensor([0.5000, 0.5000])
    """
    tensor_of("softmin", "input", input)
    chosen = (0 if input.ndim in {0, 1, 3} else 1) if dim is None else int_of("softmin", "dim", dim)
    return _core.softmax(-input, chosen, dtype=dtype)


def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + abs(input)).

    Args:
        input: A tensor of any shape.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        TypeError: input is not a tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.softsign(gpukit.tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """
    tensor_of("softsign", "input", input)
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """Return input - tanh(input).

    Args:
        input: A tensor of any shape.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        TypeError: input is not a tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.tanhshrink(gpukit.tensor([1.0]))
        tensor([0.2384])
    """
    tensor_of("tanhshrink", "input", input)
    return input - input.tanh()


@names_node("HardshrinkBackward0")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return input where it is outside of [-lambd, lambd], else 0.

    Args:
        input: A floating tensor of any shape.
        lambd: Half the width of the range that becomes 0.

    Returns:
        Input's shape and dtype.

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.hardshrink(gpukit.tensor([-1.0, 0.25, 1.0]))
        tensor([-1.,  0.,  1.])
    """
    return slopes.hardshrink(input, lambd)


@names_node("SoftshrinkBackward0")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return input moved by lambd towards 0, and 0 where it would pass that.

    Args:
        input: A floating tensor of any shape.
        lambd: The distance; 0 or more.

    Returns:
        Input's shape and dtype.

    Raises:
        RuntimeError: lambd is negative.
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.softshrink(gpukit.tensor([-1.0, 0.25, 1.0]))
        tensor([-0.5000,  0.0000,  0.5000])
    """
    _check_floating("softshrink", input)
    lambd = number_for("softshrink", "lambd", lambd, input)
    if lambd < 0:
        raise ArgumentError(f"softshrink: lambd must be 0 or more, got {lambd}")
    inside = _core.where((input >= -lambd) & (input <= lambd), input * 0, input)  # NaN stays
    below = _core.where(input < -lambd, input + lambd, inside)
    return _core.where(input > lambd, input - lambd, below)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draw from the relaxed categorical distribution of logits.

    Args:
        logits: Logarithms of probabilities, not necessarily normalised; floating.
        tau: The temperature: small values come near to one-hot rows.
        hard: Return one-hot rows, whose gradient is that of the relaxed ones.
        eps: Accepted for compatibility with PyTorch; it has no effect there either.
        dim: The dimension whose slices sum to 1.

    Returns:
        softmax((logits + g) / tau) with g drawn from Gumbel(0, 1) (Jang, Gu and Poole, 2016,
        arXiv:1611.01144); logits' shape and dtype.

    Raises:
        DTypeError: logits is not floating.
        IndexError: dim is not a dimension of logits.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.gumbel_softmax(gpukit.zeros(4, 3), hard=True).sum(1)
        tensor([1., 1., 1., 1.])
    """
    tensor_of("gumbel_softmax", "logits", logits)
    tau = number_of("gumbel_softmax", "tau", tau)
    number_of("gumbel_softmax", "eps", eps)
    dim = int_of("gumbel_softmax", "dim", dim)
    if not logits.is_floating_point():
        raise DTypeError(f"gumbel_softmax: logits must be floating, it is {logits.dtype}")
    drawn = -(-(1 - _core.rand_like(logits.detach())).log()).log()
    soft = _core.softmax((logits + drawn) / tau, dim)
    if not bool_of("gumbel_softmax", "hard", hard):
        return soft
    largest = soft.detach().argmax(dim, keepdim=True)
    one_hot = _core.zeros_like(soft).scatter_(dim, largest, 1.0)
    return one_hot - soft.detach() + soft


def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: int | tuple[int, ...] = 1,
    eps: float = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Return input divided by its p-norm along dim, which counts as eps at least.

    Args:
        input: A floating tensor.
        p: The norm.
        dim: The dimension, or several.
        eps: The least that is divided by.
        out: Receives the result.

    Returns:
        Input's shape and dtype.

    Raises:
        IndexError: dim is not a dimension of input.
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.normalize(gpukit.tensor([[3.0, 4.0]]))
        tensor([[0.6000, 0.8000]])
    """
    tensor_of("normalize", "input", input)
    dims = ints_of("normalize", "dim", dim)
    norm = input.norm(p, dims if len(dims) > 1 else dims[0], keepdim=True)
    result = input / norm.clamp(min=number_of("normalize", "eps", eps))
    return result if out is None else tensor_of("normalize", "out", out).copy_(result)
