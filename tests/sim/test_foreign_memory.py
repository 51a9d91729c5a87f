"""Memory of other libraries on a GPU, beside a driver that passes as a real one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.real_driver import make_driver, run_beside
from support.sim_driver import installed_folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_driver(tmp_path_factory.mktemp("driver"))


def test_the_driver_passes_as_a_real_one(driver):
    code = "print(gpukit.ones(1, device='cuda:1').device, gpukit.device('cuda:0').simulated)"
    assert run_beside(driver, code) == "cuda:1 False"


@pytest.mark.parametrize("stream", ["...", "None", "1", "2", "lib.stream(place)"])
def test_interface_in(driver, stream):
    code = f"""
lib = Library()
values = np.arange(6, dtype=np.float32).reshape(2, 3)
for place, current in ((0, 0), (0, 1), (1, 0), (1, 1)):
    gpukit.cuda.set_device(current)
    stream = {stream}
    theirs = lib.array(values, place, stream=stream, version=2 if stream is ... else 3)
    x = gpukit.as_tensor(theirs)
    assert str(x.device) == f"cuda:{{place}}", x.device
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    x += 1
    gpukit.synchronize(x.device)
    assert theirs.values().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (x @ x.T).tolist() == [[14, 32], [32, 77]]
print("ok")
"""
    assert run_beside(driver, code) == "ok"


def test_layouts_of_the_interface(driver):
    code = """
lib = Library()
base = np.arange(24, dtype=np.int64)
def take(**entries):
    return gpukit.as_tensor(lib.array(base, 1, **entries))
assert take(shape=(4, 3), strides=(48, 16)).tolist() == base.reshape(4, 6)[:, ::2].tolist()
assert take(shape=(), strides=()).item() == 0
assert take(shape=(2, 2), strides=(0, 8)).tolist() == [[0, 1], [0, 1]]
assert take(shape=(0, 5)).shape == (0, 5)
assert take(shape=(0, 5), data=(0, False)).numel() == 0
for strides in (None, (8,), ...):
    assert take(strides=strides).tolist() == base.tolist()
locked = lib.array(base, 1)
locked.entries = {"data": (locked.address.value, True)}
with pytest.raises(ValueError, match="read-only"):
    gpukit.as_tensor(locked).zero_()
for dtype in ("bool", "uint8", "int8", "int16", "int32", "uint16", "float16", "float32", "float64"):
    assert str(gpukit.as_tensor(lib.array(np.ones(3, dtype))).dtype) == f"gpukit.{dtype}"
print("ok")
"""
    assert run_beside(driver, code) == "ok"


BAD = {
    "a mask": "lib.array(ones, mask=ones)",
    "a big-endian type": "lib.array(ones, typestr='>f4')",
    "a half complex type": "lib.array(ones, typestr='<c4')",
    "a record": "lib.array(ones, typestr='|V8')",
    "a type that is not text": "lib.array(ones, typestr=4)",
    "no type": "lib.array(ones, typestr=...)",
    "no shape": "lib.array(ones, shape=...)",
    "a list as shape": "lib.array(ones, shape=[4])",
    "a negative size": "lib.array(ones, shape=(-1,))",
    "a huge size": "lib.array(ones, shape=(2**62, 2**62))",
    "strides of another rank": "lib.array(ones, strides=(4, 4))",
    "odd strides": "lib.array(ones, strides=(3,))",
    "far strides": "lib.array(ones, strides=(2**40,))",
    "an array longer than its memory": "lib.array(ones, shape=(2**30,))",
    "an address that is not an int": "lib.array(ones, data=('x', False))",
    "no flag": "lib.array(ones, data=(16,))",
    "a null address": "lib.array(ones, data=(0, False))",
    "ordinary memory": "lib.array(ones, data=(ones.ctypes.data, False))",
    "page-locked memory": "lib.array(ones, data=(pinned.ctypes.data, False))",
    "an address of nothing": "lib.array(ones, data=(1 << 44, False))",
    "an odd address": "lib.array(ones, data=(good.address.value + 1, False))",
    "freed memory": "freed",
    "stream 0": "lib.array(ones, stream=0)",
    "a negative stream": "lib.array(ones, stream=-7)",
    "a stream that is not an int": "lib.array(ones, stream='x')",
    "an unknown stream": "lib.array(ones, stream=12345)",
    "a stream of the other device": "lib.array(ones, stream=lib.stream(1))",
}


def test_interfaces_that_are_wrong_are_refused(driver):
    cases = "".join(f"refuse({name!r}, lambda: {made})\n" for name, made in BAD.items())
    code = f"""
lib = Library()
ones = np.ones(4, np.float32)
good = lib.array(ones)
pinned = lib.driver.pinned(4)
freed = lib.array(ones, 1)
freed.free()
def refuse(name, make):
    theirs = make()
    try:
        gpukit.as_tensor(theirs)
    except (TypeError, ValueError, BufferError, gpukit.GpukitError) as error:
        assert "mistake in gpukit" not in str(error), (name, error)
    else:
        raise AssertionError(name + " was taken")
    assert gpukit.as_tensor(good).sum().item() == 4, name
{cases}
print("ok")
"""
    assert run_beside(driver, code) == "ok"


def test_interface_out_and_back(driver):
    code = """
x = gpukit.arange(6.0, device="cuda:1").reshape(2, 3)
said = x.T.__cuda_array_interface__
assert (said["shape"], said["strides"]) == ((3, 2), (4, 12))
assert (said["typestr"], said["version"]) == ("<f4", 3)
assert said["data"] == (x.data_ptr(), False) and said["stream"] > 2
side = gpukit.cuda.Stream("cuda:1")
with gpukit.cuda.stream(side):
    assert x.__cuda_array_interface__["stream"] == side.cuda_stream
class Other:
    __cuda_array_interface__ = said
y = gpukit.as_tensor(Other())
assert str(y.device) == "cuda:1" and y.tolist() == x.T.tolist()
assert not hasattr(gpukit.ones(2), "__cuda_array_interface__")
assert not hasattr(gpukit.ones(2, device="cuda", requires_grad=True), "__cuda_array_interface__")
print("ok")
"""
    assert run_beside(driver, code) == "ok"


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack_both_ways(driver, versioned):
    code = f"""
from support.capsules import CUDA, Producer
lib = Library()
for device in (0, 1):
    theirs = lib.array(np.arange(4, dtype=np.float32), device)
    made = Producer(versioned={versioned}, device=(CUDA, device), data=theirs.address.value)
    asked = []
    class Asked:
        def __dlpack__(self, *, stream=None, **_):
            asked.append(stream)
            return made.capsule()
        def __dlpack_device__(self):
            return (CUDA, device)
    x = gpukit.from_dlpack(Asked())
    assert str(x.device) == f"cuda:{{device}}" and x.tolist() == [0, 1, 2, 3]
    assert asked[0] == gpukit.cuda.current_stream(x.device).cuda_stream
    x *= 2
    gpukit.synchronize(x.device)
    assert theirs.values().tolist() == [0, 2, 4, 6]
    del x
    for _ in range(1000):
        if made.deleted:
            break
        __import__("time").sleep(0.005)
    assert made.deleted == 1
    # out: every stream a consumer can name
    mine = gpukit.arange(5.0, device=f"cuda:{{device}}")
    for stream in (None, -1, 1, 2, lib.stream(device)):
        capsule = mine.__dlpack__(stream=stream, max_version=(1, 0) if {versioned} else None)
        again = gpukit.from_dlpack(capsule)
        assert again.tolist() == mine.tolist() and again.device == mine.device
    for stream in (0, -2, 12345):
        with pytest.raises((ValueError, BufferError), match="stream"):
            mine.__dlpack__(stream=stream)
# lies about the place
ones = lib.array(np.ones(4, np.float32), 1)
host = np.ones(4, np.float32)
freed = lib.array(host)
freed.free()
for data, device in ((ones.address.value, 0), (host.ctypes.data, 0), (freed.address.value, 0),
                     (lib.driver.pinned(4).ctypes.data, 1), (1 << 44, 1)):
    made = Producer(versioned={versioned}, device=(CUDA, device), data=data)
    with pytest.raises(BufferError, match="cuda:"):
        gpukit.from_dlpack(made)
    assert made.deleted == 0
with pytest.raises(gpukit.DeviceNotFoundError):
    gpukit.from_dlpack(Producer(device=(CUDA, 7), data=ones.address.value))
print("ok")
"""
    assert run_beside(driver, code) == "ok"


# Work that is under way until the gate is opened, and what another library does on its streams.
SLOW = """
from support.sim_driver import HOST_FUNCTION
lib = Library()
gate = __import__("threading").Event()
wait = HOST_FUNCTION(lambda _: gate.wait(20) and None)
def slow(stream, device):
    gate.clear()
    lib.on(device).call("cuLaunchHostFunc", ctypes.c_void_p(stream), wait, None)
    lib.on(0)
def follow(leader, follower, device):
    driver = lib.on(device)
    event = driver.event()
    driver.call("cuEventRecord", event, ctypes.c_void_p(leader))
    driver.call("cuStreamWaitEvent", ctypes.c_void_p(follower), event, 0)
    lib.on(0)
def ends_early(stream, device):
    # True if the stream's work ends with the gate closed, which is opened then.
    driver, early = lib.on(device), False
    for _ in range(20):
        early = early or driver.library.cuStreamQuery(ctypes.c_void_p(stream)) == 0
        __import__("time").sleep(0.002)
    lib.on(0)
    assert not gate.is_set()
    gate.set()
    return early
"""


@pytest.mark.parametrize("form", ["interface", "dlpack"])
def test_what_a_producer_has_queued_is_waited_for(driver, form):
    code = f"""
from support.capsules import CUDA, Producer
made = []
def imported(theirs, device, producer):
    if {form == "interface"}:
        theirs.entries["stream"] = producer
        return gpukit.as_tensor(theirs)
    class Ordered:
        def __dlpack__(self, *, stream=None, **_):
            if producer is not None:
                follow(producer, stream, device)
            made.append(Producer(device=(CUDA, device), data=theirs.address.value))
            return made[-1].capsule()
        def __dlpack_device__(self):
            return (CUDA, device)
    return gpukit.from_dlpack(Ordered())
for device in (0, 1):
    side = gpukit.cuda.Stream(f"cuda:{{device}}")
    for mine in (gpukit.cuda.current_stream(f"cuda:{{device}}"), side):
        for producer in (lib.stream(device), 1, 2, None):
            theirs = lib.array(np.zeros(4, np.float32), device)
            # Without a stream there is nothing to wait for: the values from before are read.
            queue = lib.stream(device) if producer is None else producer
            slow(queue, device)
            lib.on(device).fill(theirs.address, 0x40E00000, 4, ctypes.c_void_p(queue))
            lib.on(0)
            with gpukit.cuda.stream(mine):
                y = imported(theirs, device, producer) + 1
            assert ends_early(mine.cuda_stream, device) is (producer is None), producer
            mine.synchronize()
            assert y.tolist() == [1 if producer is None else 8] * 4, (device, producer)
            lib.on(device).call("cuCtxSynchronize")
            lib.on(0)
for _ in range(2000):
    if all(one.deleted for one in made):
        break
    __import__("time").sleep(0.005)
assert [one.deleted for one in made] == [1] * len(made)
print("ok")
"""
    assert run_beside(driver, SLOW + code) == "ok"


@pytest.mark.parametrize("form", ["interface", "dlpack"])
def test_a_consumer_waits_for_what_gpukit_has_queued(driver, form):
    code = f"""
for device in (0, 1):
    side = gpukit.cuda.Stream(f"cuda:{{device}}")
    for mine in (gpukit.cuda.current_stream(f"cuda:{{device}}"), side):
        for consumer, ordered in ((lib.stream(device), True), (1, True), (2, True),
                                  (lib.stream(device), False)):
            x = gpukit.zeros(4, dtype=gpukit.uint32, device=f"cuda:{{device}}")
            theirs = lib.array(np.ones(4, np.uint32), device)
            gpukit.cuda.synchronize(f"cuda:{{device}}")
            slow(mine.cuda_stream, device)
            with gpukit.cuda.stream(mine):
                x += 7
                if {form == "interface"}:
                    said = x.__cuda_array_interface__["stream"]
                    assert said == mine.cuda_stream
                    if ordered:
                        follow(said, consumer, device)
                else:
                    capsule = x.__dlpack__(stream=consumer if ordered else -1)
            copied = theirs.address, ctypes.c_uint64(x.data_ptr()), ctypes.c_size_t(16)
            lib.on(device).call("cuMemcpyDtoDAsync_v2", *copied, ctypes.c_void_p(consumer))
            assert ends_early(consumer, device) is not ordered, consumer
            assert theirs.values().tolist() == [7 if ordered else 0] * 4, (device, consumer)
print("ok")
"""
    assert run_beside(driver, SLOW + code) == "ok"


def test_the_owner_gets_its_memory_when_the_work_on_it_is_done(driver):
    # realtime work that takes long enough to be under way when the tensor goes
    code = """
import time
from support.capsules import CUDA, Producer
theirs = lib.array(np.ones(4, np.float32), 1)
for used in ("its own", "another"):
    gate.clear()
    made = Producer(device=(CUDA, 1), data=theirs.address.value)
    x = gpukit.from_dlpack(made)
    if used == "another":
        side = gpukit.cuda.Stream("cuda:1")
        slow(side.cuda_stream, 1)
        with gpukit.cuda.stream(side):
            y = x + 1
    else:
        slow(gpukit.cuda.current_stream("cuda:1").cuda_stream, 1)
        y = x + 1
    start = time.perf_counter()
    del x
    assert time.perf_counter() - start < 5, "letting go waited for the work"
    time.sleep(0.05)
    assert made.deleted == 0, "the owner got memory that is still read"
    gate.set()
    gpukit.cuda.synchronize("cuda:1")  # tolist waits for the current stream alone
    assert y.tolist() == [2, 2, 2, 2]
    for _ in range(2000):
        if made.deleted:
            break
        time.sleep(0.005)
    assert made.deleted == 1
print("ok")
"""
    assert run_beside(driver, SLOW + code) == "ok"


def test_imports_and_captures(driver):
    code = """
from support.capsules import CUDA, Producer
lib = Library()
theirs = lib.array(np.ones(4, np.float32))
held = Producer(device=(CUDA, 0), data=theirs.address.value)
waited, free = lib.array(np.ones(4, np.float32), stream=1), lib.array(np.ones(4, np.float32))
graph, stream = gpukit.cuda.CUDAGraph(), gpukit.cuda.Stream()
with gpukit.cuda.stream(stream):
    before, out = gpukit.from_dlpack(held), gpukit.zeros(4, device="cuda")
with gpukit.cuda.graph(graph, stream=stream):
    out += 1
    del before  # its stream is being captured: the memory waits for the graph
    assert held.deleted == 0
    with pytest.raises(gpukit.DeviceError, match="graph is captured"):
        gpukit.as_tensor(waited)
    assert gpukit.as_tensor(free).shape == (4,)
graph.replay()
graph.replay()
assert out.tolist() == [2, 2, 2, 2]
graph.reset()
for _ in range(2000):
    if held.deleted:
        break
    __import__("time").sleep(0.005)
assert held.deleted == 1
print("ok")
"""
    assert run_beside(driver, code) == "ok"


def test_memory_of_an_ended_session_is_refused(driver):
    code = """
lib = Library()
x = gpukit.ones(3, device="cuda:1")
said = dict(x.__cuda_array_interface__)
class Other:
    __cuda_array_interface__ = said
del x
with gpukit.simulate(2):
    with pytest.raises(BufferError, match="simulated"):
        gpukit.as_tensor(Other())
    y = gpukit.ones(3, device="cuda:1")
    with pytest.raises(BufferError, match="simulated"):
        y.__dlpack__()
with pytest.raises((gpukit.DeviceError, BufferError)):
    y.__dlpack__()
with pytest.raises((gpukit.DeviceError, AttributeError)):
    y.__cuda_array_interface__
print("ok")
"""
    assert run_beside(driver, code) == "ok"


@pytest.mark.parametrize(
    ("memory", "said", "unsaid"),
    [("512MiB", "finds no usable GPU", "short"), ("128MiB", "memory is short", "no usable GPU")],
)
def test_why_cublas_cannot_start(driver, tmp_path, memory, said, unsaid):
    # Without its driver it returns status 1, as NVIDIA's does where its runtime sees no device.
    library = tmp_path / "libcublas.so.12"
    shutil.copy(installed_folder() / "libgpukit_simcublas.so", library)
    code = """
import os
os.dup2(1, 2)
x = gpukit.arange(6.0, device="cuda").reshape(2, 3)
assert (x @ x.T).tolist() == [[5, 14], [14, 50]]
"""
    out = run_beside(driver, code, f"1xT4,mem={memory}", GPUKIT_CUBLAS=str(library))
    assert said in out
    assert unsaid not in out
    assert "CUBLAS_STATUS_NOT_INITIALIZED (1)" in out
