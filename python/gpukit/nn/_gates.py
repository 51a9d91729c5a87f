"""Activations made of lines, gates and exponentials, composed of others."""

from __future__ import annotations

from gpukit import _core
from gpukit._arguments import bool_of, int_of, number_for, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import HALF
from gpukit._operators import slopes
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._named_nodes import names_node
from gpukit.nn._rectifiers import elu, leaky_relu

# Klambauer, Unterthiner, Mayr and Hochreiter, 2017, arXiv:1706.02515.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def _floating(op: str, input: Tensor) -> Tensor:
    """The input in the dtype of the computation."""
    tensor_of(op, "input", input)
    if not input.is_floating_point():
        raise DTypeError(f"{op}: input must be floating, it is {input.dtype}; use input.float()")
    return input.float() if input.dtype in HALF else input


def _given(op: str, input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result in input's dtype; in place, in its memory."""
    result = result.to(input.dtype)
    return input.copy_(result) if bool_of(op, "inplace", inplace) else result


def _source(op: str, input: Tensor, inplace: bool) -> Tensor:
    """The input to compute from: a copy if the graph needs values that inplace overwrites."""
    tensor_of(op, "input", input)
    return input.clone() if inplace and input.requires_grad else input


def _limited(op: str, input: Tensor, low: float, high: float, inplace: bool) -> Tensor:
    x = _source(op, input, inplace)
    if x.dtype is _core.bool:
        raise DTypeError(f"{op}: not defined for bool tensors; use input.float()")
    result = _core.where(x <= low, low, _core.where(x >= high, high, x))
    return _given(op, input, result, inplace)


@names_node("HardtanhBackward0")
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return input limited to [min_val, max_val].

    Args:
        input: A tensor of any shape; not bool.
        min_val: The result below it; the slope at it is 0.
        max_val: The result above it; the slope at it is 0.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Raises:
        ValueError: min_val is larger than max_val.
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.hardtanh(gpukit.tensor([-2.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    low, high = number_of("hardtanh", "min_val", min_val), number_of("hardtanh", "max_val", max_val)
    if low > high:
        raise ArgumentError(
            f"hardtanh: min_val={min_val} must not be larger than max_val={max_val}"
        )
    return _limited("hardtanh", input, low, high, inplace)


@names_node("HardtanhBackward0")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input limited to [0, 6].

    Args:
        input: A tensor of any shape; not bool.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Raises:
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.relu6(gpukit.tensor([-1.0, 2.0, 9.0]))
        tensor([0., 2., 6.])
    """
    return _limited("relu6", input, 0.0, 6.0, inplace)


@names_node("HardsigmoidBackward0")
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return (input + 3) / 6, limited to [0, 1].

    Args:
        input: A floating tensor of any shape.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.hardsigmoid(gpukit.tensor([-4.0, 0.0, 4.0]))
        tensor([0.0000, 0.5000, 1.0000])
    """
    x = _floating("hardsigmoid", _source("hardsigmoid", input, inplace))
    outside = (x.detach() + 3).clamp(0, 6) / 6
    result = _core.where((x > -3) & (x < 3), (x + 3) / 6, outside)
    return _given("hardsigmoid", input, result, inplace)


@names_node("HardswishBackward0")
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * hardsigmoid(input).

    Args:
        input: A floating tensor of any shape.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype (Howard et al., 2019, arXiv:1905.02244).

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.hardswish(gpukit.tensor([1.0, 4.0]))
        tensor([0.6667, 4.0000])
    """
    x = _floating("hardswish", _source("hardswish", input, inplace))
    inside = (x > -3) & (x < 3)
    bent = _core.where(inside, x, 0.0)  # so that infinities meet no product
    outside = _core.where(x <= -3, x * 0, x)
    result = _core.where(inside, bent * (bent + 3) / 6, outside)
    return _given("hardswish", input, result, inplace)


@names_node("MishBackward0")
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * tanh(softplus(input)).

    Args:
        input: A floating tensor of any shape.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype (Misra, 2019, arXiv:1908.08681).

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.mish(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8651])
    """
    x = _floating("mish", _source("mish", input, inplace))
    soft = _core.logaddexp(x, _core.zeros((), dtype=x.dtype, device=x.device))
    return _given("mish", input, x * soft.tanh(), inplace)


@names_node("EluBackward0")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return 1.0507 * elu(input, 1.6733): means and variances tend to 0 and 1 over the layers.

    Args:
        input: A floating tensor of any shape.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype (Klambauer et al., 2017, arXiv:1706.02515).

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.selu(gpukit.tensor([-1.0, 1.0]))
        tensor([-1.1113,  1.0507])
    """
    x = _floating("selu", _source("selu", input, inplace))
    return _given("selu", input, elu(x, _SELU_ALPHA) * _SELU_SCALE, inplace)


@names_node("CeluBackward0")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, else alpha * (exp(input / alpha) - 1).

    Args:
        input: A floating tensor of any shape.
        alpha: Minus the limit far below 0; not 0.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype (Barron, 2017, arXiv:1704.07483).

    Raises:
        RuntimeError: alpha is 0.
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.celu(gpukit.tensor([-1.0, 2.0]), 2.0)
        tensor([-0.7869,  2.0000])
    """
    x = _floating("celu", _source("celu", input, inplace))
    alpha = number_for("celu", "alpha", alpha, input)
    if alpha == 0:
        raise ArgumentError("celu: alpha must not be 0")
    below = (_core.where(x > 0, 0.0, x) / alpha).expm1() * alpha
    return _given("celu", input, _core.where(x > 0, x, below), inplace)


@names_node("ThresholdBackward0")
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return input where it is larger than threshold, else value.

    Args:
        input: A tensor of any shape; not bool.
        threshold: What an element must exceed.
        value: What stands for the others.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Raises:
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.threshold(gpukit.tensor([1.0, 3.0]), 2, -1)
        tensor([-1.,  3.])
    """
    x = _source("threshold", input, inplace)
    if x.dtype is _core.bool:
        raise DTypeError("threshold: not defined for bool tensors; use input.float()")
    limit = number_for("threshold", "threshold", threshold, input)
    value = number_for("threshold", "value", value, input)
    return _given("threshold", input, _core.where(x <= limit, value, x), inplace)


@names_node("PreluKernelBackward0")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return input where it is positive, else weight * input.

    Args:
        input: (N, C, …), floating; with one weight any shape.
        weight: (C,) or (1,), of input's dtype: the slopes below 0.

    Returns:
        Input's shape and dtype (He, Zhang, Ren and Sun, 2015, arXiv:1502.01852).

    Raises:
        ShapeError: weight has neither one element nor one for each channel.
        DTypeError: input is not floating, or weight of another dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.prelu(gpukit.tensor([-1.0, 2.0]), gpukit.tensor([0.25]))
        tensor([-0.2500,  2.0000])
    """
    return slopes.prelu(input, weight)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return input where it is positive, else input times a slope that is drawn while training.

    Args:
        input: A floating tensor of any shape.
        lower: The smallest slope.
        upper: The largest slope.
        training: Draw a slope for each element; else all are (lower + upper) / 2.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype (Xu, Wang, Chen and Li, 2015, arXiv:1505.00853).

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.rrelu(gpukit.tensor([-1.0, 2.0]), 0.25, 0.75)
        tensor([-0.5000,  2.0000])
    """
    _floating("rrelu", input)
    lower, upper = number_of("rrelu", "lower", lower), number_of("rrelu", "upper", upper)
    if not bool_of("rrelu", "training", training):
        result = leaky_relu(input, (lower + upper) / 2, inplace)
        return result if inplace else _core.name_nodes("RreluWithNoiseBackward0", result)
    x = _source("rrelu", input, inplace)
    slopes = _core.rand_like(x.detach()) * (upper - lower) + lower
    return _given("rrelu", input, _core.where(x <= 0, x * slopes, x), inplace)


@names_node("GluBackward0")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half of input along dim times the sigmoid of the second.

    Args:
        input: A floating tensor.
        dim: The dimension that is halved.

    Returns:
        Input's shape with half the size of dim; its dtype (Dauphin, Fan, Auli and Grangier, 2016,
        arXiv:1612.08083).

    Raises:
        ShapeError: The size of dim is odd, or input is 0-d.
        IndexError: dim is not a dimension of input.
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.glu(gpukit.tensor([3.0, 0.0]))
        tensor([1.5000])
    """
    _floating("glu", input)
    dim = int_of("glu", "dim", dim)
    if input.ndim == 0:
        raise ShapeError("glu: input is 0-d, it must have a dimension to halve")
    if input.shape[dim] % 2:
        raise ShapeError(
            f"glu: dimension {dim} of input {tuple(input.shape)} has {input.shape[dim]} elements; "
            "it must be even"
        )
    half = input.shape[dim] // 2
    return input.narrow(dim, 0, half) * input.narrow(dim, half, half).sigmoid()


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Call `elu` with inplace=True.

    Args:
        input: A floating tensor, which receives the result.
        alpha: Minus the limit far below 0.

    Returns:
        input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.elu_(gpukit.ones(1))
        tensor([1.])
    """
    return elu(input, alpha, True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Call `leaky_relu` with inplace=True.

    Args:
        input: A floating tensor, which receives the result.
        negative_slope: The slope below 0.

    Returns:
        input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.leaky_relu_(gpukit.ones(1))
        tensor([1.])
    """
    return leaky_relu(input, negative_slope, True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Call `hardtanh` with inplace=True.

    Args:
        input: A tensor, which receives the result; not bool.
        min_val: The result below it.
        max_val: The result above it.

    Returns:
        input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.hardtanh_(gpukit.tensor([2.0]))
        tensor([1.])
    """
    return hardtanh(input, min_val, max_val, True)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Call `celu` with inplace=True.

    Args:
        input: A floating tensor, which receives the result.
        alpha: Minus the limit far below 0; not 0.

    Returns:
        input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.celu_(gpukit.ones(1))
        tensor([1.])
    """
    return celu(input, alpha, True)
