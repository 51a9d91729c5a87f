"""What the names in a torch file mean. A file may use only the names in this table."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._checkpoint import numpy_values
from gpukit._checkpoint.dtypes import BY_NAME, BY_STORAGE
from gpukit._checkpoint.parameter import as_parameter
from gpukit._checkpoint.pickle_machine import Allowed, Token, Unfinished, checked_key
from gpukit._checkpoint.storage_bytes import is_aligned
from gpukit.errors import InvalidDeviceError


class StoredBytes:
    """A storage of the file: flat uint8 on its device; tensors of one dtype see it as such."""

    def __init__(self, data: _core.Tensor) -> None:
        self._data = data
        self._aligned: dict[int, _core.Tensor] = {}

    def seen(
        self, dtype: _core.dtype, offset: int, size: tuple[int, ...], stride: tuple[int, ...]
    ) -> _core.Tensor:
        """A tensor over it. ValueError for a layout that leaves the storage."""
        return _core.storage_view(self._base(dtype), dtype, size, stride, offset)

    def _base(self, dtype: _core.dtype) -> _core.Tensor:
        """The bytes, copied if a mapping is not aligned to the element size."""
        if is_aligned(self._data, dtype):
            return self._data
        return self._aligned.setdefault(0, self._data.clone())


class TypedStorage(Unfinished):
    """A storage as the pickle names it: with the dtype of its class."""

    def __init__(self, stored: StoredBytes, dtype: _core.dtype | None) -> None:
        self.stored = stored
        self.dtype = dtype


def _layout(*values: Any) -> tuple[int, ...]:
    if not all(type(value) is int for value in values):
        raise TypeError("sizes and strides must be ints")
    return values


def _rebuild_tensor(storage: Any, offset: int, size: Any, stride: Any) -> _core.Tensor:
    return _rebuild_typed(storage, storage.dtype, offset, size, stride, False)


def _rebuild_tensor_v2(
    storage: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    _hooks: Any = None,
    _metadata: Any = None,
) -> _core.Tensor:
    return _rebuild_typed(storage, storage.dtype, offset, size, stride, requires_grad)


def _rebuild_tensor_v3(  # noqa: PLR0917 (torch's order)
    storage: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    _hooks: Any,
    dtype: Any,
    _metadata: Any = None,
) -> _core.Tensor:
    return _rebuild_typed(storage, dtype, offset, size, stride, requires_grad)


def _rebuild_typed(  # noqa: PLR0917
    storage: Any, dtype: Any, offset: int, size: Any, stride: Any, requires_grad: bool
) -> _core.Tensor:
    if not isinstance(storage, TypedStorage) or not isinstance(dtype, _core.dtype):
        raise TypeError("a tensor needs a storage with a dtype")
    (first,) = _layout(offset)
    tensor = storage.stored.seen(dtype, first, _layout(*size), _layout(*stride))
    return tensor.requires_grad_(True) if requires_grad is True else tensor


def _rebuild_parameter(data: Any, requires_grad: bool, _hooks: Any) -> Any:
    if not isinstance(data, _core.Tensor):
        raise TypeError("a parameter needs a tensor")
    return as_parameter(data, requires_grad is True)


def _rebuild_parameter_with_state(data: Any, requires_grad: bool, hooks: Any, state: Any) -> Any:
    return with_attributes(_rebuild_parameter(data, requires_grad, hooks), state)


def _rebuild_from_type(function: Any, _kind: Any, arguments: Any, state: Any) -> Any:
    if not isinstance(function, Allowed) or function.call not in _TENSOR_MAKERS:
        raise TypeError("only tensors are rebuilt from a type")
    return with_attributes(function.call(*arguments), state)


def with_attributes(tensor: _core.Tensor, state: Any) -> _core.Tensor:
    """Attributes that the user set on the tensor; slots of torch's subclasses are excluded."""
    attributes = state[0] if type(state) is tuple and state else state
    if type(attributes) is dict:
        for key, value in attributes.items():
            if type(key) is str and not key.startswith("__") and not hasattr(type(tensor), key):
                vars(tensor)[key] = value
    return tensor


_TENSOR_MAKERS: tuple[Callable[..., Any], ...] = (
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_parameter,
)


def _encode(text: Any, encoding: Any) -> bytes:
    """How protocol 2 stores bytes."""
    if type(text) is not str or encoding not in {"latin1", "latin-1"}:
        raise TypeError("only bytes written as latin1 are read")
    return text.encode("latin1")


def _bytes() -> bytes:
    """How protocol 2 stores no bytes; with an argument, bytes(n) could take the memory."""
    return b""


def _bytearray(data: Any = b"") -> bytearray:
    if type(data) is not bytes:  # bytearray(2**40) would take the memory
        raise TypeError("a bytearray is made of bytes")
    return bytearray(data)


def _set(values: Any = ()) -> set[Any]:
    return set(map(checked_key, values))


def _ordered(pairs: Any = ()) -> OrderedDict[Any, Any]:
    return OrderedDict((checked_key(key), value) for key, value in pairs)


def _counter(counts: Any = ()) -> Counter[Any]:
    if type(counts) is dict or counts == ():
        return Counter(counts)
    raise TypeError("a Counter is made of a dict")


def _complex(real: Any, imaginary: Any) -> complex:
    if type(real) is not float or type(imaginary) is not float:
        raise TypeError("a complex number is made of two floats")
    return complex(real, imaginary)


def _torch_size(sizes: Any = ()) -> tuple[int, ...]:
    """Gpukit's shapes are plain tuples."""
    return _layout(*sizes)


def made_device(kind: Any, index: Any = None) -> _core.device | str:
    """The device, or its text when gpukit has no such kind ('mps')."""
    if type(kind) is not str or type(index) not in {int, type(None)}:
        raise TypeError("a device is made of text and an int")
    try:
        return _core.device(kind, index)
    except InvalidDeviceError:
        return kind if index is None else f"{kind}:{index}"


def _torch_layout(text: Any) -> str:
    if text != "torch.strided":
        raise TypeError("only strided tensors are read")
    return "strided"


_CALLS: dict[str, Callable[..., Any]] = {
    "_codecs.encode": _encode,
    "builtins.bytearray": _bytearray,
    "builtins.bytes": _bytes,
    "builtins.complex": _complex,
    "builtins.set": _set,
    "collections.Counter": _counter,
    "collections.OrderedDict": _ordered,
    "torch.Size": _torch_size,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter_with_state,
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": _rebuild_tensor_v3,
    "torch.device": made_device,
    "torch.serialization._get_layout": _torch_layout,
}
_TOKENS = (
    "numpy.ndarray",
    "torch.Tensor",
    "torch.nn.parameter.Buffer",
    "torch.nn.parameter.Parameter",
    "torch.storage.TypedStorage",
    "torch.storage.UntypedStorage",
)

NAMES: dict[str, Any] = {
    **{name: Allowed(name, call) for name, call in (_CALLS | numpy_values.CALLS).items()},
    **{name: Token(name) for name in _TOKENS},
    **{f"torch.{name}": dtype for name, dtype in BY_NAME.items()},
    **{f"torch.{name}": Token(f"torch.{name}") for name in BY_STORAGE},
    **{f"torch.cuda.{name}": Token(f"torch.{name}") for name in BY_STORAGE},
}
# The dtype of a storage class; torch's untyped one has none.
STORAGE_DTYPES: dict[str, _core.dtype | None] = {
    **{f"torch.{name}": dtype for name, dtype in BY_STORAGE.items()},
    "torch.storage.UntypedStorage": None,
}
