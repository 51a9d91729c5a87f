"""Where a module's parameters and buffers are, and of which dtype: all changes are in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import by_kind
from gpukit.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from gpukit.nn.parameter import Parameter

_IS_CONVERTED = by_kind(bool=False, integer=False, floating=True, complex=False)


class MovedInPlace(_core.ModuleBase):
    """`Module.to()` and similar methods; they know the tables of all submodules."""

    if TYPE_CHECKING:
        _parameters: dict[str, Any]
        _buffers: dict[str, Any]

        def children(self) -> Iterator[Any]: ...
        def modules(self) -> Iterator[Any]: ...
        def parameters(self) -> Iterator[Any]: ...
        def buffers(self) -> Iterator[Any]: ...

    def _apply(self, change: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the data of all parameters, gradients and buffers; the objects stay.

        A submodule's own `_apply` is called, so that a class may change more than these.
        """
        for child in self.children() if recurse else ():
            child._apply(change)
        for parameter in self._parameters.values():
            if parameter is not None:
                _change(parameter, change)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = self.__dict__[name] = change(buffer)
        return self

    def to(
        self,
        device: Any = None,
        dtype: Any = None,
        non_blocking: bool = False,
        *,
        memory_format: Any = None,
    ) -> Self:
        """Move and convert parameters and buffers in place; returns the module.

        Forms: to(device), to(dtype), to(device, dtype), to(tensor). A dtype changes floating
        tensors only.

        Args:
            device: A device or its name, or a dtype or tensor in its place.
            dtype: A floating dtype.
            non_blocking: Return while the copies are under way.
            memory_format: gpukit.channels_last puts the weights of 2d convolutions, which have four
                dimensions, into that order; channels_last_3d those that have five.

        Raises:
            DeviceNotFoundError: The device does not exist.
            TypeError: The dtype is not floating.
        """
        device, named = _core.parse_target("Module.to", "device", device)
        dtype = dtype if named is None else named
        if dtype is not None:
            dtype = _floating(dtype)

        def change(tensor: Tensor) -> Tensor:
            wanted = dtype if _IS_CONVERTED[tensor.dtype] else None
            if device is not None or wanted is not None:
                tensor = tensor.to(device, wanted, non_blocking)
            if memory_format is not None and tensor.ndim in {4, 5}:
                tensor = _in_format(tensor, memory_format)
            return tensor

        return self._apply(change)

    def cuda(self, device: Any = None) -> Self:
        """Move parameters and buffers to a CUDA device, by default the current one.

        Args:
            device: A device, its name or its index; None means the current one.

        Raises:
            DeviceNotFoundError: There is no such GPU.
        """
        return self._apply(lambda tensor: tensor.cuda(device))

    def cpu(self) -> Self:
        """Move parameters and buffers to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def float(self) -> Self:
        """Convert floating parameters and buffers to float32."""
        return self.to(dtype=_core.float32)

    def double(self) -> Self:
        """Convert floating parameters and buffers to float64."""
        return self.to(dtype=_core.float64)

    def half(self) -> Self:
        """Convert floating parameters and buffers to float16."""
        return self.to(dtype=_core.float16)

    def bfloat16(self) -> Self:
        """Convert floating parameters and buffers to bfloat16."""
        return self.to(dtype=_core.bfloat16)

    def share_memory(self) -> Self:
        """Move parameters, their gradients and buffers into memory that processes share.

        Raises:
            NotImplementedError: One of them is on a GPU.
        """
        for tensor in (*self.parameters(), *self.buffers()):
            tensor.share_memory_()
            if tensor.grad is not None:
                tensor.grad.share_memory_()
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move parameters and buffers to a device without their values.

        Args:
            device: A device or its name.
            recurse: Include those of submodules.

        Raises:
            DeviceNotFoundError: The device does not exist.
        """
        return self._apply(lambda tensor: _core.empty_like(tensor, device=device), recurse)

    def _check_gradients(self, dtype: _core.dtype) -> None:
        """Refuse a dtype that has no gradients where a parameter requires one."""
        if dtype.is_floating_point or dtype.is_complex:
            return
        for module in self.modules():
            for name, parameter in module._parameters.items():
                if parameter is not None and parameter.requires_grad:
                    raise ArgumentError(
                        f"Module.type: parameter {name!r} of {type(module).__name__} requires a "
                        f"gradient, which {dtype} cannot have. Call requires_grad_(False) first, "
                        "or give a floating or complex dtype"
                    )

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype; `to(dtype)` leaves integers.

        Args:
            dst_type: A dtype or its name.

        Raises:
            RuntimeError: The dtype is an integer or bool, and a parameter requires a gradient.
        """
        wanted = _core.dtype(None) if dst_type is None else _core.empty(0).type(dst_type).dtype
        self._check_gradients(wanted)  # also of "torch.LongTensor" and such
        return self._apply(lambda tensor: tensor.type(dst_type))


def _in_format(tensor: Tensor, memory_format: Any) -> Tensor:
    """In channels_last if it has as many dimensions as that is for."""
    rank = getattr(memory_format, "rank", None)
    return tensor.to(memory_format=memory_format) if rank in {None, tensor.ndim} else tensor


def _change(parameter: Parameter, change: Callable[[Tensor], Tensor]) -> None:
    gradient = parameter.grad
    data = parameter.detach()
    changed = change(data)
    if changed is data:
        return
    parameter.grad = None
    parameter.data = changed
    if gradient is not None:
        parameter.grad = change(gradient)


def _floating(dtype: Any) -> _core.dtype:
    """The dtype as an object, which must be a floating one."""
    found = _core.dtype(dtype)
    if not found.is_floating_point:
        raise TypeError(f"Module.to: only floating dtypes are possible, got {found}")
    return found
