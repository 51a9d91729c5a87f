"""`to` in all of torch's call forms, NumPy both ways, and Python's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support import mode
from support.arrays import ALL, assert_same, fetch, sample

OTHER = mode.device_names()[-1]


def test_call_forms(device):
    x = gpukit.ones(2, 3)
    forms = [
        x.to(device),
        x.to(str(device)),
        x.to(device=device),
        x.to(device, gpukit.float32),
        x.to(device, dtype="float32"),
        x.to(device, True),
        x.to(device, gpukit.float32, True),
        x.to(device, gpukit.float32, False, False),
        x.to(device, non_blocking=True, copy=False),
        x.to(gpukit.zeros(1, device=device)),
        x.to(other=gpukit.zeros(1, device=device)),
    ]
    for y in forms:
        assert y.device == device
        assert y.dtype is gpukit.float32
        assert fetch(y).tolist() == [[1.0] * 3] * 2
    for y in (
        x.to(gpukit.int64),
        x.to("int64"),
        x.to(dtype=gpukit.int64),
        x.to(np.int64),
        x.to(gpukit.zeros(1, dtype="int64")),
        x.to(None, gpukit.int64),
        x.type(gpukit.int64),
        x.long(),
    ):
        assert y.dtype is gpukit.int64
    both = x.to(device, gpukit.float64)
    assert (both.device, both.dtype) == (device, gpukit.float64)


def test_nothing_to_do_gives_the_tensor_itself(device):
    x = gpukit.ones(2, device=device)
    assert x.to(device) is x
    assert x.to(gpukit.float32) is x
    assert x.to(device, gpukit.float32) is x
    assert x.to(x) is x
    assert x.float() is x
    y = x.to(device, copy=True)
    assert y is not x
    y[0] = 5
    assert x.tolist() == [1.0, 1.0]


def test_shorthands(device):
    x = gpukit.ones(2, device=device)
    assert x.cpu().device == gpukit.cpu()
    for name, dtype in (
        ("half", "float16"),
        ("float", "float32"),
        ("double", "float64"),
        ("int", "int32"),
        ("long", "int64"),
        ("bool", "bool"),
        ("bfloat16", "bfloat16"),
    ):
        assert getattr(x, name)().dtype is gpukit.dtype(dtype)
    if device.type == "cuda":
        assert gpukit.ones(2).cuda(device).device == device
        assert gpukit.ones(2).cuda(device.index).device == device


def test_there_and_back(device):
    for dtype in ALL:
        for shape in ((), (1,), (0, 3), (257, 33)):
            want = sample(dtype, shape)
            there = gpukit.from_numpy(want).to(device)
            assert_same(there, want)
            assert_same(there.to(OTHER), want)
            assert_same(there.T.to(OTHER).T, want)


def test_copy_is_finished_when_it_is_read(device):
    x = gpukit.rand(1 << 20)
    want = x.numpy().copy()
    y = x.to(device, non_blocking=True)
    z = y.to("cpu", non_blocking=True)
    assert (z.numpy() == want).all()
    assert y.wait() is y
    assert y.ready()


def test_from_numpy_shares():
    a = np.arange(6.0).reshape(2, 3)
    for view in (a, a.T, a[:, ::-1], a[1:], a[:, 1]):
        x = gpukit.from_numpy(view)
        assert x.dtype is gpukit.float64
        assert_same(x, view)
    x = gpukit.from_numpy(a)
    x[0, 0] = 100
    assert a[0, 0] == 100
    a[1, 1] = 7
    assert x[1, 1].item() == 7
    del a
    assert x[1, 1].item() == 7


def test_read_only_arrays_are_not_written():
    a = np.ones(3)
    a.flags.writeable = False
    x = gpukit.from_numpy(a)
    assert (x + 1).tolist() == [2.0] * 3
    with pytest.raises((ValueError, gpukit.GpukitError), match="read-only"):
        x.add_(1)


def test_numpy_shares_the_other_way():
    x = gpukit.zeros(2, 3)
    a = x.numpy()
    a[0, 1] = 4
    assert x[0, 1].item() == 4
    assert x.T.numpy().shape == (3, 2)
    del x
    assert a[0, 1] == 4
    assert np.asarray(gpukit.ones(2)).dtype == np.float32
    assert np.array(gpukit.ones(2), dtype=np.int64).tolist() == [1, 1]
    assert float(np.sum(gpukit.ones(3))) == 3.0
    assert memoryview(gpukit.ones(2, 2)).shape == (2, 2)


def test_numpy_of_a_gpu_tensor_asks(device):
    if device.type == "cpu":
        assert gpukit.ones(2).numpy(force=True).tolist() == [1.0, 1.0]
        return
    x = gpukit.ones(2, device=device)
    for read in (x.numpy, lambda: np.asarray(x), lambda: memoryview(x)):
        with pytest.raises((gpukit.DeviceError, BufferError), match=r"\.cpu\(\)"):
            read()
    assert x.numpy(force=True).tolist() == [1.0, 1.0]


def test_numbers(device):
    x = gpukit.tensor(2.5, device=device)
    assert (float(x), int(x), bool(x)) == (2.5, 2, True)
    assert f"{x:.2f}" == "2.50"
    i = gpukit.tensor([3], device=device)
    assert range(10)[i] == 3
    assert [0, 1, 2, 3][i] == 3
    assert not gpukit.zeros(1, device=device)
    assert (gpukit.arange(3, device=device) == 2).any()
    assert 2 in gpukit.arange(3, device=device)
    assert 5 not in gpukit.arange(3, device=device)
    assert [v.item() for v in gpukit.arange(3, device=device)] == [0, 1, 2]
    assert len(gpukit.zeros(4, 2, device=device)) == 4
    for dtype in ALL:
        for value in sample(dtype, (7,)):
            y = gpukit.tensor(value, dtype=dtype, device=device)
            assert y.item() == value.item()
            assert type(y.item()) is type(value.item())


def test_numpy_scalars_are_numbers(device):
    x = gpukit.ones(2, device=device)
    for number in (np.float32(2), np.float64(2), np.int64(2), np.uint8(2)):
        assert (x * number).dtype is gpukit.float32
        assert (x * number).tolist() == [2.0, 2.0]
    assert gpukit.tensor([np.float32(1.5), 2]).dtype is gpukit.float32
    assert gpukit.tensor(np.int16(3)).tolist() == 3


def test_data_of_every_kind():
    assert gpukit.tensor(3).dtype is gpukit.int64
    assert gpukit.tensor(3.0).dtype is gpukit.float32
    assert gpukit.tensor(True).dtype is gpukit.bool
    assert gpukit.tensor([1, 2.0, True]).dtype is gpukit.float32
    assert gpukit.tensor([1, True]).dtype is gpukit.int64
    assert gpukit.tensor([]).shape == (0,)
    assert gpukit.tensor([[], []]).shape == (2, 0)
    assert gpukit.tensor(((1, 2), [3, 4])).tolist() == [[1, 2], [3, 4]]
    assert gpukit.tensor(range(3)).tolist() == [0, 1, 2]
    assert gpukit.tensor([gpukit.tensor(1.0), 2]).tolist() == [1.0, 2.0]
    assert gpukit.tensor([gpukit.ones(2), gpukit.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    assert gpukit.tensor([np.arange(2), np.arange(2)]).shape == (2, 2)
    assert gpukit.tensor(np.arange(3.0)).dtype is gpukit.float64
    assert gpukit.tensor(memoryview(b"abc")).dtype is gpukit.uint8
    assert gpukit.tensor([1.5], dtype=gpukit.int32).tolist() == [1]
    deep = 1.0
    for _ in range(8):
        deep = [deep]
    assert gpukit.tensor(deep).shape == (1,) * 8
    with pytest.raises(gpukit.ShapeError, match="8"):
        gpukit.tensor([deep])
    loop: list = []
    loop.append(loop)
    with pytest.raises(gpukit.ShapeError, match="contains itself"):
        gpukit.tensor(loop)


def test_copies_and_shares():
    a = np.ones(3, np.float32)
    assert gpukit.tensor(a).data_ptr() != a.ctypes.data
    assert gpukit.as_tensor(a).data_ptr() == a.ctypes.data
    assert gpukit.asarray(a).data_ptr() == a.ctypes.data
    assert gpukit.asarray(a, copy=False).data_ptr() == a.ctypes.data
    assert gpukit.asarray(a, copy=True).data_ptr() != a.ctypes.data
    x = gpukit.ones(2)
    assert gpukit.as_tensor(x) is x
    assert gpukit.asarray(x) is x
    assert gpukit.tensor(x) is not x


def test_mixed_devices_name_the_missing_move(device):
    if device.type == "cpu":
        return
    x, y = gpukit.ones(2, 3), gpukit.ones(2, 3, device=device)
    with pytest.raises(gpukit.DeviceMismatchError, match=r"\.to\(.*24 B") as caught:
        x + y
    assert "cpu" in str(caught.value)
    assert str(device) in str(caught.value)
    assert (y + gpukit.tensor(1.0)).tolist() == [[2.0] * 3] * 2
