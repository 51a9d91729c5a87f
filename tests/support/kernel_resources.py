"""What the machine code that is embedded in gpukit says of its kernels: registers and the stack.

The images are read from the extension module as they are stored. tools/order_images.py made their
order; instructions are left out here.
"""

from __future__ import annotations

import lzma
import re
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpukit import _core
from support.tools import load_tool

check_wheel = load_tool("check_wheel")
order_images = load_tool("order_images")

XZ, ELF = b"\xfd7zXZ\0", b"\x7fELF\x02\x01"
SYMBOL = struct.Struct("<IBBHQQ")
# Kinds of records of .nv.info: a symbol and its value, or the sizes of a block.
REGISTERS, FRAME, THREADS = 0x2F, 0x11, 0x05
WITH_SIZE = 4  # the form of a record
SYMBOLS = 2  # the kind of a section


class Resources(NamedTuple):
    """Of a kernel: registers of a thread, bytes of its stack, where spills are, and the most
    threads of a block.
    """

    registers: int
    stack: int
    threads: int


class Stream:
    """Bytes of one kind, taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        self.place += count
        assert self.place <= len(self.data), "a stored image is cut short"
        return self.data[self.place - count : self.place]


def sums(table: bytes, row: int) -> bytes:
    """Undoes `differences` of tools/order_images.py."""
    words = np.frombuffer(table, "<u4", len(table) // 4).copy()
    for column in range(row // 4):
        words[column :: row // 4] = np.cumsum(words[column :: row // 4], dtype=np.uint32)
    return words.tobytes() + table[4 * len(words) :]


def sections_of(
    tables: Stream, streams: dict[str, Stream]
) -> Iterator[tuple[int, tuple[Any, bytes]]]:
    """The next cubin's sections but for instructions: number, header and bytes."""
    (length,) = struct.unpack("<I", tables.take(4))
    header = tables.take(order_images.HEADER_BYTES)
    (table,) = struct.unpack_from("<Q", header, 40)
    size, count, _ = struct.unpack_from("<HHH", header, 58)
    rows = list(struct.iter_unpack("<IIQQQQIIQQ", sums(tables.take(size * count), size)))
    parts = [(0, len(header), -1), (table, size * count, -1)]
    absent = {order_images.NOTHING, order_images.ABSENT}
    parts += [(r[4], r[5], n) for n, r in enumerate(rows) if r[1] not in absent and r[5] > 0]
    place = 0
    for offset, taken, number in sorted(parts, key=lambda part: part[0]):
        if offset + taken <= place:
            continue
        streams["rest"].take(offset - place)
        place = offset + taken
        if number < 0:
            continue
        row = rows[number]
        if row[1] == order_images.PROGRAM and row[2] & order_images.EXECUTABLE:
            streams["code"].take(taken)
        elif row[9] > 0 and row[9] % 4 == 0:
            yield number, (row, sums(tables.take(taken), row[9]))
        elif row[1] == order_images.STRINGS:
            yield number, (row, streams["strings"].take(taken))
        elif row[1] in {order_images.NVIDIA_INFO, order_images.NVIDIA_MERCURY_INFO}:
            yield number, (row, streams["info"].take(taken))
        else:
            streams["rest"].take(taken)
    streams["rest"].take(length - place)


def records(info: bytes) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Kind and words of those records of .nv.info that have a size."""
    place = 0
    while place < len(info):
        form, kind, size = struct.unpack_from("<BBH", info, place)
        place += 4
        if form == WITH_SIZE:
            yield kind, struct.unpack_from(f"<{size // 4}I", info, place)
            place += size


def kernels_of(sections: dict[int, tuple[Any, bytes]]) -> Iterator[tuple[str, Resources]]:
    """The kernels of one cubin, by what .nv.info states of all and of each."""
    ((symbols, names),) = (
        (list(SYMBOL.iter_unpack(data)), sections[row[6]][1])
        for row, data in sections.values()
        if row[1] == SYMBOLS
    )
    stated: dict[int, dict[int, int]] = {}
    threads = {}
    for row, data in sections.values():
        if row[1] != order_images.NVIDIA_INFO:
            continue
        for kind, words in records(data):
            if kind == THREADS:  # in the record of the function whose code is in section row[7]
                threads[row[7]] = words[0] * words[1] * words[2]
            elif kind in {REGISTERS, FRAME}:
                stated.setdefault(words[0], {})[kind] = words[1]
    for symbol, values in stated.items():
        if REGISTERS in values:
            at, _, _, section, _, _ = symbols[symbol]
            name = names[at : names.index(b"\0", at)].decode()
            yield name, Resources(values[REGISTERS], values[FRAME], threads[section])


def cubins_of(stored: bytes) -> Iterator[dict[int, tuple[Any, bytes]]]:
    """The sections of each cubin of an architecture's images."""
    sizes = struct.unpack_from("<6I", stored)
    assert sum(sizes) + 24 == len(stored)
    ends = [24 + sum(sizes[:count]) for count in (0, 1, 2, 3, 4, 6)]  # code has two streams
    parts = (Stream(stored[start:end]) for start, end in pairwise(ends))
    tables, *others = parts
    streams = dict(zip(("strings", "info", "rest", "code"), others, strict=True))
    while tables.place < len(tables.data):
        yield dict(sections_of(tables, streams))
    assert all(stream.place == len(stream.data) for stream in streams.values())


def stored_images() -> Iterator[tuple[int, bytes]]:
    """The architectures with cubins, and those in the order of tools/order_images.py."""
    library = Path(_core.__file__).read_bytes()
    images = check_wheel.Elf(library).section(check_wheel.IMAGES_SECTION)
    assert images is not None
    files = _core.kernel_images()
    archs = sorted({arch for _, arch, ptx, _ in files if not ptx})
    compressed = _core.build_info()["image_compression"] == "xz"
    starts = [found.start() for found in re.finditer(re.escape(XZ if compressed else ELF), images)]
    if compressed:
        assert len(starts) == len(archs) + 1  # and the PTX
        for arch, start in zip(archs, starts, strict=False):
            yield arch, lzma.LZMADecompressor().decompress(images[start:])
        return
    cubins = [images[start:end] for start, end in pairwise([*starts, len(images)])]
    each = len(cubins) // len(archs)
    assert each == len({family for family, *_ in files})
    for number, arch in enumerate(archs):
        ordered = cubins[number * each : (number + 1) * each]
        yield arch, order_images.order_images(ordered, arch, ptx=False)[1]


def embedded_kernels() -> dict[tuple[int, str], Resources]:
    """All kernels of all embedded cubins, by architecture and name."""
    return {
        (arch, name): resources
        for arch, stored in stored_images()
        for cubin in cubins_of(stored)
        for name, resources in kernels_of(cubin)
    }
