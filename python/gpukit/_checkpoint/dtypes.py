"""What other formats call the dtypes of gpukit."""

from __future__ import annotations

from gpukit import _core

# gpukit's name, torch's storage class, safetensors' name. torch gave its later dtypes no class.
_TABLE = (
    ("bool", "BoolStorage", "BOOL"),
    ("uint8", "ByteStorage", "U8"),
    ("int8", "CharStorage", "I8"),
    ("uint16", None, "U16"),
    ("int16", "ShortStorage", "I16"),
    ("uint32", None, "U32"),
    ("int32", "IntStorage", "I32"),
    ("uint64", None, "U64"),
    ("int64", "LongStorage", "I64"),
    ("float16", "HalfStorage", "F16"),
    ("bfloat16", "BFloat16Storage", "BF16"),
    ("float32", "FloatStorage", "F32"),
    ("float64", "DoubleStorage", "F64"),
)

STORAGE_OF = {name: storage for name, storage, _ in _TABLE if storage is not None}
SAFETENSORS_OF = {name: other for name, _, other in _TABLE}
BY_NAME: dict[str, _core.dtype] = {name: _core.dtype(name) for name, _, _ in _TABLE}
BY_STORAGE = {storage: BY_NAME[name] for name, storage in STORAGE_OF.items()}
BY_SAFETENSORS = {other: BY_NAME[name] for name, _, other in _TABLE}
