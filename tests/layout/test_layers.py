"""The rules of tools/check_layers.py hold in the tree, and the check sees what breaks them."""

from __future__ import annotations

import importlib

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
    "autograd/b.cpp": 'const int axis = normalize_dim(dim, tensor.rank(), "cat");',
    "bindings/a.cpp": '#include "sim/sim_control.h"',
    "sim/a.cpp": '#include "cuda/cuda_launch.h"',
    "driver/a.cpp": 'void* f() { return dlopen("x", 1); }',
    "cpu/b.cpp": 'const char* f() { return std::getenv("X"); }',
    "cpu/c.cpp": 'bool f() { return __builtin_cpu_supports("fma"); }',
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
    "_system/info.py": "import numpy",
}


@pytest.mark.parametrize("name", WRONG_PYTHON)
def test_wrong_import_is_found(name: str, tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    (package / name).parent.mkdir(parents=True)
    (package / name).write_text(WRONG_PYTHON[name], encoding="utf-8")
    assert {finding.path for finding in check_layers.check(tmp_path)} == {f"python/gpukit/{name}"}


@pytest.mark.parametrize("text", ["import gpukit", "import ctypes", "from numpy import pi"])
@pytest.mark.parametrize("name", ["gpukit_dask", "gpukit_pytest"])
def test_what_other_programs_load_stays_light(name: str, text: str, tmp_path) -> None:
    package = tmp_path / "python" / name
    package.mkdir(parents=True)
    (package / "a.py").write_text(f"import os, pytest\n{text}\n", encoding="utf-8")
    (finding,) = check_layers.check(tmp_path)
    assert finding.path == f"python/{name}/a.py"
    (package / "a.py").write_text(f"import os, pytest\ndef f():\n    {text}\n", encoding="utf-8")
    assert check_layers.check(tmp_path) == []


UPWARD_PYTHON = {
    "nn/linear.py": "from gpukit.optim import sgd",
    "optim/sgd.py": "def f():\n    from ..bench import run\n    return run",
    "monitor/pick.py": "if True:\n    import gpukit.cuda._memory",
    "report/table.py": "from gpukit import doctor",
    "new_room/thing.py": "x = 1",
}


@pytest.mark.parametrize("name", UPWARD_PYTHON)
def test_an_import_of_a_room_above_is_found(name: str, tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    for path in (
        "optim/sgd.py",
        "bench/__init__.py",
        "cuda/_memory.py",
        "doctor/__init__.py",
        name,
    ):
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).touch()
        (package / path).parent.joinpath("__init__.py").touch()
    (package / "__init__.py").touch()
    assert check_layers.check(tmp_path) == [] or name.startswith("new_room")
    (package / name).write_text(UPWARD_PYTHON[name], encoding="utf-8")
    found = check_layers.check(tmp_path)
    assert {finding.path.removesuffix("__init__.py") for finding in found} <= {
        f"python/gpukit/{name}", "python/gpukit/new_room/",
    }  # fmt: skip
    assert found


CIRCLES = {
    "two": {"nn/a.py": "from gpukit.nn.b import x", "nn/b.py": "from gpukit.nn import a"},
    "by a function": {"nn/a.py": "from .b import x", "nn/b.py": "def f():\n    import gpukit.nn.a"},
    "three": {
        "nn/a.py": "from . import b",
        "nn/b.py": "from . import c",
        "nn/c.py": "from . import a",
    },
    "a package": {
        "nn/__init__.py": "from gpukit.nn.a import x",
        "nn/a.py": "from gpukit.nn import y",
    },
    "for types": {
        "nn/a.py": "from . import b",
        "nn/b.py": "import typing\nif typing.TYPE_CHECKING:\n    from gpukit.nn import a",
    },
    "beside the rooms": {
        "_a.py": "from gpukit import _b",
        "_b.py": "def f():\n    from ._a import x",
    },
}
NO_CIRCLES = {
    "a tree": {
        "nn/a.py": "from . import b, c",
        "nn/b.py": "from . import c",
        "nn/c.py": "import os",
    },
    "the package": {"nn/a.py": "import gpukit", "__init__.py": "from gpukit.nn import a"},
    "the extension": {
        "nn/a.py": "from gpukit import _core",
        "nn/b.py": "from gpukit.nn.a import _core",
    },
}


@pytest.mark.parametrize("name", [*CIRCLES, *NO_CIRCLES])
def test_modules_that_import_one_another_are_found(name: str, tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    (package / "nn").mkdir(parents=True)
    for path in ("__init__.py", "nn/__init__.py"):
        (package / path).touch()
    files = CIRCLES.get(name) or NO_CIRCLES[name]
    for path, text in files.items():
        (package / path).write_text(text, encoding="utf-8")
    layers = load_tool("python_layers")
    found = [message for _, _, message in layers.faults(package)]
    assert len(found) == (name in CIRCLES)
    for path in files if found else ():
        dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        assert f"gpukit.{dotted}" in found[0]


def test_a_module_that_a_function_hides_is_found(tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    (package / "nn").mkdir(parents=True)
    for path in ("__init__.py", "nn/a.py", "nn/b.py"):
        (package / path).touch()
    start = package / "nn" / "__init__.py"
    start.write_text("from gpukit.nn import a\nfrom gpukit.nn.b import x\n", encoding="utf-8")
    layers = load_tool("python_layers")
    assert list(layers.faults(package)) == []
    start.write_text("from gpukit.nn import a\nfrom gpukit.nn.b import b\n", encoding="utf-8")
    [(path, line, message)] = layers.faults(package)
    assert (path, line) == (start, 2)
    assert "gpukit.nn.b" in message


@pytest.mark.parametrize("text", ["def b():\n    pass\n", "class b:\n    pass\n"])
def test_a_module_that_a_definition_hides_is_found(text: str, tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    (package / "nn").mkdir(parents=True)
    for path in ("__init__.py", "nn/b.py"):
        (package / path).touch()
    (package / "nn" / "__init__.py").write_text(text, encoding="utf-8")
    [(_, line, message)] = load_tool("python_layers").faults(package)
    assert line == 1
    assert "gpukit.nn.b" in message


def test_an_import_of_a_module_that_is_not_there_is_found(tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    (package / "nn").mkdir(parents=True)
    for path in ("__init__.py", "nn/__init__.py"):
        (package / path).touch()
    (package / "nn" / "a.py").write_text("from gpukit._old import x\n", encoding="utf-8")
    [(_, line, message)] = load_tool("python_layers").faults(package)
    assert (line, message) == (1, "there is no module gpukit._old")


OLD_PATHS = {
    "bench": "bandwidth batching compare crossover gil logging matmul overlap peaks relative "
    "scaling timer",
    "monitor": "diff processes snapshot",
}


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room in OLD_PATHS for name in OLD_PATHS[room].split()]
)
def test_a_path_of_the_first_version_leads_to_the_module(room: str, name: str) -> None:
    package = importlib.import_module(f"gpukit.{room}")
    module = importlib.import_module(f"gpukit.{room}.{name}")
    assert module is importlib.import_module(f"gpukit.{room}._{name}")
    assert getattr(module, name) is getattr(package, name)  # the package has the function


def test_every_room_has_a_row_and_rooms_make_no_circle() -> None:
    layers = load_tool("python_layers")
    folders = {path.parent.name for path in (PROJECT / "python" / "gpukit").glob("*/__init__.py")}
    assert set(layers.ROOMS) == folders
    arrows = [
        layers.Import(own, 1, other) for own, row in layers.ROOMS.items() for other in row.split()
    ]
    assert layers.circles(arrows) == []


def test_heavy_imports_inside_functions_are_free(tmp_path) -> None:
    package = tmp_path / "python" / "gpukit"
    package.mkdir(parents=True)
    text = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import numpy\n"
        "def f():\n    import numpy\n    from .bench import run\n    return numpy, run\n"
    )
    (package / "_memory.py").write_text(text, encoding="utf-8")
    assert check_layers.check(tmp_path) == []
