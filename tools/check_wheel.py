"""Check a wheel: its members and their sizes, what its libraries need and reveal.

`python tools/check_wheel.py WHEEL [--cpu] [--glibc 2.28] [--release]`; exit code 1 and one line for
each fault.
`--cpu` is for a wheel built with GPUKIT_CUDA=OFF; `--glibc` names the oldest system to run on;
`--release` wants compressed kernel images.
"""

from __future__ import annotations

import argparse
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000
WHEEL_LIMIT = 7 * MEGABYTE
# What the wheel of November 2026 takes, and what work that is planned may add to it. Whoever needs
# more than an area's allowance frees it first.
BASE = 4_400_000
ALLOWANCES = {
    "PTX executor": 300_000,
    "GPU kernels for newer hardware": 350_000,
    "compiled chains": 100_000,
    "scale-out": 50_000,
    "layers": 400_000,
    "autograd and half precision": 50_000,
    "complex numbers and linear algebra": 400_000,
    "translations and tools": 150_000,
}
INSTALLED_LIMIT = 28 * MEGABYTE  # built without liblzma: kernel images as they are
RELEASE_LIMIT = 16 * MEGABYTE
IMAGES_LIMIT = 2_500_000  # stored as .xz: 2.4999 MB
UNCOMPRESSED_IMAGES_LIMIT = 5 * MEGABYTE
XZ_MAGIC = b"\xfd7zXZ\0"
SIMULATOR_LIMIT = 860_000  # stripped: 790 kB, of which every name of the driver takes 40 kB
RELEASE_SIMULATOR_LIMIT = 1_000_000  # each library has a C++ library of its own
IMAGES_SECTION = ".gpukit_images"

SIMULATOR = ("gpukit/_sim/libgpukit_simcuda.so", "gpukit/_sim/libgpukit_simcublas.so")
MEMBERS = (
    *("gpukit/__init__.py", "gpukit/_core.pyi", "gpukit/cli.py", "gpukit/py.typed"),
    "gpukit_dask/__init__.py",  # dask imports it wherever gpukit is installed
    "gpukit_pytest/__init__.py",  # and pytest this one
)
METADATA = ("licenses/LICENSE", "licenses/NOTICE", "entry_points.txt")
FOREIGN = re.compile(r"libcu|libnv|libcublas|openblas|libgomp|libasan|libtsan|libubsan")
LIBRARY = re.compile(r"\.so(\.\d+)*$")
# What a simulated driver says of itself. One that does not would pass as a real one.
MARKS = {"gpukitSimVersion", "gpukitSimPrivateMemory"}
VERSION = re.compile(r"(GLIBC|GLIBCXX|CXXABI)_(\d+(?:\.\d+)*)")
# Functions that compilers have, too, when they link for an older system.
OF_LIBC = {"exp", "log", "memcmp", "memcpy", "memmove", "memset", "sin", "strlen"}
BUILD_PATH = re.compile(rb"/(?:home|root|tmp|work|build|Users)/[\w./+-]*\.(?:cpp|cu|h|hpp)\b")

# The newest versions of symbols on a system with this glibc: manylinux_2_28, and Ubuntu 22.04 with
# the C++ library of GCC 12, as hosted notebooks have it.
SYSTEMS = {
    "2.28": {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)},
    "2.35": {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)},
}
DEFAULT_SYSTEM = "2.35"
# ELF's numbers of processors, and the largest pages that systems on them have.
PROCESSORS = {62: "x86_64", 183: "aarch64"}
PAGES = {"x86_64": 4096, "aarch64": 65536}


@dataclass(frozen=True)
class Section:
    """One section of an ELF file."""

    name: str
    kind: int
    offset: int
    size: int
    link: int


class Elf:
    """The few parts of a little-endian 64-bit ELF file that the checks need."""

    DYNAMIC, STRINGS, NEEDED, SONAME, VERSIONS_NEEDED = 6, 3, 1, 14, 0x6FFFFFFE
    RELOCATIONS = 4
    LOADED = 1
    THREAD_LOCAL_OFFSETS = (18, 1030)  # R_X86_64_TPOFF64, R_AARCH64_TLS_TPREL

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self.data = data
        (machine,) = struct.unpack_from("<H", data, 18)
        self.processor = PROCESSORS.get(machine, f"ELF machine {machine}")
        (table,) = struct.unpack_from("<Q", data, 40)
        entry_size, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [
            struct.unpack_from("<IIQQQQII", data, table + index * entry_size)
            for index in range(count)
        ]
        name_table = headers[names][4]
        self.sections = [
            Section(self.string(name_table + name), kind, offset, size, link)
            for name, kind, _, _, offset, size, link, _ in headers
        ]

    def string(self, offset: int) -> str:
        """The NUL-terminated text at `offset`."""
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def alignment(self) -> int:
        """The least alignment of what is loaded: pages may not be larger."""
        (table,) = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        alignments: list[int] = []
        for place in range(table, table + count * size, size):
            if struct.unpack_from("<I", self.data, place) == (self.LOADED,):
                alignments += struct.unpack_from("<Q", self.data, place + 48)
        return min(alignments)

    def section(self, name: str) -> bytes | None:
        """A section's bytes."""
        for section in self.sections:
            if section.name == name:
                return self.data[section.offset : section.offset + section.size]
        return None

    def dynamic(self, tag: int) -> list[str]:
        """The texts of all dynamic entries with `tag`."""
        values = []
        for section in self.sections:
            if section.kind != self.DYNAMIC:
                continue
            strings = self.sections[section.link].offset
            for offset in range(section.offset, section.offset + section.size, 16):
                found, value = struct.unpack_from("<QQ", self.data, offset)
                if found == tag:
                    values.append(self.string(strings + value))
        return values

    def versions(self) -> set[str]:
        """The symbol versions that it needs of other libraries, such as GLIBC_2.14."""
        names = set()
        for section in self.sections:
            if section.kind != self.VERSIONS_NEEDED:
                continue
            strings = self.sections[section.link].offset
            library, following = section.offset, 1
            while following:
                _, count, _, entry, following = struct.unpack_from("<HHIII", self.data, library)
                entry += library
                for _ in range(count):
                    _, _, _, name, step = struct.unpack_from("<IHHII", self.data, entry)
                    names.add(self.string(strings + name))
                    entry += step
                library += following
        return names

    def relocations(self) -> Iterator[tuple[int, int, int]]:
        """Of each relocation: where it stands, its kind, and where its symbol stands."""
        for section in self.sections:
            if section.kind != self.RELOCATIONS:
                continue
            symbols = self.sections[section.link].offset
            for place in range(section.offset, section.offset + section.size, 24):
                _, kind, symbol, _ = struct.unpack_from("<QIIq", self.data, place)
                yield place, kind, symbols + 24 * symbol

    def exports(self) -> set[str]:
        """The names that other libraries can take from it."""
        return self.symbols(here=True)

    def imports(self) -> set[str]:
        """The names that it takes from other libraries."""
        return self.symbols(here=False)

    def symbols(self, *, here: bool) -> set[str]:
        """The dynamic symbols that are defined here, or elsewhere."""
        names = set()
        for section in self.sections:
            if section.name != ".dynsym":
                continue
            strings = self.sections[section.link].offset
            for offset in range(section.offset, section.offset + section.size, 24):
                name, _, _, defined = struct.unpack_from("<IBBH", self.data, offset)
                if name and bool(defined) == here:
                    names.add(self.string(strings + name))
        return names

    def foreign_thread_locals(self) -> set[str]:
        """Thread-local variables of other libraries that it wants at a fixed offset."""
        names = set()
        table = next(section for section in self.sections if section.name == ".dynsym")
        strings = self.sections[table.link].offset
        for _, kind, symbol in self.relocations():
            name, _, _, defined = struct.unpack_from("<IBBH", self.data, symbol)
            if kind in self.THREAD_LOCAL_OFFSETS and name and not defined:
                names.add(self.string(strings + name))
        return names


def images_bytes(data: bytes) -> int | None:
    """What the kernel images in a library take in a wheel; None if there are none."""
    images = Elf(data).section(IMAGES_SECTION)
    return None if images is None else len(zlib.compress(images, 9))


def check_members(names: list[str], *, cuda: bool) -> Iterator[str]:
    """Members that are missing, or that do not belong in a wheel."""
    wanted = [*MEMBERS, *(SIMULATOR if cuda else ())]
    yield from (f"{name} is missing" for name in wanted if name not in names)
    for part in METADATA:
        if not any(".dist-info/" in name and name.endswith(part) for name in names):
            yield f"{part} is missing"
    if len([name for name in names if re.fullmatch(r"gpukit/_core\.[^/]+\.so", name)]) != 1:
        yield "there must be one gpukit/_core.*.so"
    if not cuda:
        yield from (f"{name} is in a CPU wheel" for name in SIMULATOR if name in names)
    for name in names:
        if not name.startswith("gpukit") or name.endswith((".cpp", ".h", ".cu", ".pyc")):
            yield f"{name} does not belong in the wheel"


def too_new(version: str, system: str) -> bool:
    """Whether a system with this glibc lacks the symbol version."""
    match = VERSION.fullmatch(version)
    if not match:
        return False
    return tuple(map(int, match[2].split("."))) > SYSTEMS[system][match[1]]


def check_library(name: str, data: bytes, system: str) -> Iterator[str]:
    """What it needs of other libraries, its own name, and paths of the machine it was built on."""
    elf = Elf(data)
    for needed in elf.dynamic(Elf.NEEDED):
        if FOREIGN.search(needed):
            yield f"{name} needs {needed}"
    for version in sorted(elf.versions()):
        if too_new(version, system):
            yield f"{name} needs {version}, which a system with glibc {system} does not have"
    for variable in sorted(elf.foreign_thread_locals()):
        yield f"{name} cannot be opened after the library of {variable}: it is thread-local"
    exports = elf.exports()
    if "cuInit" in exports and not exports >= MARKS:
        yield f"{name} is a driver that does not say that it is simulated: it belongs to the tests"
    soname = elf.dynamic(Elf.SONAME)
    if "/_sim/" in name and soname != [Path(name).name]:
        yield f"{name} has the SONAME {soname}, not its file name"
    for path in sorted(set(BUILD_PATH.findall(data))):
        yield f"{name} holds the path {path.decode()}"


def check_libc(libraries: dict[str, Elf]) -> Iterator[str]:
    """The module calls these of the C library; a compiler's own are slower, or round otherwise."""
    for name, elf in libraries.items():
        if name.startswith("gpukit/_core."):
            for function in sorted(OF_LIBC - elf.imports()):
                yield f"{name} has a {function} of its own: see csrc/base/libc_forward.S"


def check_processors(wheel: str, libraries: dict[str, Elf]) -> Iterator[str]:
    """All libraries are for the processor of the wheel's tag, and for all pages that it has."""
    found = {elf.processor for elf in libraries.values()}
    tagged = next((name for name in PAGES if wheel.endswith(f"_{name}.whl")), "")
    for name, elf in libraries.items():
        if tagged and elf.processor != tagged:
            yield f"{name} is for {elf.processor}, the wheel for {tagged}"
        page = PAGES.get(elf.processor, 0)
        if elf.alignment() < page:
            yield f"{name} cannot be loaded where pages have {page} bytes"
    if not tagged and len(found) > 1:
        yield f"the libraries are for different processors: {', '.join(sorted(found))}"


def check_sizes(wheel: Path, archive: zipfile.ZipFile, *, release: bool) -> Iterator[str]:
    """Budgets: the whole wheel, what it becomes when it is installed, the simulator."""
    installed_limit = RELEASE_LIMIT if release else INSTALLED_LIMIT
    simulator_limit = RELEASE_SIMULATOR_LIMIT if release else SIMULATOR_LIMIT
    size = wheel.stat().st_size
    if size > WHEEL_LIMIT:
        yield f"the wheel has {size} bytes; the limit is {WHEEL_LIMIT}"
    installed = sum(member.file_size for member in archive.infolist())
    if installed > installed_limit:
        yield f"the installed files have {installed} bytes; the limit is {installed_limit}"
    simulator = sum(i.compress_size for i in archive.infolist() if "/_sim/" in i.filename)
    if simulator > simulator_limit:
        yield f"the simulator takes {simulator} bytes; the limit is {simulator_limit}"


def check_images(data: bytes, *, cuda: bool, release: bool) -> Iterator[str]:
    """The extension has images where it should, within their budget."""
    images = Elf(data).section(IMAGES_SECTION)
    if (images is not None) != cuda:
        yield f"kernel images are {'missing' if cuda else 'in a CPU wheel'}"
    if images is None:
        return
    compressed = images.startswith(XZ_MAGIC)
    limit = IMAGES_LIMIT if compressed else UNCOMPRESSED_IMAGES_LIMIT
    size = images_bytes(data) or 0
    if size > limit:
        yield f"the kernel images take {size} bytes; the limit is {limit}"
    if release and not compressed:
        yield "the kernel images are not compressed: build with the static liblzma (liblzma-dev)"


def check(
    wheel: Path,
    *,
    cuda: bool = True,
    system: str = DEFAULT_SYSTEM,
    release: bool = False,
) -> list[str]:
    """All faults of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        libraries = {name: archive.read(name) for name in names if LIBRARY.search(name)}
        elves = {name: Elf(data) for name, data in libraries.items()}
        faults = [
            *check_members(names, cuda=cuda),
            *check_sizes(wheel, archive, release=release),
            *check_processors(wheel.name, elves),
            *(check_libc(elves) if release else ()),
        ]
        for name, data in libraries.items():
            faults += check_library(name, data, system)
            if name.startswith("gpukit/_core."):
                faults += check_images(data, cuda=cuda, release=release)
    return faults


def summary(wheel: Path) -> str:
    """One line with the sizes."""
    with zipfile.ZipFile(wheel) as archive:
        simulator = sum(i.compress_size for i in archive.infolist() if "/_sim/" in i.filename)
        core = next(n for n in archive.namelist() if n.startswith("gpukit/_core.") and ".so" in n)
        images = images_bytes(archive.read(core)) or 0
        installed = sum(member.file_size for member in archive.infolist())
    parts = {
        "wheel": wheel.stat().st_size,
        "installed": installed,
        "kernel images": images,
        "simulator": simulator,
        "room": WHEEL_LIMIT - wheel.stat().st_size,
    }
    return ", ".join(f"{name} {size / MEGABYTE:.2f} MB" for name, size in parts.items())


def main() -> int:
    """Check one wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--cpu", action="store_true", help="built with GPUKIT_CUDA=OFF")
    parser.add_argument("--glibc", choices=SYSTEMS, default=DEFAULT_SYSTEM, help="oldest system")
    parser.add_argument("--release", action="store_true", help="with the limits of a release")
    arguments = parser.parse_args()
    faults = check(
        arguments.wheel,
        cuda=not arguments.cpu,
        system=arguments.glibc,
        release=arguments.release,
    )
    for fault in faults:
        print(f"check_wheel: {fault}")
    print(summary(arguments.wheel))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
