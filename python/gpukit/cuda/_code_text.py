"""Classifies user code: CUDA C++, PTX or machine code, and the kernels in a PTX text."""

from __future__ import annotations

import re
import struct

from gpukit.errors import ArgumentError, CompileError

_ELF = b"\x7fELF"
_FATBIN = b"\x50\xed\x55\xba"
_NOISE = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_ENTRY = re.compile(r"\.entry\s+([A-Za-z_$%][\w$]*)\s*(?:\(([^)]*)\))?")
_TYPE = re.compile(r"\.([usfb]|bf)(8|16|32|64|128)(x2)?\b")
_ARRAY = re.compile(r"\[\s*(\w+)\s*\]\s*\Z")


def is_ptx(code: str | bytes) -> bool:
    """True for a PTX text: it begins with .version, after comments."""
    return isinstance(code, str) and _NOISE.sub(" ", code[:65536]).lstrip().startswith(".version")


def is_binary(code: str | bytes) -> bool:
    """True for machine code: a cubin or a fat binary."""
    return isinstance(code, bytes)


def read_code(function: str, code: object) -> str | bytes:
    """The code as given: text as str, machine code as bytes, checked for truncation."""
    if isinstance(code, (bytes, bytearray, memoryview)):
        content = bytes(code)
        if content.startswith((_ELF, _FATBIN)):
            _check_whole(function, content)
            return content
        try:
            code = content.decode()
        except UnicodeDecodeError:
            raise ArgumentError(
                f"{function}: code is neither a cubin, a fat binary nor text in UTF-8; it begins "
                f"with {content[:8]!r}"
            ) from None
    if not isinstance(code, str):
        raise TypeError(
            f"{function}: code must be CUDA C++ or PTX as a str, or the bytes of a cubin, got "
            f"{type(code).__name__}"
        )
    if not code.strip():
        raise ArgumentError(f"{function}: code is empty")
    if "\0" in code.rstrip("\0"):
        raise ArgumentError(f"{function}: code has a zero character inside its text")
    try:
        code.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{function}: code is not valid UTF-8: {error.reason}") from None
    return code.rstrip("\0")


def _check_whole(function: str, content: bytes) -> None:
    """A driver is given the address of machine code, and reads as far as its header says."""
    if _end_of_binary(content) > len(content):
        raise ArgumentError(
            f"{function}: the machine code is cut off: {len(content)} bytes are fewer than its "
            "header tells"
        )


def _end_of_binary(content: bytes) -> int:
    """The size that a header declares; larger than the data if the header itself is truncated."""
    try:
        if content.startswith(_FATBIN):
            _, _, header, body = struct.unpack_from("<IHHQ", content)
            return int(header + body)
        if content[4:6] != b"\x02\x01":  # 64 bits, little-endian
            return len(content) + 1
        offsets = struct.unpack_from("<QQ", content, 32)
        sizes = struct.unpack_from("<HHHH", content, 54)
        end = max(offsets[0] + sizes[0] * sizes[1], offsets[1] + sizes[2] * sizes[3])
        for section in range(sizes[3]):
            at = offsets[1] + section * sizes[2]
            kind, _, _, offset, size = struct.unpack_from("<IQQQQ", content, at + 4)
            end = max(end, at + 64, 0 if kind == 8 else offset + size)  # 8: no bytes in the file
    except struct.error:
        return len(content) + 1
    return int(end)


def kernels(ptx: str) -> dict[str, tuple[str, ...]]:
    """Name -> parameters of the kernels of a PTX text; a parameter is like "i4", "f8", "s12".

    The letter is what it takes (i: integer or address, f: float, s: struct, u: any value), the
    number its bytes.
    """
    plain = _NOISE.sub(" ", ptx)
    return {
        match[1]: tuple(
            _parameter(match[1], text) for text in (match[2] or "").split(",") if text.strip()
        )
        for match in _ENTRY.finditer(plain)
    }


def _parameter(kernel: str, text: str) -> str:
    kind = _TYPE.search(text)
    if kind is None:
        raise CompileError(f"{kernel}: a parameter is not understood: '{' '.join(text.split())}'")
    size = int(kind[2]) // 8 * (2 if kind[3] else 1)
    array = _ARRAY.search(text)
    if array is not None:
        return f"s{size * int(array[1], 0)}"
    if kind[1] == "bf" or (kind[1] == "f" and (size == 2 or kind[3])):
        return f"s{size}"
    return {"u": "i", "s": "i", "f": "f", "b": "u"}[kind[1]] + str(size)
