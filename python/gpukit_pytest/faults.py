"""Kernels that fail while a test runs, with `--gpukit-simulate`.

The simulated driver writes a line for each to a file, also for child processes of a test. With
`check=` in the option, such a kernel fails the test, whether the program noticed or not.

Kernels outlive the test that launched them. So the next test starts when they have ended: a fault
is the fault of the test that launched the kernel.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gpukit_pytest import simulating

_VARIABLE = "GPUKIT_SIM_FAULTS"
_WATCH: pytest.StashKey[Watch] = pytest.StashKey()
_MARK = "gpu_fault"
_FINDINGS = {"memory", "check"}  # kinds of faults that `check=` asked for
_PATIENCE = 10.0  # seconds after which the wait for the kernels of a test is reported
_LIMIT = 300.0  # seconds after which it ends, and the test fails


class Fault(NamedTuple):
    """A kernel that failed."""

    kind: str
    process: int
    what: str


class Watch:
    """Reads the file of the simulated driver."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / f"faults-{os.getpid()}"
        self.read = 0
        self.lost: str | None = None
        self.stuck = False
        os.environ[_VARIABLE] = str(self.file)

    def new(self) -> list[Fault]:
        """The kernels that failed since the last call, in this process and its children."""
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

    def wait(self, name: str) -> bool:
        """Wait for the kernels that this process has launched; False if they have not ended.

        Args:
            name: The test that launched them.
        """
        driver = self._driver()
        if driver is None or self.stuck:  # one test fails for kernels that never end, not all
            return True
        import ctypes

        started, told = time.monotonic(), False
        while not driver.gpukitSimWaitUntilIdle(ctypes.c_double(min(1.0, _PATIENCE))):
            waited = time.monotonic() - started
            if waited >= _LIMIT:
                self.stuck = True
                return False
            if waited >= _PATIENCE and not told:
                told = True
                sys.stderr.write(f"\ngpukit: waiting for the kernels of {name}\n")
        return True

    def _driver(self) -> Any:
        """The simulated driver, if this process has loaded it."""
        import ctypes

        try:
            return ctypes.CDLL(str(self.folder / "libcuda.so.1"), os.RTLD_NOLOAD | os.RTLD_LAZY)
        except (OSError, AttributeError):
            return None


def pytest_configure(config: pytest.Config) -> None:
    """Registers the mark, and watches for faults if GPUs are simulated."""
    config.addinivalue_line(
        "markers", f"{_MARK}: kernels of this test fail on purpose; check= does not fail the test"
    )
    folder = simulating.folder() if simulating.wanted(config) else None
    if folder is not None:
        config.stash[_WATCH] = Watch(folder)


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
    ended = watch.wait(item.nodeid)
    faults = watch.new()
    failed = outcome.excinfo is not None or bool(getattr(item, "_excinfo", None))
    if faults:
        text = "\n".join(fault.what for fault in faults)
        bad = [fault for fault in faults if fault.kind in _FINDINGS]
        if bad and not failed and item.get_closest_marker(_MARK) is None:
            outcome.force_exception(pytest.fail.Exception(text, pytrace=False))
        elif failed:
            item.add_report_section(when, "failed kernels", text)
    elif failed and watch.lost is not None:
        item.add_report_section(when, "failed kernels", watch.lost)
    if not ended:
        _report_stuck(item, when, outcome)
    if watch.lost is None:
        watch.lost = _loss(item, faults)


def _report_stuck(item: pytest.Item, when: str, outcome: Any) -> None:
    """What became of the kernels is not known, so the test cannot pass."""
    text = f"its kernels have not ended {_LIMIT:.0f} s after it; their faults are not known"
    if outcome.excinfo is None:
        outcome.force_exception(pytest.fail.Exception(text, pytrace=False))
    else:
        item.add_report_section(when, "kernels that run", text)


def _loss(item: pytest.Item, faults: list[Fault]) -> str | None:
    """A possible cause of later failures in this process."""
    own = [fault.what for fault in faults if fault.process == os.getpid()]
    if not own:
        return None
    return (
        f"A kernel of {item.nodeid} failed earlier. As on a card, its device is unusable for the "
        f"rest of this process: {own[0]}"
    )
