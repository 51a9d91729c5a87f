"""`pytest benchmarks` measures gpukit beside its peers and writes results/KIND.json, .md, .svg.

`--results NAME` names the files, so that processors stand beside each other: results/cpu-intel.md.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import openblas
from report import merged, write

if TYPE_CHECKING:
    from harness import Row

_rows: dict[str, list[Row]] = {}
_processor: dict[str, Any] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--keep-openblas-env",
        action="store_true",
        help="measure with OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE as they are set",
    )
    parser.addoption(
        "--results",
        metavar="NAME",
        help="name of the files in benchmarks/results; the kind of device unless given",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Start again before NumPy is loaded if the machine names kernels of another processor."""
    if config.getoption("keep_openblas_env") or not openblas.overrides():
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:  # it holds stdout and stderr, which the new process needs
        capture.suspend_global_capture(in_=True)
    openblas.restart_without_overrides([str(part) for part in config.invocation_params.args])


def pytest_sessionstart(session: pytest.Session) -> None:
    """Measures the processor once, on the kernels that all rows use."""
    if not session.config.getoption("collectonly"):
        _processor["openblas"] = openblas.kernels()
        _processor["peak"] = openblas.peak()


def pytest_report_header() -> list[str]:
    return [
        f"{part}: " + ", ".join(f"{name} {value}" for name, value in values.items())
        for part, values in _processor.items()
    ]


@pytest.fixture
def record():
    """Keeps a row for the report of the CPU."""
    return _rows.setdefault("cpu", []).append


def kind_of(device: Any) -> str:
    """The report that a device's rows belong to."""
    if device.type == "cpu":
        return "cpu"
    return "simulated" if device.simulated else "gpu"


@pytest.fixture
def gpu():
    """The GPU of this machine, real or simulated."""
    import gpukit

    found = gpukit.try_gpu(quiet=True)
    if found.type == "cpu":
        pytest.skip(f"no GPU: {gpukit.cuda.why_unavailable()}")
    return found


@pytest.fixture
def record_gpu(gpu):
    """Keeps a row for the report of the GPU, or of the simulated one."""
    return _rows.setdefault(kind_of(gpu), []).append


def _cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def environment(kind: str) -> dict[str, str]:
    from importlib.metadata import version

    import gpukit

    gpus = {} if kind == "cpu" else {"gpu": gpukit.cuda.get_device_name(0)}
    return {
        "cpu": f"{_cpu_name()}, {gpukit.get_num_threads()} threads",
        **gpus,
        "python": platform.python_version(),
        "gpukit": gpukit.__version__,
        **{name: version(name) for name in ("numpy", "torch")},
    }


def pytest_sessionfinish(session: pytest.Session) -> None:
    name = session.config.getoption("results")
    for kind, rows in _rows.items():
        if rows:
            made = [asdict(row) for row in rows]
            document = {
                "schema": 1,
                "kind": kind,
                **({"name": name} if name else {}),
                "environment": environment(kind),
                "processor": _processor,
                "rows": made,
            }
            write(merged(document))
