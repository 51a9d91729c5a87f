"""DLPack structs by ctypes: capsules that any library, also a hostile one, could make."""

from __future__ import annotations

import ctypes
from typing import Any

CPU, CUDA, CUDA_HOST, METAL = 1, 2, 3, 8
INT, UINT, FLOAT, OPAQUE, BFLOAT, COMPLEX, BOOL = range(7)
READ_ONLY, IS_COPIED = 1, 2


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Producer:
    """Four float32 numbers behind a capsule whose every field can be wrong.

    It counts how often its deleter was called. It has to outlive what it handed out.
    """

    def __init__(self, *, versioned: bool = True, **fields: Any) -> None:
        self.memory = (ctypes.c_float * 4)(1, 2, 3, 4)
        self.deleted = 0
        self.versioned = versioned
        self.device = fields.pop("device", (CPU, 0))
        shape, strides = fields.pop("shape", (4,)), fields.pop("strides", None)
        self.shape = None if shape is None else (ctypes.c_int64 * len(shape))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        self.managed = ManagedVersioned(major=1, minor=1) if versioned else Managed()
        self.deleter = _DELETER(self._delete)
        if fields.pop("with_deleter", True):
            self.managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p).value
        self._fill(self.managed.tensor, shape)
        for name, value in fields.items():
            place = self.managed if hasattr(self.managed, name) else self.managed.tensor
            setattr(place, name, value)

    def _fill(self, tensor: Tensor, shape: Any) -> None:
        tensor.data = ctypes.addressof(self.memory)
        tensor.device_type, tensor.device_index = self.device
        tensor.ndim = 0 if shape is None else len(shape)
        tensor.code, tensor.bits, tensor.lanes = FLOAT, 32, 1
        if self.shape is not None:
            tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        if self.strides is not None:
            tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))

    def _delete(self, _: int) -> None:
        self.deleted += 1

    def capsule(self) -> Any:
        """A capsule without a destructor."""
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        self.kept_name = name
        return _new(ctypes.addressof(self.managed), name, None)

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def name_of(capsule: Any) -> str:
    """The capsule's name."""
    return _name(capsule).decode()


def content(capsule: Any) -> Any:
    """The struct inside a capsule that nobody consumed."""
    name = _name(capsule)
    kind = ManagedVersioned if name == b"dltensor_versioned" else Managed
    return kind.from_address(_pointer(capsule, name))
