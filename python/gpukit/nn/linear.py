"""Layers that multiply by a matrix."""

from __future__ import annotations

import math
from typing import Any

from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor, empty, linear, linear_relu
from gpukit.errors import GpukitError, ShapeError
from gpukit.nn import init
from gpukit.nn._bilinear import bilinear
from gpukit.nn._errors import name_layer
from gpukit.nn.lazy import LazyModuleMixin
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter, UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Gives its input back; takes and ignores any arguments of its constructor.

    Args:
        *args: Ignored.
        **kwargs: Ignored.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Identity()(gpukit.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002 (as torch takes them)
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """Computes `input @ weight.T + bias` over the last dimension.

    weight is (out_features, in_features), bias (out_features); both start uniform in
    ±1/sqrt(in_features), as in torch.

    Args:
        in_features: Size of the last dimension of the input.
        out_features: Size of the last dimension of the result.
        bias: False for no bias.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Linear(3, 2)
        Linear(in_features=3, out_features=2, bias=True)
    """

    in_features: int
    out_features: int
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = int_from("Linear", "in_features", in_features, 0)
        self.out_features = int_from("Linear", "out_features", out_features, 0)
        sizes = (self.out_features, self.in_features)
        self.weight = Parameter(empty(sizes, device=device, dtype=dtype))
        made = Parameter(empty(sizes[0], device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0.0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return `input @ weight.T + bias`."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def relu_of(layer: Linear, input: Tensor) -> Tensor:
    """Return `relu(layer(input))`, computed in one pass; an error names the layer."""
    try:
        return linear_relu(input, layer.weight, layer.bias)
    except GpukitError as error:
        name_layer(layer, error, (input,))
        raise


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose in_features is the last size of its first input; it is a Linear from then on.

    Args:
        out_features: Size of the last dimension of the result.
        bias: False leaves the bias out.
        device: Device of the parameters.
        dtype: Their dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyLinear(2)
        >>> layer(gpukit.ones(1, 7)).shape, layer
        ((1, 2), Linear(in_features=7, out_features=2, bias=True))
    """

    cls_to_become = Linear
    weight: UninitializedParameter
    bias: UninitializedParameter | None

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False, device, dtype)
        self.out_features = int_from("LazyLinear", "out_features", out_features, 0)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw new weights and biases, once the sizes are known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take in_features from an input."""
        tensor_of("LazyLinear", "input", input)
        if not input.ndim:
            raise ShapeError("LazyLinear: input must have one dimension or more, it is a scalar")
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        if self.in_features == 0:
            self.in_features = self.weight.shape[-1]


class Bilinear(Module):
    """Computes `input1 @ weight[k] @ input2 + bias[k]` for each k, over the last dimensions.

    weight is (out_features, in1_features, in2_features), bias (out_features); both start uniform in
    ±1/sqrt(in1_features), as in torch.

    Args:
        in1_features: Size of the last dimension of the first input.
        in2_features: Size of that of the second.
        out_features: Size of the last dimension of the result.
        bias: False for no bias.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Bilinear(3, 2, 4)
        >>> layer(gpukit.ones(5, 3), gpukit.ones(5, 2)).shape
        (5, 4)
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = int_from("Bilinear", "in1_features", in1_features, 1)
        self.in2_features = int_from("Bilinear", "in2_features", in2_features, 0)
        self.out_features = int_from("Bilinear", "out_features", out_features, 0)
        sizes = (self.out_features, self.in1_features, self.in2_features)
        self.weight = Parameter(empty(sizes, device=device, dtype=dtype))
        made = Parameter(empty(sizes[0], device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return the products."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
