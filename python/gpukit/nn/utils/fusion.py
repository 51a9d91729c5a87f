"""Layers of an evaluated network joined with the batch norm that follows them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, TypeVar

from gpukit._arguments import number_of, tensor_of
from gpukit._core import Tensor, ones, rsqrt, zeros
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError
from gpukit.nn.batchnorm import _BatchNorm
from gpukit.nn.linear import Linear
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]

__getattr__ = module_getattr(__name__)

_Layer = TypeVar("_Layer", bound=Module)


def fuse_conv_bn_eval(conv: _Layer, bn: Any, transpose: bool = False) -> _Layer:
    """Return a copy of a convolution that computes what it and its batch norm compute in turn.

    Args:
        conv: The convolution, in evaluation mode.
        bn: The batch norm that follows it, in evaluation mode.
        transpose: The convolution is transposed.

    Raises:
        ArgumentError: One of the two trains, or bn has no running statistics.

    Example:
        >>> import gpukit
        >>> conv, bn = gpukit.nn.Conv2d(1, 2, 3).eval(), gpukit.nn.BatchNorm2d(2).eval()
        >>> x = gpukit.randn(1, 1, 4, 4)
        >>> one = gpukit.nn.utils.fuse_conv_bn_eval(conv, bn)
        >>> gpukit.allclose(one(x), bn(conv(x)), atol=1e-5)
        True
    """
    _check("fuse_conv_bn_eval", conv, bn)
    fused = deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(*_values(fused, bn), transpose=transpose)
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a convolution joined with a batch norm.

    Args:
        conv_w: The convolution's weight.
        conv_b: Its bias, or None.
        bn_rm: The running mean.
        bn_rv: The running variance.
        bn_eps: What is added to the variance.
        bn_w: The batch norm's weight; None is 1.
        bn_b: Its bias; None is 0.
        transpose: The convolution is transposed: its second dimension counts the outputs.

    Example:
        >>> import gpukit
        >>> one, zero = gpukit.ones(1), gpukit.zeros(1)
        >>> weight, bias = gpukit.nn.utils.fuse_conv_bn_weights(
        ...     gpukit.ones(1, 1, 1), None, one, one, 0.0, one, zero
        ... )
        >>> weight.item(), bias.item()
        (1.0, -1.0)
    """
    values = (conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    return _joined("fuse_conv_bn_weights", "conv", *values, transpose=transpose)


def _joined(
    function: str,
    layer: str,
    weight: Tensor,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    eps: float,
    bn_weight: Tensor | None,
    bn_bias: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    first = tensor_of(function, f"{layer}_w", weight)
    before = zeros(()) if bias is None else tensor_of(function, f"{layer}_b", bias)
    mean, variance = tensor_of(function, "bn_rm", mean), tensor_of(function, "bn_rv", variance)
    scale = ones(()) if bn_weight is None else tensor_of(function, "bn_w", bn_weight)
    after = zeros(()) if bn_bias is None else tensor_of(function, "bn_b", bn_bias)
    scale = scale.to(mean.device) * rsqrt(variance + number_of(function, "bn_eps", eps))
    shape = [1] * first.ndim
    shape[1 if transpose else 0] = -1
    whole = first * scale.reshape(shape).to(first.dtype)
    shift = (before.to(mean.device) - mean) * scale + after.to(mean.device)
    return (
        Parameter(whole.detach(), first.requires_grad),
        Parameter(shift.to(first.dtype).detach(), bias is not None and bias.requires_grad),
    )


def fuse_linear_bn_eval(linear: Linear, bn: Any) -> Linear:
    """Return a copy of a linear layer that computes what it and its batch norm compute in turn.

    Args:
        linear: The layer, in evaluation mode.
        bn: The batch norm that follows it, in evaluation mode; of as many features, or of one.

    Raises:
        ArgumentError: One of the two trains, bn has no running statistics, or their sizes differ.

    Example:
        >>> import gpukit
        >>> layer, bn = gpukit.nn.Linear(3, 2).eval(), gpukit.nn.BatchNorm1d(2).eval()
        >>> x = gpukit.randn(4, 3)
        >>> one = gpukit.nn.utils.fuse_linear_bn_eval(layer, bn)
        >>> gpukit.allclose(one(x), bn(layer(x)), atol=1e-5)
        True
    """
    _check("fuse_linear_bn_eval", linear, bn)
    if bn.num_features not in {1, linear.out_features}:
        raise ArgumentError(
            f"fuse_linear_bn_eval: linear has {linear.out_features} outputs and bn "
            f"{bn.num_features} features. Give a batch norm of {linear.out_features}, or of 1"
        )
    fused = deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(*_values(fused, bn))
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a linear layer joined with a batch norm.

    Args:
        linear_w: The layer's weight.
        linear_b: Its bias, or None.
        bn_rm: The running mean.
        bn_rv: The running variance.
        bn_eps: What is added to the variance.
        bn_w: The batch norm's weight; None is 1.
        bn_b: Its bias; None is 0.

    Example:
        >>> import gpukit
        >>> one, zero = gpukit.ones(1), gpukit.zeros(1)
        >>> weight, bias = gpukit.nn.utils.fuse_linear_bn_weights(
        ...     gpukit.ones(1, 1), None, one, one, 0.0, one, zero
        ... )
        >>> weight.item(), bias.item()
        (1.0, -1.0)
    """
    values = (linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    return _joined("fuse_linear_bn_weights", "linear", *values)


def _check(function: str, layer: Module, bn: Any) -> None:
    if not isinstance(bn, _BatchNorm):
        raise TypeError(f"{function}: bn must be a BatchNorm, got {type(bn).__name__}")
    for name, module in (("the layer", layer), ("bn", bn)):
        if module.training:
            raise ArgumentError(f"{function}: {name} is in training mode. Call .eval() first")
    if bn.running_mean is None:
        raise ArgumentError(
            f"{function}: bn has no running statistics. Use track_running_stats=True"
        )


def _values(layer: Any, bn: Any) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    return (layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
