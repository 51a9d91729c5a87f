"""Functions of layers and losses without state: torch's names and defaults."""

from __future__ import annotations

import math
import warnings
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of as _int_of
from gpukit._arguments import ints_of as _ints_of
from gpukit._arguments import tensor_of as _tensor_of
from gpukit._core import Tensor, linear, pdist
from gpukit._dtypes import HALF
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError, DTypeError, GpukitWarning, ShapeError
from gpukit.nn._attention import scaled_dot_product_attention
from gpukit.nn._bilinear import (
    bilinear,
    channel_shuffle,
)
from gpukit.nn._convolutions import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from gpukit.nn._ctc import (
    ctc_loss,
)
from gpukit.nn._dropping import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from gpukit.nn._embedding import embedding, embedding_bag
from gpukit.nn._folding import fold, unfold
from gpukit.nn._fractional import fractional_max_pool2d, fractional_max_pool3d
from gpukit.nn._gates import (
    celu,
    celu_,
    elu_,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu_,
    mish,
    prelu,
    relu6,
    rrelu,
    selu,
    threshold,
)
from gpukit.nn._grids import affine_grid, grid_sample
from gpukit.nn._in_place import (
    relu_,
    rrelu_,
    selu_,
    threshold_,
)
from gpukit.nn._likelihood_losses import gaussian_nll_loss, kl_div, poisson_nll_loss
from gpukit.nn._local_norms import (
    instance_norm,
    local_response_norm,
    rms_norm,
)
from gpukit.nn._losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from gpukit.nn._named_nodes import names_node as _names_node
from gpukit.nn._normalizing import batch_norm, group_norm
from gpukit.nn._padding import pad
from gpukit.nn._pixel_shuffle import pixel_shuffle, pixel_unshuffle
from gpukit.nn._pooling_indices import (
    max_pool1d_with_indices,
    max_pool2d_with_indices,
    max_pool3d_with_indices,
)
from gpukit.nn._poolings import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from gpukit.nn._rectifiers import elu, leaky_relu, logsigmoid, silu, softplus
from gpukit.nn._resizing import interpolate
from gpukit.nn._sequence_losses import (
    multilabel_margin_loss,
    triplet_margin_with_distance_loss,
)
from gpukit.nn._shrinking import (
    gumbel_softmax,
    hardshrink,
    normalize,
    softmin,
    softshrink,
    softsign,
    tanhshrink,
)
from gpukit.nn._similarity import (
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_soft_margin_loss,
    pairwise_distance,
    soft_margin_loss,
    triplet_margin_loss,
)
from gpukit.nn._unpooling import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0).

    Args:
        input: A tensor of any shape; not bool.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Raises:
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.relu(gpukit.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    _tensor_of("relu", "input", input)
    return input.relu_() if inplace else _core.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-input)).

    Args:
        input: A tensor of any shape.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        TypeError: input is not a tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.sigmoid(gpukit.zeros(1))
        tensor([0.5000])
    """
    return _core.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent.

    Args:
        input: A tensor of any shape.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        TypeError: input is not a tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.tanh(gpukit.zeros(1))
        tensor([0.])
    """
    return _core.tanh(input)


@_names_node("GeluBackward0")
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return input * Φ(input), exactly or by tanh.

    Args:
        input: A tensor of any shape.
        approximate: 'none' is input / 2 * (1 + erf(input / √2)); 'tanh' is input / 2 * (1 +
            tanh(√(2/π) * (input + 0.044715 * input³))). Both from Hendrycks and Gimpel, 2016,
            arXiv:1606.08415.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        ValueError: approximate is neither 'none' nor 'tanh'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.gelu(gpukit.zeros(1))
        tensor([0.])
    """
    _tensor_of("gelu", "input", input)
    if approximate == "none":
        return _core.gelu(input)
    if approximate != "tanh":
        raise ArgumentError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}")
    wide = input.float() if input.dtype in HALF else input
    bounded = wide.clamp(-16, 16)  # tanh is 1 there; its argument's cube must not overflow
    inner = math.sqrt(2 / math.pi) * (bounded + 0.044715 * bounded * bounded * bounded)
    return (0.5 * wide * (1 + inner.tanh())).to(input.dtype)


def _dim_of(op: str, input: Tensor, dim: int | None) -> int:
    """The dimension, or what torch takes when none is named."""
    if dim is not None:
        return _int_of(op, "dim", dim)
    chosen = 0 if input.ndim in {0, 1, 3} else 1
    warnings.warn(
        f"{op}: dim is not given; using dim={chosen}. Pass it, e.g. dim=-1.",
        GpukitWarning,
        stacklevel=4,
    )
    return chosen


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return exp(input) divided by its sum along dim.

    Args:
        input: A tensor of any shape.
        dim: The dimension; None is 0 for 0-, 1- and 3-d tensors, else 1, with a warning.
        dtype: A floating dtype to compute in.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        IndexError: dim is not a dimension of input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.softmax(gpukit.zeros(2), dim=0)
        tensor([0.5000, 0.5000])
    """
    _tensor_of("softmax", "input", input)
    return _core.softmax(input, _dim_of("softmax", input, dim), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return the logarithm of softmax along dim.

    Args:
        input: A tensor of any shape.
        dim: The dimension; None is 0 for 0-, 1- and 3-d tensors, else 1, with a warning.
        dtype: A floating dtype to compute in.

    Returns:
        Input's shape; its dtype if floating, else the default.

    Raises:
        IndexError: dim is not a dimension of input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.log_softmax(gpukit.zeros(1), dim=0)
        tensor([0.])
    """
    _tensor_of("log_softmax", "input", input)
    return _core.log_softmax(input, _dim_of("log_softmax", input, dim), dtype=dtype)


def layer_norm(
    input: Tensor,
    normalized_shape: int | tuple[int, ...] | list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Shift and scale slices of the last dimensions to mean 0 and variance 1, in one pass.

    Args:
        input: (..., *normalized_shape). Half types are computed in float32 and rounded once,
            integers and bool in the default floating dtype.
        normalized_shape: The sizes of the last dimensions, or of the last one.
        weight: Factors of that shape and of the result's dtype; with half types also float32.
        bias: Added after that, of the same form.
        eps: Added to the variance before its root.

    Returns:
        (input - mean) / √(variance + eps) * weight + bias, the variance divided by the count (Ba,
        Kiros and Hinton, 2016, arXiv:1607.06450); input's shape; its dtype if floating, else
        the default.

    Raises:
        ShapeError: The last sizes are not normalized_shape, or weight or bias has others.
        DTypeError: weight or bias is of another dtype.
        DeviceMismatchError: weight or bias is on another device.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.layer_norm(gpukit.tensor([1.0, 3.0]), (2,))
        tensor([-1.0000,  1.0000])
    """
    _tensor_of("layer_norm", "input", input)
    shape = tuple(_ints_of("layer_norm", "normalized_shape", normalized_shape))
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise ShapeError(
            f"layer_norm: input is {tuple(input.shape)}; its last sizes must be {shape}"
        )
    return _core.layer_norm(input, len(shape), weight, bias, eps)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return rows of 0 with a 1 at each number: (…, num_classes), int64.

    Args:
        tensor: Class numbers, int64.
        num_classes: -1 takes the largest number plus 1, and waits for it.

    Raises:
        DTypeError: tensor is not int64.
        ValueError: A number is negative or not below num_classes.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.one_hot(gpukit.tensor([0, 2]))
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    _tensor_of("one_hot", "tensor", tensor)
    if tensor.dtype != _core.int64:
        raise DTypeError(f"one_hot: tensor is {tensor.dtype}; use tensor.long()")
    num_classes = _int_of("one_hot", "num_classes", num_classes)
    if tensor.numel() == 0 and num_classes <= 0:
        raise ArgumentError("one_hot: an empty tensor has no largest class; name num_classes")
    if tensor.numel() > 0 and not (tensor.is_meta and num_classes > 0):
        low, high = int(tensor.min().item()), int(tensor.max().item())
        num_classes = high + 1 if num_classes == -1 else num_classes
        if low < 0 or high >= num_classes:
            raise ArgumentError(
                f"one_hot: class numbers must be from 0 to {num_classes - 1}, "
                f"got {low if low < 0 else high}"
            )
    classes = _core.arange(num_classes, device=tensor.device)
    return (tensor.unsqueeze(-1) == classes).long()


__getattr__ = module_getattr(__name__)
