"""Kernel images that were damaged on the disk: an error that says so, and no crash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpukit
from gpukit import _core
from support.tools import load_tool

check_wheel = load_tool("check_wheel")

ADD = """
import gpukit
try:
    x = gpukit.ones(1000, device="cuda:0")
    print((x + x).sum().item())
except gpukit.DriverError as error:
    print("DriverError", error)
print(gpukit.ones(3).sum().item())
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the installed package; its extension module may be changed."""
    for folder in {Path(gpukit.__file__).parent, Path(_core.__file__).parent}:
        shutil.copytree(folder, tmp_path / "gpukit", dirs_exist_ok=True)
    return tmp_path


def run(folder: Path) -> str:
    # -S leaves out the .pth file of an editable install, which would come first.
    path = [str(folder), *(entry for entry in sys.path if entry)]
    code = f"import sys; sys.path[:0] = {path!r}\n{ADD}"
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def damage(folder: Path, fraction: float) -> None:
    """Flip the bits of 64 bytes in each stored archive, at a fraction of its length."""
    (library,) = (folder / "gpukit").glob("_core.*.so")
    data = bytearray(library.read_bytes())
    section = next(
        found
        for found in check_wheel.Elf(bytes(data)).sections
        if found.name == check_wheel.IMAGES_SECTION
    )
    end = section.offset + section.size
    starts = []
    found = data.find(b"\xfd7zXZ\0", section.offset, end)
    while found >= 0:
        starts.append(found)
        found = data.find(b"\xfd7zXZ\0", found + 6, end)
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        at = start + int((stop - start - 64) * fraction)
        data[at : at + 64] = bytes(byte ^ 0xFF for byte in data[at : at + 64])
    assert len(starts) == len({(arch, ptx) for _, arch, ptx, _ in _core.kernel_images()})
    library.write_bytes(data)


def test_images_as_they_were_installed(copy: Path) -> None:
    assert run(copy) == "2000.0\n3.0\n"


@pytest.mark.parametrize("fraction", [0.0, 0.01, 0.3, 0.7, 0.999])
def test_damaged_images_are_an_error(copy: Path, fraction: float) -> None:
    if _core.build_info()["image_compression"] == "none":
        # No checksum then: only what is stored compressed can be seen to be damaged.
        assert check_wheel.images_bytes(Path(_core.__file__).read_bytes()) > 100_000
        return
    damage(copy, fraction)
    error, rest = run(copy).splitlines()
    assert error.startswith("DriverError cuda:0: the embedded kernels '")
    assert "are damaged. Install gpukit again." in error
    assert rest == "3.0"
