"""Wheels for another processor than this one's: what tools/build_wheels.py asks of a target.

Nothing of the target runs during the build. The compiler is zig's, which has every target; the
interpreter is this machine's, of the same version as the wheel. Its headers serve both: on 64-bit
Linux their pyconfig.h differs in what the C library has, never in the size of a type.
"""

from __future__ import annotations

import platform
import shutil
import stat
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

GLIBC = "2.28"  # as scipy-openblas32, which every installation has
LZMA = "liblzma.a"


@dataclass(frozen=True)
class Target:
    """A processor with Linux, and where its Debian packages are unpacked ("/" for this system)."""

    processor: str
    root: Path = Path("/")

    @property
    def native(self) -> bool:
        """Whether this machine runs what is built."""
        return self.processor == platform.machine()

    @property
    def platform(self) -> str:
        """The tag of its wheels."""
        return f"manylinux_{GLIBC.replace('.', '_')}_{self.processor}"

    @property
    def auditor(self) -> str:
        """The program auditwheel, which else knows the platforms of this machine alone."""
        machine = f"platform.machine = lambda: {self.processor!r}"
        return f"import platform; {machine}; from auditwheel.main import main; exit(main())"

    def name(self, python: str) -> str:
        """The end of an extension's file name, such as .cpython-313-aarch64-linux-gnu.so."""
        question = "import sys; print(*sys.version_info[:2], sep='')"
        version = subprocess.check_output([python, "-c", question], text=True).strip()
        return f".cpython-{version}-{self.processor}-linux-gnu.so"

    def settings(self, python: str) -> dict[str, str]:
        """CMake's settings that make it a cross build; none where this machine is the target."""
        if self.native:
            return {}
        return {
            "cmake.define.CMAKE_SYSTEM_NAME": "Linux",
            "cmake.define.CMAKE_SYSTEM_PROCESSOR": self.processor,
            "cmake.define.PYBIND11_USE_CROSSCOMPILING": "ON",
            "cmake.define.PYTHON_MODULE_EXTENSION": self.name(python),
            "cmake.define.PYTHON_MODULE_DEBUG_POSTFIX": "",
            "cmake.define.PYTHON_IS_DEBUG": "0",
        }

    def environment(self, python: str) -> dict[str, str]:
        """Variables that tell Python's own tools the target."""
        if self.native:
            return {}
        return {
            "_PYTHON_HOST_PLATFORM": f"linux-{self.processor}",
            "SETUPTOOLS_EXT_SUFFIX": self.name(python),
        }


def write_compilers(target: Target, zig: Path, folder: Path) -> dict[str, str]:
    """C and C++ compilers of zig for the old glibc, each as one program, as CMake wants them."""
    programs = {}
    for variable, language in {"CC": "cc", "CXX": "c++"}.items():
        program = folder / f"zig-{language}"
        triple = f"{target.processor}-linux-gnu.{GLIBC}"
        text = f'#!/bin/sh\nexec "{zig}" {language} -g0 -target {triple} "$@"\n'
        if not program.exists() or program.read_text(encoding="utf-8") != text:
            program.write_text(text, encoding="utf-8")  # a new file is a new compiler to ccache
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        programs[variable] = str(program)
    return programs


def collect_lzma(target: Target, folder: Path) -> dict[str, Path]:
    """CMake's settings for the target's static liblzma, copied away from the system's headers.

    It unpacks the kernel images; of the C library it needs only what is old.
    """
    multiarch = f"{target.processor}-linux-gnu"
    parts = [f"lib/{multiarch}", "include", f"include/{multiarch}"]
    if target.native:
        parts += ["lib64", "lib", f"lib/{sysconfig.get_config_var('MULTIARCH') or multiarch}"]
    places = [target.root / "usr" / part for part in parts]
    headers = [header for place in places for header in place.glob("lzma/*.h")]
    for name in (LZMA, "lzma.h"):
        found = next((place / name for place in places if (place / name).exists()), None)
        if found is None or not headers:
            wanted = (
                "liblzma-dev, or xz-static" if target.native else f"liblzma-dev for {multiarch}"
            )
            raise SystemExit(f"build_wheels: no {name} under {target.root}: install {wanted}")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(found, folder)
    (folder / "lzma").mkdir(exist_ok=True)
    for header in headers:
        shutil.copy2(header, folder / "lzma")
    return {
        "cmake.define.GPUKIT_LZMA_INCLUDE_DIR": folder,
        "cmake.define.GPUKIT_LZMA_LIBRARY": folder / LZMA,
    }
