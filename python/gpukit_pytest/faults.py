"""Kernels that fail while a test runs, with `--gpukit-simulate`.

The simulated driver writes a line for each to a file, also for child processes of a test. With
`check=` in the option, such a kernel fails the test, whether the program noticed or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gpukit_pytest import simulating

_VARIABLE = "GPUKIT_SIM_FAULTS"
_WATCH: pytest.StashKey[Watch] = pytest.StashKey()
_MARK = "gpu_fault"
_SECONDS = 10.0  # to wait for the kernels of a test


class Fault(NamedTuple):
    """A kernel that failed."""

    kind: str
    process: int
    what: str


class Watch:
    """Reads the file of the simulated driver."""

    def __init__(self, folder: Path, checks: set[str]) -> None:
        self.folder = folder
        self.file = folder / f"faults-{os.getpid()}"
        self.read = 0
        self.lost: str | None = None
        memory = {"memory"} if checks & {"memory", "all"} else set()
        self.failing = memory | ({"check"} if checks - {"memory"} else set())
        os.environ[_VARIABLE] = str(self.file)

    def new(self) -> list[Fault]:
        """The kernels that failed since the last call, in this process and its children."""
        self._wait()
        try:
            with self.file.open("rb") as file:
                file.seek(self.read)
                data = file.read()
        except OSError:
            return []
        self.read += len(data)
        lines = data.decode(errors="replace").splitlines()
        rows = [line.split("\t", 2) for line in lines if line.count("\t") >= 2]
        return [Fault(kind, int(process), what) for kind, process, what in rows]

    def _wait(self) -> None:
        """Wait for the kernels that this process has launched, if it has loaded the driver."""
        import ctypes

        try:
            driver = ctypes.CDLL(str(self.folder / "libcuda.so.1"), os.RTLD_NOLOAD | os.RTLD_LAZY)
        except (OSError, AttributeError):
            return
        driver.gpukitSimWaitUntilIdle(ctypes.c_double(_SECONDS))


def pytest_configure(config: pytest.Config) -> None:
    """Registers the mark, and watches for faults if GPUs are simulated."""
    config.addinivalue_line(
        "markers", f"{_MARK}: kernels of this test fail on purpose; check= does not fail the test"
    )
    folder = simulating.folder() if simulating.wanted(config) else None
    if folder is not None:
        config.stash[_WATCH] = Watch(folder, simulating.checks(config))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Watches fixtures."""
    _judge(item, "setup", (yield))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Watches the test."""
    _judge(item, "call", (yield))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Watches the teardown of fixtures."""
    _judge(item, "teardown", (yield))


def _judge(item: pytest.Item, when: str, outcome: Any) -> None:
    watch = item.config.stash.get(_WATCH, None)
    if watch is None:
        return
    faults = watch.new()
    failed = outcome.excinfo is not None or bool(getattr(item, "_excinfo", None))
    if faults:
        text = "\n".join(fault.what for fault in faults)
        bad = [fault for fault in faults if fault.kind in watch.failing]
        if bad and not failed and item.get_closest_marker(_MARK) is None:
            outcome.force_exception(pytest.fail.Exception(text, pytrace=False))
        elif failed:
            item.add_report_section(when, "failed kernels", text)
    elif failed and watch.lost is not None:
        item.add_report_section(when, "failed kernels", watch.lost)
    if watch.lost is None:
        watch.lost = _loss(item, faults)


def _loss(item: pytest.Item, faults: list[Fault]) -> str | None:
    """A possible cause of later failures in this process."""
    own = [fault.what for fault in faults if fault.process == os.getpid()]
    if not own:
        return None
    return (
        f"A kernel of {item.nodeid} failed earlier. As on a card, its device is unusable for the "
        f"rest of this process: {own[0]}"
    )
