"""Buffers, NumPy's __array__ and other array protocols."""

from __future__ import annotations

import array
import ctypes
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
        (
            {"buffer": b"abc", "dtype": "int16"},
            ValueError,
            "3 bytes are not a whole number of elements",
        ),
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
    assert gpukit.tensor(array[:, ::-1]).tolist() == x[:, ::-1].tolist()
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
    with pytest.raises(gpukit.DTypeError, match="<c4"):
        gpukit.as_tensor(CudaArray(typestr="<c4"))


def test_cpu_tensors_have_no_cuda_interface():
    assert not hasattr(gpukit.ones(2), "__cuda_array_interface__")


CALLS = [
    gpukit.as_tensor,
    gpukit.asarray,
    gpukit.tensor,
    gpukit.from_numpy,
    lambda x: gpukit.tensor([x]),
    lambda x: gpukit.asarray(x, copy=False),
    lambda x: gpukit.as_tensor(x, dtype=gpukit.float32),
]
REFUSED = [
    "M8[s]",
    "m8[ns]",
    "M8[Y]",
    "S3",
    "U2",
    "V4",
    "O",
    ">f4",
    ">i8",
    ">u2",
    "i4,f8",
]


def refused_objects() -> list[Any]:
    """Scalars and arrays of every element type that gpukit does not have, in several shapes."""
    objects: list[Any] = [
        np.datetime64("NaT", "s"),
        np.timedelta64("NaT", "s"),
        np.datetime64("2020"),
        np.timedelta64(5, "s"),
    ]
    for code in REFUSED:
        objects += [np.zeros(shape, code) for shape in [(), (0,), (3,), (2, 3)]]
        objects += [np.zeros(3, code)[::-1], np.zeros((2, 2), code).T, np.zeros(1, code)[0]]
    # Scalars of big-endian dtypes are native ones; those and plain Python ones are good.
    good = (int, float, bool, np.bool_, type(None))
    native = [
        x
        for x in objects
        if isinstance(x, np.generic)
        and x.dtype.isnative
        and x.dtype.kind in "fiu"
        and not isinstance(x, np.timedelta64)
    ]
    return [x for x in objects if not isinstance(x, good) and not any(x is n for n in native)]


@pytest.mark.parametrize("call", CALLS)
def test_element_types_that_gpukit_lacks_are_refused(call):
    for thing in refused_objects():
        if isinstance(thing, np.ndarray) and thing.size == 0 and call is CALLS[4]:
            continue  # a list of an empty array has nothing to refuse
        with pytest.raises((TypeError, ValueError)) as caught:
            call(thing)
        assert "mistake in gpukit" not in str(caught.value)


@pytest.mark.parametrize(
    "scalar",
    [np.timedelta64(3, "s"), np.datetime64("2020"), np.clongdouble(1 + 2j)],
)
def test_no_part_of_a_scalar_is_dropped_silently(scalar):
    for call in (
        lambda: gpukit.tensor(scalar),
        lambda: gpukit.full((2,), scalar),
        lambda: gpukit.ones(2).fill_(scalar),
        lambda: gpukit.clamp(gpukit.ones(2), scalar),
    ):
        with pytest.raises(TypeError):
            call()


NATIVE = [c for c in np.typecodes["AllInteger"] + "?efd" if np.dtype(c).itemsize <= 8]


@pytest.mark.parametrize("code", NATIVE)
def test_every_layout_of_every_native_type(code):
    base = np.arange(24).reshape(2, 3, 4).astype(code)
    strided = np.lib.stride_tricks.as_strided
    views = [
        base,
        base[::-1],
        base[:, ::-2],
        base.T,
        base[0, 0, 0],
        base[:0],
        base[..., 1:3],
        np.array(3, code),
        strided(base, (3, 2), (base.itemsize, base.itemsize)),
        strided(base, (2, 2), (0, base.itemsize)),
        np.broadcast_to(base[0, 0], (5, 4)),
        base[0, 0, :1],
        base.ravel()[5:6][::-3],
    ]
    for view in views:
        for thing in (
            (view, memoryview(view)) if view.size and not isinstance(view, np.generic) else (view,)
        ):
            assert gpukit.as_tensor(thing).tolist() == view.tolist()
            assert gpukit.tensor(thing).tolist() == view.tolist()
    frozen = base.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gpukit.as_tensor(frozen).zero_()


@pytest.mark.parametrize(
    "kind",
    [
        ctypes.c_int8,
        ctypes.c_uint8,
        ctypes.c_int16,
        ctypes.c_int32,
        ctypes.c_int64,
        ctypes.c_uint64,
        ctypes.c_float,
        ctypes.c_double,
        ctypes.c_bool,
    ],
)
def test_ctypes_leave_strides_out(kind):
    assert gpukit.as_tensor((kind * 3)(1, 0, 1)).tolist() == [1, 0, 1]
    grid = ((kind * 3) * 2)()
    grid[1][2] = 1
    assert gpukit.as_tensor(grid).tolist() == [[0, 0, 0], [0, 0, 1]]
    assert gpukit.as_tensor(kind(1)).tolist() == 1
    assert gpukit.as_tensor((kind * 0)()).tolist() == []
    assert gpukit.frombuffer((kind * 3)(1, 1, 0), dtype=gpukit.uint8).numel() == 3 * ctypes.sizeof(
        kind
    )


class Record(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]


@pytest.mark.parametrize(
    "thing",
    [
        Record(),
        (Record * 2)(),
        (ctypes.c_char * 3)(),
        (ctypes.c_wchar * 3)(),
        (ctypes.c_void_p * 2)(),
        ctypes.c_longdouble(1),
        (ctypes.c_int.__ctype_be__ * 2)(),
    ],
)
def test_ctypes_without_a_dtype_are_refused(thing):
    for call in (gpukit.as_tensor, gpukit.tensor, gpukit.asarray):
        with pytest.raises((TypeError, ValueError)):
            call(thing)


class View(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


MEMORY = (ctypes.c_float * 12)(*range(12))


def exporter(**fields: Any) -> Any:
    """A memoryview whose every field can be wrong, as a broken extension module could export it."""

    def numbers(values: Any) -> Any:
        return None if values is None else (ctypes.c_ssize_t * 8)(*values)

    view = View(ctypes.addressof(MEMORY), None, 24, 4, 0, 2, b"f")
    arrays = {"shape": (2, 3), "strides": None, "suboffsets": None}
    for name, value in fields.items():
        if name in arrays:
            arrays[name] = value
        else:
            setattr(view, name, value)
    kept = {name: numbers(values) for name, values in arrays.items()}
    for name, values in kept.items():
        if values is not None:
            setattr(view, name, ctypes.cast(values, ctypes.POINTER(ctypes.c_ssize_t)))
    from_buffer = ctypes.pythonapi.PyMemoryView_FromBuffer
    from_buffer.restype, from_buffer.argtypes = ctypes.py_object, [ctypes.c_void_p]
    return from_buffer(ctypes.addressof(view)), kept


GOOD_VIEWS = {
    "plain": ({}, [[0, 1, 2], [3, 4, 5]]),
    "strided": ({"strides": (12, 4)}, [[0, 1, 2], [3, 4, 5]]),
    "overlapping": ({"strides": (4, 4)}, [[0, 1, 2], [1, 2, 3]]),
    "steps of nothing": ({"strides": (0, 0)}, [[0, 0, 0], [0, 0, 0]]),
    "one size": ({"shape": (1, 6), "strides": (7, 4)}, [[0, 1, 2, 3, 4, 5]]),
}
BAD_VIEWS: dict[str, dict[str, Any]] = {
    "far strides": {"strides": (2**62, 2**62)},
    "strides that overflow": {"strides": (2**63 - 1, 4)},
    "strides below zero": {"strides": (-(2**63), 4)},
    "suboffsets": {"strides": (12, 4), "suboffsets": (0, -1)},
    "too few bytes": {"len": 20},
    "negative shape": {"shape": (-2, -3)},
    "huge shape": {"shape": (2**62, 2**62)},
    "odd strides": {"strides": (13, 5)},
    "no format": {"format": None},
    "long format": {"format": b"ff"},
    "size of none": {"itemsize": 0, "len": 0},
    "other size": {"itemsize": 8, "len": 48},
}


@pytest.mark.parametrize("name", GOOD_VIEWS)
def test_buffers_of_any_layout(name):
    fields, expected = GOOD_VIEWS[name]
    view, _kept = exporter(**fields)
    assert gpukit.tensor(view).tolist() == expected


@pytest.mark.parametrize("name", BAD_VIEWS)
def test_buffers_that_lie_are_refused(name):
    view, _kept = exporter(**BAD_VIEWS[name])
    for call in (gpukit.as_tensor, gpukit.tensor, gpukit.asarray):
        with pytest.raises((BufferError, TypeError, ValueError, gpukit.DTypeError)):
            call(view)


def test_interrupts_inside_an_exporter_come_through():
    class Interrupted:
        def __buffer__(self, flags: int) -> memoryview:
            raise KeyboardInterrupt

    if sys.version_info >= (3, 12):
        with pytest.raises(KeyboardInterrupt):
            gpukit.as_tensor(Interrupted())
