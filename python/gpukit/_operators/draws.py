"""Random numbers composed of rand() and randn()."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError


def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
) -> Tensor:
    """Numbers of a mean and a deviation."""
    mean, std = (
        value.detach() if isinstance(value, Tensor) else number_of("normal", name, value)
        for name, value in (("mean", mean), ("std", std))
    )
    given = [value for value in (mean, std) if isinstance(value, Tensor)]
    if (size is None) != bool(given):
        raise TypeError(
            "normal: give numbers and a size, e.g. normal(0, 0.01, (2, 3)), or tensors without one"
        )
    if not isinstance(std, Tensor):
        if not std >= 0:
            raise ArgumentError(f"normal: std must be 0 or more, got {std}")
    elif std.is_cpu and not bool((std >= 0).all()):
        raise ArgumentError("normal: std holds a number that is not 0 or more")
    if given:
        size = _core.broadcast_tensors(*given)[0].shape
        device = given[0].device if device is None else device
        dtype = given[0].dtype if dtype is None else dtype
    drawn = _core.randn(size, generator=generator, dtype=dtype, device=device)
    drawn = drawn.mul_(std).add_(mean)
    return drawn.requires_grad_(bool_of("normal", "requires_grad", requires_grad))


def bernoulli(input: Any, p: Any = None, generator: Any = None) -> Tensor:
    """1 or 0."""
    x = tensor_of("bernoulli", "input", input).detach()
    if p is not None:
        return _draws_of(x, number_of("bernoulli", "p", p), generator)
    if not x.is_floating_point():
        raise DTypeError(f"bernoulli: input must be floating, it is {x.dtype}. Use .float()")
    if x.is_cpu and not bool(((x >= 0) & (x <= 1)).all()):
        raise ArgumentError("bernoulli: input must be between 0 and 1, as sigmoid gives it")
    chances = _wide(x)
    return (_core.rand_like(chances, generator=generator) < chances).to(x.dtype)


def _draws_of(x: Tensor, p: float, generator: Any) -> Tensor:
    """1 with one probability, else 0, in the shape and dtype of x."""
    if not 0 <= p <= 1:
        raise ArgumentError(f"bernoulli: p must be between 0 and 1, got {p}")
    drawn = _core.rand_like(x, generator=generator, dtype=_core.float64)
    return (drawn < p).to(x.dtype)


def _wide(x: Tensor) -> Tensor:
    """Half types as float32: their own digits are too few for draws and sums of weights."""
    return x.to(_core.promote_types(x.dtype, _core.float32))


def multinomial(
    input: Any, num_samples: Any, replacement: Any = False, generator: Any = None
) -> Tensor:
    """Places by weight."""
    x = tensor_of("multinomial", "input", input).detach()
    if x.ndim not in {1, 2}:
        raise ShapeError(f"multinomial: input must be 1-d or 2-d, it is {tuple(x.shape)}")
    if not x.is_floating_point():
        raise DTypeError(f"multinomial: input must be floating, it is {x.dtype}. Use .float()")
    count = int_of("multinomial", "num_samples", num_samples)
    again = bool_of("multinomial", "replacement", replacement)
    x = _wide(x)
    least = _fewest_weights(x)
    if not 0 < count <= (count if again and least else least):
        raise ArgumentError(
            f"multinomial: num_samples must be from 1 to {least}, the number of weights over 0, "
            f"or replacement=True; got {count}"
        )
    if again:
        # Over the largest, so that no sum is infinite and no point is rounded up to the last end.
        ends = (x / x.amax(-1, keepdim=True)).cumsum(-1)
        points = _core.rand(
            (*x.shape[:-1], count), generator=generator, dtype=x.dtype, device=x.device
        )
        return _core.searchsorted(ends, points * ends[..., -1:], right=True)
    # The order of log(weight) + Gumbel noise draws without replacement by weight.
    # A draw of 0 would put a weight beside those that are 0: half the least other draw instead.
    drawn = _core.rand_like(x, generator=generator).clamp(min=2.0**-25)
    noise = -(-drawn.log()).log()
    places: Tensor = (x.log() + noise).topk(count, dim=-1).indices
    return places


def _fewest_weights(x: Tensor) -> int:
    """How many weights over 0 the row with the fewest has. Waits for x, once."""
    if 0 in x.shape[:-1]:
        return x.shape[-1]
    valid = ((x >= 0) & (x < float("inf"))).all(-1)
    least = int(_core.where(valid, (x > 0).sum(-1), -1).min().item())
    if least < 0:
        raise ArgumentError(
            "multinomial: input holds NaN, infinity or a number below 0; give weights such as "
            "softmax's"
        )
    return least
