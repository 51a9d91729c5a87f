"""pytest plugin: runs one of GPU_DAY_PARTS parts of the suite, chosen by GPU_DAY_SEED.

Each outcome is written to GPU_DAY_OUTCOMES at once, so that a crash or a time limit loses none.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


_distributes = False


def pytest_configure(config: pytest.Config) -> None:
    global _distributes
    _distributes = bool(getattr(config.option, "numprocesses", None))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    parts, seed = int(os.environ["GPU_DAY_PARTS"]), int(os.environ["GPU_DAY_SEED"])

    def chosen(item: pytest.Item) -> bool:
        return (zlib.crc32(item.nodeid.encode()) + seed) % parts == 0

    left_out = [item for item in items if not chosen(item)]
    items[:] = [item for item in items if chosen(item)]
    config.hook.pytest_deselected(items=left_out)


def _write(test: str, outcome: str, message: str = "") -> None:
    """One line, by the process that ran the test: a short append is whole, also beside others."""
    if _distributes and "PYTEST_XDIST_WORKER" not in os.environ:
        return
    with Path(os.environ["GPU_DAY_OUTCOMES"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([test, outcome, message]) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    _write(nodeid, "not finished")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        lines = [line for line in str(report.longrepr or "").splitlines() if line.startswith("E  ")]
        _write(report.nodeid, report.outcome, lines[0][4:300] if lines else "")
