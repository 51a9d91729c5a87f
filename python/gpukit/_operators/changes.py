"""Functions in place, composed of the functions and copy_; called as composed.py says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpukit import _core, _shared_memory
from gpukit._arguments import int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import INTEGER, ROWS
from gpukit._operators.rearranged import _reshaped, resize_
from gpukit.errors import (
    ArgumentError,
    AutogradError,
    DeviceError,
    DTypeError,
    RangeError,
    ShapeError,
)


def stored(function: str, input: Tensor, result: Tensor) -> Tensor:
    """The result in the tensor; its shape stays, and its dtype must be able to hold it."""
    _check_leaf(function, input)
    if result.shape != input.shape:
        raise ShapeError(
            f"{function}: the result is {tuple(result.shape)}, the tensor {tuple(input.shape)}; "
            f"use x = x.{function[:-1]}(…)"
        )
    if not _core.can_cast(result.dtype, input.dtype):
        raise DTypeError(
            f"{function}: the result is {result.dtype.name}, the tensor {input.dtype.name}. "
            f"Use x = x.{function[:-1]}(…)"
        )
    return input.copy_(result)


def _check_leaf(function: str, input: Tensor) -> None:
    if input.requires_grad and input.is_leaf and _core.is_grad_enabled():
        raise AutogradError(
            f"{function}: X is a leaf that requires grad; changing it in place would lose what its "
            "gradient belongs to. Use `with gpukit.no_grad():` around it, or X.detach()."
        )


def _filled(function: str, input: Tensor, values: Tensor) -> Tensor:
    """Numbers that were drawn or made, converted to the tensor's dtype."""
    _check_leaf(function, input)
    return input.copy_(values)


def _kept(input: Tensor) -> Tensor:
    """The tensor, or where a formula may save it a copy: its own elements are about to change."""
    return input.clone() if input.requires_grad and _core.is_grad_enabled() else input


def _in_place(name: str) -> Callable[..., Tensor]:
    function = getattr(Tensor, name[:-1])

    def change(input: Tensor, **arguments: Any) -> Tensor:
        return stored(name, input, function(_kept(input), **arguments))

    return change


addbmm_, addmm_, addmv_, addr_, baddbmm_, fmod_, frac_, ldexp_ = map(
    _in_place, ["addbmm_", "addmm_", "addmv_", "addr_", "baddbmm_", "fmod_", "frac_", "ldexp_"]
)
mvlgamma_, nan_to_num_, polygamma_, renorm_, sgn_, tril_, triu_ = map(
    _in_place, ["mvlgamma_", "nan_to_num_", "polygamma_", "renorm_", "sgn_", "tril_", "triu_"]
)


def cumsum_(input: Tensor, dim: Any, dtype: Any = None) -> Tensor:
    """Running sums."""
    return _scanned("cumsum_", input, dim, dtype)


def cumprod_(input: Tensor, dim: Any, dtype: Any = None) -> Tensor:
    """Running products."""
    return _scanned("cumprod_", input, dim, dtype)


def _scanned(function: str, input: Tensor, dim: Any, dtype: Any) -> Tensor:
    """In the tensor's own dtype: small integers wrap as torch's do."""
    if dtype is not None and _core.parse_target(function, "dtype", dtype)[1] is not input.dtype:
        raise DTypeError(
            f"{function}: dtype is {dtype}, the tensor {input.dtype.name}; they must be one. "
            f"Use x = x.{function[:-1]}(dim, dtype=…)"
        )
    return stored(
        function, input, getattr(_core, function[:-1])(_kept(input), dim, dtype=input.dtype)
    )


def float_power_(input: Tensor, exponent: Any) -> Tensor:
    """A power, in float64."""
    result = _core.float_power(_kept(input), exponent)
    if result.dtype is not input.dtype:
        raise DTypeError(
            f"float_power_: the result is {result.dtype.name}, the tensor {input.dtype.name}. "
            "Use x = x.float_power(…), or pow_"
        )
    return stored("float_power_", input, result)


# ---- shapes ----


def transpose_(input: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """Two dimensions swapped."""
    return _reshaped("transpose_", input, input.detach().transpose(dim0, dim1))


swapaxes_ = swapdims_ = transpose_


def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """Other sizes and strides over the same memory."""
    plain = input.detach()
    return _reshaped("as_strided_", input, plain.as_strided(size, stride, storage_offset))


def resize_as_(input: Tensor, the_template: Any) -> Tensor:
    """The shape of another tensor."""
    return resize_(input, tuple(tensor_of("resize_as_", "the_template", the_template).shape))


def share_memory_(input: Tensor) -> Tensor:
    """The memory where other processes see it."""
    _shared_memory.share(input)
    return input


# ---- drawn numbers ----


def _drawn(function: str, input: Tensor, generator: Any) -> Tensor:
    """Uniform numbers of (0, 1), in float64 for float64, else in float32."""
    if not input.is_floating_point():
        raise DTypeError(f"{function}: the tensor is {input.dtype.name}. Use x.float() first")
    dtype = _core.promote_types(input.dtype, _core.float32)
    tiny = 2.0**-54 if dtype is _core.float64 else 2.0**-25
    return _core.rand_like(input.detach(), generator=generator, dtype=dtype).clamp_(min=tiny)


def _positive(function: str, name: str, value: Any) -> float:
    number = number_of(function, name, value)
    if not number > 0:
        raise ArgumentError(f"{function}: {name} must be above 0, got {number}")
    return number


def exponential_(input: Tensor, lambd: Any = 1.0, generator: Any = None) -> Tensor:
    """By the inverse of the distribution function."""
    rate = _positive("exponential_", "lambd", lambd)
    return stored(
        "exponential_", input, _drawn("exponential_", input, generator).log_().div_(-rate)
    )


def geometric_(input: Tensor, p: Any, generator: Any = None) -> Tensor:
    """Trials up to the first success; by the inverse of the distribution function."""
    chance = number_of("geometric_", "p", p)
    if not 0 < chance < 1:
        raise ArgumentError(f"geometric_: p must be between 0 and 1, got {chance}")
    x = input if input.is_floating_point() else input.to(_core.float64)
    drawn = _drawn("geometric_", x, generator).log_().div_(math.log1p(-chance))
    return _filled("geometric_", input, drawn.ceil_().clamp_(min=1))


def cauchy_(input: Tensor, median: Any = 0.0, sigma: Any = 1.0, generator: Any = None) -> Tensor:
    """By the inverse of the distribution function."""
    middle, width = number_of("cauchy_", "median", median), _positive("cauchy_", "sigma", sigma)
    drawn = _drawn("cauchy_", input, generator).sub_(0.5).mul_(math.pi).tan_()
    return _filled("cauchy_", input, drawn.mul_(width).add_(middle))


def log_normal_(input: Tensor, mean: Any = 1.0, std: Any = 2.0, generator: Any = None) -> Tensor:
    """Exponentials of normal numbers."""
    centre, width = number_of("log_normal_", "mean", mean), _positive("log_normal_", "std", std)
    if not input.is_floating_point():
        raise DTypeError(f"log_normal_: the tensor is {input.dtype.name}. Use x.float() first")
    dtype = _core.promote_types(input.dtype, _core.float32)
    drawn = _core.randn_like(input.detach(), generator=generator, dtype=dtype)
    return _filled("log_normal_", input, drawn.mul_(width).add_(centre).exp_())


def random_(input: Tensor, from_: Any = None, to: Any = None, generator: Any = None) -> Tensor:
    """Whole numbers; one bound is the end, and 0 is the start."""
    dtype = input.dtype
    if dtype.is_complex:
        raise DTypeError(f"random_: the tensor is {dtype.name}; whole numbers are real")
    if to is None and from_ is not None:
        from_, to = 0, from_
    low = 0 if from_ is None else int_of("random_", "from_", from_)
    high = _end_of(dtype) if to is None else int_of("random_", "to", to)
    most = _end_of(dtype)
    least = 0 if dtype.name.startswith("u") else -most
    if dtype in INTEGER and not (least <= low and high <= most):
        raise RangeError(f"random_: {low} to {high - 1} do not fit into {dtype.name}")
    if low >= high:
        raise ArgumentError(f"random_: from_ must be below to, got {low} and {high}")
    shape = tuple(input.shape)
    drawn = _core.randint(low, high, shape, generator=generator, device=input.device)
    return _filled("random_", input, drawn)


def _end_of(dtype: Any) -> int:
    """Above the largest number that random_ draws without bounds; torch's documented ranges."""
    if dtype is _core.bool:
        return 2
    if dtype in INTEGER:
        bits = 8 * dtype.itemsize - (not dtype.name.startswith("u"))
        return int(min(1 << bits, (1 << 63) - 1))
    return int(1 << ROWS[dtype].precision) + 1


# ---- Python's functions ----


def _function_of(function: str, callable: Any) -> Any:
    if not hasattr(callable, "__call__"):  # noqa: B004 (the parameter hides the builtin)
        raise TypeError(f"{function}: callable must be a function, got {callable!r:.80}")
    return callable


def _on_cpu(function: str, *tensors: Tensor) -> None:
    for x in tensors:
        if not x.is_cpu:
            raise DeviceError(f"{function}: the tensor is on {x.device}. Use x.cpu() first")


def apply_(input: Tensor, callable: Any) -> Tensor:
    """A function of each number."""
    _on_cpu("apply_", input)
    made = [*map(_function_of("apply_", callable), input.flatten().tolist())]
    return _filled("apply_", input, _core.tensor(made, dtype=input.dtype).reshape(input.shape))


def map_(input: Tensor, tensor: Any, callable: Any) -> Tensor:
    """A function of each number and that of another tensor."""
    other = tensor_of("map_", "tensor", tensor)
    _on_cpu("map_", input, other)
    others = other.expand(input.shape).flatten().tolist()
    made = [*map(_function_of("map_", callable), input.flatten().tolist(), others)]
    return _filled("map_", input, _core.tensor(made, dtype=input.dtype).reshape(input.shape))
