"""instance_norm, rms_norm and local_response_norm, composed of operations that record gradients."""

from __future__ import annotations

import math

from gpukit import _core
from gpukit._arguments import bool_of, int_from, ints_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import HALF
from gpukit.errors import DTypeError, ShapeError
from gpukit.nn._normalizing import batch_norm
from gpukit.nn._padding import padded

_STEP = {_core.float32: 2.0**-23, _core.float64: 2.0**-52}  # at 1


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Shift and scale each channel of each sample to mean 0 and variance 1.

    Args:
        input: (N, C, …), floating. Half types are computed in float32 and rounded once.
        running_mean: (C,). With use_input_stats, `momentum` of it is replaced by the mean over
            the batch of the samples' means; else it is what input is shifted by.
        running_var: (C,), of the same use; it takes variances divided by the count - 1.
        weight: Factors, (C,).
        bias: Added after that, (C,).
        use_input_stats: Take the mean and the variance of each sample.
        momentum: Part of a running value that the batch's replaces.
        eps: Added to the variance before its root.

    Returns:
        `(input - mean) / √(variance + eps) * weight + bias` (Ulyanov, Vedaldi and Lempitsky, 2016,
        arXiv:1607.08022); input's shape and dtype.

    Raises:
        ShapeError: A (C,) has another size, or there is one value for each channel of a sample.
        RuntimeError: use_input_stats is False, and there is no running_mean or running_var.
        DTypeError: input is not floating, or weight or bias is of another dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.instance_norm(gpukit.tensor([[[1.0, 3.0]]]))
        tensor([[[-1.0000,  1.0000]]])
    """
    op = "instance_norm"
    tensor_of(op, "input", input)
    if not bool_of(op, "use_input_stats", use_input_stats):
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if input.ndim < 2:
        raise ShapeError(f"{op}: input must be (N, C, …), its shape is {tuple(input.shape)}")
    batch, channels, *sizes = input.shape
    if math.prod(sizes) == 1:
        raise ShapeError(
            f"{op}: a channel of a sample takes more than 1 value, input is {tuple(input.shape)}"
        )

    def repeated(name: str, vector: Tensor | None) -> Tensor | None:
        return None if vector is None else tensor_of(op, name, vector).repeat(batch)

    means, variances = (
        repeated("running_mean", running_mean),
        repeated("running_var", running_var),
    )
    out = batch_norm(
        input.reshape(1, batch * channels, *sizes),
        means,
        variances,
        repeated("weight", weight),
        repeated("bias", bias),
        True,
        momentum,
        eps,
    )
    for running, value in ((running_mean, means), (running_var, variances)):
        if running is not None and value is not None:
            running.detach().copy_(value.reshape(batch, channels).mean(0))
    return out.reshape(*input.shape)


def rms_norm(
    input: Tensor,
    normalized_shape: int | tuple[int, ...] | list[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide slices of the last dimensions by the root of the mean of their squares.

    Args:
        input: (..., *normalized_shape), floating. Half types are computed in float32 and rounded
            once.
        normalized_shape: The sizes of the last dimensions, or of the last one.
        weight: Factors of that shape.
        eps: Added to the mean before its root; None is the dtype's smallest step at 1.

    Returns:
        `input / √(mean(input²) + eps) * weight` (Zhang and Sennrich, 2019, arXiv:1910.07467);
        input's shape and dtype.

    Raises:
        ShapeError: The last sizes are not normalized_shape, or weight has others.
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.rms_norm(gpukit.tensor([3.0, 4.0]), (2,))
        tensor([0.8485, 1.1314])
    """
    tensor_of("rms_norm", "input", input)
    if not input.is_floating_point():
        raise DTypeError(f"rms_norm: input must be floating, it is {input.dtype}")
    shape = tuple(ints_of("rms_norm", "normalized_shape", normalized_shape))
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise ShapeError(f"rms_norm: input is {tuple(input.shape)}; its last sizes must be {shape}")
    if weight is not None and tuple(tensor_of("rms_norm", "weight", weight).shape) != shape:
        raise ShapeError(f"rms_norm: weight is {tuple(weight.shape)}; it must be {shape}")
    x = input.float() if input.dtype in HALF else input
    small = _STEP[x.dtype] if eps is None else number_of("rms_norm", "eps", eps)
    mean = (x * x).mean(tuple(range(-len(shape), 0)), keepdim=True)
    result = x * (mean + small).rsqrt()
    result = result if weight is None else result * weight.to(x.dtype)
    return result.to(input.dtype)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide each element by a power of the squares in its neighbour channels.

    Args:
        input: (N, C, …), floating.
        size: The number of channels, the element's own in their middle.
        alpha: Factor of the mean of the squares.
        beta: The power.
        k: Added to the mean.

    Returns:
        input / (k + alpha * mean)^beta, channels beyond the ends counting 0 (Krizhevsky,
        Sutskever and Hinton, 2012); input's shape and dtype.

    Raises:
        ShapeError: input has fewer than 3 dimensions.
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.local_response_norm(gpukit.ones(1, 1, 1), 1, 1.0, 1.0)
        tensor([[[0.5000]]])
    """
    op = "local_response_norm"
    tensor_of(op, "input", input)
    if input.ndim < 3:
        raise ShapeError(f"{op}: input must be (N, C, L, …), its shape is {tuple(input.shape)}")
    if not input.is_floating_point():
        raise DTypeError(f"{op}: input must be floating, it is {input.dtype}; use input.float()")
    size = int_from(op, "size", size, 1)
    alpha, beta = number_of(op, "alpha", alpha), number_of(op, "beta", beta)
    if input.numel() == 0:
        return input * 1
    squares = padded((input * input).movedim(1, -1), [(size // 2, (size - 1) // 2)])
    total = squares.narrow(-1, 0, input.shape[1])
    for i in range(1, size):
        total = total + squares.narrow(-1, i, input.shape[1])
    mean = (total / size).movedim(-1, 1)
    return input / (mean * alpha + number_of(op, "k", k)).pow(beta)


def sample_norm_of(op: str, input: Tensor, ranks: tuple[int, int]) -> Tensor:
    """The input with a batch; ShapeError for another rank."""
    tensor_of(op, "input", input)
    if input.ndim not in ranks:
        raise ShapeError(
            f"{op}: input must have {ranks[0]} (without a batch) or {ranks[1]} dimensions, its "
            f"shape is {tuple(input.shape)}"
        )
    return input if input.ndim == ranks[1] else input.unsqueeze(0)
