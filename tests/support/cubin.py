"""Images made by hand: the least of a cubin or of PTX that a driver needs to see a kernel in it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
MACHINE_CUDA = 190
PROGBITS, STRTAB = 1, 3


def _parameters(sizes: Sequence[int]) -> bytes:
    """The .nv.info records of a kernel's parameters."""
    records, offset = b"", 0
    for ordinal, size in enumerate(sizes):
        records += struct.pack("<BBHIHHI", 4, 0x17, 12, 0, ordinal, offset, size << 18)
        offset += size
    return records


def make_cubin(architecture: int, kernel: str, sizes: Sequence[int]) -> bytes:
    """A cubin of sm_<architecture> that holds `kernel`, with parameters of these sizes."""
    contents = [
        ("", b""),
        (".nv.info." + kernel, _parameters(sizes)),
        (".text." + kernel, b"\0" * 16),
    ]
    names = b"\0"
    offsets = [0]
    for name, _ in contents[1:]:
        offsets.append(len(names))
        names += name.encode() + b"\0"
    names_offset = len(names)
    names += b".shstrtab\0"
    body, headers = b"", [SECTION_HEADER.pack(*[0] * 10)]
    for name_at, (_, content) in list(zip(offsets, contents, strict=True))[1:]:
        at = FILE_HEADER.size + len(body)
        headers.append(SECTION_HEADER.pack(name_at, PROGBITS, 0, 0, at, len(content), 0, 0, 4, 0))
        body += content
    at = FILE_HEADER.size + len(body)
    headers.append(SECTION_HEADER.pack(names_offset, STRTAB, 0, 0, at, len(names), 0, 0, 1, 0))
    body += names
    body += b"\0" * (-len(body) % 8)
    old = architecture < 100
    ident = b"\x7fELF\x02\x01\x01" + (b"\x33\x07" if old else b"\x41\x08") + b"\0" * 7
    flags = architecture if old else architecture << 8
    table = FILE_HEADER.size + len(body)
    count = len(headers)
    header = FILE_HEADER.pack(
        ident, 2, MACHINE_CUDA, 1, 0, 0, table, flags, 64, 56, 0, 64, count, count - 1
    )
    return header + body + b"".join(headers)


def make_ptx(target: int, kernel: str, sizes: Sequence[int], version: str = "8.0") -> bytes:
    """PTX text for compute_<target> with one entry."""
    parameters = ", ".join(
        f".param .align 8 .b8 {kernel}_param_{i}[{size}]" for i, size in enumerate(sizes)
    )
    text = f"// made by hand\n.version {version}\n.target sm_{target}\n.address_size 64\n"
    return f"{text}.visible .entry {kernel}({parameters})\n{{ ret; }}\n".encode()
