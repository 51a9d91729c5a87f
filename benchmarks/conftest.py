"""`pytest benchmarks` measures gpukit beside its peers and writes results/cpu.json and .md."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from report import markdown

if TYPE_CHECKING:
    from harness import Row

RESULTS = Path(__file__).parent / "results"
_rows: list[Row] = []


@pytest.fixture
def record():
    """Keeps a row for the report."""
    return _rows.append


def _cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def environment() -> dict[str, str]:
    from importlib.metadata import version

    import gpukit

    return {
        "cpu": f"{_cpu_name()}, {gpukit.get_num_threads()} threads",
        "python": platform.python_version(),
        "gpukit": gpukit.__version__,
        **{name: version(name) for name in ("numpy", "torch")},
    }


def pytest_sessionfinish() -> None:
    if not _rows:
        return
    RESULTS.mkdir(exist_ok=True)
    document = {"schema": 1, "environment": environment(), "rows": [asdict(row) for row in _rows]}
    (RESULTS / "cpu.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "cpu.md").write_text(markdown(document), encoding="utf-8")
