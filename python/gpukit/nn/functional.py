"""Functions of layers and losses without state: torch's names and defaults."""

from __future__ import annotations

import math
import warnings
from typing import Any

from gpukit import _core
from gpukit._core import Tensor, linear
from gpukit._suggest import module_getattr
from gpukit.errors import DTypeError, GpukitWarning, ShapeError

__all__ = [
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dropout",
    "embedding",
    "gelu",
    "l1_loss",
    "layer_norm",
    "linear",
    "log_softmax",
    "logsigmoid",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]

_HALF = (_core.float16, _core.bfloat16)


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


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input)) without overflow.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.logsigmoid(gpukit.zeros(1))
        tensor([-0.6931])
    """
    return -_core.logaddexp(-input, _core.zeros((), dtype=input.dtype, device=input.device))


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
    if approximate == "none":
        return _core.gelu(input)
    if approximate != "tanh":
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}")
    inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input * input * input)
    return 0.5 * input * (1 + inner.tanh())


def _dim_of(op: str, input: Tensor, dim: int | None) -> int:
    """The dimension, or what torch takes when none is named."""
    if dim is not None:
        return dim
    chosen = 0 if input.ndim in {0, 1, 3} else 1
    warnings.warn(
        f"{op}: dim is not named; dim={chosen} is taken. Name it, e.g. dim=-1.",
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
    return _core.log_softmax(input, _dim_of("log_softmax", input, dim), dtype=dtype)


def check_probability(op: str, p: Any) -> None:
    """Raise ValueError unless 0 <= p <= 1."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{op}: the probability must be between 0 and 1, got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: Any floating tensor.
        p: Probability of an element to become 0.
        training: False gives the input back.
        inplace: Change the input instead of making a new tensor.

    Raises:
        ValueError: p is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.dropout(gpukit.ones(2), training=False)
        tensor([1., 1.])
    """
    check_probability("dropout", p)
    if not training or p == 0:
        return input
    kept = _core.rand_like(input) >= p
    factors = kept.to(input.dtype) * (0.0 if p == 1 else 1 / (1 - p))
    return input.mul_(factors) if inplace else input * factors


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
        weight: Factors of that shape and of the result's dtype.
        bias: Added after that, of the same form.
        eps: Added to the variance before its root.

    Returns:
        (input - mean) / √(variance + eps) * weight + bias, the variance divided by the count (Ba,
        Kiros and Hinton, 2016, arXiv:1607.06450); input's shape; its dtype if floating, else
        the default.

    Raises:
        ShapeError: The last sizes are not normalized_shape, or weight or bias has others.
        DTypeError: weight or bias is not of the result's dtype.
        DeviceMismatchError: weight or bias is on another device.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.layer_norm(gpukit.tensor([1.0, 3.0]), (2,))
        tensor([-1.0000,  1.0000])
    """
    if isinstance(normalized_shape, int):
        normalized_shape = (normalized_shape,)
    shape = tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise ShapeError(
            f"layer_norm: input is {tuple(input.shape)}; its last sizes must be {shape}"
        )
    return _core.layer_norm(input, len(shape), weight, bias, eps)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Return the rows of weight at the numbers of input: (…, row length).

    Args:
        input: Row numbers, int64.
        weight: The table.
        padding_idx: A row that gets no gradient.

    Raises:
        DTypeError: input is not int64.
        IndexError: A number is no row.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.embedding(gpukit.tensor([1]), gpukit.tensor([[1.0], [2.0]]))
        tensor([[2.]])
    """
    if input.dtype not in {_core.int64, _core.int32}:
        raise DTypeError(f"embedding: input is {input.dtype}; use input.long()", fix="input.long()")
    rows = weight.index_select(0, input.flatten().long())
    result = rows.reshape(*input.shape, weight.shape[1])
    if padding_idx is None:
        return result
    return _core.where((input == padding_idx).unsqueeze(-1), result.detach(), result)


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
    if tensor.dtype != _core.int64:
        raise DTypeError(f"one_hot: tensor is {tensor.dtype}; use tensor.long()")
    if tensor.numel() == 0 and num_classes <= 0:
        raise ValueError("one_hot: an empty tensor has no largest class; name num_classes")
    if tensor.numel() > 0:
        low, high = int(tensor.min().item()), int(tensor.max().item())
        num_classes = high + 1 if num_classes == -1 else num_classes
        if low < 0 or high >= num_classes:
            raise ValueError(
                f"one_hot: class numbers must be from 0 to {num_classes - 1}, "
                f"got {low if low < 0 else high}"
            )
    classes = _core.arange(num_classes, device=tensor.device)
    return (tensor.unsqueeze(-1) == classes).long()


def _reduced(op: str, losses: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    if reduction != "none":
        raise ValueError(f"{op}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
    return losses


def _check_sizes(op: str, input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        warnings.warn(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; they are "
            "broadcast, which is rarely what is meant.",
            GpukitWarning,
            stacklevel=4,
        )


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of the squared differences.

    Args:
        input: Predictions.
        target: The same shape.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.mse_loss(gpukit.zeros(2), gpukit.ones(2))
        tensor(1.)
    """
    _check_sizes("mse_loss", input, target)
    return _core.squared_error(input, target, reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of the absolute differences.

    Args:
        input: A tensor of any shape.
        target: Of input's shape.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d, or of the broadcast shape with 'none'; other shapes than equal ones are warned of.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: reduction is not 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.l1_loss(gpukit.zeros(2), gpukit.tensor([1.0, -3.0]))
        tensor(2.)
    """
    _check_sizes("l1_loss", input, target)
    return _reduced("l1_loss", (input - target).abs(), reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the binary cross-entropy of sigmoid(input), without overflow.

    Args:
        input: Logits.
        target: Probabilities, the same shape.
        weight: Of each element, or what broadcasts to them.
        reduction: 'mean', 'sum' or 'none'.
        pos_weight: Of the positive class.

    Raises:
        ShapeError: input and target differ in shape.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.binary_cross_entropy_with_logits(gpukit.zeros(1), gpukit.ones(1))
        tensor(0.6931)
    """
    op = "binary_cross_entropy_with_logits"
    if input.shape != target.shape:
        raise ShapeError(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; they must be equal"
        )
    negative = -logsigmoid(input)
    if pos_weight is not None:
        negative = negative * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * input + negative
    return _reduced(op, losses if weight is None else losses * weight, reduction)


def _rows_of_classes(op: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input as (rows, classes) and target as (rows), from torch's (N, C, …) and (N, …)."""
    if input.ndim == 1 and target.ndim == 0:
        return input.unsqueeze(0), target.unsqueeze(0)
    wanted = (*input.shape[:1], *input.shape[2:])
    if input.ndim < 2 or tuple(target.shape) != wanted:
        raise ShapeError(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; input must be "
            "(rows, classes, …) and target (rows, …)"
        )
    if input.ndim == 2:
        return input, target
    order = (0, *range(2, input.ndim), 1)
    return input.permute(order).reshape(-1, input.shape[1]), target.reshape(-1)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of classes, from log-probabilities.

    Args:
        input: Log-probabilities (rows, classes, …).
        target: Class numbers (rows, …), int64.
        weight: One number a class.
        ignore_index: Rows of this class count nothing.
        reduction: 'mean' (by weight), 'sum' or 'none'.

    Raises:
        ShapeError: The shapes do not fit.
        ValueError: Another reduction.
        IndexError: A target is no class.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.nll_loss(gpukit.tensor([[-0.5, -1.0]]), gpukit.tensor([1]))
        tensor(1.)
    """
    rows, classes = _rows_of_classes("nll_loss", input, target)
    counts = classes != ignore_index
    known = _core.where(counts, classes, _core.zeros_like(classes))
    share = counts.to(rows.dtype)
    if weight is not None:
        share = share * weight.index_select(0, known)
    losses = -rows.gather(1, known.unsqueeze(1)).squeeze(1) * share
    if reduction == "mean":
        return losses.sum() / share.sum()
    return _reduced("nll_loss", losses, reduction).reshape(
        target.shape if reduction == "none" else ()
    )


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross-entropy of softmax(input): logits in, softmax and loss in one pass.

    Args:
        input: Logits (rows, classes, …).
        target: Class numbers (rows, …), int64; or probabilities, input's shape.
        weight: One number a class.
        ignore_index: Rows of this class count nothing.
        reduction: 'mean' (by weight), 'sum' or 'none'.
        label_smoothing: Share of the target that is spread over all classes.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Class numbers that are not int64, or logits that are not floating.
        IndexError: A target is no class (on a GPU the loss is NaN instead: nothing waits).
        ValueError: Another reduction, or a smoothing that is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.cross_entropy(gpukit.zeros(1, 2), gpukit.tensor([0]))
        tensor(0.6931)
    """
    if input.dtype is _core.float32 and target.dtype is _core.int64 and input.ndim == 2:
        return _core.cross_entropy(input, target, weight, ignore_index, label_smoothing, reduction)
    if target.is_floating_point() and target.shape == input.shape:
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    if input.dtype in _HALF:
        wide = None if weight is None else weight.float()
        loss = cross_entropy(input.float(), target, wide, ignore_index, reduction, label_smoothing)
        return loss.to(input.dtype)
    if input.ndim == 2:
        return _core.cross_entropy(input, target, weight, ignore_index, label_smoothing, reduction)
    rows, classes = _rows_of_classes("cross_entropy", input, target)
    loss = _core.cross_entropy(rows, classes, weight, ignore_index, label_smoothing, reduction)
    return loss.reshape(target.shape) if reduction == "none" else loss


def _soft_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float
) -> Tensor:
    """With a probability for every class."""
    dim = 0 if input.ndim == 1 else 1
    classes = input.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    terms = log_softmax(input, dim) * target
    if weight is not None:
        shape = [1] * input.ndim
        shape[dim] = classes
        terms = terms * weight.reshape(shape)
    losses = -terms.sum(dim)
    if reduction == "mean":
        return losses.sum() / max(1, input.numel() // max(1, classes))
    return _reduced("cross_entropy", losses, reduction)


__getattr__ = module_getattr(__name__)
