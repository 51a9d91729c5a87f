"""Fat binaries made by hand, as nvcc is seen to write them."""

from __future__ import annotations

import struct

MAGIC = 0xBA55ED50
PTX, CUBIN = 1, 2


def entry(kind: int, architecture: int, payload: bytes, compressed_from: int = 0) -> bytes:
    """One image; `compressed_from`: how many bytes it had before it was compressed, 0 for not."""
    payload += b"\0" * (-len(payload) % 8)
    packed = len(payload) if compressed_from else 0
    head = (kind, 0x101, 64, len(payload), packed, 64, 0, architecture, 0, 0x11, 0)
    return struct.pack("<HHIQIIIIQQQQ", *head, compressed_from) + payload


def fat_binary(*entries: bytes) -> bytes:
    """A header and its images."""
    content = b"".join(entries)
    return struct.pack("<IHHQ", MAGIC, 1, 16, len(content)) + content
