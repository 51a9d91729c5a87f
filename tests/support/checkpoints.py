"""Pickles and zip files made by hand, as an attacker would."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import gpukit


def saved(value: Any, **options: Any) -> bytes:
    """What gpukit.save writes."""
    file = io.BytesIO()
    gpukit.save(value, file, **options)
    return file.getvalue()


def loaded(data: bytes, *arguments: Any, **options: Any) -> Any:
    """What gpukit.load reads from these bytes."""
    return gpukit.load(io.BytesIO(data), *arguments, **options)


def torch_zip(pickle: bytes, **entries: bytes) -> bytes:
    """A file in torch's layout; entries by the last part of their name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickle)
        for name, data in entries.items():
            archive.writestr(f"archive/data/{name}", data)
    return file.getvalue()


def opening(name: str) -> bytes:
    """The opcode GLOBAL for 'module.name'."""
    module, _, last = name.rpartition(".")
    return f"c{module}\n{last}\n".encode()


def tensor_pickle(*, size: str, stride: str, offset: str = "0", elements: str = "4") -> bytes:
    """A tensor over float storage '0'; the numbers are opcodes' texts such as '4' or '-1'."""

    def numbers(text: str) -> bytes:
        return b"(" + b"".join(b"I%s\n" % part.encode() for part in text.split()) + b"t"

    storage = (
        b"(X\x07\0\0\0storage" + opening("torch.FloatStorage") + b"X\x01\0\0\x000X\x03\0\0\0cpu"
        b"I%s\ntQ" % elements.encode()
    )
    return (
        b"\x80\x02"
        + opening("torch._utils._rebuild_tensor_v2")
        + b"("
        + storage
        + b"I%s\n" % offset.encode()
        + numbers(size)
        + numbers(stride)
        + b"\x89N"
        + b"tR."
    )
