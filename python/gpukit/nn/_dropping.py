"""Dropout as a function."""

from __future__ import annotations

import math
import warnings
from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, GpukitError, GpukitWarning


def check_probability(op: str, p: Any) -> None:
    """Raise ValueError unless 0 <= p <= 1."""
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"{op}: the probability must be between 0 and 1, got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: Any floating tensor.
        p: Probability of an element to become 0.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Raises:
        ValueError: p is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.dropout(gpukit.ones(2), training=False)
        tensor([1., 1.])
    """
    tensor_of("dropout", "input", input)
    check_probability("dropout", p)
    if not training or p == 0:
        return input
    kept = _core.rand_like(input) >= p
    factors = kept.to(input.dtype) * (0.0 if p == 1 else 1 / (1 - p))
    return input.mul_(factors) if inplace else input * factors


def _by_channel(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Dropout of whole channels of (N, C, …)."""
    if not training or p == 0:
        return input
    sizes = [*input.shape[:2], *[1] * (input.ndim - 2)]
    kept = _core.rand(*sizes, device=input.device) >= p
    factors = kept.to(input.dtype) * (0.0 if p == 1 else 1 / (1 - p))
    return input.mul_(factors) if inplace else input * factors


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set whole channels to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: (N, C, L) or (C, L), floating.
        p: Probability of a channel to become 0.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Returns:
        Input's shape and dtype.

    Raises:
        ValueError: p is not between 0 and 1.
        RuntimeError: The input has other dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.dropout1d(gpukit.ones(1, 2, 2), training=False).sum()
        tensor(4.)
    """
    tensor_of("dropout1d", "input", input)
    check_probability("dropout1d", p)
    if input.ndim not in {2, 3}:
        raise GpukitError(
            f"dropout1d: input must be (N, C, L) or (C, L), its shape is {tuple(input.shape)}"
        )
    if input.ndim == 3:
        return _by_channel(input, p, training, inplace)
    out = _by_channel(input.unsqueeze(0), p, training, False).squeeze(0)
    return input.copy_(out) if inplace and out is not input else out


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set whole channels to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: (N, C, H, W) or (N, C, L), floating.
        p: Probability of a channel to become 0.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Returns:
        Input's shape and dtype.

    Raises:
        ValueError: p is not between 0 and 1.
        RuntimeError: The input has fewer than 2 dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.dropout2d(gpukit.ones(1, 2, 2, 2), training=False).sum()
        tensor(8.)
    """
    tensor_of("dropout2d", "input", input)
    check_probability("dropout2d", p)
    if input.ndim not in {3, 4}:
        warnings.warn(
            f"dropout2d: input is {tuple(input.shape)}; it should be (N, C, H, W). Use dropout for "
            "other shapes.",
            GpukitWarning,
            stacklevel=2,
        )
    elif input.ndim == 3:
        warnings.warn(
            f"dropout2d: input {tuple(input.shape)} is taken as (N, C, L), not as (C, H, W). Use "
            "dropout1d.",
            GpukitWarning,
            stacklevel=2,
        )
    if input.ndim < 2:
        raise GpukitError(f"dropout2d: input {tuple(input.shape)} has no channels; use dropout")
    return _by_channel(input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set whole channels to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: (N, C, D, H, W) or (C, D, H, W), floating.
        p: Probability of a channel to become 0.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Returns:
        Input's shape and dtype.

    Raises:
        ValueError: p is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.dropout3d(gpukit.ones(1, 2, 2, 2, 2), training=False).sum()
        tensor(16.)
    """
    tensor_of("dropout3d", "input", input)
    check_probability("dropout3d", p)
    if input.ndim not in {4, 5}:
        warnings.warn(
            f"dropout3d: input is {tuple(input.shape)}; it should be (N, C, D, H, W) or "
            "(C, D, H, W). Use dropout for other shapes.",
            GpukitWarning,
            stacklevel=2,
        )
    if input.ndim == 5:
        return _by_channel(input, p, training, inplace)
    out = _by_channel(input.unsqueeze(0), p, training, False).squeeze(0)
    return input.copy_(out) if inplace and out is not input else out


# Of a saturated SELU: -scale * alpha.
_SATURATED = -1.7580993408473766


def _alpha(input: Tensor, kept: Tensor, p: float, inplace: bool) -> Tensor:
    """Elements that are not kept become the saturated value; then mean and variance as before."""
    if p == 1:
        result = input * 0
    else:
        scale = 1 / math.sqrt((1 - p) * (1 + p * _SATURATED**2))
        shift = -scale * p * _SATURATED
        result = (input * kept + (1 - kept) * _SATURATED) * scale + shift
    return input.copy_(result) if inplace else result


def _check_alpha(op: str, input: Tensor, p: Any) -> None:
    tensor_of(op, "input", input)
    check_probability(op, p)
    if not input.is_floating_point():
        raise DTypeError(f"{op}: input must be floating, it is {input.dtype}; use input.float()")


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout for SELU networks: dropped elements take its limit, mean and variance stay.

    Args:
        input: A floating tensor.
        p: Probability of an element to be dropped.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Returns:
        Input's shape and dtype (Klambauer et al., 2017, arXiv:1706.02515).

    Raises:
        ValueError: p is not between 0 and 1.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.alpha_dropout(gpukit.ones(2), training=False)
        tensor([1., 1.])
    """
    _check_alpha("alpha_dropout", input, p)
    if not training or p == 0:
        return input
    kept = (_core.rand_like(input.detach()) >= p).to(input.dtype)
    return _alpha(input, kept, p, inplace)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Call alpha_dropout on whole channels of (N, C, …).

    Args:
        input: (N, C, …), floating.
        p: Probability of a channel to be dropped.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Returns:
        Input's shape and dtype.

    Raises:
        ValueError: p is not between 0 and 1.
        RuntimeError: The input has fewer than 2 dimensions.
        DTypeError: The input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.feature_alpha_dropout(gpukit.ones(1, 2), training=False)
        tensor([[1., 1.]])
    """
    op = "feature_alpha_dropout"
    _check_alpha(op, input, p)
    if input.ndim < 2:
        raise GpukitError(f"{op}: input {tuple(input.shape)} has no channels; use alpha_dropout")
    if not training or p == 0:
        return input
    sizes = [*input.shape[:2], *[1] * (input.ndim - 2)]
    kept = (_core.rand(*sizes, device=input.device) >= p).to(input.dtype)
    return _alpha(input, kept, p, inplace)
