"""Layers of one gate or shrinking function each."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import int_from, int_of, tensor_of
from gpukit._core import Tensor, full
from gpukit._names.earlier import renamed
from gpukit.errors import ArgumentError, ShapeError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = [
    "CELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LogSigmoid",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU6",
    "Softmax2d",
    "Softmin",
    "Softshrink",
    "Softsign",
    "Tanhshrink",
    "Threshold",
]


def _in_place(inplace: bool) -> str:
    return ", inplace=True" if inplace else ""


def _planes(input: Tensor) -> Tensor:
    tensor_of("Softmax2d", "input", input)
    if input.ndim not in {3, 4}:
        raise ShapeError(
            f"Softmax2d: input must be (N, C, H, W) or (C, H, W), its shape is {tuple(input.shape)}"
        )
    return input


class PReLU(Module):
    """input where it is positive, else input times a slope that is learned.

    Args:
        num_parameters: 1 slope for all, or one for each channel.
        init: Where the slopes start.
        device: Where they are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.PReLU()(gpukit.tensor([-1.0, 2.0])).detach()
        tensor([-0.2500,  2.0000])
    """

    weight: Parameter

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = int_from("PReLU", "num_parameters", num_parameters, 1)
        self.init = init
        size = (self.num_parameters,)
        self.weight = Parameter(full(size, float(init), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Set the slopes to where they start."""
        self.weight.detach().fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of slopes."""
        return f"num_parameters={self.num_parameters}"


class Hardtanh(Module):
    """Limits its input to [min_val, max_val].

    Args:
        min_val: The result below it.
        max_val: The result above it; larger than min_val.
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Hardtanh()(gpukit.tensor([-2.0, 0.5]))
        tensor([-1.0000,  0.5000])
    """

    @renamed(min_value="min_val", max_value="max_val")
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        if not min_val < max_val:
            raise ArgumentError(f"Hardtanh: min_val={min_val} must be below max_val={max_val}")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the limited input."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"min_val={self.min_val}, max_val={self.max_val}{_in_place(self.inplace)}"


class ReLU6(Hardtanh):
    """Limits its input to [0, 6].

    Args:
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReLU6()(gpukit.tensor([-1.0, 9.0]))
        tensor([0., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the limited input."""
        return F.relu6(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class Hardsigmoid(Module):
    """(input + 3) / 6, limited to [0, 1].

    Args:
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Hardsigmoid()(gpukit.zeros(1))
        tensor([0.5000])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """input * hardsigmoid(input).

    Args:
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Hardswish()(gpukit.ones(1))
        tensor([0.6667])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardswish(input, self.inplace)


class Mish(Module):
    """input * tanh(softplus(input)).

    Args:
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Mish()(gpukit.ones(1))
        tensor([0.8651])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class SELU(Module):
    """1.0507 * elu(input, 1.6733).

    Args:
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.SELU()(gpukit.ones(1))
        tensor([1.0507])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return "inplace=True" if self.inplace else ""


class CELU(Module):
    """input where it is positive, else alpha * (exp(input / alpha) - 1).

    Args:
        alpha: Minus the limit far below 0.
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.CELU(2.0)(gpukit.tensor([-1.0, 2.0]))
        tensor([-0.7869,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"alpha={self.alpha}{_in_place(self.inplace)}"


class Threshold(Module):
    """input where it is larger than threshold, else value.

    Args:
        threshold: What an element must exceed.
        value: What stands for the others.
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Threshold(2.0, -1.0)(gpukit.tensor([1.0, 3.0]))
        tensor([-1.,  3.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"threshold={self.threshold}, value={self.value}{_in_place(self.inplace)}"


class Softmin(Module):
    """softmax(-input) along dim.

    Args:
        dim: The dimension whose slices sum to 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Softmin(dim=0)(gpukit.zeros(2))
        tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = None if dim is None else int_of("Softmin", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        """Return softmin(input) along dim."""
        return F.softmin(input, self.dim)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """softmax over the channels of (N, C, H, W) or (C, H, W).

    Example:
        >>> import gpukit
        >>> gpukit.nn.Softmax2d()(gpukit.zeros(1, 2, 1, 1)).flatten()
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return softmax(input) over the channels."""
        return F.softmax(_planes(input), -3)


class Softsign(Module):
    """input / (1 + abs(input)).

    Example:
        >>> import gpukit
        >>> gpukit.nn.Softsign()(gpukit.ones(1))
        tensor([0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softsign(input)


class Tanhshrink(Module):
    """input - tanh(input).

    Example:
        >>> import gpukit
        >>> gpukit.nn.Tanhshrink()(gpukit.ones(1))
        tensor([0.2384])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.tanhshrink(input)


class LogSigmoid(Module):
    """log(sigmoid(input)).

    Example:
        >>> import gpukit
        >>> gpukit.nn.LogSigmoid()(gpukit.zeros(1))
        tensor([-0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.logsigmoid(input)


class Hardshrink(Module):
    """input where it is outside of [-lambd, lambd], else 0.

    Args:
        lambd: The distance from 0.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Hardshrink()(gpukit.tensor([0.25, 1.0]))
        tensor([0., 1.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.lambd}"


class Softshrink(Module):
    """input moved by lambd towards 0, and 0 where it would pass that.

    Args:
        lambd: The distance from 0.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Softshrink()(gpukit.tensor([0.25, 1.0]))
        tensor([0.0000, 0.5000])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return str(self.lambd)


class GLU(Module):
    """The first half of the input along dim times the sigmoid of the second.

    Args:
        dim: The dimension that is halved.

    Example:
        >>> import gpukit
        >>> gpukit.nn.GLU()(gpukit.tensor([3.0, 0.0]))
        tensor([1.5000])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = int_of("GLU", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        """Return the gated half."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}"


class RReLU(Module):
    """input where it is positive, else input times a slope drawn from [lower, upper].

    Args:
        lower: The smallest slope.
        upper: The largest; after `eval()` all are (lower + upper) / 2.
        inplace: Write the result into the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.RReLU(0.25, 0.75).eval()(gpukit.tensor([-1.0, 2.0]))
        tensor([-0.5000,  2.0000])
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the function of each element."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"lower={self.lower}, upper={self.upper}{_in_place(self.inplace)}"
