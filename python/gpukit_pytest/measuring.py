"""The `gpubench` fixture, marks for devices, results in a file and against one.

It starts no driver and loads none of gpukit's
tools until a test asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gpukit.testing.records import Records

_MARKS = (
    "gpu: needs a usable GPU (real or simulated); skipped with the reason where there is none",
    "gpus(n): needs n usable GPUs; skipped with the reason where there are fewer",
    'simulate(cards): runs with simulated GPUs, e.g. simulate("2xT4")',
)
_RECORDS: pytest.StashKey[Any] = pytest.StashKey()
_BEFORE: pytest.StashKey[Any] = pytest.StashKey()
_FAULT: pytest.StashKey[str] = pytest.StashKey()
_SENT = "gpukit_gpubench"
_SIMULATION: pytest.StashKey[ExitStack] = pytest.StashKey()


def _percent(text: str) -> float:
    """10% or 10 as 0.10."""
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not 0 < share < float("inf"):
        import argparse

        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage above 0, such as 10%")
    return share


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options `--gpubench-json`, `--gpubench-compare` and `--gpubench-fail`."""
    group = parser.getgroup("gpubench", "measured devices (gpukit)")
    group.addoption("--gpubench-json", metavar="FILE", help="write the results of gpubench")
    group.addoption("--gpubench-compare", metavar="FILE", help="compare with earlier results")
    group.addoption(
        "--gpubench-fail",
        metavar="10%",
        type=_percent,
        help="fail when a median is significantly slower than before by more than this",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marks."""
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    if config.getoption("gpubench_fail") and not config.getoption("gpubench_compare"):
        raise pytest.UsageError("--gpubench-fail needs --gpubench-compare FILE")
    if not _is_worker(config):
        _check_files(config)


def _is_worker(config: pytest.Config) -> bool:
    """True in a process of pytest-xdist, whose results the first process writes and compares."""
    return hasattr(config, "workerinput")


def _file(config: pytest.Config, option: str) -> Path | None:
    """The file of an option, from where pytest was started; tests may change the folder."""
    text = config.getoption(option)
    if text is None:
        return None
    if not text.strip():
        raise pytest.UsageError(f"--{option.replace('_', '-')}: the name of the file is empty")
    return config.invocation_params.dir / Path(text).expanduser()


def _check_files(config: pytest.Config) -> None:
    """Before the first test: what cannot be written or read is said now, not after hours.

    Earlier results are read now: `--gpubench-json` may write the same file.
    """
    target, before = _file(config, "gpubench_json"), _file(config, "gpubench_compare")
    if target is not None and (target.is_dir() or not target.parent.is_dir()):
        raise pytest.UsageError(f"--gpubench-json: {target} cannot be written: no such folder")
    if before is None:
        return
    from gpukit.testing.records import read_results

    try:
        config.stash[_BEFORE] = read_results(before)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


def _records(config: pytest.Config) -> Records:
    """The results of this session; made when the first test measures."""
    if _RECORDS not in config.stash:
        from gpukit.testing.records import Records

        config.stash[_RECORDS] = Records()
    found: Records = config.stash[_RECORDS]
    return found


def _wanted_gpus(item: pytest.Item) -> int:
    wanted = 1 if item.get_closest_marker("gpu") else 0
    many = item.get_closest_marker("gpus")
    if many is None:
        return wanted
    if len(many.args) != 1 or not isinstance(many.args[0], int):
        raise pytest.UsageError(f"{item.nodeid}: the mark is gpus(n), e.g. gpus(2)")
    return max(wanted, many.args[0])


def _skip_without_gpus(item: pytest.Item) -> None:
    wanted = _wanted_gpus(item)
    if not wanted:
        return
    import gpukit

    try:
        gpukit.require_gpus(wanted)
    except gpukit.DeviceNotFoundError as error:
        pytest.skip(str(error))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Starts what `simulate` asks for, then skips a test that lacks GPUs."""
    mark = item.get_closest_marker("simulate")
    if mark is not None:
        from gpukit._simulation import session

        text = str(mark.args[0]) if mark.args else "1xT4"
        with ExitStack() as stack:
            stack.enter_context(session.replaced(text))
            item.stash[_SIMULATION] = stack.pop_all()
    _skip_without_gpus(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Ends the test's simulation."""
    stack = item.stash.get(_SIMULATION, None)
    if stack is not None:
        stack.close()
        del item.stash[_SIMULATION]


@pytest.fixture
def gpubench(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Measures as `gpukit.bench` does, `gpubench(fn, *args)`, and keeps the result for the report.

    The device's own time, copies apart, results compared, environment and clocks noted.
    """
    import gpukit

    records = _records(request.config)

    def measure(fn: Any, *args: Any, **options: Any) -> Any:
        result = gpukit.bench(fn, *args, **{"verbose": False, **options})
        records.add(request.node.nodeid, result)
        return result

    return measure  # type: ignore[return-value]  # a fixture may return or yield


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:  # noqa: ARG001
    """Takes over what a process of pytest-xdist measured."""
    rows = getattr(node, "workeroutput", {}).get(_SENT)
    if rows:
        _records(node.config).add_rows(json.loads(rows))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the results, and fails the session when one is slower, or none could be compared."""
    config = session.config
    if _is_worker(config):
        if _RECORDS in config.stash:
            rows = json.dumps(_records(config).to_rows(), default=str)
            config.workeroutput[_SENT] = rows  # type: ignore[attr-defined]  # xdist's
        return
    if _RECORDS not in config.stash and config.getoption("gpubench_fail") is None:
        return
    records, target = _records(config), _file(config, "gpubench_json")
    if target is not None:
        records.write(target)
    path = _file(config, "gpubench_compare")
    if path is None or config.getoption("collectonly"):
        return
    fault = records.compare(path, config.stash[_BEFORE], config.getoption("gpubench_fail"))
    if fault is not None:
        config.stash[_FAULT] = fault
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints the results, the comparison if there is one, and why it fails the session."""
    if _RECORDS not in config.stash:
        return
    for title, text in _records(config).sections():
        terminalreporter.section(title)
        terminalreporter.write_line(text)
    if (fault := config.stash.get(_FAULT, None)) is not None:
        terminalreporter.write_line(f"gpubench: {fault}.", red=True)
