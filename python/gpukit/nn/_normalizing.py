"""batch_norm, whose batch statistics are an operation of the device, and group_norm, composed."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import HALF
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError, DTypeError, GpukitError, ShapeError
from gpukit.nn._named_nodes import names_node

_FLOATING = (*HALF, _core.float32, _core.float64)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Shift and scale each channel to mean 0 and variance 1 over the batch and its planes.

    Args:
        input: (N, C, …), floating. Half types are computed in float32 and rounded once.
        running_mean: (C,). While training, `momentum` of it is replaced by the batch's mean;
            else it is what input is shifted by.
        running_var: (C,), of the same use; it takes the variance divided by the count - 1.
        weight: Factors, (C,).
        bias: Added after that, (C,).
        training: Take the mean and the variance of input.
        momentum: Part of a running value that the batch's replaces.
        eps: Added to the variance before its root.

    Returns:
        (input - mean) / √(variance + eps) * weight + bias, the variance divided by the count
        (Ioffe and Szegedy, 2015, arXiv:1502.03167); input's shape and dtype.

    Raises:
        ShapeError: A (C,) has another size, or there is one value for each channel in training.
        DTypeError: input is not floating, or weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[1.0], [3.0]])
        >>> gpukit.nn.functional.batch_norm(x, None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    x = _wide("batch_norm", input)
    momentum, eps = number_of("batch_norm", "momentum", momentum), _eps("batch_norm", eps)
    channels = input.shape[1]
    vectors = {
        "running_mean": running_mean,
        "running_var": running_var,
        "weight": weight,
        "bias": bias,
    }
    for name, vector in vectors.items():
        _check_vector("batch_norm", name, vector, input, channels)
    if not training and (running_mean is None or running_var is None):
        missing = "running_mean" if running_mean is None else "running_var"
        raise GpukitError(f"batch_norm: {missing} is needed with training=False, it is None")
    factors, offsets = (None if each is None else each.to(x.dtype) for each in (weight, bias))
    if training:
        count = input.numel() // max(channels, 1)
        if count == 1:
            raise ShapeError(
                "batch_norm: training takes more than 1 value for each channel, input is "
                f"{tuple(input.shape)}; call eval() or pass a larger batch"
            )
        result, mean, variance = _core.batch_norm_of_batch(x, factors, offsets, eps)
        if count:
            _follow(running_mean, mean, momentum)
            _follow(running_var, variance * (count / (count - 1)), momentum)
        return result.to(input.dtype)
    assert running_mean is not None
    assert running_var is not None
    scale = (running_var.to(x.dtype) + eps).rsqrt()
    scale = scale if factors is None else scale * factors
    shift = -running_mean.to(x.dtype) * scale
    shift = shift if offsets is None else shift + offsets
    sizes = (1, channels, *[1] * (input.ndim - 2))
    result = (x * scale.reshape(sizes) + shift.reshape(sizes)).to(input.dtype)
    named: Tensor = _core.name_nodes("NativeBatchNormBackward0", result)
    return named


@names_node("NativeGroupNormBackward0")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Shift and scale each group of channels of each sample to mean 0 and variance 1.

    Args:
        input: (N, C, …), floating. Half types are computed in float32 and rounded once.
        num_groups: Number of groups; it divides C.
        weight: Factors, (C,).
        bias: Added after that, (C,).
        eps: Added to the variance before its root.

    Returns:
        (input - mean) / √(variance + eps) * weight + bias, the variance divided by the count (Wu
        and He, 2018, arXiv:1803.08494); input's shape and dtype.

    Raises:
        RuntimeError: num_groups does not divide C.
        ShapeError: weight or bias has another size, or a group of a batch of one has one value.
        DTypeError: input is not floating, or weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.group_norm(gpukit.tensor([[1.0, 3.0]]), 1)
        tensor([[-1.0000,  1.0000]])
    """
    x = _wide("group_norm", input)
    num_groups, eps = int_from("group_norm", "num_groups", num_groups, 1), _eps("group_norm", eps)
    batch, channels = input.shape[:2]
    if channels % num_groups:
        raise GpukitError(
            f"group_norm: num_groups={num_groups} must divide the {channels} channels of input "
            f"{tuple(input.shape)}"
        )
    _check_vector("group_norm", "weight", weight, input, channels)
    _check_vector("group_norm", "bias", bias, input, channels)
    if batch * (channels // num_groups) * math.prod(input.shape[2:]) == 1:
        raise ShapeError(
            "group_norm: a group takes more than 1 value, input is "
            f"{tuple(input.shape)} with num_groups={num_groups}"
        )
    if input.numel() == 0:
        return input * 1
    groups = x.reshape(batch, num_groups, -1)
    centered = groups - groups.mean(-1, keepdim=True)
    scale = ((centered * centered).mean(-1, keepdim=True) + eps).rsqrt()
    normal = (centered * scale).reshape(*input.shape)
    sizes = (1, channels, *[1] * (input.ndim - 2))
    return _affine(normal, None, weight, bias, sizes).to(input.dtype)


def _wide(op: str, input: Tensor) -> Tensor:
    """The input in the dtype of the computation."""
    tensor_of(op, "input", input)
    if input.dtype not in _FLOATING:
        raise DTypeError(f"{op}: input must be floating, it is {input.dtype}; use input.float()")
    if input.ndim < 2:
        raise ShapeError(f"{op}: input must be (N, C, …), its shape is {tuple(input.shape)}")
    return input.float() if input.dtype in HALF else input


def _eps(op: str, eps: Any) -> float:
    number = number_of(op, "eps", eps)
    if number < 0:
        raise ArgumentError(f"{op}: eps must be 0 or more, got {eps}")
    return number


def _check_vector(op: str, name: str, vector: Tensor | None, input: Tensor, channels: int) -> None:
    if vector is None:
        return
    tensor_of(op, name, vector)
    if tuple(vector.shape) != (channels,):
        raise ShapeError(
            f"{op}: {name} must be ({channels},) for input {tuple(input.shape)}, its shape is "
            f"{tuple(vector.shape)}"
        )
    wide = _core.float32 if input.dtype in HALF else input.dtype
    if vector.dtype not in {input.dtype, wide}:
        raise DTypeError(f"{op}: {name} must be {input.dtype} as input is, it is {vector.dtype}")


def _follow(running: Tensor | None, value: Tensor, momentum: float) -> None:
    """Replace `momentum` of a running value."""
    if running is None:
        return
    with no_grad():
        new = value.detach().reshape(-1).to(running.dtype)
        running.copy_(running * (1 - momentum) + new * momentum)


def _affine(
    centered: Tensor,
    scale: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    sizes: tuple[int, ...],
) -> Tensor:
    if weight is not None:
        factors = weight.to(centered.dtype).reshape(sizes)
        scale = factors if scale is None else scale * factors
    result = centered if scale is None else centered * scale
    return result if bias is None else result + bias.to(centered.dtype).reshape(sizes)
