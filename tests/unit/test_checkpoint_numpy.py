"""NumPy's numbers and arrays in files: kept as they are, and no more than their bytes."""

from __future__ import annotations

import pickle
import struct

import numpy as np
import pytest

from gpukit.errors import CheckpointError
from support.checkpoints import loaded, saved, torch_zip


def numpy_values():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    return {
        "numbers": [np.float64(1.5), np.float16(2), np.int64(-3), np.bool_(True), np.complex64(1j)],
        "text": [np.str_("q"), np.bytes_(b"q"), np.array(["x", "yy"]), np.array([b"ab"])],
        "arrays": [array, array, np.zeros((0, 3)), np.array(3.0), np.arange(10)[::2]],
        "orders": [np.asfortranarray(np.eye(2)), np.arange(3.0).astype(">f4"), np.float64(7)],
    }


def same_numpy(found, wanted):
    assert found.keys() == wanted.keys()
    for key, values in wanted.items():
        for one, other in zip(found[key], values, strict=True):
            assert type(one) is type(other) and one.dtype == other.dtype
            np.testing.assert_array_equal(one, other, strict=True)


def test_values_of_numpy_are_kept():
    wanted = pickle.loads(pickle.dumps(numpy_values(), 2))
    found = loaded(saved(numpy_values()))
    same_numpy(found, wanted)
    first, second, *_ = found["arrays"]
    assert first is second and first.flags.writeable
    assert found["orders"][0].flags.f_contiguous


def refused(pickled: bytes, message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        loaded(torch_zip(pickled))


def numpy_array(dtype: str, shape: str, data: bytes, state: str = "(3, '<')") -> bytes:
    """The opcodes of an array of NumPy; shape and state are written as Python."""
    pickled = pickle.dumps((dtype, False, True), 2)[2:-1]
    parts = pickle.dumps((*eval(state), None, None, None, -1, -1, 0), 2)[2:-1]
    made = b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tC\x01btR"
    typed = b"cnumpy\ndtype\n" + pickled + b"R" + parts + b"b"
    content = b"B" + struct.pack("<I", len(data)) + data
    return made + b"(K\x01" + pickle.dumps(eval(shape), 2)[2:-1] + typed + b"\x89" + content + b"tb"


def test_an_array_of_numpy_is_no_more_than_its_bytes():
    good = b"\x80\x02" + numpy_array("f4", "(2, 1)", bytes(8))
    assert loaded(torch_zip(good + b".")).shape == (2, 1)
    for bad in (
        numpy_array("f4", "(2**40, 2**40)", bytes(8)),
        numpy_array("f4", "(-2, -1)", bytes(8)),
        numpy_array("U0", "(2**50,)", b""),
        numpy_array("f4", "(2,)", bytes(8), "(3, 'x')"),
        numpy_array("f4", "(2,)", bytes(8)) + numpy_array("f4", "(2,)", bytes(8))[-40:],
        b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(J\xff\xff\xff\x7ftC\x01btR",
        b"cnumpy._core.multiarray\nscalar\n(X\x02\x00\x00\x00f4C\x04aaaatR",
    ):
        refused(b"\x80\x02" + bad + b".", "damaged|not allowed")
    for dtype in ("O8", "O", "V8", "M8", "f4,f4", "float32"):
        refused(
            b"\x80\x02" + numpy_array(dtype, "(1,)", bytes(8)) + b".", "NumPy dtype .* not allowed"
        )
    refused(b"\x80\x02cnumpy\ndtype\n(X\x02\x00\x00\x00f4tR.", "bare torch storage or name")


def test_what_could_not_be_read_is_not_written(monkeypatch):
    monkeypatch.setattr("gpukit._checkpoint.torch_zip._MAX_PICKLE_BYTES", 1000)
    assert loaded(saved(np.zeros(10))).tolist() == [0.0] * 10
    with pytest.raises(CheckpointError, match="files hold at most 1000 of that"):
        saved(np.zeros(200))
