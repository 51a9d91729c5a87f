"""The installed files, packed as a wheel, are complete, small, and need no CUDA library."""

from __future__ import annotations

import random
import struct
import subprocess
import sysconfig
import zipfile
from pathlib import Path

import pytest

import gpukit
import gpukit_dask
import gpukit_pytest
from gpukit import _core
from support.real_driver import without_marks
from support.tools import load_tool

check_wheel = load_tool("check_wheel")


def package_files() -> dict[str, Path]:
    """Wheel member name -> file, also where an editable install keeps them in two folders."""
    modules = [gpukit, _core, gpukit_dask, gpukit_pytest]
    folders = {Path(module.__file__).parent: module.__name__.split(".")[0] for module in modules}
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": path
        for folder, name in folders.items()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("wheel") / "gpukit.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in package_files().items():
            archive.write(file, name)
        for part in check_wheel.METADATA:
            archive.writestr(f"gpukit-0.dist-info/{part}", "")
    return path


def test_nothing_is_wrong(wheel: Path) -> None:
    assert check_wheel.check(wheel) == []


@pytest.fixture
def altered(wheel: Path, tmp_path):
    """A function that makes a copy of the wheel with members replaced or left out."""

    def alter(replace: dict[str, bytes | None]) -> Path:
        path = tmp_path / "altered.whl"
        written = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        with zipfile.ZipFile(wheel) as old, written as new:
            for name in old.namelist():
                data = replace.get(name, old.read(name))
                if data is not None:
                    new.writestr(name, data)
            for name in set(replace) - set(old.namelist()):
                new.writestr(name, replace[name] or b"")
        return path

    return alter


def test_missing_member_is_seen(altered) -> None:
    faults = check_wheel.check(altered({"gpukit/py.typed": None}))
    assert faults == ["gpukit/py.typed is missing"]


def test_files_that_unpack_to_much_are_seen(altered) -> None:
    faults = check_wheel.check(altered({"gpukit/big.bin": bytes(check_wheel.INSTALLED_LIMIT)}))
    assert len(faults) == 1
    assert faults[0].startswith("the installed files have")


def test_a_wheel_that_is_too_large_is_seen(altered) -> None:
    filler = random.Random(1).randbytes(check_wheel.WHEEL_LIMIT)
    faults = check_wheel.check(altered({"gpukit/big.bin": filler}))
    assert any(fault.startswith("the wheel has") for fault in faults)


def test_allowances_fit_into_the_limit() -> None:
    planned = check_wheel.BASE + sum(check_wheel.ALLOWANCES.values())
    assert planned <= check_wheel.WHEEL_LIMIT


def test_uncompressed_images_are_refused_in_a_release() -> None:
    data = bytearray(Path(_core.__file__).read_bytes())
    place = data.find(check_wheel.XZ_MAGIC)
    if place < 0:  # built without liblzma: as it is
        assert list(check_wheel.check_images(bytes(data), cuda=True, release=True))
        return
    assert list(check_wheel.check_images(bytes(data), cuda=True, release=True)) == []
    section = next(s for s in check_wheel.Elf(bytes(data)).sections if "gpukit_images" in s.name)
    data[section.offset : section.offset + 6] = b"\x7fELF\2\1"
    faults = list(check_wheel.check_images(bytes(data), cuda=True, release=True))
    assert len(faults) == 1
    assert "liblzma" in faults[0]


def test_stranger_is_seen(altered) -> None:
    faults = check_wheel.check(altered({"tests/test_a.py": b""}))
    assert faults == ["tests/test_a.py does not belong in the wheel"]


def test_build_path_is_seen(altered, wheel: Path) -> None:
    name = check_wheel.SIMULATOR[1]
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(name)
    faults = check_wheel.check(altered({name: data + b"\0/home/me/csrc/sim/a.cpp\0"}))
    assert faults == [f"{name} holds the path /home/me/csrc/sim/a.cpp"]


def test_wrong_soname_is_seen(altered, wheel: Path) -> None:
    driver, blas = check_wheel.SIMULATOR
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(driver)
    faults = check_wheel.check(altered({blas: data}))
    assert f"{blas} has the SONAME ['{Path(driver).name}'], not its file name" in faults


@pytest.mark.parametrize("name", ["libgpukit_simcuda.so", "libcuda.so.1", "libother.so"])
def test_a_driver_that_passes_as_a_real_one_is_seen(altered, wheel: Path, name: str) -> None:
    member = f"gpukit/_sim/{name}"
    with zipfile.ZipFile(wheel) as archive:
        unmarked = without_marks(archive.read("gpukit/_sim/libgpukit_simcuda.so"))
    faults = check_wheel.check(altered({member: unmarked}))
    assert any(member in fault and "does not say that it is simulated" in fault for fault in faults)


def test_a_thread_local_variable_of_another_library_is_seen() -> None:
    data = bytearray(Path(_core.__file__).read_bytes())
    elf = check_wheel.Elf(bytes(data))
    assert elf.foreign_thread_locals() == set()
    place = next(at for at, kind, _ in elf.relocations() if kind in elf.THREAD_LOCAL_OFFSETS)
    data[place + 12 : place + 16] = (1).to_bytes(4, "little")  # the first symbol, which it needs
    found = list(check_wheel.check_library("gpukit/_core.so", bytes(data), "2.35"))
    assert len(found) == 1
    assert "thread-local" in found[0]


def test_a_library_for_another_processor_is_seen(altered, wheel: Path) -> None:
    name = check_wheel.SIMULATOR[1]
    with zipfile.ZipFile(wheel) as archive:
        data = bytearray(archive.read(name))
    own = check_wheel.Elf(bytes(data)).processor
    other = next(machine for machine, name in check_wheel.PROCESSORS.items() if name != own)
    data[18:20] = other.to_bytes(2, "little")
    changed = altered({name: bytes(data)})
    expected = "the libraries are for different processors: aarch64, x86_64"
    assert expected in check_wheel.check(changed)
    tagged = changed.rename(changed.with_name(f"gpukit-0-cp313-cp313-manylinux_2_28_{own}.whl"))
    foreign = check_wheel.PROCESSORS[other]
    assert f"{name} is for {foreign}, the wheel for {own}" in check_wheel.check(tagged)


def test_a_library_that_large_pages_cannot_load_is_seen() -> None:
    data = bytearray(Path(_core.__file__).read_bytes())
    data[18:20] = (183).to_bytes(2, "little")  # aarch64
    (table,) = struct.unpack_from("<Q", data, 32)
    (size,) = struct.unpack_from("<H", data, 54)
    loaded = [place for place in range(table, table + 12 * size, size) if data[place] == 1]
    for alignment, fault in ((65536, []), (4096, ["pages have 65536 bytes"])):
        for place in loaded:
            struct.pack_into("<Q", data, place + 48, alignment)
        found = list(check_wheel.check_processors("", {"a": check_wheel.Elf(bytes(data))}))
        assert [text.partition("where ")[2] for text in found] == fault


def test_functions_that_are_not_the_c_librarys_are_seen() -> None:
    """A compiler that links for older systems may bring slower ones of its own."""

    def faults(library: str | Path) -> str:
        elves = {"gpukit/_core.x.so": check_wheel.Elf(Path(library).read_bytes())}
        return "\n".join(check_wheel.check_libc(elves))

    assert faults(_core.__file__) == ""
    bridge = Path(gpukit.__file__).parent / "_sim" / "libgpukit_simbridge.so"
    assert "_core.x.so has a sin of its own: see csrc/base/libc_forward.S" in faults(bridge)


def test_needed_library_is_read() -> None:
    needed = check_wheel.Elf(Path(_core.__file__).read_bytes()).dynamic(check_wheel.Elf.NEEDED)
    assert "libc.so.6" in needed


def test_every_required_image_is_there() -> None:
    size = check_wheel.images_bytes(Path(_core.__file__).read_bytes())
    assert size is not None
    assert size > 100_000


def test_console_script_is_installed() -> None:
    # Beside the interpreter: `python -m pytest` works without an activated environment.
    script = Path(sysconfig.get_path("scripts")) / "gpukit"
    assert script.exists()
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert gpukit.__version__ in done.stdout


def test_a_version_too_new_is_seen(wheel: Path, monkeypatch) -> None:
    old = {"GLIBC": (2, 0), "GLIBCXX": (3, 0), "CXXABI": (1, 0)}
    monkeypatch.setitem(check_wheel.SYSTEMS, check_wheel.DEFAULT_SYSTEM, old)
    faults = check_wheel.check(wheel)
    needed = check_wheel.Elf(Path(_core.__file__).read_bytes()).versions()
    for version in needed:
        if check_wheel.VERSION.fullmatch(version):
            assert any(f"needs {version}, which" in fault for fault in faults)
    assert len(faults) >= 3


@pytest.mark.parametrize(
    ("version", "system", "expected"),
    [
        ("GLIBC_2.28", "2.28", False),
        ("GLIBC_2.29", "2.28", True),
        ("GLIBC_2.2.5", "2.28", False),
        ("GLIBCXX_3.4.30", "2.35", False),
        ("GLIBCXX_3.4.31", "2.35", True),
        ("GCC_3.0", "2.28", False),
    ],
)
def test_bounds_of_versions(version: str, system: str, expected: bool) -> None:
    assert check_wheel.too_new(version, system) is expected
