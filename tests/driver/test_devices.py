"""Devices: helpers, the current one, streams, events, memory, simulations that begin and end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import gpukit
from support import mode


def clean_python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter without the mode of this one."""
    dropped = ("GPUKIT_SIMULATE", "GPUKIT_TEST_MODE", "GPUKIT_LIBCUDA")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_helpers():
    count = gpukit.num_gpus()
    assert count >= 1
    gpus = [gpukit.device("cuda", index) for index in range(count)]
    assert gpukit.devices() == [*gpus, gpukit.cpu()]
    assert gpukit.try_all_gpus() == gpus
    assert gpukit.require_gpus(count) == gpus
    assert gpukit.try_gpu(0) == gpus[0]
    assert gpukit.try_gpu(0, verify=False) == gpus[0]
    assert gpukit.cuda.device_count() == count
    assert gpukit.cuda.is_available()
    assert gpukit.cuda.why_unavailable() is None
    assert gpukit.accelerator.current_accelerator() == gpukit.device("cuda")


def test_absent_device_falls_back_with_one_note(capfd):
    for _ in range(2):
        assert gpukit.try_gpu(77) == gpukit.cpu()
    assert gpukit.try_gpu(78, quiet=True) == gpukit.cpu()
    notes = capfd.readouterr().err.splitlines()
    assert len(notes) == 1
    assert "cuda:77" in notes[0]
    with pytest.raises(gpukit.DeviceNotFoundError, match="cuda:77") as caught:
        gpukit.ones(2, device="cuda:77")
    assert caught.value.fix


def test_device_is_text_until_it_is_used():
    far = gpukit.device("cuda:55")
    assert (far.type, far.index) == ("cuda", 55)
    assert gpukit.device("cuda") != gpukit.device("cuda:0")
    assert gpukit.device("cuda").resolve() == gpukit.device("cuda", gpukit.cuda.current_device())
    assert gpukit.device(1) == gpukit.device("gpu:1")
    assert len({gpukit.device("cuda:1"), gpukit.device("gpu:1"), gpukit.device(1)}) == 1
    assert gpukit.device("cuda:1") != "cuda:1"
    with pytest.raises(AttributeError):
        far.index = 3


def test_default_device():
    last = gpukit.devices()[-2]
    with gpukit.device("cuda:0"):
        assert gpukit.ones(2).device == gpukit.device("cuda:0")
        with gpukit.device("cpu"):
            assert gpukit.ones(2).device == gpukit.cpu()
        assert gpukit.rand(2).device == gpukit.device("cuda:0")
        assert gpukit.tensor([1.0]).device == gpukit.device("cuda:0")
    assert gpukit.ones(2).device == gpukit.cpu()
    gpukit.set_default_device(last)
    try:
        assert gpukit.get_default_device() == last
        assert gpukit.zeros(2).device == last
    finally:
        gpukit.set_default_device("cpu")
    with pytest.raises(ZeroDivisionError), gpukit.device("cuda:0"):
        _ = 1 / 0
    assert gpukit.ones(1).device == gpukit.cpu()


def test_the_context_manager_says_that_it_is_no_device():
    text = repr(gpukit.cuda.device(1))
    assert text == "<gpukit.cuda.device context for cuda:1; did you mean gpukit.device('cuda')?>"
    assert "no device" in repr(gpukit.cuda.device(None))


def test_current_device_is_of_the_thread():
    if gpukit.num_gpus() < 2:
        assert gpukit.cuda.current_device() == 0
        return
    seen = []
    with gpukit.cuda.device(1):
        assert gpukit.cuda.current_device() == 1
        assert gpukit.ones(1, device="cuda").device.index == 1
        thread = threading.Thread(target=lambda: seen.append(gpukit.cuda.current_device()))
        thread.start()
        thread.join()
        with gpukit.cuda.device(None), gpukit.cuda.device(-1):
            assert gpukit.cuda.current_device() == 1
    assert seen == [0]
    assert gpukit.cuda.current_device() == 0
    with gpukit.cuda.device_of(gpukit.ones(1, device="cuda:1")):
        assert gpukit.cuda.current_device() == 1
    gpukit.cuda.set_device(1)
    try:
        assert gpukit.cuda.current_device() == 1
    finally:
        gpukit.cuda.set_device(0)


def test_properties():
    properties = gpukit.cuda.get_device_properties(0)
    assert properties.name == gpukit.cuda.get_device_name(0)
    assert (properties.major, properties.minor) == gpukit.cuda.get_device_capability(0)
    assert properties.total_memory > 1 << 28
    assert properties.multi_processor_count > 0
    assert properties.warp_size == 32
    assert properties.max_threads_per_block >= 512
    assert properties.simulated == gpukit.device("cuda:0").simulated
    assert ("simulated" in properties.name) == properties.simulated
    free, total = gpukit.cuda.mem_get_info(0)
    assert 0 < free <= total


def test_memory_is_counted():
    gpukit.cuda.empty_cache()
    before = gpukit.cuda.memory_allocated(0)
    x = gpukit.empty(1 << 20, device="cuda:0")
    assert gpukit.cuda.memory_allocated(0) - before >= 4 << 20
    assert gpukit.cuda.memory_reserved(0) >= gpukit.cuda.memory_allocated(0)
    assert gpukit.cuda.max_memory_allocated(0) >= gpukit.cuda.memory_allocated(0)
    del x
    assert gpukit.cuda.memory_allocated(0) == before
    gpukit.cuda.empty_cache()
    assert "allocated" in gpukit.cuda.memory_summary(0)


def test_out_of_memory_is_typed_and_leaves_the_next_call_working():
    total = gpukit.cuda.mem_get_info(0)[1]
    with pytest.raises(gpukit.OutOfMemoryError) as caught:
        gpukit.empty(total, device="cuda:0")
    error = caught.value
    assert isinstance(error, MemoryError)
    assert error.requested >= 4 * total
    assert 0 < error.free <= error.total <= total
    assert error.holders == []
    assert (gpukit.ones(3, device="cuda:0") + 1).tolist() == [2.0] * 3


def test_memory_limit():
    gpukit.config.set_memory_limit("cuda:0", "64MiB")
    try:
        with pytest.raises(gpukit.OutOfMemoryError):
            gpukit.empty(1 << 26, device="cuda:0")
    finally:
        gpukit.config.set_memory_limit("cuda:0", 0)
    gpukit.empty(1 << 24, device="cuda:0")


def test_streams_and_events():
    stream = gpukit.cuda.Stream()
    default = gpukit.cuda.default_stream()
    assert gpukit.cuda.current_stream() == default
    start, end = (gpukit.cuda.Event(enable_timing=True) for _ in range(2))
    with gpukit.cuda.stream(stream):
        assert gpukit.cuda.current_stream() == stream
        start.record()
        x = gpukit.ones(1000, device="cuda") * 2
        end.record()
    assert gpukit.cuda.current_stream() == default
    default.wait_stream(stream)
    end.synchronize()
    assert end.query()
    assert start.elapsed_time(end) >= 0
    stream.synchronize()
    assert stream.query()
    assert x.sum().item() == 2000
    assert stream.cuda_stream != default.cuda_stream
    event = stream.record_event()
    event.wait()
    event.synchronize()
    gpukit.synchronize("cuda:0")
    gpukit.cuda.synchronize(0)


def test_pinned_memory():
    x = gpukit.ones(4).pin_memory()
    assert x.is_pinned()
    assert x.pin_memory() is x
    assert x.to("cuda:0", non_blocking=True).tolist() == [1.0] * 4
    assert gpukit.zeros(3, pin_memory=True).is_pinned()
    assert not gpukit.zeros(3).is_pinned()


COUNTING = """
import os, gpukit
before = gpukit.cuda.device_count(), gpukit.num_gpus(), len(gpukit.devices())
assert not gpukit.cuda.is_initialized()
child = os.fork()
if child == 0:
    right = (gpukit.ones(3) + 1).sum().item() == 6.0
    os._exit(0 if right and not gpukit._core.in_forked_child() else 1)
print(os.waitpid(child, 0)[1], before)
"""


def test_counting_leaves_fork_usable():
    done = clean_python(COUNTING)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 ")


def test_counting_without_a_driver():
    done = clean_python(
        "import gpukit as g; print(g.num_gpus(), g.cuda.is_available(), g.cuda.why_unavailable())",
        GPUKIT_LIBCUDA="none",
    )
    assert done.stdout.startswith("0 False "), done.stderr
    assert len(done.stdout.split()) > 3


@pytest.mark.parametrize(
    ("visible", "uuids", "want"),
    [
        ("", ["GPU-a", "GPU-b"], 0),
        ("0", ["GPU-a", "GPU-b"], 1),
        ("1,0", ["GPU-a", "GPU-b"], 2),
        ("0,0", ["GPU-a", "GPU-b"], 0),
        ("0,-1,1", ["GPU-a", "GPU-b"], 1),
        ("5", ["GPU-a"], 0),
        ("GPU-b", ["GPU-a", "GPU-b"], 1),
        ("GPU-", ["GPU-a", "GPU-b"], 0),
        ("MIG-x", ["GPU-a"], None),
    ],
)
def test_visible_devices(visible, uuids, want):
    from gpukit._system.counting import count_visible

    assert count_visible(visible, uuids) == want


SIMULATION = """
import gpukit
assert gpukit.num_gpus() == 0
with gpukit.simulate(2, "T4", memory="1GiB", seed=3) as simulation:
    assert [str(d) for d in simulation.devices] == ["cuda:0", "cuda:1"]
    assert all(d.simulated for d in simulation.devices)
    x = gpukit.rand(100, device="cuda:1")
    assert gpukit.cuda.get_device_properties(0).total_memory <= 1 << 30
    total = x.sum().item()
    assert simulation.clock_ms("cuda:1") > 0
    try:
        gpukit.simulate(1)
    except gpukit.SimulationError as error:
        assert "running" in str(error)
    else:
        raise SystemExit("nested")
assert gpukit.num_gpus() == 0
for use in (lambda: x + 1, lambda: x.item(), lambda: x.to("cpu"), lambda: repr(x)):
    try:
        use()
    except (gpukit.DeviceError, gpukit.ShapeError) as error:
        text = str(error)
    else:
        raise SystemExit("a tensor of an ended simulation was used")
assert "simulation has ended" in text, text
assert x.shape == (100,)
del x
again = gpukit.simulate(1, "A100")
assert gpukit.cuda.get_device_capability() == (8, 0)
y = gpukit.ones(3, device="cuda")
assert (y + y).sum().item() == 6.0
again.stop()
again.stop()
try:
    gpukit.simulate(1, "T5")
except ValueError as error:
    assert "T4" in str(error)
else:
    raise SystemExit("T5")
print("fine")
"""


def test_a_simulation_begins_and_ends():
    done = clean_python(SIMULATION, GPUKIT_LIBCUDA="none")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fine\n"


def test_wrong_simulation_in_the_environment_is_said_once():
    done = clean_python(
        "import gpukit; print(gpukit.num_gpus(), gpukit.num_gpus())",
        GPUKIT_SIMULATE="2xT5",
        GPUKIT_LIBCUDA="none",
    )
    assert done.stdout == "0 0\n"
    assert done.stderr.count("GPUKIT_SIMULATE") == 1
    assert "T4" in done.stderr


def test_default_device_of_the_environment():
    program = "import gpukit; print(gpukit.ones(1).device)"
    done = clean_python(program, GPUKIT_SIMULATE="1xT4", GPUKIT_DEVICE="cuda:0")
    assert done.stdout == "cuda:0\n", done.stderr
    done = clean_python(program, GPUKIT_DEVICE="cude:0")
    assert done.stdout == "cpu\n"
    assert "GPUKIT_DEVICE" in done.stderr


def test_versions_are_not_confused():
    packed = gpukit._core.driver_report()["driver_version"]
    assert gpukit.version.driver_cuda == f"{packed // 1000}.{packed % 1000 // 10}"
    assert gpukit.version.cuda == gpukit.version.runtime == "12.9"  # the build's, as in torch
    assert gpukit.version.gpukit == gpukit.__version__
    if mode.MODE.name == "sim":
        assert gpukit.version.driver == "simulated"
    assert {"60", "75", "90"} & set(gpukit.version.archs)
    with pytest.raises(AttributeError, match="cublas"):
        _ = gpukit.version.cubals
