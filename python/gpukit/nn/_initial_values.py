"""First values that are not drawn element by element, and normal numbers within bounds."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, ShapeError

__all__ = ["dirac_", "eye_", "orthogonal_", "sparse_", "trunc_normal_"]

_MOST_DRAWS = 200


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fill with normal numbers of which those outside [a, b] are drawn again.

    Args:
        tensor: A floating tensor; it is changed in place.
        mean: Mean of the numbers before they are cut.
        std: Their standard deviation.
        a: The smallest number.
        b: The largest.
        generator: A gpukit.Generator; None means the default one.

    Returns:
        The tensor.

    Raises:
        ValueError: a is above b, or almost no number falls between them.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.trunc_normal_(gpukit.empty(9), std=5).abs().max() <= 2
        tensor(True)
    """
    values = tensor_of("trunc_normal_", "tensor", tensor).detach()
    low, high = number_of("trunc_normal_", "a", a), number_of("trunc_normal_", "b", b)
    if not low <= high:
        raise ArgumentError(f"trunc_normal_: a is {low}, b {high}; a must not be above b")
    values.normal_(mean, std, generator=generator)
    if values.is_meta:
        return tensor
    for _ in range(_MOST_DRAWS):
        outside = (values < low) | (values > high)
        if not outside.any():
            return tensor
        again = _core.empty_like(values).normal_(mean, std, generator=generator)
        values.copy_(_core.where(outside, again, values))
    raise ArgumentError(
        f"trunc_normal_: almost no number of mean {mean} and std {std} lies between {low} and "
        f"{high}. Use bounds nearer to the mean"
    )


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on its diagonal and zeros elsewhere.

    Args:
        tensor: A matrix; it is changed in place.

    Returns:
        The tensor.

    Raises:
        ShapeError: It is not a matrix.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.eye_(gpukit.empty(2, 2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    if tensor_of("eye_", "tensor", tensor).ndim != 2:
        raise ShapeError(f"eye_: a matrix is needed, the tensor is {tensor.shape}")
    tensor.detach().zero_().fill_diagonal_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it keeps its input's channels.

    Args:
        tensor: 3, 4 or 5 dimensions; it is changed in place.
        groups: Groups of the convolution.

    Returns:
        The tensor.

    Raises:
        ShapeError: It has another number of dimensions, or channels that are no multiple of groups.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.dirac_(gpukit.empty(1, 1, 3))
        tensor([[[0., 1., 0.]]])
    """
    values = tensor_of("dirac_", "tensor", tensor).detach()
    parts = int_of("dirac_", "groups", groups)
    if values.ndim not in {3, 4, 5}:
        raise ShapeError(f"dirac_: 3 to 5 dimensions are needed, the tensor is {values.shape}")
    if parts < 1 or values.shape[0] % parts:
        raise ShapeError(f"dirac_: {values.shape[0]} channels are no multiple of groups {parts}")
    values.zero_()
    own = values.shape[0] // parts
    middle = tuple(size // 2 for size in values.shape[2:])
    for group in range(parts):
        for channel in range(min(own, values.shape[1])):
            place = (group * own + channel, channel, *middle)
            values[place] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with an orthogonal matrix: rows, or columns where there are fewer, of length gain.

    Args:
        tensor: At least two dimensions, of which those behind the first count as one.
        gain: A factor.
        generator: A gpukit.Generator; None means the default one.

    Returns:
        The tensor.

    Raises:
        ShapeError: Fewer than two dimensions.

    Example:
        >>> import gpukit
        >>> w = gpukit.nn.init.orthogonal_(gpukit.empty(2, 3))
        >>> gpukit.allclose(w @ w.t(), gpukit.eye(2), atol=1e-5)
        True
    """
    values = tensor_of("orthogonal_", "tensor", tensor).detach()
    if values.ndim < 2:
        raise ShapeError(f"orthogonal_: two dimensions are needed, the tensor is {values.shape}")
    if not values.numel():
        return tensor
    rows, columns = values.shape[0], values.numel() // values.shape[0]
    count, length = min(rows, columns), max(rows, columns)
    made = _core.empty(count, length, dtype=_core.float64, device=values.device)
    made.normal_(0.0, 1.0, generator=generator)
    for i in range(count):  # each without its share in those before; twice, for the digits
        for _ in range(2 if i else 0):
            before = made[:i]
            made[i] -= before.t() @ (before @ made[i])
        made[i] /= made[i].norm()
    made = made if rows <= columns else made.t()
    values.copy_((made * number_of("orthogonal_", "gain", gain)).reshape(values.shape))
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill a matrix with normal numbers, of which a share of each column is zero.

    Args:
        tensor: A floating matrix; it is changed in place.
        sparsity: The share of zeros in each column, rounded up to whole rows.
        std: Standard deviation of the others.
        generator: A gpukit.Generator; None means the default one.

    Returns:
        The tensor.

    Raises:
        ShapeError: The tensor is not a matrix.
        ValueError: sparsity is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> (gpukit.nn.init.sparse_(gpukit.empty(4, 3), 0.5) == 0).sum(0)
        tensor([2, 2, 2])
    """
    values = tensor_of("sparse_", "tensor", tensor).detach()
    if values.ndim != 2:
        raise ShapeError(f"sparse_: a matrix is needed, the tensor is {tuple(values.shape)}")
    share = number_of("sparse_", "sparsity", sparsity)
    if not 0 <= share <= 1:
        raise ArgumentError(f"sparse_: sparsity must be from 0 to 1, got {share}")
    values.normal_(0, std, generator=generator)
    keys = _core.rand(values.shape, generator=generator, device=values.device)
    rows = keys.argsort(0)[: math.ceil(share * values.shape[0])]
    values.scatter_(0, rows, 0)
    return tensor
