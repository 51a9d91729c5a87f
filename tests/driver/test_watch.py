"""gpukit.watch: exact counts by line and kind; DeviceLog: a log that never waits."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import gpukit


def made(*shape):
    return gpukit.ones(*shape, device="cuda:0")


def show(x):
    return repr(x)


# What a learner writes -> how often it waits, and as what.
CORPUS = {
    "item": (lambda x: [x.sum().item() for _ in range(3)], {"item": 3}),
    "float": (lambda x: [float(x[0]), int(x[1])], {"item": 2}),
    "print": (show, {"print": 1}),
    "numpy": (lambda x: x.numpy(force=True), {"numpy": 1}),
    "tolist": (lambda x: x.tolist(), {"item": 1}),
    "bool": (lambda x: [1 for _ in range(4) if x.sum() > 0], {"bool": 4}),
    "mask": (lambda x: x[x > 0], {"index": 1}),
    "cpu": (lambda x: [x.cpu(), x.to("cpu")], {"copy": 2}),
    "synchronize": (lambda x: gpukit.synchronize("cuda:0"), {"sync": 1}),
    "upload": (lambda x: gpukit.zeros(1 << 18).to("cuda:0"), {"pageable": 1}),
    "arithmetic": (lambda x: ((x + x) @ x, x.sum(), x.clone()), {}),
}


@pytest.mark.parametrize("name", CORPUS)
def test_waits_are_counted_by_kind(name):
    function, expected = CORPUS[name]
    x = made(8)
    function(x)  # the first use of an image may wait for the driver
    with gpukit.watch() as seen:
        function(x)
    assert {row.kind: row.count for row in seen.report.rows} == expected
    for row in seen.report.rows:
        assert row.file == __file__
        assert row.wait_ms >= 0
        assert row.advice


def test_the_line_that_waited_is_named():
    x = made(4)
    with gpukit.watch() as seen:
        for _ in range(1000):
            x.sum().item()
        here = inspect.currentframe().f_lineno - 1
        print_nothing = x.cpu()
    rows = {row.kind: row for row in seen.report.rows}
    assert (rows["item"].line, rows["item"].count, rows["item"].bytes) == (here, 1000, 4000)
    assert rows["item"].source == "x.sum().item()"
    assert rows["item"].function == "test_the_line_that_waited_is_named"
    assert rows["copy"].bytes == print_nothing.nbytes
    report = seen.report
    assert report.count("item") == 1000
    assert report.count() == 1001
    assert 0 <= report.idle_fraction <= 1
    assert "x.sum().item()" in repr(report)
    assert "DeviceLog" in report.to_markdown()
    assert report.to_dict()["rows"][0]["count"] == 1000


def test_a_wait_in_a_called_function_belongs_to_its_line():
    def helper(x):
        return x.sum().item()

    with gpukit.watch() as seen:
        helper(made(2))
    (row,) = seen.report.rows
    assert row.function == "helper"


def test_all_threads_are_counted():
    x = made(2)

    def work():
        for _ in range(50):
            x.sum().item()

    threads = [threading.Thread(target=work) for _ in range(4)]
    with gpukit.watch() as seen:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen.report.count("item") == 200


def test_error_mode_refuses_before_waiting():
    x = made(2)
    with gpukit.watch("error") as seen, pytest.raises(gpukit.DeviceError, match=r"allow_sync"):
        x.sum().item()
    assert seen.report.count() == 0
    assert x.sum().item() == 2


def test_warn_mode_names_the_line():
    x = made(2)
    with warnings.catch_warnings(record=True) as caught, gpukit.watch("warn", include=["item"]):
        warnings.simplefilter("always")
        x.sum().item()
        x.cpu()
    (warning,) = caught
    assert warning.category is gpukit.GpukitWarning
    assert warning.filename == __file__
    with gpukit.watch("warn"), pytest.raises(gpukit.GpukitWarning):  # here warnings are errors
        x.sum().item()
    assert x.sum().item() == 2


def test_allowed_waits_are_not_counted_or_refused():
    x = made(2)
    with gpukit.watch("error") as seen:
        with gpukit.allow_sync():
            assert x.sum().item() == 2
        with pytest.raises(gpukit.DeviceError):
            x.sum().item()
    assert seen.report.count() == 0


def test_filters_and_nesting():
    x = made(1000)
    with gpukit.watch() as outer, gpukit.watch(min_bytes=100, include="copy") as inner:
        x.cpu()
        x[:3].cpu()
        x.sum().item()
    assert inner.report.count() == 1
    assert outer.report.count() == 3
    x.cpu()
    assert outer.report.count() == 3


def test_a_decorated_function_reports_its_last_call():
    @gpukit.watch()
    def step(x):
        return x.sum().item()

    x = made(3)
    assert step(x) == 3
    assert step(x) == 3
    assert step.watch.report.count() == 1


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"mode": "shout"}, ValueError, "'shout'"),
        ({"include": ["items"]}, ValueError, "'items'"),
        ({"min_bytes": -1}, ValueError, "-1"),
        ({"min_bytes": "big"}, TypeError, "'big'"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        gpukit.watch(**arguments)


def test_a_report_needs_a_start():
    with pytest.raises(RuntimeError, match="not started"):
        _ = gpukit.watch().report


def test_a_log_takes_one_copy_for_a_thousand_values(device):
    log = gpukit.DeviceLog(capacity=16, device=device)
    x = gpukit.rand(100, 100, device=device)
    with gpukit.watch() as seen:
        for _ in range(100):
            x = x * 0.99
            log.append((x @ x).norm())
        future = log.flush()
    assert seen.report.count() == 0
    assert future.result().shape == (100,)
    values = log.numpy()
    assert values.shape == (100,)
    assert len(log) == 100
    assert np.all(np.diff(values) < 0)


def test_a_log_has_the_bits_of_the_naive_log(device):
    log = gpukit.DeviceLog(capacity=4, width=2, device=device)
    naive = []
    for step in range(11):
        x = gpukit.full((3,), 0.1 * step, device=device)
        log.append(x.sum(), step)
        naive.append([x.sum().item(), step])
    assert log.numpy().tolist() == naive
    assert log.capacity == 16
    log.clear()
    assert len(log) == 0
    assert log.numpy().shape == (0, 2)


def test_a_ring_keeps_the_newest(device):
    log = gpukit.DeviceLog(capacity=3, device=device, policy="ring")
    for step in range(5):
        log.append(step)
    assert log.numpy().tolist() == [2, 3, 4]
    assert len(log) == 3


def test_a_full_log_may_refuse(device):
    log = gpukit.DeviceLog(capacity=1, device=device, policy="error")
    log.append(1.0)
    with pytest.raises(gpukit.LogFullError, match=r"full \(1 rows\)") as caught:
        log.append(2.0)
    assert isinstance(caught.value, IndexError)
    assert log.numpy().tolist() == [1.0]


def test_live_prints_from_the_side(device):
    log = gpukit.DeviceLog(device=device)
    seen = []
    with log.live(every=10, print_fn=seen.append):
        for step in range(35):
            log.append(step)
    assert seen == [9, 19, 29]


def test_a_failing_print_function_is_heard(device):
    log = gpukit.DeviceLog(device=device)

    def fail(_):
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"), log.live(every=1, print_fn=fail):
        log.append(1.0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"capacity": 0}, ValueError),
        ({"capacity": 1.5}, TypeError),
        ({"width": -1}, ValueError),
        ({"policy": "drop"}, ValueError),
        ({"dtype": "float99"}, gpukit.DTypeError),
    ],
)
def test_bad_logs(arguments, error):
    with pytest.raises(error, match=str(next(iter(arguments.values())))):
        gpukit.DeviceLog(**arguments)


def test_a_row_of_the_wrong_width_is_refused(device):
    log = gpukit.DeviceLog(width=2, device=device)
    with pytest.raises(gpukit.ShapeError, match="1 values for 2 columns"):
        log.append(1.0)
    with pytest.raises(gpukit.ShapeError, match="has 3 elements"):
        log.append(1.0, gpukit.ones(3, device=device))
    assert len(log) == 0


def test_it_names_the_libraries_that_it_cannot_see():
    """A report without rows must not be taken for one that saw everything."""
    code = (
        "import sys, types, gpukit\n"
        "with gpukit.watch() as seen:\n    pass\n"
        "print(seen.report.not_seen, str(seen.report).count('not seen'))\n"
        "for name in ('torch', 'cupy', 'jax'): sys.modules[name] = types.ModuleType(name)\n"
        "print(seen.report.not_seen, str(seen.report).count('are not seen'))\n"
        "assert 'Calls of torch are not seen' in str(seen.report)\n"
        "assert seen.report.to_dict()['not_seen'] == ['torch', 'cupy', 'jax']\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[] 0", "['torch', 'cupy', 'jax'] 3"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: gpukit.try_gpu(0),
        lambda: gpukit.require_gpus(1),
        gpukit.try_all_gpus,
        gpukit.info,
        lambda: gpukit.selftest("cuda:0", verbose=False),
    ],
    ids=["try_gpu", "require_gpus", "try_all_gpus", "info", "selftest"],
)
@pytest.mark.parametrize("mode", ["report", "error"])
def test_gpukits_own_waits_are_nobodys_line(ask, mode, monkeypatch):
    from gpukit import _device

    monkeypatch.setattr(_device, "_verdicts", {})
    with gpukit.watch(mode) as seen:
        answer = ask()
    assert seen.report.count() == 0
    if isinstance(answer, gpukit.device):
        assert answer.type == "cuda", "a watch that refuses waits does not mean a broken GPU"
