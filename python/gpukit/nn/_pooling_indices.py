"""Poolings that always return the numbers of their elements too: torch's names for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit._core import Tensor
from gpukit.nn._poolings import max_pool1d, max_pool2d, max_pool3d

_Pair = Callable[..., tuple[Tensor, Tensor]]


def _with_indices(pool: Callable[..., Any], count: int) -> _Pair:
    sizes = ", ".join(["2"] * count)

    def function(
        input: Tensor,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        ceil_mode: bool = False,
        return_indices: bool = True,  # noqa: ARG001 (without effect, as in torch)
    ) -> tuple[Tensor, Tensor]:
        found = pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)
        return found[0], found[1]

    function.__name__ = function.__qualname__ = f"max_pool{count}d_with_indices"
    function.__doc__ = f"""Return `max_pool{count}d` and the number of each element in its plane.

    Args:
        input: As of `max_pool{count}d`, like the next ones.
        kernel_size: Size of the window.
        stride: Step of the window; None is kernel_size.
        padding: Places at both ends that no value comes from.
        dilation: Distance between the window's elements.
        ceil_mode: Keep a last place that leaves the input.
        return_indices: Without effect, as in torch.

    Returns:
        A tuple: the places of each channel, of the input's dtype, and the numbers, int64.

    Raises:
        ValueError: As of `max_pool{count}d`.

    Example:
        >>> import gpukit
        >>> x = gpukit.arange({2**count}.0).reshape(1, {sizes})
        >>> gpukit.nn.functional.max_pool{count}d_with_indices(x, 2)[1].flatten()
        tensor([{2**count - 1}])
    """
    return function


max_pool1d_with_indices: _Pair = _with_indices(max_pool1d, 1)
max_pool2d_with_indices: _Pair = _with_indices(max_pool2d, 2)
max_pool3d_with_indices: _Pair = _with_indices(max_pool3d, 3)
