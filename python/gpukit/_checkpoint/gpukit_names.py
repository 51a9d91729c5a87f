"""gpukit's own objects in a file that another pickler wrote, e.g. torch.save of a mixed dict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._checkpoint.dtypes import BY_NAME
from gpukit._checkpoint.map_location import Placement
from gpukit._checkpoint.parameter import as_parameter
from gpukit._checkpoint.pickle_machine import Allowed, StorageFailure, Token
from gpukit._checkpoint.storage_bytes import seen_as, shared
from gpukit._checkpoint.torch_names import made_device, with_attributes

_TENSOR = Token("gpukit.Tensor")
_PARAMETER = Token("gpukit.nn.parameter.Parameter")


def gpukit_names(placement: Placement) -> dict[str, Any]:
    """What `gpukit._copying` puts into a pickle, by name; tensors go where `placement` says."""

    def rebuild(  # noqa: PLR0917 (the order of gpukit._copying.rebuild)
        kind: Any, data: Any, dtype: Any, shape: Any, device: Any, requires_grad: Any
    ) -> _core.Tensor:
        is_bytes = type(data) in {bytes, bytearray}  # from protocol 5 on, of a writable buffer
        if kind not in {_TENSOR, _PARAMETER} or not is_bytes or type(device) is not str:
            raise TypeError("a tensor is made of a class, bytes, a dtype, a shape and a device")
        tensor = _placed(placement, device, data, dtype, shape)
        if kind == _PARAMETER:
            return as_parameter(tensor, requires_grad is True)
        return tensor.requires_grad_(True) if requires_grad is True else tensor

    calls: dict[str, Callable[..., Any]] = {
        "gpukit._copying.rebuild": rebuild,
        "gpukit._copying.rebuild_over": rebuild,
        "gpukit._copying._set_state": _set_state,
        "gpukit.device": made_device,
        "gpukit.Size": _core.Size,
    }
    names: dict[str, Any] = {
        **{name: Allowed(name, call) for name, call in calls.items()},
        **{token.name: token for token in (_TENSOR, _PARAMETER)},
        **{f"gpukit.{name}": dtype for name, dtype in BY_NAME.items()},
    }
    # Older files name the extension's module.
    own = ["Size", "Tensor", "device", *BY_NAME]
    return {**names, **{f"gpukit._core.{name}": names[f"gpukit.{name}"] for name in own}}


def _placed(
    placement: Placement, location: str, data: bytes, dtype: _core.dtype, shape: Any
) -> _core.Tensor:
    flat = shared(bytearray(data))
    # The layout is checked on the CPU, where a wrong layout can only come from the file.
    if seen_as(flat, dtype, shape).nbytes != len(data):
        raise ValueError("the bytes do not fill the shape")
    try:
        base = placement.place(location, flat.to)
    except Exception as error:
        raise StorageFailure(error) from error
    return seen_as(base, dtype, shape)


def _set_state(tensor: Any, state: Any) -> None:
    attributes, gradient = state
    with_attributes(tensor, attributes)
    if isinstance(gradient, _core.Tensor):
        tensor.grad = gradient
