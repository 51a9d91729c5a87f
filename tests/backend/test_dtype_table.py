"""Every row of the table of dtypes, beside the formats it names and on the devices.

A new row is in all of these tests without a line here, but for names that only others know.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import math
import re
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import gpukit
from gpukit import _core, _dtypes
from gpukit._dtypes import ROWS
from support import capsules
from support.checkpoints import loaded, saved

DTYPES = list(ROWS)
IN_NUMPY = [dtype for dtype in DTYPES if ROWS[dtype].in_numpy]

# torch's classes, by its dtypes; those that came later have none.
TORCH_STORAGES = {
    "bool": "BoolStorage",
    "uint8": "ByteStorage",
    "int8": "CharStorage",
    "int16": "ShortStorage",
    "int32": "IntStorage",
    "int64": "LongStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "float32": "FloatStorage",
    "float64": "DoubleStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}
DLPACK = {
    "bool": capsules.BOOL,
    "uint": capsules.UINT,
    "int": capsules.INT,
    "float": capsules.FLOAT,
    "bfloat": capsules.BFLOAT,
    "complex": capsules.COMPLEX,
}
SAFETENSORS = {"uint": "U", "int": "I", "float": "F", "bfloat": "BF", "complex": "C"}


def family(dtype: Any) -> str:
    """The name without its bits."""
    return re.sub(r"\d+$", "", dtype.name)


def values(dtype: Any, device: Any = "cpu") -> gpukit.Tensor:
    """Numbers that every dtype holds; of complex ones those on the real axis."""
    return gpukit.tensor([0, 1, 1, 0, 1], device=device).to(dtype)


@pytest.fixture(params=DTYPES, ids=str)
def dtype(request):
    return request.param


def test_a_row_is_a_name_of_gpukit(dtype):
    assert getattr(gpukit, dtype.name) is dtype
    assert gpukit.dtype(dtype.name) is dtype
    assert dtype.name in dir(gpukit)
    assert dtype.is_floating_point == (dtype in _dtypes.FLOATING)
    assert repr(values(dtype)).startswith("tensor(")


def test_elements_have_the_bytes_of_the_name(dtype):
    bits = re.sub(r"\D", "", dtype.name)
    assert 8 * dtype.itemsize == int(bits or 8)


@pytest.mark.parametrize("dtype", IN_NUMPY, ids=str)
def test_numpy_has_the_same_dtype(dtype):
    array = values(dtype).numpy()
    assert array.dtype == np.dtype(dtype.name)
    assert memoryview(values(dtype)).format == memoryview(array).format
    assert gpukit.dtype(array.dtype) is gpukit.from_numpy(array).dtype is dtype
    assert gpukit.dtype(np.dtype(dtype.name).str) is dtype
    assert gpukit.tensor(array[1]).dtype is dtype
    assert gpukit.from_numpy(array).tolist() == values(dtype).tolist()


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d not in IN_NUMPY], ids=str)
def test_ml_dtypes_has_what_numpy_lacks(dtype):
    array = values(dtype).numpy()
    assert array.dtype == getattr(ml_dtypes, dtype.name)
    assert gpukit.tensor(array).dtype is dtype
    assert gpukit.tensor(array).tolist() == values(dtype).tolist()
    with pytest.raises(BufferError, match=dtype.name):
        memoryview(values(dtype))


def test_dlpack_codes(dtype):
    x = values(dtype)
    capsule = x.__dlpack__(max_version=(1, 0))
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, b"dltensor_versioned")
    exported = ctypes.cast(address, ctypes.POINTER(capsules.ManagedVersioned)).contents.tensor
    assert exported.code == DLPACK[family(dtype)]
    assert (exported.bits, exported.lanes) == (8 * dtype.itemsize, 1)
    back = gpukit.from_dlpack(x)
    assert back.dtype is dtype
    assert back.tolist() == x.tolist()


def test_safetensors(dtype, tmp_path):
    path = tmp_path / "x.safetensors"
    if dtype is gpukit.complex128:  # the format has complex64 only
        with pytest.raises(gpukit.DTypeError, match="complex128, which safetensors"):
            gpukit.save({"x": values(dtype)}, path)
        return
    gpukit.save({"x": values(dtype)}, path)
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    bits = 8 * dtype.itemsize
    expected = "BOOL" if dtype.name == "bool" else f"{SAFETENSORS[family(dtype)]}{bits}"
    assert json.loads(content[8 : 8 + length])["x"]["dtype"] == expected
    back = gpukit.load(path)["x"]
    assert back.dtype is dtype
    assert back.tolist() == values(dtype).tolist()


def test_torchs_files(dtype):
    assert ROWS[dtype].storage == TORCH_STORAGES.get(dtype.name, "")
    back = loaded(saved({"x": values(dtype)}))["x"]
    assert back.dtype is dtype
    assert back.tolist() == values(dtype).tolist()


@pytest.mark.parametrize("dtype", IN_NUMPY, ids=str)
def test_npz(dtype, tmp_path):
    gpukit.save({"x": values(dtype)}, tmp_path / "x.npz")
    assert gpukit.load(tmp_path / "x.npz")["x"].dtype is dtype
    assert np.load(tmp_path / "x.npz")["x"].dtype == np.dtype(dtype.name)


@pytest.mark.parametrize("dtype", [d for d in IN_NUMPY if d in _dtypes.FLOATING], ids=str)
def test_limits_are_numpys(dtype):
    ours, numpys = gpukit.finfo(dtype), np.finfo(dtype.name)
    names = "eps max min tiny smallest_normal smallest_subnormal resolution"
    for name in names.split():
        assert np.dtype(dtype.name).type(getattr(ours, name)) == getattr(numpys, name), name


def test_limits_follow_from_the_numbers_that_are_held(dtype):
    row = ROWS[dtype]
    if dtype not in _dtypes.FLOATING:
        assert (row.precision, row.smallest_exponent, row.largest) == (0, 0, 0)
        return
    exact = [2.0**row.smallest_exponent, row.largest, 1 + 2.0 ** (1 - row.precision)]
    assert gpukit.tensor(exact, dtype=gpukit.float64).to(dtype).tolist() == exact
    beside = [2.0**row.smallest_exponent / 2, row.largest * (1 + 2.0**-row.precision)]
    beside = [*beside, 1 + 2.0**-row.precision]
    if math.isfinite(beside[1]) and beside[0] > 0:
        assert gpukit.tensor(beside, dtype=gpukit.float64).to(dtype).tolist() == [0, math.inf, 1]


@pytest.mark.filterwarnings("ignore:to. a complex tensor becomes real")
def test_every_dtype_is_converted_to_every_other(dtype, device):
    x = values(dtype, device)
    for other in DTYPES:
        there = x.to(other)
        assert there.dtype is other
        assert there.cpu().tolist() == values(other).tolist(), other
        assert there.to(dtype).cpu().tolist() == values(dtype).tolist(), other


@pytest.mark.filterwarnings("ignore:to. a complex tensor becomes real")
def test_every_dtype_is_computed(dtype, device):
    x = values(dtype, device)
    assert (x == x).all().item() is True
    assert (x + x).to(_core.float64).sum().item() == (3 if dtype.name == "bool" else 6)
    assert x.sum().item() == 3
    assert x.cumsum(0).cpu().tolist() == [0, 1, 2, 2, 3]
    assert gpukit.where(x.bool(), x, x).cpu().tolist() == x.cpu().tolist()
    assert gpukit.zeros(3, dtype=dtype, device=device).cpu().tolist() == [0, 0, 0]
    assert gpukit.full((3,), 1, dtype=dtype, device=device).cpu().tolist() == [1, 1, 1]
    assert x[gpukit.tensor([1, 2], device=device)].cpu().tolist() == [1, 1]
    assert gpukit.cat([x, x]).to(_core.float64).sum().item() == 6


def test_promotion_is_a_lattice():
    for a, b in itertools.product(DTYPES, DTYPES):
        try:
            common = gpukit.promote_types(a, b)
        except gpukit.DTypeError:
            assert gpukit.uint64 in (a, b)
            continue
        assert common is gpukit.promote_types(b, a)
        assert gpukit.promote_types(common, a) is common
        assert gpukit.can_cast(a, common)


def test_a_kind_that_nobody_decided_about_is_refused():
    with pytest.raises(TypeError, match="by_kind: give a value for each of"):
        _dtypes.by_kind(bool=1, integer=2)
    with pytest.raises(TypeError, match="quaternion"):
        _dtypes.by_kind(bool=1, integer=2, floating=3, complex=4, quaternion=5)
    found = _dtypes.by_kind(bool=1, integer=2, floating=3, complex=4)
    assert found.keys() == ROWS.keys()
    assert (found[gpukit.bool], found[gpukit.uint16], found[gpukit.bfloat16]) == (1, 2, 3)


def test_defaults_that_stand_elsewhere_know_every_floating_dtype():
    from gpukit.bench.accuracy import tolerance
    from gpukit.testing.closeness import _TOLERANCES

    names = {dtype.name for dtype in _dtypes.FLOATING}
    assert set(_TOLERANCES) == names
    assert all(tolerance(name) > 0 for name in names)
    assert tolerance("float32", 2000) > tolerance("float64", 2000)
