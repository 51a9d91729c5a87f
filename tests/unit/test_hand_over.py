"""Tensors in other libraries' hands: pickle with buffers, NumPy's dtypes, Arrow's arrays."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit._copying import over_buffer

DTYPES = [value for value in vars(gpukit).values() if isinstance(value, gpukit.dtype)]
DTYPES = sorted(set(DTYPES), key=lambda dtype: dtype.name)


def sent(x: gpukit.Tensor, *, change: Any = lambda frame: frame) -> gpukit.Tensor:
    """The tensor after a hand-over by protocol 5, its frames changed on the way."""
    frames: list[pickle.PickleBuffer] = []
    data = pickle.dumps(x, protocol=5, buffer_callback=frames.append)
    return pickle.loads(data, buffers=[change(frame.raw()) for frame in frames])


def numbers(dtype: gpukit.dtype, *shape: int) -> gpukit.Tensor:
    count = int(np.prod(shape))
    return (gpukit.arange(count) % 5).reshape(shape).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_keeps_every_dtype(dtype: gpukit.dtype, protocol: int) -> None:
    x = numbers(dtype, 2, 3)
    y = pickle.loads(pickle.dumps(x, protocol=protocol))
    assert y.dtype is x.dtype
    assert y.shape == x.shape
    assert y.tolist() == x.tolist()
    y[0, 0] = 1  # what came in one piece can be written
    assert y[0, 0].item() == 1


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_out_of_band_nothing_is_copied(dtype: gpukit.dtype) -> None:
    x = numbers(dtype, 3, 4)
    y = sent(x)
    assert y.data_ptr() == x.data_ptr()
    assert y.dtype is dtype
    assert y.tolist() == x.tolist()


def test_the_pickle_itself_is_small() -> None:
    frames: list[pickle.PickleBuffer] = []
    data = pickle.dumps(gpukit.zeros(1 << 20), protocol=5, buffer_callback=frames.append)
    assert len(data) < 400
    assert [frame.raw().nbytes for frame in frames] == [4 << 20]


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[2],
        lambda x: x[1:3],
        lambda x: x.t(),
        lambda x: x[:, 1],
        lambda x: x[::-1],
        lambda x: x[:1].expand(5, 6),
        lambda x: x[:0],
        lambda x: x[0, 0],
    ],
)
@pytest.mark.parametrize("protocol", [4, 5])
def test_a_view_stores_its_own_bytes_only(view: Any, protocol: int) -> None:
    x = view(gpukit.arange(24.0).reshape(4, 6))
    frames: list[pickle.PickleBuffer] = []
    callback = frames.append if protocol == 5 else None
    data = pickle.dumps(x, protocol=protocol, buffer_callback=callback)
    assert sum(frame.raw().nbytes for frame in frames) == (x.nbytes if protocol == 5 else 0)
    assert len(data) < 400 + x.nbytes
    y = pickle.loads(data, buffers=frames)
    assert y.shape == x.shape
    assert y.tolist() == x.tolist()


def test_read_only_memory_stays_read_only_and_says_so() -> None:
    y = sent(gpukit.ones(4), change=lambda frame: memoryview(bytes(frame)))
    for write in (lambda: y.add_(1), lambda: y.__setitem__(0, 2.0), y.zero_):
        with pytest.raises(ValueError, match=r"read-only memory.*Use X\.clone\(\) first"):
            write()
    assert y.clone().add_(1).tolist() == [2.0] * 4


def test_a_frame_at_an_odd_address_is_copied() -> None:
    def misaligned(frame: memoryview) -> memoryview:
        room = bytearray(frame.nbytes + 16)
        start = 1 + (-np.frombuffer(room, np.uint8).ctypes.data) % 16
        room[start : start + frame.nbytes] = frame
        return memoryview(room)[start : start + frame.nbytes]

    y = sent(gpukit.arange(5.0), change=misaligned)
    assert y.data_ptr() % 4 == 0
    assert y.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert y.add_(1).sum().item() == 15.0


@pytest.mark.parametrize("change", [lambda f: f[:-1], lambda f: f[:0], lambda f: bytes(f) + b"\0"])
def test_a_frame_of_another_length_is_refused(change: Any) -> None:
    with pytest.raises(gpukit.ArgumentError, match=r"unpickle: the buffer has \d+ bytes.*takes 20"):
        sent(gpukit.arange(5.0), change=change)


@pytest.mark.parametrize("shape", [(-1, -5), (2**62, 4), (2**40, 0, -1), (5, 0)])
def test_a_shape_that_does_not_fit_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"unpickle|shape|size"):
        over_buffer(bytearray(20), gpukit.float32, shape)


def test_attributes_class_and_gradient_travel() -> None:
    weight = gpukit.nn.Parameter(gpukit.ones(3))
    weight.grad = gpukit.full((3,), 2.0)
    weight.note = "kept"
    again = sent(weight)
    assert type(again) is gpukit.nn.Parameter
    assert again.requires_grad
    assert again.note == "kept"
    assert again.grad is not None
    assert again.grad.tolist() == [2.0] * 3


def test_copy_and_deepcopy_are_what_they_were() -> None:
    x = gpukit.ones(3)
    assert copy.copy(x).data_ptr() == x.data_ptr()
    assert copy.deepcopy(x).data_ptr() != x.data_ptr()


def test_attributes_may_hide_methods() -> None:
    x = gpukit.ones(3)
    x.detach = x.__dict__["cpu"] = 5
    for again in (copy.copy(x), copy.deepcopy(x), sent(x)):
        assert again.tolist() == [1.0] * 3
        assert again.detach == 5


def test_the_device_is_kept(device: gpukit.device) -> None:
    x = gpukit.arange(6.0, device=device)
    y = pickle.loads(pickle.dumps(x, protocol=5))
    assert y.device == x.device
    assert y.cpu().tolist() == x.cpu().tolist()


def test_modules_and_optimizers_travel_by_protocol_5() -> None:
    model = gpukit.nn.Linear(3, 2)
    again = pickle.loads(pickle.dumps(model, protocol=5))
    assert gpukit.equal(again.weight, model.weight)


# ---- NumPy's dtypes ----

WITH_PROTOCOL = pytest.mark.skipif(
    tuple(int(part) for part in np.__version__.split(".")[:2]) < (2, 4),
    reason="NumPy asks for __numpy_dtype__ from 2.4 on",
)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_numpy_dtype_of_the_same_name(dtype: gpukit.dtype) -> None:
    assert dtype.__numpy_dtype__.name == dtype.name
    assert dtype.__numpy_dtype__.itemsize == dtype.itemsize


@WITH_PROTOCOL
def test_numpy_takes_the_dtype() -> None:
    assert np.dtype(gpukit.float32) == np.float32
    assert np.zeros(2, dtype=gpukit.int16).dtype == np.int16


def test_bfloat16_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(gpukit.DTypeError, match=r"NumPy has no bfloat16.*ml_dtypes"):
        gpukit.bfloat16.__numpy_dtype__  # noqa: B018


# ---- Arrow ----

NOT_IN_ARROW = {
    gpukit.bfloat16: r"\.float\(\)",
    gpukit.complex64: r"\.real and \.imag",
    gpukit.complex128: r"\.real and \.imag",
}


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_arrow_capsules_can_be_left_unread(dtype: gpukit.dtype) -> None:
    x = numbers(dtype, 9)
    if way_out := NOT_IN_ARROW.get(dtype):
        told = rf"Arrow has no {dtype.name}\. Use {way_out}"
        with pytest.raises(gpukit.DTypeError, match=told):
            x.__arrow_c_array__()
        return
    schema, array = x.__arrow_c_array__()
    assert '"arrow_schema"' in repr(schema)
    assert '"arrow_array"' in repr(array)


def test_arrow_refuses_by_name(device: gpukit.device) -> None:
    with pytest.raises(gpukit.ShapeError, match=r"one dimension, the tensor has shape \(2, 3\)"):
        gpukit.ones(2, 3).__arrow_c_array__()
    with pytest.raises(BufferError, match=r"requires a gradient\. Use x\.detach\(\)"):
        gpukit.ones(2, requires_grad=True).__arrow_c_array__()
    if device.type == "cuda":
        with pytest.raises(gpukit.DeviceError, match=r"is on cuda:\d\. Use \.cpu\(\) first"):
            gpukit.ones(2, device=device).__arrow_c_array__()
