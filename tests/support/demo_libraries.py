"""Compiles the device library of tests/cpp/demo_device, and three that must be refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.compiler import find_compiler
from support.mode import PROJECT

CSRC = PROJECT / "csrc"
DEMO = PROJECT / "tests" / "cpp" / "demo_device"
# What a device library compiles of gpukit: docs/adding-a-backend.md.
KIT = (
    *(f"backend/{name}.cpp" for name in ("device_not_found", "composition", "device_ops")),
    *(f"backend/{name}.cpp" for name in ("device_runtime", "op_names", "scratch")),
    *sorted(path.relative_to(CSRC).as_posix() for path in CSRC.glob("backend/composed_*.cpp")),
    *(f"core/{name}.cpp" for name in ("device", "device_types", "dtype", "nearest_name", "shape")),
    "base/interrupt.cpp",
)
FLAGS = ["-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra"]


def compile_library(target: Path, *options: str, sources: list[Path]) -> None:
    command = [
        *(find_compiler(), *FLAGS, "-Werror", f"-I{CSRC}", f"-I{DEMO}", *options),
        *map(str, sources),
        *("-o", str(target), "-pthread", "-Wl,-z,defs", "-Wl,--gc-sections"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def build_libraries(folder: Path, kit: Path) -> None:
    objects = []
    for source in (*(CSRC / name for name in KIT), DEMO / "demo_ops.cpp"):
        objects.append(kit.with_name(f"{source.stem}.o"))
        command = [find_compiler(), *FLAGS, f"-I{CSRC}", f"-I{DEMO}", "-c", str(source)]
        command.remove("-shared")
        done = subprocess.run(
            [*command, "-o", str(objects[-1])], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    device = DEMO / "demo_device.cpp"
    compile_library(folder / "libdemo.so", sources=[device, *objects])
    compile_library(folder / "libcuda_name.so", '-DDEMO_NAME="cuda"', sources=[device, *objects])
    other = folder / "other.cpp"
    other.write_text(
        "#include <cstdint>\n"
        "struct Library { std::uint64_t interface; const char* name; void* make; };\n"
        'extern "C" __attribute__((visibility("default")))\n'
        "const Library* gpukit_device_library(const void*) {\n"
        '  static const Library library{1, "other", nullptr};\n'
        "  return &library;\n"
        "}\n"
    )
    compile_library(folder / "libother_gpukit.so", sources=[other])
    plain = folder / "plain.cpp"
    plain.write_text("int nothing() { return 0; }\n")
    compile_library(folder / "libplain.so", sources=[plain])
