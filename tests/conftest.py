"""The mode of the run, which folders belong to it, and the device fixture."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import mode, patience

if TYPE_CHECKING:
    import gpukit

# Tests start pytest themselves: the options of this run are not theirs.
os.environ.pop("PYTEST_ADDOPTS", None)
if patience.EMULATED:
    patience.wait_longer()


def pytest_sessionstart(session: pytest.Session) -> None:
    """The first act: a mode that cannot be had fails."""
    if reason := mode.fault():
        pytest.exit(f"GPUKIT_TEST_MODE is not on: {reason}", returncode=3)


def pytest_report_header(config: pytest.Config) -> str:
    """Say what the run stands on."""
    return f"gpukit: mode {mode.MODE.name}, devices {', '.join(mode.device_names())}"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders of other modes, and those that a stage of their own runs, whole."""
    if collection_path == mode.TESTS or not collection_path.is_relative_to(mode.TESTS):
        return None
    relative = collection_path.relative_to(mode.TESTS)
    if relative.parts[0] in {"engines", "peers"}:
        return None if any(relative.parts[0] in argument for argument in config.args) else True
    if collection_path.suffix != ".py":
        return None
    return None if mode.MODE.runs(relative) else True


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave the tests out of Python's collections: with so many, each took half a second."""
    gc.collect()
    gc.freeze()
    # Python 3.14 then finds nobody who holds Hypothesis' generator, of which Hypothesis warns.
    line = "ignore:It looks like .register_random. was passed an object that could be:Warning"
    session.config.addinivalue_line("filterwarnings", line)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `device` or `gpu_device` once for each of them that the mode has."""
    for name in {"device", "gpu_device"}.intersection(metafunc.fixturenames):
        devices = mode.devices_of(metafunc.function.__qualname__)
        if name == "gpu_device":
            devices = [found for found in devices if found != "cpu"]
        metafunc.parametrize(name, devices, indirect=True)


@pytest.fixture
def device(request: pytest.FixtureRequest) -> gpukit.device:
    """One device of the mode."""
    import gpukit

    return gpukit.device(request.param)


@pytest.fixture
def gpu_device(request: pytest.FixtureRequest) -> gpukit.device:
    """One GPU of the mode; a mode without GPUs leaves the test out."""
    import gpukit

    return gpukit.device(request.param)


def _more_than(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in before if after[name] > before[name]}


_WITHOUT_DEVICES = frozenset({"layout", "cpp"})


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test ends with more buffers, copies, streams or events than it began with."""
    from gpukit import _core

    if request.path.relative_to(mode.TESTS).parts[0] in _WITHOUT_DEVICES:
        yield
        return
    before, failed = _core.live_counts(), request.session.testsfailed
    yield
    left = _more_than(before, _core.live_counts())
    end = time.monotonic() + 2
    while left and time.monotonic() < end:  # cycles, and copies that end on gpukit threads
        gc.collect()
        time.sleep(0.01)
        left = _more_than(before, _core.live_counts())
    if left and request.session.testsfailed == failed:  # a failure's traceback holds what it likes
        pytest.fail(f"left behind: {left}")
