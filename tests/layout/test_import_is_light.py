"""`import gpukit` loads the extension and the standard library, and starts nothing."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpukit

REPORT = """
import json, sys, threading
before = set(sys.modules)
import gpukit
after = set(sys.modules)
maps = open('/proc/self/maps').read() if sys.platform == 'linux' else ''
threads = 1
if sys.platform == 'linux':
    import os
    threads = len(os.listdir('/proc/self/task'))
loaded = sorted({line.split()[-1] for line in maps.splitlines() if '.so' in line})
print(json.dumps({'modules': sorted(after - before), 'threads': threads, 'libraries': loaded}))
"""


@pytest.fixture(scope="module")
def report() -> dict:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    output = subprocess.run(
        [sys.executable, "-c", REPORT], env=environment, capture_output=True, text=True, check=True
    ).stdout
    return json.loads(output)


def test_only_the_standard_library_and_the_extension(report: dict) -> None:
    tops = {name.split(".")[0] for name in report["modules"]}
    foreign = {name for name in tops - {"gpukit"} if name not in sys.stdlib_module_names}
    assert foreign == set()
    assert "gpukit._core" in report["modules"]


def test_no_tool_is_loaded(report: dict) -> None:
    tools = {"bench", "doctor", "lint", "monitor", "cloud", "nn", "optim", "port", "testing"}
    loaded = {name.split(".")[1] for name in report["modules"] if name.startswith("gpukit.")}
    assert loaded & tools == set()


def test_no_thread_is_started(report: dict) -> None:
    assert report["threads"] == 1


def test_no_cuda_or_blas_library_is_opened(report: dict) -> None:
    names = [path.rsplit("/", 1)[-1] for path in report["libraries"]]
    vendors = ("libcuda", "libcu", "libnv", "libgpukit_sim", "openblas", "libblas")
    assert [name for name in names if any(part in name for part in vendors)] == []


def imported_at_once(body: list[ast.stmt]) -> Iterator[str]:
    """Packages that a module imports as it is imported, outside of `if TYPE_CHECKING`."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).split(".")[0]
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            yield from imported_at_once([*node.body, *node.orelse])
        elif isinstance(node, (ast.ClassDef, ast.Try, ast.With)):
            yield from imported_at_once(node.body)


# gpukit's requirements, and what interop/dask.py and distributed/_ray_comm.py are for.
AT_HAND = {"dask", "gpukit", "numpy", "psutil", "pynvml", "ray", "rich"}


def test_no_module_needs_a_package_that_is_not_a_requirement() -> None:
    """typing_extensions is in most environments, but comes with no requirement of gpukit."""
    for path in sorted(Path(gpukit.__file__).parent.rglob("*.py")):
        needed = set(imported_at_once(ast.parse(path.read_text(encoding="utf-8")).body))
        strangers = needed - AT_HAND - set(sys.stdlib_module_names)
        assert not strangers, path
