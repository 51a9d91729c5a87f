"""A zip archive of uncompressed entries, each aligned to 64 bytes.

Written front to back, so that it can go into a pipe. The standard library's zipfile reads it; it is
not used to write: it does not align entries, and its checksum takes longer than the writing.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpukit import _core

if TYPE_CHECKING:
    from typing_extensions import Self

ALIGNMENT = 64
_MAX32 = 0xFFFFFFFF
_DATE = 0x21  # 1 January 1980: the same tensors give the same bytes
# Checksum and sizes follow the data; the name is UTF-8.
_FLAGS = 0x08 | 0x800
_LOCAL = struct.Struct("<IHHHHHIIIHH")
_CENTRAL = struct.Struct("<IHHHHHHIIIHHHHHII")
_END = struct.Struct("<IHHHHIIH")
_END64 = struct.Struct("<IQHHIIQQQQ")
_LOCATOR64 = struct.Struct("<IIQI")
_WORTH_A_THREAD = 8 << 20  # bytes
_PADDING_ID = 0x4246  # the extra field that torch fills up with


@dataclass
class _Entry:
    name: bytes
    start: int
    size: int
    crc: int = 0


class ZipWriter:
    """Entries one after the other; the directory follows when the `with` block ends cleanly.

    Args:
        stream: anything with write(); what was written before does not matter.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._position = 0
        self._entries: list[_Entry] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._write_directory()

    def add(self, name: str, data: bytes) -> None:
        """An entry of these bytes."""
        self.add_chunks(name, len(data), (memoryview(data),))

    def add_chunks(self, name: str, size: int, chunks: Iterable[memoryview]) -> None:
        """An entry of `size` bytes that come in pieces."""
        entry = _Entry(name.encode(), self._position, size)
        self._write(_local_header(entry))
        if size < _WORTH_A_THREAD:
            for chunk in chunks:
                # The writing then finds the chunk in the processor's cache.
                entry.crc = _core.crc32(chunk, entry.crc)
                self._write(chunk)
        else:
            self._write_with_checksum(entry, chunks)
        self._write(_descriptor(entry))
        self._entries.append(entry)

    def _write_with_checksum(self, entry: _Entry, chunks: Iterable[memoryview]) -> None:
        """The checksum is the faster one: it brings each chunk into the cache for the writing."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1, "gpukit-checksum") as pool:
            for chunk in chunks:
                checksum = pool.submit(_core.crc32, chunk, entry.crc)
                self._write(chunk)
                entry.crc = checksum.result()

    def _write(self, data: bytes | memoryview) -> None:
        rest = memoryview(data)
        self._position += len(rest)
        while rest:
            # A raw file may take less than it is given; other streams return None or the full
            # count.
            done = self._stream.write(rest)
            rest = rest[len(rest) if done is None else done :]

    def _write_directory(self) -> None:
        start = self._position
        for entry in self._entries:
            self._write(_central_header(entry))
        size, count = self._position - start, len(self._entries)
        if start >= _MAX32 or size >= _MAX32 or count >= 0xFFFF:
            end = self._position
            self._write(
                _END64.pack(0x06064B50, 44, 45, 45, 0, 0, count, count, size, start)
                + _LOCATOR64.pack(0x07064B50, 0, end, 1)
            )
        short = min(count, 0xFFFF)
        size, start = min(size, _MAX32), min(start, _MAX32)
        self._write(_END.pack(0x06054B50, 0, 0, short, short, size, start, 0))


def _is_large(entry: _Entry) -> bool:
    return entry.size >= _MAX32 or entry.start >= _MAX32


def _local_header(entry: _Entry) -> bytes:
    extra = b""
    if _is_large(entry):
        extra = struct.pack("<HHQQ", 1, 16, entry.size, entry.size)
    before = entry.start + _LOCAL.size + len(entry.name) + len(extra) + 4
    padding = -before % ALIGNMENT
    extra += struct.pack("<HH", _PADDING_ID, padding) + bytes(padding)
    size = _MAX32 if _is_large(entry) else 0
    version = 45 if _is_large(entry) else 20
    return (
        _LOCAL.pack(
            0x04034B50, version, _FLAGS, 0, 0, _DATE, 0, size, size, len(entry.name), len(extra)
        )
        + entry.name
        + extra
    )


def _descriptor(entry: _Entry) -> bytes:
    layout = "<IIQQ" if _is_large(entry) else "<IIII"
    return struct.pack(layout, 0x08074B50, entry.crc, entry.size, entry.size)


def _central_header(entry: _Entry) -> bytes:
    extra, size, start, version = b"", entry.size, entry.start, 20
    if _is_large(entry):
        extra = struct.pack("<HHQQQ", 1, 24, entry.size, entry.size, entry.start)
        size = start = _MAX32
        version = 45
    header = _CENTRAL.pack(
        0x02014B50, version, version, _FLAGS, 0, 0, _DATE, entry.crc, size, size,
        len(entry.name), len(extra), 0, 0, 0, 0, start,
    )  # fmt: skip
    return header + entry.name + extra
