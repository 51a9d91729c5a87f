"""The source of a checkpoint: a file, a mapping of it, or the bytes of a file-like."""

from __future__ import annotations

import io
import mmap
import os
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._checkpoint.failure import damaged
from gpukit._checkpoint.storage_bytes import CACHED, CHUNK, memory_of, shared

if TYPE_CHECKING:
    from typing_extensions import Self


class Source:
    """Bytes at positions, as Python bytes or as uint8 tensors on any device.

    Args:
        file: a path, or an object with read().
        mapped: tensors on the CPU are private mappings of the file instead of copies.

    Raises:
        OSError: the file cannot be opened. TypeError, ValueError: it is nothing to read from.
    """

    def __init__(self, file: Any, *, mapped: bool) -> None:
        self._map: mmap.mmap | None = None
        if isinstance(file, (str, os.PathLike)):
            self.name = os.fspath(file)
            # Unbuffered: large reads go straight into the tensor's memory.
            self.stream: io.RawIOBase | io.BytesIO = io.FileIO(self.name)
        elif callable(getattr(file, "read", None)):
            self.name = _name_of(file)
            self.stream = io.BytesIO(_all_bytes(file))
        else:
            raise TypeError(f"load: f must be a path or have read(), got {file!r}")
        self.size = self.stream.seek(0, os.SEEK_END)
        if mapped:
            self._map_file()

    def _map_file(self) -> None:
        if not isinstance(self.stream, io.FileIO):
            raise ValueError(  # noqa: TRY004 (f itself may be of this type)
                "load: mmap=True needs a path, not an open file"
            )
        if self.size:
            # Private: writing to a tensor never reaches the file.
            self._map = mmap.mmap(self.stream.fileno(), self.size, access=mmap.ACCESS_COPY)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The mapping stays as long as its tensors.
        self.stream.close()

    def read(self, start: int, count: int) -> bytes:
        """Exactly these bytes. CheckpointError when the file ends before."""
        self._check_inside(start, count)
        buffer = bytearray(count)
        self._fill(start, memoryview(buffer))
        return bytes(buffer)

    def _check_inside(self, start: int, count: int) -> None:
        if start < 0 or count < 0 or start + count > self.size:
            raise damaged(
                self.name,
                f"is cut off: bytes {start} to {start + count} of {self.size} are needed",
            )

    def _fill(self, start: int, buffer: memoryview) -> None:
        self.stream.seek(start)
        done = 0
        while done < len(buffer):
            count = self.stream.readinto(buffer[done : done + (1 << 30)])
            if not count:
                raise damaged(self.name, f"ends {len(buffer) - done} bytes too early")
            done += count

    def tensor(self, start: int, count: int, device: _core.device, crc: int | None) -> _core.Tensor:
        """These bytes as a flat uint8 tensor on the device.

        Args:
            start: first byte.
            count: how many; the range is inside the file.
            device: where the tensor goes.
            crc: the CRC-32 they must have, or None. Mapped bytes are not read to check it.
        """
        self._check_inside(start, count)
        if self._map is not None:
            return shared(memoryview(self._map)[start : start + count]).to(device)
        if device.type == "cpu":
            return self._read_to_host(start, count, crc)
        return self._read_to_device(start, count, device, crc)

    def _read_to_host(self, start: int, count: int, crc: int | None) -> _core.Tensor:
        result = _core.empty(count, dtype=_core.uint8, device="cpu")
        buffer = memory_of(result)
        found = 0
        for first in range(0, count, CACHED):
            piece = buffer[first : first + CACHED]
            self._fill(start + first, piece)
            found = _core.crc32(piece, found) if crc is not None else found
        self._compare(start, found, crc)
        return result

    def _read_to_device(
        self, start: int, count: int, device: _core.device, crc: int | None
    ) -> _core.Tensor:
        result = _core.empty(count, dtype=_core.uint8, device=device)
        staging = _core.empty(min(count, CHUNK), dtype=_core.uint8, device="cpu")
        found = 0
        for first in range(0, count, CHUNK):
            part = staging[: min(CHUNK, count - first)]
            piece = memory_of(part)
            self._fill(start + first, piece)
            found = _core.crc32(piece, found) if crc is not None else found
            result[first : first + CHUNK].copy_(part)
        self._compare(start, found, crc)
        return result

    def check_crc(self, start: int, data: bytes, wanted: int | None) -> None:
        """CheckpointError unless the bytes have the checksum, when there is one."""
        if wanted is not None:
            self._compare(start, _core.crc32(data), wanted)

    def _compare(self, start: int, found: int, wanted: int | None) -> None:
        if wanted is not None and found != wanted:
            raise damaged(
                self.name,
                f"is damaged: the bytes at {start} have the checksum {found:08x}, "
                f"the file says {wanted:08x}",
            )


def _name_of(file: Any) -> str:
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else f"<{type(file).__name__}>"


def _all_bytes(file: Any) -> bytes:
    data = file.read()
    if not isinstance(data, bytes):
        raise TypeError(f"load: f must be opened in binary mode; read() gave {type(data).__name__}")
    return data
