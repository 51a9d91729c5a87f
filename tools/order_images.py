"""Put the bytes of kernel images into an order that compresses better, without losing one.

csrc/kernels/image_order.h restores them. Similar bytes are grouped: code, tables, names. A table's
rows are differences from the row before. Registers and labels of PTX are named by how long ago they
were used, so that the same code is the same text wherever it stands.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

AS_IS, PTX, CONTROL_WORDS, INSTRUCTIONS_OF_16 = (
    "kAsIs",
    "kPtx",
    "kControlWords",
    "kInstructionsOf16",
)
LAST_WITH_CONTROL_WORDS = 62
HEADER_BYTES = SECTION_BYTES = 64
NOTHING, PROGRAM, STRINGS, ABSENT = 0, 1, 3, 8
NVIDIA_INFO, NVIDIA_MERCURY_INFO = 0x70000000, 0x70000083
EXECUTABLE = 4
# Opcode and modifiers, then immediates, registers and scheduling.
BYTE_OF = (1, 0, 12, 11, 10, 9, 7, 6, 5, 4, 3, 8, 2, 14, 13, 15)
BUNDLE, CONTROL_WORD, WORD = 32, 8, 4

NAME = re.compile(rb"[%$][A-Za-z0-9_$%]*")
FIRST_CODE, MOST_RECENT, MOST_DIGITS = 0x80, 127, 9


class NotOrdered(Exception):  # noqa: N818 - no error: the images are stored as they are
    """The image has another form than those that can be ordered."""


@dataclass
class Streams:
    """The parts of all cubins by their kind, in the order of cubin_order.cpp."""

    tables: list[bytes] = field(default_factory=list)
    strings: list[bytes] = field(default_factory=list)
    info: list[bytes] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)
    control: list[bytes] = field(default_factory=list)
    code: list[bytes] = field(default_factory=list)

    def joined(self) -> bytes:
        """The sizes of the streams, and the streams."""
        lists = (self.tables, self.strings, self.info, self.rest, self.control, self.code)
        streams = [b"".join(parts) for parts in lists]
        return struct.pack("<6I", *map(len, streams)) + b"".join(streams)


def differences(table: bytes, row: int) -> bytes:
    """Each 32-bit word less the one a row before it."""
    count, step = len(table) // WORD, row // WORD
    words = struct.unpack_from(f"<{count}I", table)
    less = [word - above & 0xFFFF_FFFF for above, word in zip(words, words[step:], strict=False)]
    return struct.pack(f"<{count}I", *words[:step], *less) + table[count * WORD :]


def add_code(streams: Streams, code: bytes, *, control_words: bool) -> None:
    """The instructions of a function; a part of one at the end stays as it is."""
    unit = BUNDLE if control_words else len(BYTE_OF)
    whole = len(code) // unit * unit
    if control_words:
        for start in range(0, whole, BUNDLE):
            streams.control.append(code[start : start + CONTROL_WORD])
            streams.code.append(code[start + CONTROL_WORD : start + BUNDLE])
    else:
        ordered = bytearray(whole)
        for place, byte in enumerate(BYTE_OF):
            ordered[place :: len(BYTE_OF)] = code[byte : whole : len(BYTE_OF)]
        streams.code.append(bytes(ordered))
    streams.code.append(code[whole:])


def add_section(streams: Streams, data: bytes, section: tuple[int, ...], control: bool) -> None:
    """The contents of a section, to the stream of its kind."""
    kind, flags, row = section[1], section[2], section[9]
    if kind == PROGRAM and flags & EXECUTABLE:
        add_code(streams, data, control_words=control)
    elif row > 0 and row % WORD == 0:
        streams.tables.append(differences(data, row))
    elif kind == STRINGS:
        streams.strings.append(data)
    elif kind in {NVIDIA_INFO, NVIDIA_MERCURY_INFO}:
        streams.info.append(data)
    else:
        streams.rest.append(data)


def add_cubin(streams: Streams, cubin: bytes, *, control_words: bool) -> None:
    """One cubin: its headers, and its sections by their place."""
    if cubin[:6] != b"\x7fELF\x02\x01" or len(cubin) < HEADER_BYTES:
        raise NotOrdered
    (table,) = struct.unpack_from("<Q", cubin, 40)
    size, count, _ = struct.unpack_from("<HHH", cubin, 58)
    end = table + SECTION_BYTES * count
    if size != SECTION_BYTES or end > len(cubin):
        raise NotOrdered
    streams.tables.append(struct.pack("<I", len(cubin)) + cubin[:HEADER_BYTES])
    streams.tables.append(differences(cubin[table:end], SECTION_BYTES))
    sections = struct.iter_unpack("<IIQQQQIIQQ", cubin[table:end])
    parts: list[tuple[int, int, tuple[int, ...]]] = [
        (0, HEADER_BYTES, ()),
        (table, end - table, ()),
    ]
    parts += [(s[4], s[5], s) for s in sections if s[1] not in {NOTHING, ABSENT} and s[5] > 0]
    place = 0
    for offset, length, section in sorted(parts, key=lambda part: part[0]):
        if offset + length <= place:
            continue  # the same bytes under a second name
        if offset < place or offset + length > len(cubin):
            raise NotOrdered
        streams.rest.append(cubin[place:offset])
        place = offset + length
        if section:
            add_section(streams, cubin[offset:place], section, control_words)
    streams.rest.append(cubin[place:])


@dataclass
class Numbers:
    """The numbers of names with one stem, such as %f or $L__BB2_, the last used one first."""

    newest: int = 0
    recent: list[int] = field(default_factory=list)

    def encode(self, number: int) -> int | None:
        """The code of a number, if it has one; it becomes the last used one."""
        if number in self.recent:
            place = self.recent.index(number)
            self.recent.insert(0, self.recent.pop(place))
            return FIRST_CODE + 1 + place
        following = number == self.newest + 1
        self.newest = number
        self.recent.insert(0, number)
        del self.recent[MOST_RECENT:]
        return FIRST_CODE if following else None


def order_ptx(text: bytes) -> bytes:
    """The text with a code of one byte for the number of most registers and labels."""
    if not text.isascii():
        raise NotOrdered
    stems: dict[bytes, Numbers] = {}

    def shorter(match: re.Match[bytes]) -> bytes:
        name = match[0]
        if text[match.end() : match.end() + 1] == b"<":  # .reg .f32 %f<500>
            stems.pop(name, None)
        stem = name.rstrip(b"0123456789")
        digits = name[len(stem) :]
        padded = len(digits) > 1 and digits.startswith(b"0")
        if not digits or len(digits) > MOST_DIGITS or padded:
            return name
        code = stems.setdefault(stem, Numbers()).encode(int(digits))
        return name if code is None else stem + bytes([code])

    return NAME.sub(shorter, text)


def order_images(images: Sequence[bytes], arch: int, *, ptx: bool) -> tuple[str, bytes]:
    """The name of the order, of ImageOrder, and the images in it."""
    control_words = arch <= LAST_WITH_CONTROL_WORDS
    try:
        if ptx:
            return PTX, order_ptx(b"".join(images))
        streams = Streams()
        for image in images:
            add_cubin(streams, image, control_words=control_words)
    except NotOrdered:
        return AS_IS, b"".join(images)
    return CONTROL_WORDS if control_words else INSTRUCTIONS_OF_16, streams.joined()
