"""Half precision inside of `autograd.Function`: what its two methods do in an autocast block."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from gpukit._core import Tensor, dtype, float64
from gpukit.amp.autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from gpukit.errors import AutogradError

__all__ = ["custom_bwd", "custom_fwd"]


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Any = None
) -> Callable[..., Any]:
    """Decorate the `forward` of an `autograd.Function` for use in autocast blocks.

    Args:
        fwd: The method, whose first argument is ctx; None gives a decorator with these settings.
        device_type: 'cuda' or 'cpu'.
        cast_inputs: A floating dtype: in an autocast block the method gets its floating tensors on
            the device in this dtype, except float64, and runs with autocast off. None: it runs as
            it is called, and `custom_bwd` with the same setting.

    Raises:
        RuntimeError: device_type is unknown.
        TypeError: cast_inputs is no dtype.

    Example:
        >>> import gpukit
        >>> class Double(gpukit.autograd.Function):
        ...     @staticmethod
        ...     @gpukit.amp.custom_fwd(device_type="cpu", cast_inputs=gpukit.float32)
        ...     def forward(ctx, x):
        ...         return x * 2
        ...
        ...     @staticmethod
        ...     @gpukit.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, gradient):
        ...         return gradient * 2
        >>> with gpukit.autocast("cpu"):
        ...     Double.apply(gpukit.ones(1, dtype=gpukit.bfloat16)).dtype
        gpukit.float32
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    if cast_inputs is not None and not isinstance(cast_inputs, dtype):
        raise TypeError(f"custom_fwd: cast_inputs must be a dtype, got {cast_inputs!r:.80}")
    get_autocast_dtype(device_type)  # refuses what is unknown

    @functools.wraps(fwd)
    def forward(*args: Any, **kwargs: Any) -> Any:
        inside = is_autocast_enabled(device_type)
        if args and not isinstance(args[0], Tensor):  # ctx; with setup_context there is none
            again = inside and cast_inputs is None
            args[0].autocast_of_backward = (get_autocast_dtype(device_type), again)
        if cast_inputs is None or not inside:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            args, kwargs = _cast((args, kwargs), device_type, cast_inputs)
            return fwd(*args, **kwargs)

    return forward


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorate the `backward` of an `autograd.Function`: it runs with the autocast of `forward`.

    Args:
        bwd: The method, whose first argument is ctx; None gives a decorator with this device.
        device_type: 'cuda' or 'cpu', as for `custom_fwd`.

    Raises:
        RuntimeError: device_type is unknown; in the backward pass, forward has no `custom_fwd`, or
            no ctx.

    Example:
        >>> import gpukit
        >>> gpukit.amp.custom_bwd(lambda ctx, gradient: gradient, device_type="cpu").__name__
        '<lambda>'
    """
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    get_autocast_dtype(device_type)

    @functools.wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        setting = getattr(ctx, "autocast_of_backward", None)
        if setting is None:
            raise AutogradError(
                "custom_bwd: decorate forward(ctx, ...) with custom_fwd, too; a forward without "
                "ctx leaves backward no setting"
            )
        with autocast(device_type, *setting):
            return bwd(ctx, *args, **kwargs)

    return backward


def _cast(value: Any, device_type: str, wanted: dtype) -> Any:
    """The same containers with their floating tensors on a device in another dtype."""
    if isinstance(value, Tensor):
        casts = value.dtype.is_floating_point and value.dtype is not float64
        return value.to(wanted) if casts and value.device.type == device_type else value
    if isinstance(value, Mapping):
        return {key: _cast(each, device_type, wanted) for key, each in value.items()}
    if type(value) in {list, tuple}:
        return type(value)(_cast(each, device_type, wanted) for each in value)
    return value
