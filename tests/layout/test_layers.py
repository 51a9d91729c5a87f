"""The rules of tools/check_layers.py hold in the tree, and the check sees what breaks them."""

from __future__ import annotations

import pytest

from support.mode import PROJECT
from support.tools import load_tool

check_layers = load_tool("check_layers")


def test_tree_keeps_the_rule() -> None:
    findings = [str(finding) for finding in check_layers.check(PROJECT)]
    assert findings == []


def test_every_folder_of_csrc_has_a_row() -> None:
    folders = {path.name for path in (PROJECT / "csrc").iterdir() if path.is_dir()}
    assert folders <= set(check_layers.LAYERS)
    # A row may come before the folder's first file: git keeps no empty folder.
    assert set(check_layers.LAYERS) - folders <= {"autograd"}


WRONG = {
    "base/a.h": '#include "core/dtype.h"',
    "core/a.h": '#include "driver/fn_table.h"',
    "backend/a.cpp": '#include "cpu/thread_pool.h"',
    "backend/b.cpp": '#include "kernels/kernel_args.h"',
    "memory/a.cpp": "#include <cuda.h>",
    "kernels/a.cu": "#include <cstdint>",
    "kernels/b.h": '#include "sim/device_runtime.h"',
    "kernels/c.cu": '#include "base/half.h"',
    "kernels/d.cu": "__shared__ float tile[32];",
    "kernels/e.cu": "while (atomicAdd(&flag, 0) == 0) {}",
    "kernels/f.cu": "const volatile int* flag = nullptr;",
    "cpu/a.cpp": '#include "cuda/cuda_launch.h"',
    "cuda/a.cpp": '#include "cpu/cpu_memory.h"',
    "cuda/b.cpp": "void f() { if (properties.simulated) g(); }",
    "tensor/a.cpp": "#include <pybind11/pybind11.h>",
    "tensor/c.cpp": "if (device.is_cpu() || !device.runtime().properties().simulated) return;",
    "bindings/b.cpp": "bool b = device.properties().simulated;",
    "bindings/bind_device.cpp": "int f() { return cuda_is_simulated() ? 1 : 2; }",
    "driver/cuda_library.cpp": "void f() { while (!simulated_) g(); }",
    "ops/a.cpp": '#include "kernels/images.h"',
    "ops/b.cpp": '#include "autograd/node.h"',
    "autograd/a.cpp": "#include <Python.h>",
    "bindings/a.cpp": '#include "sim/sim_control.h"',
    "sim/a.cpp": '#include "cuda/cuda_launch.h"',
    "driver/a.cpp": 'void* f() { return dlopen("x", 1); }',
    "cpu/b.cpp": 'const char* f() { return std::getenv("X"); }',
    "core/b.cpp": "#include <format>",
    "tensor/b.cpp": 'void f() { std::printf("x"); }',
    "memory/b.cpp": "void f() { std::abort(); }",
    "core/c.h": '#include "core/not_there.h"',
}


@pytest.mark.parametrize("path", WRONG)
def test_wrong_line_is_found(path: str, tmp_path) -> None:
    # The headers exist, so that only the arrow can be at fault.
    for name in [*WRONG, "core/dtype.h", "base/half.h", *check_layers.EXCEPTIONS]:
        (tmp_path / "csrc" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "csrc" / name).write_text("", encoding="utf-8")
    (tmp_path / "csrc" / path).write_text(f"\n{WRONG[path]}\n", encoding="utf-8")
    found = check_layers.check(tmp_path)
    assert [(finding.path, finding.line) for finding in found] == [(f"csrc/{path}", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "// dlopen(x) in a comment",
        "/* std::getenv(x)\n   std::abort() */",
        'const char* text = "call getenv(x) or std::abort()";',
        "int f() { return std::snprintf(buffer, 3, format); }",
        "void f() { scope.exit(); }",
    ],
)
def test_harmless_line_is_left_alone(text: str, tmp_path) -> None:
    (tmp_path / "csrc" / "core").mkdir(parents=True)
    (tmp_path / "csrc" / "core" / "a.cpp").write_text(text, encoding="utf-8")
    assert check_layers.check(tmp_path) == []


WRONG_PYTHON = {
    "_device.py": "import numpy",
    "_info.py": "from .bench import run",
    "_memory.py": "import gpukit.nn",
    "__init__.py": "from . import bench",
    "_save.py": "import os\nhome = os.environ['HOME']",
}


@pytest.mark.parametrize("name", WRONG_PYTHON)
def test_wrong_import_is_found(name: str, tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    package.mkdir(parents=True)
    (package / name).write_text(WRONG_PYTHON[name], encoding="utf-8")
    assert {finding.path for finding in check_layers.check(tmp_path)} == {f"python/gpukit/{name}"}


@pytest.mark.parametrize("text", ["import gpukit", "import ctypes", "from numpy import pi"])
def test_the_pytest_plugin_stays_light(text: str, tmp_path) -> None:
    package = tmp_path / "python" / "gpukit_pytest"
    package.mkdir(parents=True)
    (package / "a.py").write_text(f"import os, pytest\n{text}\n", encoding="utf-8")
    (finding,) = check_layers.check(tmp_path)
    assert finding.path == "python/gpukit_pytest/a.py"
    (package / "a.py").write_text(f"import os, pytest\ndef f():\n    {text}\n", encoding="utf-8")
    assert check_layers.check(tmp_path) == []


def test_imports_inside_functions_are_free(tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    package.mkdir(parents=True)
    text = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import numpy\n"
        "def f():\n    import numpy\n    from .bench import run\n    return numpy, run\n"
    )
    (package / "_memory.py").write_text(text, encoding="utf-8")
    assert check_layers.check(tmp_path) == []
