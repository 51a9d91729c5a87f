"""Products of three: pairs of vectors with a table; channels in another order."""

from __future__ import annotations

import math

from gpukit import _core
from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import DTypeError, GpukitError, ShapeError
from gpukit.nn._named_nodes import names_node


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return `input1 @ weight[k] @ input2 + bias[k]` for each k, over the last dimensions.

    Args:
        input1: (…, in1), floating.
        input2: (…, in2), the same dimensions in front.
        weight: (out, in1, in2).
        bias: (out,).

    Returns:
        (…, out).

    Raises:
        ShapeError: Shapes do not fit.
        DTypeError: The dtypes differ.

    Example:
        >>> import gpukit
        >>> x, y = gpukit.tensor([[1.0, 2.0]]), gpukit.tensor([[3.0]])
        >>> gpukit.nn.functional.bilinear(x, y, gpukit.ones(1, 2, 1))
        tensor([[9.]])
    """
    op = "bilinear"
    named = {"input1": input1, "input2": input2, "weight": weight}
    if bias is not None:
        named["bias"] = bias
    for name, tensor in named.items():
        tensor_of(op, name, tensor)
        if tensor.dtype != input1.dtype:
            raise DTypeError(
                f"{op}: {name} is {tensor.dtype.name} and input1 {input1.dtype.name}. Use "
                f"{name}.to(input1.dtype)"
            )
    _check_shapes(op, input1, input2, weight, bias)
    outs, first, second = weight.shape
    rows = math.prod(input1.shape[:-1])
    left = input1.reshape(rows, first) @ weight.permute(1, 0, 2).reshape(first, outs * second)
    both = _core.bmm(left.reshape(rows, outs, second), input2.reshape(rows, second, 1))
    result = both.reshape(*input1.shape[:-1], outs)
    return result if bias is None else result + bias


def _check_shapes(
    op: str, input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None
) -> None:
    shapes = f"input1 {tuple(input1.shape)}, input2 {tuple(input2.shape)}"
    if not input1.ndim or not input2.ndim or input1.shape[:-1] != input2.shape[:-1]:
        raise ShapeError(f"{op}: {shapes}: all sizes but the last must be equal")
    if weight.ndim != 3 or weight.shape[1:] != (input1.shape[-1], input2.shape[-1]):
        raise ShapeError(
            f"{op}: {shapes}: weight must be (out, {input1.shape[-1]}, {input2.shape[-1]}), its "
            f"shape is {tuple(weight.shape)}"
        )
    if bias is not None and tuple(bias.shape) != (weight.shape[0],):
        raise ShapeError(
            f"{op}: bias must be ({weight.shape[0]},) for weight {tuple(weight.shape)}, its shape "
            f"is {tuple(bias.shape)}"
        )


@names_node("ChannelShuffleBackward0")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Take channel by channel from each of the groups in turn.

    Args:
        input: (N, C, …).
        groups: The number of groups; it divides C.

    Returns:
        Input's shape and dtype (Zhang, Zhou, Lin and Sun, 2018, arXiv:1707.01083).

    Raises:
        ShapeError: input has fewer than 3 dimensions.
        RuntimeError: groups does not divide the channels.

    Example:
        >>> import gpukit
        >>> x = gpukit.arange(4.0).reshape(1, 4, 1)
        >>> gpukit.nn.functional.channel_shuffle(x, 2).flatten()
        tensor([0., 2., 1., 3.])
    """
    tensor_of("channel_shuffle", "input", input)
    groups = int_from("channel_shuffle", "groups", groups, 1)
    if input.ndim < 3:
        raise ShapeError(
            f"channel_shuffle: input must be (N, C, …) of 3 dimensions or more, its shape is "
            f"{tuple(input.shape)}"
        )
    batch, channels = input.shape[:2]
    if channels % groups:
        raise GpukitError(
            f"channel_shuffle: groups={groups} must divide the {channels} channels of input "
            f"{tuple(input.shape)}"
        )
    parts = input.reshape(batch, groups, channels // groups, *input.shape[2:])
    return parts.transpose(1, 2).reshape(input.shape)
