"""Pack a wheel again by libdeflate, whose best is smaller than zlib's by a sixtieth.

`python tools/pack_wheel.py WHEEL`: the same members in the same order, with the same names, dates
and modes. It needs the package `deflate`.
"""

from __future__ import annotations

import io
import shutil
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

STORED, DEFLATED = 0, 8
VERSION = 20  # of the format: deflated members
UTF8 = 0x800  # the flag of a name that is not ASCII
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
LARGEST = 0xFFFF_FFFF  # of a field: beyond it the format has others


def squeezed(data: bytes, compress: Callable[[bytes], bytes]) -> tuple[int, bytes]:
    """The method and the bytes of a member: as it is, where nothing is gained."""
    packed = compress(data)
    return (DEFLATED, packed) if len(packed) < len(data) else (STORED, data)


def member(info: zipfile.ZipInfo, data: bytes, packed: tuple[int, bytes]) -> tuple[bytes, bytes]:
    """What its two headers have in common, and its name."""
    name = info.filename.encode()
    year, month, day, hour, minute, second = info.date_time
    method, compressed = packed
    common = struct.pack(
        "<5H3L2H",
        *(VERSION, 0 if name.isascii() else UTF8, method),
        *(hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day),
        *(info.CRC, len(compressed), len(data)),
        *(len(name), 0),
    )
    return common, name


def pack(source: zipfile.ZipFile, compress: Callable[[bytes], bytes]) -> bytes:
    """The archive with each member compressed by `compress`, which makes raw deflate streams."""
    body, directory = bytearray(), bytearray()
    for info in source.infolist():
        data = source.read(info)
        packed = squeezed(data, compress)
        common, name = member(info, data, packed)
        made_by = info.create_system << 8 | VERSION
        where = struct.pack("<3H2L", 0, 0, 0, info.external_attr, len(body))
        directory += CENTRAL + struct.pack("<H", made_by) + common + where + name
        body += LOCAL + common + name + packed[1]
    count = len(source.infolist())
    if len(body) + len(directory) > LARGEST or count > LARGEST >> 16:
        raise SystemExit("pack_wheel: too large for an archive of this kind")
    end = struct.pack("<4H2LH", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + END + end)


def replace_if_smaller(path: Path, made: bytes) -> bool:
    """Whether the wheel was replaced. The old one stays where nothing is gained."""
    if len(made) >= path.stat().st_size:
        return False
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        if bad := archive.testzip():
            raise SystemExit(f"pack_wheel: {bad} was not packed well; {path.name} is as it was")
    beside = path.with_suffix(".packing")
    try:
        beside.write_bytes(made)
        shutil.copymode(path, beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return True


def main() -> int:
    """Pack the wheel again, in its place, if that is smaller."""
    import deflate

    path = Path(sys.argv[1])
    with zipfile.ZipFile(path) as source:
        made = pack(source, lambda data: bytes(deflate.deflate_compress(data, 12)))
    before = path.stat().st_size
    kept = "" if replace_if_smaller(path, made) else "; the wheel stays as it was"
    print(f"pack_wheel: {before} bytes before, {len(made)} now{kept}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
