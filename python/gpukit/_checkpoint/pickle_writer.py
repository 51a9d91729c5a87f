"""Python values as a pickle of protocol 2 that torch.load(weights_only=True) reads.

gpukit's types are written under torch's names. The opcodes are few; the pickle module is not used
because its names must be importable, and torch need not be here.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._checkpoint import numpy_values
from gpukit._checkpoint.dtypes import STORAGE_OF
from gpukit._checkpoint.parameter import is_parameter
from gpukit._checkpoint.storage_bytes import flat_bytes
from gpukit.errors import CheckpointError

_MAX_DEPTH = 200  # nested containers; each costs a few Python frames
_BATCH = 1000
_MARK = b"("


@dataclass(frozen=True)
class Storage:
    """A storage that is written as a separate entry: flat uint8, on its device."""

    key: str
    data: _core.Tensor


class PickleWriter:
    """Collects the pickle of one value and the storages that its tensors share."""

    def __init__(self) -> None:
        self._out = bytearray(b"\x80\x02")
        self._memo: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._kept: list[Any] = []  # what the memo knows by id must stay alive
        self._storages: dict[tuple[int, str], Storage] = {}
        self._path: list[str] = []
        self._writers: dict[type, Callable[[Any], None]] = {
            type(None): lambda _: self._emit(b"N"),
            bool: lambda value: self._emit(b"\x88" if value else b"\x89"),
            int: self._int,
            float: lambda value: self._emit(b"G" + struct.pack(">d", value)),
            complex: self._complex,
            str: self._text,
            bytes: self._bytes,
            bytearray: self._bytearray,
            tuple: self._tuple,
            _core.Size: self._tuple,
            list: self._list,
            dict: self._dict,
            OrderedDict: self._ordered,
            set: self._set,
            _core.device: self._device,
            _core.dtype: lambda value: self._global("torch", value.name),
        }

    def write(self, value: Any) -> tuple[bytes, list[Storage]]:
        """The pickle and the storages it names, in order."""
        self._value(value)
        self._emit(b".")
        return bytes(self._out), list(self._storages.values())

    def _emit(self, data: bytes) -> None:
        self._out += data

    def _value(self, value: Any) -> None:
        known = self._memo.get(id(value))
        if known is not None:
            self._get(known)
            return
        if isinstance(value, _core.Tensor):
            self._tensor(value)
            return
        writer = self._writers.get(type(value))
        if writer is None and numpy_values.is_saved(value):
            writer = self._numpy
        if writer is None:
            raise CheckpointError(self._refusal(value))
        writer(value)

    def _part(self, where: str, value: Any) -> None:
        """A value inside another: errors name the way to it."""
        self._path.append(where)
        if len(self._path) > _MAX_DEPTH:
            raise CheckpointError(
                f"save: the object is nested more than {_MAX_DEPTH} deep at obj"
                f"{''.join(self._path[:4])}…"
            )
        self._value(value)
        self._path.pop()

    def _refusal(self, value: Any) -> str:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        advice = "Files hold tensors, numbers, text, lists, tuples, dicts, devices and dtypes."
        if callable(getattr(value, "state_dict", None)):
            advice = "Save its state: gpukit.save(x.state_dict(), ...)."
        elif type(value).__module__ == "numpy":
            advice = "Arrays of numbers and text are saved; convert it, e.g. a.astype(float)."
        return f"save: obj{''.join(self._path)} is a {kind}, which is not saved. {advice}"

    # ---- memo and names ----

    def _get(self, index: int) -> None:
        self._emit(b"h%c" % index if index < 256 else b"j" + struct.pack("<I", index))

    def _put(self) -> int:
        index = len(self._memo) + len(self._texts)
        self._emit(b"q%c" % index if index < 256 else b"r" + struct.pack("<I", index))
        return index

    def _remember(self, value: Any) -> None:
        self._memo[id(value)] = self._put()
        self._kept.append(value)

    def _global(self, module: str, name: str) -> None:
        self._emit(f"c{module}\n{name}\n".encode())

    def _call(self, module: str, name: str, *arguments: Any) -> None:
        """Write the opcodes for name(*arguments)."""
        self._global(module, name)
        self._plain_tuple(arguments)
        self._emit(b"R")

    def _plain_tuple(self, values: Iterable[Any]) -> None:
        """A tuple of values that nothing else refers to; functions write themselves."""
        self._emit(_MARK)
        for value in values:
            if callable(value) and not isinstance(value, _core.Tensor):
                value()
            else:
                self._value(value)
        self._emit(b"t")

    # ---- plain values ----

    def _int(self, value: int) -> None:
        if 0 <= value < 256:
            self._emit(b"K%c" % value)
        elif -(1 << 31) <= value < 1 << 31:
            self._emit(b"J" + struct.pack("<i", value))
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            if len(data) > 255:
                raise CheckpointError(
                    f"save: obj{''.join(self._path)} is an int of {len(data)} bytes; "
                    "at most 255 are saved"
                )
            self._emit(b"\x8a%c" % len(data) + data)

    def _complex(self, value: complex) -> None:
        self._call("__builtin__", "complex", value.real, value.imag)

    def _text(self, value: str) -> None:
        known = self._texts.get(value)
        if known is not None:
            self._get(known)
            return
        data = value.encode("utf-8", "surrogatepass")
        self._emit(b"X" + struct.pack("<I", len(data)) + data)
        self._texts[value] = self._put()

    def _bytes(self, value: bytes) -> None:
        self._call("_codecs", "encode", value.decode("latin1"), "latin1")

    def _bytearray(self, value: bytearray) -> None:
        self._call("__builtin__", "bytearray", bytes(value))
        self._remember(value)

    def _device(self, value: _core.device) -> None:
        self._call(
            "torch", "device", *([value.type] if value.index is None else [value.type, value.index])
        )

    def _numpy(self, value: Any) -> None:
        """As NumPy pickles it: a call, and for an array its state."""
        function, (_, second, *_), *states = value.__reduce__()
        if not states:
            self._call(function.__module__, "scalar", lambda: self._numpy_type(value.dtype), second)
            return
        self._call(
            function.__module__,
            "_reconstruct",
            lambda: self._global("numpy", "ndarray"),
            (0,),
            b"b",
        )
        self._remember(value)
        version, shape, dtype, by_columns, data = states[0]
        self._plain_tuple((version, shape, lambda: self._numpy_type(dtype), by_columns, data))
        self._emit(b"b")

    def _numpy_type(self, dtype: Any) -> None:
        _, arguments, state = dtype.__reduce__()
        self._call("numpy", "dtype", *arguments)
        self._tuple(state)
        self._emit(b"b")

    # ---- containers ----

    def _tuple(self, value: tuple[Any, ...]) -> None:
        self._emit(_MARK)
        for i, part in enumerate(value):
            self._part(f"[{i}]", part)
        self._emit(b"t")
        self._remember(value)

    def _list(self, value: list[Any]) -> None:
        self._emit(b"]")
        self._remember(value)
        for start in range(0, len(value), _BATCH):
            self._emit(_MARK)
            for i, part in enumerate(value[start : start + _BATCH], start):
                self._part(f"[{i}]", part)
            self._emit(b"e")

    def _dict(self, value: dict[Any, Any]) -> None:
        self._emit(b"}")
        self._remember(value)
        self._items(value)

    def _ordered(self, value: OrderedDict[Any, Any]) -> None:
        self._call("collections", "OrderedDict")
        self._remember(value)
        self._items(value)
        if vars(value):  # a module's state_dict has `_metadata`
            self._part(".__dict__", vars(value))
            self._emit(b"b")

    def _items(self, value: dict[Any, Any]) -> None:
        pairs = list(value.items())
        for start in range(0, len(pairs), _BATCH):
            self._emit(_MARK)
            for key, part in pairs[start : start + _BATCH]:
                self._part(".keys()", key)
                self._part(f"[{key!r:.60}]", part)
            self._emit(b"u")

    def _set(self, value: set[Any]) -> None:
        self._call("__builtin__", "set", lambda: self._list(list(value)))
        self._remember(value)

    # ---- tensors ----

    def _tensor(self, tensor: _core.Tensor) -> None:
        if is_parameter(tensor):
            plain = tensor.detach()
            self._call(
                "torch._utils", "_rebuild_parameter",
                lambda: self._rebuilt(plain), tensor.requires_grad, OrderedDict(),
            )  # fmt: skip
        elif vars(tensor):
            self._call(
                "torch._tensor", "_rebuild_from_type_v2",
                lambda: self._rebuilder(tensor),
                lambda: self._global("torch", "Tensor"),
                lambda: self._arguments(tensor), dict(vars(tensor)),
            )  # fmt: skip
        else:
            self._rebuilt(tensor)
        self._remember(tensor)

    def _rebuilder(self, tensor: _core.Tensor) -> None:
        """Torch's function: a dtype without a storage class is passed separately."""
        version = "v2" if tensor.dtype.name in STORAGE_OF else "v3"
        self._global("torch._utils", f"_rebuild_tensor_{version}")

    def _rebuilt(self, tensor: _core.Tensor) -> None:
        self._rebuilder(tensor)
        self._arguments(tensor)
        self._emit(b"R")

    def _arguments(self, tensor: _core.Tensor) -> None:
        """(storage, offset, size, stride, requires_grad, hooks), and the dtype for v3."""
        stored = tensor.detach()
        if any(stride < 0 for stride in stored.stride()):  # torch has none
            stored = stored.contiguous()
        self._plain_tuple((
            lambda: self._storage(stored), stored.storage_offset(), tuple(stored.shape),
            tuple(stored.stride()), tensor.requires_grad, OrderedDict(),
            *(() if tensor.dtype.name in STORAGE_OF else (tensor.dtype,)),
        ))  # fmt: skip

    def _storage(self, tensor: _core.Tensor) -> None:
        """The persistent id: ("storage", class, key, location, elements; bytes if untyped)."""
        identity, size = _core.storage_info(tensor)
        known = self._storages.get((identity, tensor.dtype.name))
        if known is None:
            known = Storage(str(len(self._storages)), flat_bytes(tensor))
            self._storages[identity, tensor.dtype.name] = known
        name = STORAGE_OF.get(tensor.dtype.name)
        kind = ("torch.storage", "UntypedStorage") if name is None else ("torch", name)
        self._plain_tuple((
            "storage", lambda: self._global(*kind),
            known.key, str(tensor.device), size if name is None else size // tensor.itemsize,
        ))  # fmt: skip
        self._emit(b"Q")
