"""torch.cuda.amp: `gpukit.amp` for GPUs alone, as older programs call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import amp
from gpukit._core import float16

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):
    """`gpukit.amp.autocast` with device_type 'cuda'.

    Args:
        enabled: False switches it off inside another block.
        dtype: float16 or bfloat16.
        cache_enabled: Accepted for compatibility with PyTorch.

    Example:
        >>> import gpukit
        >>> with gpukit.cuda.amp.autocast():
        ...     gpukit.is_autocast_enabled()
        True
    """

    def __init__(
        self, enabled: bool = True, dtype: Any = float16, cache_enabled: bool = True
    ) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`gpukit.amp.GradScaler` with device 'cuda'.

    Args:
        init_scale: Where the factor starts.
        growth_factor: What it is multiplied by after `growth_interval` good steps; above 1.
        backoff_factor: What it is multiplied by after a skipped step; below 1.
        growth_interval: Number of good steps.
        enabled: False makes every method do what it would do without a scaler.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.amp.GradScaler(enabled=False).get_scale()
        1.0
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, cast_inputs: Any = None
) -> Callable[..., Any]:
    """`gpukit.amp.custom_fwd` with device_type 'cuda'.

    Args:
        fwd: The method, whose first argument is ctx; None gives a decorator with these settings.
        cast_inputs: The dtype of floating tensors in an autocast block; None changes none.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.amp.custom_fwd(lambda ctx, x: x, cast_inputs=gpukit.float32).__name__
        '<lambda>'
    """
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Callable[..., Any]:
    """`gpukit.amp.custom_bwd` with device_type 'cuda'.

    Args:
        bwd: The method, whose first argument is ctx.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.amp.custom_bwd(lambda ctx, gradient: gradient).__name__
        '<lambda>'
    """
    return amp.custom_bwd(bwd, device_type="cuda")
