"""Memory shared with other libraries by DLPack, out and in."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import psutil
import pytest

import gpukit
from support import capsules
from support.arrays import INTEGERS
from support.capsules import Producer

DTYPES = ["bool", *INTEGERS, "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_reads_our_memory(dtype):
    x = gpukit.arange(6).to(dtype).reshape(2, 3)
    array = np.from_dlpack(x)
    assert array.dtype == dtype
    np.testing.assert_array_equal(array, np.array(x.tolist(), dtype=dtype))
    x[0, 0] = 1
    assert array[0, 0] == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_we_read_memory_of_numpy(dtype):
    array = np.arange(6).astype(dtype).reshape(2, 3)
    x = gpukit.from_dlpack(array)
    assert x.dtype is gpukit.dtype(dtype)
    assert x.tolist() == array.tolist()
    array[0, 0] = 1
    assert x[0, 0] == 1


VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "every second": lambda a: a[:, ::2],
    "inner": lambda a: a[1:, 1:],
    "0-d": lambda a: a[1, 1, ...],
    "nothing": lambda a: a[:0],
    "column": lambda a: a[:, 2],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_keep_their_strides(name):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = gpukit.from_dlpack(VIEWS[name](array))
    assert x.tolist() == VIEWS[name](array).tolist()
    back = np.from_dlpack(VIEWS[name](gpukit.from_dlpack(array)))
    np.testing.assert_array_equal(back, VIEWS[name](array))
    assert back.size == 0 or back.ctypes.data == VIEWS[name](array).ctypes.data


def test_negative_strides_come_in_and_leave_as_a_copy():
    array = np.arange(5.0)
    x = gpukit.from_dlpack(array[::-1])
    assert x.tolist() == [4, 3, 2, 1, 0]
    array[4] = 9
    assert x[0] == 9
    assert capsules.content(x.__dlpack__(max_version=(1, 0))).flags == capsules.IS_COPIED
    assert np.from_dlpack(x).tolist() == [9, 3, 2, 1, 0]
    with pytest.raises(BufferError, match="flipped"):
        x.__dlpack__(copy=False)


def test_expanded_tensors_leave_with_stride_0():
    assert np.from_dlpack(gpukit.tensor([7.0]).expand(3)).tolist() == [7, 7, 7]


def test_capsule_says_what_it_holds():
    x = gpukit.zeros(2, 3, dtype="int16")
    plain, versioned = x.__dlpack__(), x.__dlpack__(max_version=(1, 0))
    assert capsules.name_of(plain) == "dltensor"
    assert capsules.name_of(versioned) == "dltensor_versioned"
    assert capsules.name_of(x.__dlpack__(max_version=(0, 8))) == "dltensor"
    struct = capsules.content(versioned)
    assert struct.major == 1
    assert struct.flags == 0
    view = struct.tensor
    assert (view.ndim, view.shape[:2], view.strides[:2]) == (2, [2, 3], [3, 1])
    assert (view.code, view.bits, view.lanes) == (capsules.INT, 16, 1)
    assert (view.device_type, view.device_index) == (capsules.CPU, 0)
    assert view.data + view.byte_offset == x.data_ptr()
    assert x.__dlpack_device__() == (1, 0)


def test_bfloat16_and_bool_have_codes_of_their_own():
    def code(dtype: str) -> tuple[int, int]:
        view = capsules.content(gpukit.zeros(2, dtype=dtype).__dlpack__()).tensor
        return view.code, view.bits

    assert code("bfloat16") == (capsules.BFLOAT, 16)
    assert code("bool") == (capsules.BOOL, 8)
    assert code("uint8") == (capsules.UINT, 8)


def test_copies_are_marked_and_apart():
    x = gpukit.zeros(3)
    capsule = x.__dlpack__(max_version=(1, 0), copy=True)
    assert capsules.content(capsule).flags == capsules.IS_COPIED
    y = gpukit.from_dlpack(capsule)
    y.fill_(5)
    assert x.tolist() == [0, 0, 0]
    shared = gpukit.from_dlpack(x.__dlpack__(max_version=(1, 0), copy=False))
    shared.fill_(5)
    assert x.tolist() == [5, 5, 5]


def test_read_only_travels_both_ways():
    array = np.zeros(3)
    array.flags.writeable = False
    x = gpukit.from_dlpack(array)
    with pytest.raises(ValueError, match="read-only"):
        x.add_(1)
    assert capsules.content(x.__dlpack__(max_version=(1, 0))).flags == capsules.READ_ONLY
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert (x + 1).tolist() == [1, 1, 1]


def test_copy_and_device_of_from_dlpack():
    array = np.zeros(2)
    copied = gpukit.from_dlpack(array, copy=True)
    array[:] = 3
    assert copied.tolist() == [0, 0]
    assert gpukit.from_dlpack(array, copy=False, device="cpu").tolist() == [3, 3]
    x = gpukit.ones(2)
    assert gpukit.from_dlpack(x) is x
    assert gpukit.from_dlpack(x, copy=True) is not x


@pytest.mark.parametrize("versioned", [True, False])
def test_deleter_is_called_once(versioned):
    producer = Producer(versioned=versioned)
    x = gpukit.from_dlpack(producer)
    view = x[1:3]
    assert view.tolist() == [2, 3]
    del x
    gc.collect()
    assert producer.deleted == 0
    del view
    gc.collect()
    assert producer.deleted == 1


def test_deleter_may_run_on_any_thread():
    producers = [Producer() for _ in range(50)]
    tensors = [gpukit.from_dlpack(producer) for producer in producers]
    thread = threading.Thread(target=tensors.clear)
    thread.start()
    thread.join()
    assert [producer.deleted for producer in producers] == [1] * 50


def test_missing_deleter_is_fine():
    producer = Producer(with_deleter=False)
    assert gpukit.from_dlpack(producer).sum().item() == 10


def test_capsule_is_renamed_and_refused_the_second_time():
    producer = Producer()
    capsule = producer.capsule()
    x = gpukit.from_dlpack(capsule)
    assert capsules.name_of(capsule) == "used_dltensor_versioned"
    with pytest.raises(BufferError, match="taken already"):
        gpukit.from_dlpack(capsule)
    assert x.sum().item() == 10


def test_unused_capsule_frees_its_content():
    x = gpukit.ones(1 << 16)
    before = x.data_ptr()
    for version in (None, (1, 0)):
        capsule = x.__dlpack__(max_version=version)
        del capsule
    assert x.data_ptr() == before
    assert x.sum().item() == 1 << 16


def test_exported_memory_outlives_the_tensor():
    array = np.from_dlpack(gpukit.full((1000,), 7.0))
    gc.collect()
    assert (array == 7).all()


def test_offset_and_strides_of_the_producer_count():
    producer = Producer(shape=(2,), strides=(2,), byte_offset=4)
    assert gpukit.from_dlpack(producer).tolist() == [2, 4]
    backwards = Producer(shape=(4,), strides=(-1,), byte_offset=12)
    assert gpukit.from_dlpack(backwards).tolist() == [4, 3, 2, 1]


def test_strides_that_step_over_nothing_are_not_believed():
    producer = Producer(shape=(1, 4), strides=(2**62, 1))
    assert gpukit.from_dlpack(producer).tolist() == [[1, 2, 3, 4]]
    empty = Producer(shape=(0, 4), strides=(2**62, 2**62), data=None)
    assert gpukit.from_dlpack(empty).shape == (0, 4)


def test_pinned_host_memory_is_cpu_memory():
    assert gpukit.from_dlpack(Producer(device=(capsules.CUDA_HOST, 0))).device.type == "cpu"


HUGE = 2**62
HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "newer major": ({"major": 2}, "DLPack 2"),
    "major 0 in a versioned capsule": ({"major": 0}, "DLPack 0"),
    "negative rank": ({"ndim": -1}, "ndim"),
    "huge rank": ({"ndim": 10**7}, "ndim"),
    "rank 2^31-1": ({"ndim": 2**31 - 1}, "ndim"),
    "no shape": ({"shape": None, "ndim": 1}, "shape"),
    "negative extent": ({"shape": (-4,)}, "-4"),
    "huge extent": ({"shape": (HUGE,)}, str(HUGE)),
    "huge product": ({"shape": (2**40, 2**40)}, "big|large"),
    "overflowing product": ({"shape": (2**32, 2**32)}, "big|large"),
    "huge extent beside zero": ({"shape": (2**62, 2**62, 0)}, "big|large|from_dlpack"),
    "huge stride": ({"shape": (4,), "strides": (HUGE,)}, "stride"),
    "smallest stride": ({"shape": (4,), "strides": (-(2**63),)}, "stride"),
    "strides that leave memory": ({"shape": (4,), "strides": (-(2**55),)}, "address"),
    "NULL data with elements": ({"data": None}, "NULL"),
    "odd address": ({"byte_offset": 1}, "aligned"),
    "huge byte offset": ({"byte_offset": 2**64 - 4}, "byte_offset"),
    "half address space": ({"byte_offset": 2**63}, "byte_offset"),
    "half complex": ({"code": capsules.COMPLEX, "bits": 32}, "32 bits"),
    "opaque handle": ({"code": capsules.OPAQUE}, "type code 3"),
    "unknown type": ({"code": 200}, "type code 200"),
    "24 bits": ({"bits": 24}, "24 bits"),
    "128 bits": ({"bits": 128}, "128 bits"),
    "no bits": ({"bits": 0}, "0 bits"),
    "lanes": ({"lanes": 4}, "4 lanes"),
    "no lanes": ({"lanes": 0}, "0 lanes"),
    "Metal": ({"device": (capsules.METAL, 0)}, "type 8"),
    "unknown device": ({"device": (77, 0)}, "77"),
    "no device": ({"device": (0, 0)}, "0"),
    "negative device": ({"device": (-3, 0)}, "-3"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_capsules_give_errors(name):
    fields, words = HOSTILE[name]
    producer = Producer(**fields)
    with pytest.raises(BufferError, match=words):
        gpukit.from_dlpack(producer)
    with pytest.raises(BufferError, match=words):
        gpukit.from_dlpack(producer.capsule())
    assert producer.deleted == 0  # what was not taken stays the producer's
    if name not in {"newer major", "major 0 in a versioned capsule"}:
        old = Producer(versioned=False, **fields)
        with pytest.raises(BufferError, match=words):
            gpukit.from_dlpack(old)
    assert gpukit.from_dlpack(Producer()).sum().item() == 10


class Answers:
    """An object whose protocol methods return given values."""

    def __init__(self, capsule: Any = None, device: Any = (1, 0)) -> None:
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_: Any) -> Any:
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self) -> Any:
        return self.device


@pytest.mark.parametrize(
    ("thing", "error", "words"),
    [
        (3, TypeError, "x must be an array with __dlpack__"),
        (None, TypeError, "None"),
        (Answers, TypeError, "__dlpack__"),
        (Answers(None), BufferError, "not a capsule"),
        (Answers("dltensor"), BufferError, "not a capsule"),
        (Answers(device=None), BufferError, r"not \(type, index\)"),
        (Answers(device=(1,)), BufferError, r"not \(type, index\)"),
        (Answers(device=(1.5, 0)), TypeError, "1.5"),
        (Answers(device=(2**40, 0)), BufferError, str(2**40)),
        (Answers(ZeroDivisionError("mine")), ZeroDivisionError, "mine"),
        (np.array([1j], np.clongdouble), BufferError, "DLPack"),
        (np.arange(2, dtype=np.int64).view("M8[s]"), BufferError, "."),
    ],
)
def test_wrong_producers(thing, error, words):
    with pytest.raises(error, match=words):
        gpukit.from_dlpack(thing)


def test_old_producers_without_keywords():
    class Old:
        def __dlpack__(self, stream: Any = None) -> Any:
            return producer.capsule()

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    producer = Producer(versioned=False)
    assert gpukit.from_dlpack(Old()).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"stream": 1}, ValueError, "stream"),
        ({"stream": "x"}, TypeError, "stream"),
        ({"max_version": 1}, TypeError, "max_version"),
        ({"max_version": (1,)}, TypeError, "max_version"),
        ({"dl_device": (2, 0)}, BufferError, "dl_device"),
        ({"dl_device": "cpu"}, TypeError, "dl_device"),
        ({"copy": 1}, TypeError, "copy"),
    ],
)
def test_wrong_arguments_of_dlpack(keywords, error, words):
    with pytest.raises(error, match=words):
        gpukit.ones(2).__dlpack__(**keywords)


def test_good_arguments_of_dlpack():
    x = gpukit.ones(2)
    for keywords in ({"stream": None}, {"stream": -1}, {"dl_device": (1, 0)}, {"copy": None}):
        assert capsules.name_of(x.__dlpack__(**keywords)) == "dltensor"


def test_gradients_are_not_handed_over():
    x = gpukit.ones(2, requires_grad=True)
    with pytest.raises(BufferError, match="detach"):
        x.__dlpack__()
    assert np.from_dlpack(x.detach()).tolist() == [1, 1]


@pytest.mark.memory_growth
@pytest.mark.parametrize("keywords", [{"max_version": (1, 0), "copy": True}, {"copy": True}, {}])
def test_exchanges_keep_no_memory(keywords):
    x = gpukit.ones(1 << 12)
    for _ in range(1000):
        gpukit.from_dlpack(x.__dlpack__(**keywords))
    before = psutil.Process().memory_info().rss
    for _ in range(20_000):  # 320 MB, if copies stayed
        gpukit.from_dlpack(x.__dlpack__(**keywords))
        x.__dlpack__(**keywords)
    assert psutil.Process().memory_info().rss - before < 32 << 20


def test_every_deleter_of_many_is_called_once():
    producer = Producer()
    for _ in range(10_000):
        assert gpukit.from_dlpack(producer)[1] == 2
    assert producer.deleted == 10_000
