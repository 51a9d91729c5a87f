"""First values of parameters: torch's names and distributions. All change the tensor in place."""

from __future__ import annotations

import math
from typing import Any

from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError, ShapeError
from gpukit.nn._initial_values import dirac_, eye_, orthogonal_, sparse_, trunc_normal_

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform numbers of [a, b).

    Args:
        tensor: A floating tensor; it is changed in place.
        a: Lower end, included.
        b: Upper end, not included.
        generator: A gpukit.Generator; None means the default one.

    Returns:
        The tensor.

    Raises:
        DTypeError: The tensor is not floating.
        ValueError: a is above b.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.uniform_(gpukit.empty(3), 2, 3).min() >= 2
        tensor(True)
    """
    tensor_of("uniform_", "tensor", tensor)
    tensor.detach().uniform_(a, b, generator=generator)
    return tensor


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers.

    Args:
        tensor: A floating tensor; it is changed in place.
        mean: The mean.
        std: The standard deviation.
        generator: A gpukit.Generator; None means the default one.

    Returns:
        The tensor.

    Raises:
        DTypeError: The tensor is not floating.
        ValueError: std is negative.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.normal_(gpukit.empty(3), 5.0, 0.0)
        tensor([5., 5., 5.])
    """
    tensor_of("normal_", "tensor", tensor)
    tensor.detach().normal_(mean, std, generator=generator)
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.constant_(gpukit.empty(2), 0.5)
        tensor([0.5000, 0.5000])
    """
    tensor_of("constant_", "tensor", tensor)
    tensor.detach().fill_(val)
    return tensor


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0.

    Args:
        tensor: A tensor; it is changed in place.

    Returns:
        The tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.zeros_(gpukit.empty(2))
        tensor([0., 0.])
    """
    tensor_of("zeros_", "tensor", tensor)
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1.

    Args:
        tensor: A tensor; it is changed in place.

    Returns:
        The tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.ones_(gpukit.empty(2))
        tensor([1., 1.])
    """
    tensor_of("ones_", "tensor", tensor)
    return constant_(tensor, 1.0)


_GAINS = {"relu": math.sqrt(2.0), "tanh": 5.0 / 3, "selu": 0.75}
_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "sigmoid")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor that keeps the variance through a function.

    Args:
        nonlinearity: 'linear', 'sigmoid', 'tanh', 'relu', 'leaky_relu' or 'selu'.
        param: The negative slope of 'leaky_relu', by default 0.01.

    Raises:
        ValueError: Another name.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.calculate_gain("tanh")
        1.6666666666666667
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output has, and how many outputs an input reaches."""
    if tensor.ndim < 2:
        raise ShapeError(
            f"init: the tensor is {tuple(tensor.shape)}; at least 2 dimensions are needed for fans"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """The fan that a mode names: programs that initialise layers themselves call it in torch."""
    if str(mode).lower() not in ("fan_in", "fan_out"):
        raise ArgumentError(f"init: mode must be 'fan_in' or 'fan_out', got {mode!r:.80}")
    return _calculate_fan_in_and_fan_out(tensor)[str(mode).lower() == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform numbers within ±gain * sqrt(6 / (fan_in + fan_out)).

    Args:
        tensor: A floating tensor (out, in, ...); it is changed in place.
        gain: A factor for the activation.
        generator: A gpukit.Generator; None means the default one.

    Returns:
        The tensor. From Glorot and Bengio, 2010.

    Raises:
        ShapeError: Fewer than 2 dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.xavier_uniform_(gpukit.empty(3, 3)).abs().max() <= 1
        tensor(True)
    """
    tensor_of("xavier_uniform_", "tensor", tensor)
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers of deviation gain * sqrt(2 / (fan_in + fan_out)).

    Raises:
        ShapeError: Fewer than 2 dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.xavier_normal_(gpukit.empty(2, 2), gain=0.0).abs().max()
        tensor(0.)
    """
    tensor_of("xavier_normal_", "tensor", tensor)
    return normal_(
        tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator
    )


def _deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in {"fan_in", "fan_out"}:
        raise ValueError(f"init: mode must be 'fan_in' or 'fan_out', got {mode!r}")
    fan = _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fill with uniform numbers within ±gain * sqrt(3 / fan).

    Args:
        tensor: At least 2 dimensions: (out, in, …).
        a: Negative slope of the leaky ReLU after the layer.
        mode: 'fan_in' keeps the variance forward, 'fan_out' backward.
        nonlinearity: The function after the layer; see `calculate_gain`.
        generator: Where the numbers come from.

    Raises:
        ShapeError: Fewer than 2 dimensions.
        ValueError: Another mode or nonlinearity.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.kaiming_uniform_(gpukit.empty(2, 6)).abs().max() <= 1
        tensor(True)
    """
    tensor_of("kaiming_uniform_", "tensor", tensor)
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Fill with normal numbers of deviation gain / sqrt(fan); see `kaiming_uniform_`.

    Raises:
        ShapeError: Fewer than 2 dimensions.
        ValueError: Another mode or nonlinearity.

    Example:
        >>> import gpukit
        >>> gpukit.nn.init.kaiming_normal_(gpukit.empty(2, 6)).shape
        (2, 6)
    """
    tensor_of("kaiming_normal_", "tensor", tensor)
    return normal_(tensor, 0.0, _deviation(tensor, a, mode, nonlinearity), generator)


__getattr__ = module_getattr(__name__)
