"""Layers as functions of gpukit itself, with the parameters that torch's own functions have.

`torch.embedding` takes the table first, `torch.dropout` needs `train`, and a reduction is a number:
0 is 'none', 1 'mean', 2 'sum'. `nn.functional` has the same functions with other parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit._arguments import bool_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError
from gpukit.nn import functional

_REDUCTIONS = ("none", "mean", "sum")


def _reduction(function: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 2:
        raise ArgumentError(f"{function}: reduction must be 0 (none), 1 (mean) or 2 (sum)")
    return _REDUCTIONS[value]


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Return `nn.functional.batch_norm`, whose parameters have another order.

    Args:
        input: (N, C, …).
        weight: (C,), or None.
        bias: (C,), or None.
        running_mean: (C,), or None while training.
        running_var: (C,), or None while training.
        training: Whether the batch's own statistics are used.
        momentum: The share of a batch in the running statistics.
        eps: Added to the variance.
        cudnn_enabled: Accepted for compatibility.

    Raises:
        ShapeError: A size does not fit.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[1.0], [3.0]])
        >>> gpukit.batch_norm(x, None, None, None, None, True, 0.1, 0.0)
        tensor([[-1.],
                [ 1.]])
    """
    bool_of("batch_norm", "cudnn_enabled", cudnn_enabled)
    return functional.batch_norm(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Return `nn.functional.instance_norm`, whose parameters have another order.

    Args:
        input: (N, C, …).
        weight: (C,), or None.
        bias: (C,), or None.
        running_mean: (C,), or None.
        running_var: (C,), or None.
        use_input_stats: Whether the samples' own statistics are used.
        momentum: The share of a batch in the running statistics.
        eps: Added to the variance.
        cudnn_enabled: Accepted for compatibility.

    Raises:
        ShapeError: A size does not fit.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[[1.0, 3.0]]])
        >>> gpukit.instance_norm(x, None, None, None, None, True, 0.1, 0.0)
        tensor([[[-1.,  1.]]])
    """
    bool_of("instance_norm", "cudnn_enabled", cudnn_enabled)
    return functional.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def layer_norm(
    input: Tensor,
    normalized_shape: int | tuple[int, ...] | list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Tensor:
    """Return `nn.functional.layer_norm`.

    Args:
        input: Floating, with `normalized_shape` as its last sizes.
        normalized_shape: The last sizes.
        weight: Of that shape, or None.
        bias: Of that shape, or None.
        eps: Added to the variance.
        cudnn_enable: Accepted for compatibility.

    Raises:
        ShapeError: A size does not fit.

    Example:
        >>> import gpukit
        >>> gpukit.layer_norm(gpukit.tensor([1.0, 3.0]), (2,), eps=0.0)
        tensor([-1.,  1.])
    """
    bool_of("layer_norm", "cudnn_enable", cudnn_enable)
    return functional.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Return `nn.functional.group_norm`.

    Args:
        input: (N, C, …), floating.
        num_groups: How many groups of channels.
        weight: (C,), or None.
        bias: (C,), or None.
        eps: Added to the variance.
        cudnn_enabled: Accepted for compatibility.

    Raises:
        ShapeError: A size does not fit.

    Example:
        >>> import gpukit
        >>> gpukit.group_norm(gpukit.tensor([[1.0, 3.0]]), 1, eps=0.0)
        tensor([[-1.,  1.]])
    """
    bool_of("group_norm", "cudnn_enabled", cudnn_enabled)
    return functional.group_norm(input, num_groups, weight, bias, eps)


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Return `nn.functional.dropout`.

    Args:
        input: Floating.
        p: The chance that an element is 0.
        train: Whether any is.

    Raises:
        ValueError: `p` is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.dropout(gpukit.ones(2), 0.5, False)
        tensor([1., 1.])
    """
    return functional.dropout(input, p, train)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Return `nn.functional.alpha_dropout`.

    Args:
        input: Floating.
        p: The chance that an element is dropped.
        train: Whether any is.

    Raises:
        ValueError: `p` is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.alpha_dropout(gpukit.ones(2), 0.5, False)
        tensor([1., 1.])
    """
    return functional.alpha_dropout(input, p, train)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Return `nn.functional.feature_alpha_dropout`.

    Args:
        input: (N, C, …), floating.
        p: The chance that a channel is dropped.
        train: Whether any is.

    Raises:
        ValueError: `p` is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.feature_alpha_dropout(gpukit.ones(1, 2), 0.5, False)
        tensor([[1., 1.]])
    """
    return functional.feature_alpha_dropout(input, p, train)


def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return `nn.functional.embedding`, whose first two parameters are in another order.

    Args:
        weight: The table: a row for each word.
        indices: Words, integers.
        padding_idx: The word without a gradient; -1 is none.
        scale_grad_by_freq: Divide gradients by how often a word occurs.
        sparse: Must be False.

    Raises:
        DTypeError: `indices` are not integers.

    Example:
        >>> import gpukit
        >>> gpukit.embedding(gpukit.tensor([[1.0], [2.0]]), gpukit.tensor([1]))
        tensor([[2.]])
    """
    padding = None if padding_idx == -1 else padding_idx
    return functional.embedding(
        indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse
    )


def adaptive_max_pool1d(input: Tensor, output_size: int | tuple[int, ...]) -> tuple[Any, ...]:
    """Return the values and the indices of `nn.functional.adaptive_max_pool1d`.

    Args:
        input: (N, C, L) or (C, L).
        output_size: How many windows.

    Raises:
        ShapeError: `input` has other dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.adaptive_max_pool1d(gpukit.tensor([[1.0, 3.0]]), 1)
        (tensor([[3.]]), tensor([[1]]))
    """
    return tuple(functional.adaptive_max_pool1d(input, output_size, return_indices=True))


def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Return `nn.functional.pad` with a number.

    Args:
        input: Any tensor.
        pad: Elements before and after, of the last dimension first.
        value: The number.

    Raises:
        ShapeError: `pad` names more dimensions than there are.

    Example:
        >>> import gpukit
        >>> gpukit.constant_pad_nd(gpukit.ones(1), (1, 0), 5.0)
        tensor([5., 1.])
    """
    return functional.pad(input, tuple(pad), "constant", value)
