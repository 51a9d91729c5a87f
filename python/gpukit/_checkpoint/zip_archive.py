"""The entries of a zip archive that is not trusted: found by zipfile, checked one by one."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpukit import _core
from gpukit._checkpoint.failure import damaged, shown
from gpukit._checkpoint.source import Source

_LOCAL = struct.Struct("<IHHHHHIIIHH")
_LOCAL_MAGIC = 0x04034B50
_ENCRYPTED = 0x01


@dataclass(frozen=True)
class Entry:
    """The position of a stored entry's bytes; `crc` is None when the writer gave none."""

    name: str
    start: int
    size: int
    crc: int | None


class ZipArchive:
    """Stored entries by name.

    Raises:
        CheckpointError: an archive with compressed, encrypted, overlapping or
            cut off entries.
    """

    def __init__(self, source: Source, directory: Sequence[zipfile.ZipInfo]) -> None:
        self._source = source
        self._entries = {info.filename: _checked(source, info) for info in directory}
        self._refuse_overlaps()

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def entry(self, name: str) -> Entry:
        """The entry. CheckpointError when it is missing."""
        if name not in self._entries:
            raise damaged(self._source.name, f"lacks the entry {shown(name)}")
        return self._entries[name]

    def read(self, name: str, most: int) -> bytes:
        """The bytes of an entry of at most `most` bytes, checked against their checksum."""
        entry = self.entry(name)
        if entry.size > most:
            raise damaged(
                self._source.name,
                f"has an entry {shown(name)} of {entry.size} bytes; at most {most} are read",
            )
        data = self._source.read(entry.start, entry.size)
        self._source.check_crc(entry.start, data, entry.crc)
        return data

    def tensor(self, name: str, device: _core.device) -> _core.Tensor:
        """The bytes of an entry as a flat uint8 tensor."""
        entry = self.entry(name)
        return self._source.tensor(entry.start, entry.size, device, entry.crc)

    def _refuse_overlaps(self) -> None:
        end, before = 0, ""
        for entry in sorted(self._entries.values(), key=lambda entry: entry.start):
            if entry.start < end:
                raise damaged(
                    self._source.name,
                    f"has overlapping entries {shown(before)} and {shown(entry.name)}",
                )
            end, before = entry.start + entry.size, entry.name


def zip_directory(source: Source) -> list[zipfile.ZipInfo]:
    """The archive's directory. CheckpointError for damage and duplicate names."""
    # zipfile raises many classes for damage; none of them says more than "damaged".
    try:
        with zipfile.ZipFile(source.stream) as archive:
            directory = archive.infolist()
    except (
        zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, OverflowError,
        EOFError, IndexError, MemoryError, OSError,
    ) as error:  # fmt: skip
        raise damaged(source.name, f"is not a complete zip file ({error})") from error
    names: set[str] = set()
    for info in directory:
        if info.filename in names:
            raise damaged(source.name, f"has the entry {shown(info.filename)} twice")
        names.add(info.filename)
    return directory


def _checked(source: Source, info: zipfile.ZipInfo) -> Entry:
    name = shown(info.filename)
    if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
        raise damaged(source.name, f"has a compressed entry {name}; torch stores them uncompressed")
    if info.flag_bits & _ENCRYPTED:
        raise damaged(source.name, f"has an encrypted entry {name}")
    start = _data_start(source, info)
    if start + info.file_size > source.size:
        raise damaged(
            source.name,
            f"is cut off: its entry {name} ends at {start + info.file_size} of {source.size} bytes",
        )
    # torch.serialization.set_crc32_options(False) leaves 0.
    return Entry(info.filename, start, info.file_size, info.CRC or None)


def _data_start(source: Source, info: zipfile.ZipInfo) -> int:
    """Behind the local header, whose name and extra field may be longer than the directory's."""
    header = source.read(info.header_offset, _LOCAL.size)
    magic, *_, name_length, extra_length = _LOCAL.unpack(header)
    if magic != _LOCAL_MAGIC:
        raise damaged(source.name, f"has no entry where {shown(info.filename)} should be")
    return int(info.header_offset + _LOCAL.size + name_length + extra_length)
