"""Buffers, NumPy's __array__ and other array protocols."""

from __future__ import annotations

import array
import mmap
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import gpukit

BUFFERS = {
    "bytes": lambda: b"\x01\x02\x03\x04",
    "bytearray": lambda: bytearray([1, 2, 3, 4]),
    "memoryview": lambda: memoryview(b"\x01\x02\x03\x04"),
    "array.array": lambda: array.array("B", [1, 2, 3, 4]),
    "numpy": lambda: np.array([1, 2, 3, 4], np.uint8),
}


@pytest.mark.parametrize("name", BUFFERS)
@pytest.mark.parametrize("function", [gpukit.as_tensor, gpukit.asarray])
def test_buffers_come_in(name, function):
    assert function(BUFFERS[name]()).tolist() == [1, 2, 3, 4]
    assert function(BUFFERS[name]()).dtype is gpukit.uint8


def test_memory_is_shared_and_read_only_stays_so():
    data = bytearray(4)
    x = gpukit.as_tensor(data)
    x.fill_(7)
    assert data == bytearray([7, 7, 7, 7])
    with pytest.raises(ValueError, match="read-only"):
        gpukit.as_tensor(b"abcd").fill_(1)
    with pytest.raises(BufferError):
        data.append(1)  # the tensor still looks at it


@pytest.mark.parametrize("code", "bhilqefd?B")
def test_formats_of_memoryview(code):
    view = memoryview(bytes(16)).cast(code) if code != "e" else np.zeros(4, np.float16).data
    x = gpukit.as_tensor(view)
    assert x.itemsize == view.itemsize
    assert x.numel() == len(view)


def test_shaped_memoryview():
    view = memoryview(bytes(range(6))).cast("B", (2, 3))
    assert gpukit.as_tensor(view).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert gpukit.as_tensor(memoryview(bytes(range(6)))[::-2]).tolist() == [5, 3, 1]


def test_mapped_file(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(1024, dtype=np.float32).tobytes())
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        x = gpukit.frombuffer(mapped, dtype="float32")
        assert x.sum().item() == 1023 * 512
        x[0] = 5
        assert mapped[:4] == np.float32(5).tobytes()
        del x


def test_frombuffer():
    data = np.arange(6, dtype=np.int16).tobytes()
    assert gpukit.frombuffer(data, dtype=gpukit.int16).tolist() == [0, 1, 2, 3, 4, 5]
    assert gpukit.frombuffer(data, dtype="int16", count=2, offset=4).tolist() == [2, 3]
    assert gpukit.frombuffer(data, dtype="int8", count=0).shape == (0,)
    assert gpukit.frombuffer(data, dtype="bfloat16").dtype is gpukit.bfloat16


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"buffer": b"abc", "dtype": "int16"}, ValueError, "3 bytes are no whole elements"),
        ({"buffer": b"abcd", "dtype": "int16", "count": 3}, ValueError, "holds 2 elements"),
        ({"buffer": b"abcd", "dtype": "int16", "count": -2}, ValueError, "-2"),
        ({"buffer": b"abcd", "dtype": "int16", "offset": 9}, ValueError, "offset is 9"),
        ({"buffer": b"abcd", "dtype": "int16", "offset": -1}, ValueError, "offset is -1"),
        ({"buffer": b"abcdef", "dtype": "int16", "offset": 1, "count": 2}, ValueError, "address"),
        ({"buffer": "abcd", "dtype": "int16"}, TypeError, "buffer"),
        ({"buffer": b"abcd"}, TypeError, "dtype"),
        ({"buffer": np.ones((4, 4))[:, ::2], "dtype": "float64"}, ValueError, "contiguous"),
    ],
)
def test_wrong_arguments_of_frombuffer(arguments, error, words):
    with pytest.raises(error, match=words):
        gpukit.frombuffer(**arguments)


@pytest.mark.parametrize("offset", range(1, 8))
def test_odd_addresses_are_copied(offset):
    raw = bytearray(8 * 5)
    odd = np.frombuffer(raw, dtype=np.float64, offset=offset, count=3)
    odd[:] = [1, 2, 3]
    assert gpukit.tensor(odd).tolist() == [1, 2, 3]
    assert gpukit.as_tensor(odd).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="copy"):
        gpukit.from_numpy(odd)
    with pytest.raises(ValueError, match="copy=False"):
        gpukit.asarray(odd, copy=False)


def test_field_of_records():
    records = np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])
    records["b"] = [1, 2, 3]
    assert gpukit.tensor(records["b"]).tolist() == [1, 2, 3]


def test_array_obeys_numpys_copy_rules():
    x = gpukit.zeros(3)
    assert np.asarray(x).ctypes.data == x.data_ptr()
    assert np.array(x, copy=True).ctypes.data != x.data_ptr()
    assert x.__array__().ctypes.data == x.data_ptr()
    assert x.__array__(copy=False).ctypes.data == x.data_ptr()
    assert x.__array__(copy=True).ctypes.data != x.data_ptr()
    assert x.__array__(np.float32, copy=False).ctypes.data == x.data_ptr()
    assert x.__array__(np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="copy=False"):
        x.__array__(np.float64, copy=False)
    with pytest.raises(TypeError, match="copy"):
        x.__array__(copy=2)


def test_bfloat16_with_ml_dtypes():
    x = gpukit.tensor([[1.5, -2.0], [0.0, 3.0]], dtype="bfloat16")
    array = x.numpy()
    assert array.dtype == ml_dtypes.bfloat16
    assert array.astype(np.float32).tolist() == x.tolist()
    array[0, 0] = 4
    assert x[0, 0] == 4
    assert np.asarray(x.T).astype(np.float32).tolist() == x.T.tolist()
    back = gpukit.from_numpy(array)
    assert back.dtype is gpukit.bfloat16
    back[0, 0] = 8
    assert x[0, 0] == 8
    assert gpukit.tensor(array[:, ::-1]).tolist() == x.flip(1).tolist()
    assert gpukit.zeros(1, dtype=ml_dtypes.bfloat16).dtype is gpukit.bfloat16
    assert gpukit.zeros(1, dtype=array.dtype).dtype is gpukit.bfloat16


def test_bfloat16_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(gpukit.DTypeError, match=r"install the package ml_dtypes") as caught:
        gpukit.ones(2).bfloat16().numpy()
    assert caught.value.fix == "x.float().numpy()"


class CudaArray:
    """Something with __cuda_array_interface__."""

    def __init__(self, **changes: Any) -> None:
        interface = {"shape": (2,), "typestr": "<f4", "data": (4096, False), "version": 3}
        self.__cuda_array_interface__ = {**interface, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shape": None}, "shape"),
        ({"shape": (2, "x")}, "shape"),
        ({"shape": (1,) * 99}, "shape"),
        ({"typestr": 4}, "typestr"),
        ({"data": 4096}, "data"),
        ({"data": ("x", False)}, "data"),
        ({"strides": (4, 4)}, "strides"),
        ({"strides": (2,)}, "strides"),
        ({"mask": 1}, "mask"),
    ],
)
def test_wrong_cuda_interfaces(changes, words):
    with pytest.raises(BufferError, match=f"__cuda_array_interface__.*{words}"):
        gpukit.as_tensor(CudaArray(**changes))


def test_cuda_interface_of_unknown_dtype():
    with pytest.raises(gpukit.DTypeError, match="<c8"):
        gpukit.as_tensor(CudaArray(typestr="<c8"))


def test_cpu_tensors_have_no_cuda_interface():
    assert not hasattr(gpukit.ones(2), "__cuda_array_interface__")
