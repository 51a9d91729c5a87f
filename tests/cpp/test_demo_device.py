"""A device library: tests/cpp/demo_device is compiled, loaded and used in fresh processes.

It adds a kind of device without an edit in csrc. Each test is a program of its own, because a
library cannot be unloaded.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from support.demo_libraries import build_libraries


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The demo library and three that must be refused, compiled once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "demo_device"
    folder.mkdir(exist_ok=True)
    names = ("libdemo.so", "libcuda_name.so", "libother_gpukit.so", "libplain.so")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            demo = folder / "demo.o"
            build_libraries(folder, demo)
            (folder / "done").touch()
    return {name.removeprefix("lib").removesuffix(".so"): folder / name for name in names}


START = """
import pytest
import numpy as np
import gpukit
from gpukit import _core, errors
assert _core.load_device_library(LIBRARY) == "demo"
def assert_close(got, wanted, tolerance, name):
    got, wanted = got.cpu().numpy(), wanted.cpu().numpy()
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance / 10, err_msg=str(name))
"""


def run(libraries: dict[str, Path], program: str, *, start: str = START) -> None:
    """The program, in a fresh interpreter, after the library was loaded."""
    dropped = ("GPUKIT_SIMULATE", "GPUKIT_TEST_MODE", "GPUKIT_LIBCUDA")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    paths = {name: str(path) for name, path in libraries.items()}
    given = f"LIBRARIES = {paths!r}\nLIBRARY = LIBRARIES['demo']\n"
    text = given + start + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**kept, "GPUKIT_LIBCUDA": "none"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_tensors_move_and_add(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        x = gpukit.arange(6, dtype="float32").reshape(2, 3)
        a = x.to("demo:0")
        assert str(a.device) == "demo:0" and repr(a.device) == "device(type='demo', index=0)"
        assert not a.is_cuda and not a.is_cpu and a.get_device() == 0
        b = gpukit.ones(2, 3, device="demo")
        c = a + b
        assert c.device == gpukit.device("demo", 0)
        assert c.cpu().tolist() == [[1, 2, 3], [4, 5, 6]]
        assert (a.t() * 2).cpu().tolist() == [[0, 6], [2, 8], [4, 10]]
        assert a.sum().item() == 15 and a[1, 2].item() == 5
        assert "device='demo:0'" in repr(a)
        assert a.to("demo:1").device.index == 1
        assert a.to("demo:1").cpu().tolist() == x.tolist()
        np.testing.assert_array_equal(a.cpu().numpy(), x.numpy())
        with gpukit.device("demo:1"):
            assert gpukit.zeros(2).device == gpukit.device("demo:1")
        a += 1
        assert a.cpu().tolist() == (x + 1).tolist()
        a.copy_(gpukit.full((3,), 7.0))
        assert a.cpu().tolist() == [[7.0] * 3] * 2
        big = gpukit.arange(2**19, dtype="float32")
        there = big.to("demo:0", non_blocking=True)
        back = (there + there).to("cpu", non_blocking=True)
        gpukit.synchronize()
        assert (back == big * 2).all().item()
        """,
    )


def test_copies_between_kinds_go_through_the_host(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        with gpukit.simulate(2):
            for count in (5, 700_000):
                x = gpukit.arange(count, dtype="float32")
                for way in (("demo:0", "cuda:1"), ("cuda:0", "demo:1"), ("demo:1", "demo:0")):
                    for non_blocking in (False, True):
                        there = x.to(way[0]) + 1
                        arrived = there.to(way[1], non_blocking=non_blocking)
                        assert str(arrived.device) == way[1]
                        assert (arrived.cpu() == x + 1).all().item(), (way, count, non_blocking)
            target = gpukit.zeros(3, 4, device="cuda:0")
            target.copy_(gpukit.ones(4, 3, device="demo:0").t())
            assert target.cpu().sum().item() == 12
            halves = gpukit.ones(4, device="demo:0").to("cuda:1", dtype="float16")
            assert halves.dtype == gpukit.float16 and halves.cpu().tolist() == [1] * 4
            with pytest.raises(errors.DeviceMismatchError, match=r"demo:0.*cuda:0"):
                gpukit.ones(2, device="demo:0") + gpukit.ones(2, device="cuda:0")
            x = gpukit.ones(3, device="demo:0", requires_grad=True)
            (x.to("cuda:0") * 3).sum().backward()
            assert str(x.grad.device) == "demo:0" and x.grad.cpu().tolist() == [3, 3, 3]
        """,
    )


def test_compositions_agree_with_the_cpu(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        F = gpukit.nn.functional
        rng = np.random.default_rng(3)
        def both(*shape):
            return gpukit.tensor(rng.normal(size=shape).astype("float32"))
        def compare(name, call, *inputs, grads=True):
            results = []
            for device in ("cpu", "demo:0"):
                there = [i.detach().to(device) for i in inputs]
                if grads:
                    for t in there:
                        if t.is_floating_point(): t.requires_grad_()
                out = call(*there)
                if grads:
                    (out * out).sum().backward()
                results.append([out] + [t.grad for t in there if t.grad is not None])
            assert len(results[0]) == len(results[1]), name
            for wanted, got in zip(*results):
                assert str(got.device) == "demo:0", name
                assert_close(got.detach(), wanted.detach(), 2e-5, name)
        x, w, b = both(5, 7), both(7), both(7)
        compare("softmax", lambda t: gpukit.softmax(t, 1), x)
        compare("log_softmax", lambda t: gpukit.log_softmax(t, 1), x)
        compare("layer_norm", lambda *a: F.layer_norm(a[0], (7,), a[1], a[2]), x, w, b)
        compare("plain layer_norm", lambda t: F.layer_norm(t, (7,)), x)
        compare("linear", F.linear, x, both(3, 7), both(3))
        compare("relu", gpukit.relu, x)
        compare("sigmoid", gpukit.sigmoid, x)
        compare("square, mean", lambda t: gpukit.square(t).mean(1), x)
        compare("rsqrt, reciprocal, neg", lambda t: -gpukit.rsqrt(gpukit.reciprocal(t * t + 1)), x)
        compare("clamp", lambda t: gpukit.clamp(t, -0.5, 0.5), x)
        compare("norm", lambda t: gpukit.linalg.norm(t), x)
        compare("tril", lambda t: gpukit.tril(t, -1) + gpukit.triu(t, 2), x)
        compare("mse_loss", F.mse_loss, x, both(5, 7))
        planes, kernel = both(2, 4, 6, 5), both(6, 2, 3, 2)
        for steps in ({}, {"stride": 2, "padding": 1}, {"padding": (2, 0), "dilation": 2}):
            conv = lambda *t: F.conv2d(*t, groups=2, **steps)
            compare(f"conv2d {steps}", conv, planes, kernel, both(6))
        compare("pointwise", F.conv2d, planes, both(3, 4, 1, 1))
        compare("conv_transpose2d", F.conv_transpose2d, planes, both(4, 3, 2, 2))
        half = x.half()
        in_halves = (
            lambda t: gpukit.softmax(t, 1),
            lambda t: F.layer_norm(t, (7,)),
            gpukit.sigmoid,
            lambda t: t.mean(0),
        )
        for f in in_halves:
            assert_close(f(half.to("demo:0")), f(half), 2e-3, "half")
        target = gpukit.tensor([0, 6, -100, 2, 2])
        weight = {"weight": w.abs()}
        smooth = {"label_smoothing": 0.1}
        for options in ({}, smooth, weight, weight | smooth):
            for reduction in ("mean", "sum", "none"):
                def loss(t, y, *weight):
                    extra = {**options, "weight": weight[0]} if weight else options
                    return F.cross_entropy(t, y, reduction=reduction, **extra)
                more = [options["weight"]] if "weight" in options else []
                one = loss(x, target, *more)
                demo = loss(x.to("demo:0"), target.to("demo:0"), *[m.to("demo:0") for m in more])
                assert_close(demo, one, 2e-5, options)
                gradients = []
                for device in ("cpu", "demo:0"):
                    t = x.detach().to(device).requires_grad_()
                    loss(t, target.to(device), *[m.to(device) for m in more]).sum().backward()
                    gradients.append(t.grad)
                assert_close(gradients[1], gradients[0], 2e-5, options)
        with pytest.raises(IndexError, match="7"):
            F.cross_entropy(x.to("demo:0"), gpukit.tensor([0, 7, 1, 1, 1], device="demo:0"))
        """,
    )


def test_a_net_trains_as_on_the_cpu(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        optim, nn = gpukit.optim, gpukit.nn
        makers = (
            lambda p: optim.SGD(p, lr=0.1),
            lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
            lambda p: optim.Adam(p, lr=0.01, amsgrad=True, weight_decay=0.01),
            lambda p: optim.AdamW(p, lr=0.01, maximize=True),
        )
        for make in makers:
            gpukit.manual_seed(0)
            first = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
            second = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
            second.load_state_dict(first.state_dict())
            second.to("demo:1")
            x, y = gpukit.randn(6, 4), gpukit.tensor([0, 1, 2, 0, 1, 2])
            for net, device in ((first, "cpu"), (second, "demo:1")):
                optimizer = make(net.parameters())
                for _ in range(4):
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x.to(device)), y.to(device)).backward()
                    optimizer.step()
            for a, b in zip(first.parameters(), second.parameters()):
                assert str(b.device) == "demo:1"
                assert_close(b.detach(), a.detach(), 1e-4, "parameter")
        """,
    )


def test_saved_tensors_come_back(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        import copy, io, pickle
        x = gpukit.arange(4.0).to("demo:1")
        file = io.BytesIO()
        gpukit.save({"x": x}, file)
        def load(**options):
            file.seek(0)
            return gpukit.load(file, **options)["x"]
        for y in (load(), pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
            assert str(y.device) == "demo:1" and y.tolist() == [0, 1, 2, 3]
        assert str(load(map_location="demo:0").device) == "demo:0"
        assert str(load(map_location="cpu").device) == "cpu"
        with pytest.raises(errors.DeviceNotFoundError, match="demo:7"):
            load(map_location="demo:7")
        """,
    )


def test_what_it_lacks_names_device_and_operator(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        x = gpukit.ones(3, 3, device="demo:1")
        lacking = {
            "sin": lambda: gpukit.sin(x),
            "pow": lambda: x ** 1.5,
            "sort": lambda: gpukit.sort(x),
            "cumsum": lambda: gpukit.cumsum(x, 0),
            "prod": lambda: x.prod(),
            "gather": lambda: gpukit.take(x, gpukit.tensor([1, 2])),
            "random numbers": lambda: gpukit.rand(3, device="demo:1"),
        }
        for name, call in lacking.items():
            with pytest.raises(NotImplementedError) as caught:
                call()
                gpukit.synchronize()
            text = str(caught.value)
            assert text.startswith(f"{name}: demo:1 does not have this operator"), text
            assert caught.value.fix == "x.cpu()"
        with pytest.raises(BufferError, match="demo:1"):
            x.__dlpack__()
        with pytest.raises(AttributeError, match="demo:1"):
            x.__cuda_array_interface__
        with pytest.raises(errors.DeviceError, match="demo:1"):
            x.numpy()
        with pytest.raises(errors.OutOfMemoryError, match="demo:1"):
            gpukit.empty(2**30, device="demo:1")
        assert gpukit.ones(3, device="demo:1").sum().item() == 3  # the device lives on
        """,
    )


def test_streams_events_and_waits(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        side = _core.Stream("demo:0")
        main = _core.current_stream("demo:0")
        assert side.device == gpukit.device("demo:0") and side != main
        x = gpukit.ones(1000, device="demo:0")
        _core.set_stream(side)
        side.wait_stream(main)
        y = x
        for _ in range(50):
            y = y + 1
        assert _core.current_stream("demo:0") == side
        with gpukit.simulate(2):
            gpukit.cuda.set_device(1)
            with gpukit.cuda.stream(side):
                assert gpukit.cuda.current_device() == 1
        done = side.record_event()
        _core.set_stream(main)
        main.wait_event(done)
        assert (y + 1).cpu()[0].item() == 52
        assert done.query()
        start, stop = _core.Event(enable_timing=True), _core.Event(enable_timing=True)
        start.record(main)
        for _ in range(20):
            x = x + 1
        stop.record(main)
        gpukit.synchronize("demo:0")
        assert main.query() and start.elapsed_time(stop) > 0
        x = gpukit.ones(5, device="demo:1") + 1
        gpukit.synchronize()
        assert _core.memory_stats("demo:1")["allocated_bytes"] >= 20
        """,
    )


def test_info_lists_the_devices(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        assert [str(d) for d in gpukit.devices()] == ["demo:0", "demo:1", "cpu"]
        report = gpukit.info(verify=False)
        added = [d for d in report.devices if d["type"] == "demo"]
        assert [d["device"] for d in added] == ["demo:0", "demo:1"]
        assert added[0]["name"] == "Demo device" and added[0]["total_memory"] == 256 * 2**20
        assert "demo:1: Demo device" in report.to_markdown()
        facts = _core.describe_device("demo")
        assert facts["shares_memory_with_host"] is facts["peer_copies"] is facts["graphs"] is False
        """,
    )


def test_wrong_devices_are_typed_errors(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        with pytest.raises(errors.DeviceNotFoundError) as caught:
            gpukit.ones(2, device="demo:7")
        found = "2 usable devices found: demo:0 Demo device, demo:1 Demo device"
        assert str(caught.value).startswith(f"demo:7 was asked for, but {found}. Use ")
        assert caught.value.fix == "device='demo:1'"
        refused = {
            "demo:": "missing",
            "demo:-1": "0 or larger",
            "demo:x": "whole number",
            "demo:99999": "largest",
            "dmeo:1": "'demo:1'",
            "deno": "'demo'",
            "Demo": "'demo'",
        }
        for wrong, said in refused.items():
            with pytest.raises(errors.InvalidDeviceError, match=said):
                gpukit.ones(2, device=wrong)
        with pytest.raises(errors.InvalidDeviceError) as caught:
            gpukit.device("nothing")
        assert "Known: cpu, cuda[:index], demo[:index]." in str(caught.value)
        with pytest.raises(errors.InvalidDeviceError):
            gpukit.ones(2, device="demo:0").cuda("demo:1")
        for call in (_core.describe_device, lambda d: _core.end_device_session(d, "over")):
            with pytest.raises(errors.InvalidDeviceError, match="cpu"):
                call("cpu")
        import pickle
        assert pickle.loads(pickle.dumps(gpukit.device("demo:1"))) == gpukit.device("demo", 1)
        assert gpukit.device("demo:0") == gpukit.device("demo", 0) != gpukit.device("cuda:0")
        """,
    )


def test_an_ended_session_is_a_typed_error(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        old = gpukit.ones(4, device="demo:0")
        with gpukit.simulate(2):
            gpukit.cuda.set_device(1)
            other = gpukit.ones(3, device="cuda")
            _core.end_device_session("demo", "its session was ended by a test")
            assert gpukit.cuda.current_device() == 1 and other.sum().item() == 3
        uses = (lambda: old + 1, old.cpu, lambda: old.to("demo:1"), old.tolist, lambda: print(old))
        for use in uses:
            with pytest.raises(errors.DeviceError, match="demo:0: its session was ended"):
                use()
        new = gpukit.ones(4, device="demo:0")
        assert (new + 1).cpu().tolist() == [2] * 4
        with pytest.raises(errors.DeviceError):
            new + old
        del old
        """,
    )


def test_libraries_that_cannot_be_used_are_typed_errors(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        import pytest
        import gpukit
        from gpukit import _core, errors
        refused = {
            "/nowhere/libdemo.so": "cannot be loaded",
            "libdemo.so": "absolute",
            "": "absolute",
            LIBRARIES["plain"]: "is not a device library",
            LIBRARIES["other_gpukit"]: "another gpukit",
        }
        for path, reason in refused.items():
            with pytest.raises(errors.DriverError, match=reason):
                _core.load_device_library(path)
        with pytest.raises(ValueError, match="'cuda' is one of gpukit's own devices"):
            _core.load_device_library(LIBRARIES["cuda_name"])
        with pytest.raises(errors.InvalidDeviceError):
            gpukit.device("demo")
        assert _core.added_devices() == []
        assert _core.load_device_library(LIBRARY) == "demo"
        assert _core.load_device_library(LIBRARY) == "demo"
        import shutil
        shutil.copy(LIBRARY, LIBRARY + ".copy")
        with pytest.raises(ValueError, match="'demo' is the device of .*libdemo.so already"):
            _core.load_device_library(LIBRARY + ".copy")
        assert gpukit.ones(2, device="demo").sum().item() == 2
        """,
        start="",
    )


def test_a_forked_child_is_told(libraries: dict[str, Path]) -> None:
    run(
        libraries,
        """
        import os
        x = gpukit.ones(2, device="demo:0")
        child = os.fork()
        if child == 0:
            try:
                gpukit.ones(2, device="demo:0")
            except errors.DriverError as error:
                os._exit(0 if "spawn" in str(error) else 3)
            os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """,
    )
