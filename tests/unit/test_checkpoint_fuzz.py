"""Valid files of every format, changed at random: loaded, or refused with their name.

GPUKIT_TEST_LONG=100000 tries that many changes instead of 2 000.
"""

from __future__ import annotations

import io
import json
import random
import re
import resource
import struct
import time
import zipfile
from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import pytest

import gpukit
from gpukit.errors import CheckpointError
from support import mode

TRIALS = max(500, mode.LONG_RUN // 4)  # of each format
SLOWEST = 5.0  # seconds for one file, on a busy machine
MOST_MEMORY = 512 << 20
HUGE = (-1, 0, 9, 255, 65536, 2**31 - 1, 2**32, 2**40, 2**63 - 1, 2**63, 2**64, 10**30)

Change = Callable[[random.Random, bytes], bytes]


def _torch_file() -> bytes:
    w = gpukit.arange(12.0).reshape(3, 4)
    value = OrderedDict(
        w=w, view=w.T, half=gpukit.ones(3, dtype=gpukit.bfloat16), n=[1, 2.5, "text", None, True],
        u=gpukit.tensor([1, 2], dtype=gpukit.uint32), p=gpukit.nn.Parameter(gpukit.ones(2)),
    )  # fmt: skip
    out = io.BytesIO()
    gpukit.save(value, out)
    return out.getvalue()


def _npz_file() -> bytes:
    out = io.BytesIO()
    np.savez(out, a=np.arange(6.0).reshape(2, 3), b=np.array([True, False]), c=np.float32(3))
    return out.getvalue()


def _packed_npz_file() -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, a=np.zeros((40, 50)), b=np.asfortranarray(np.ones((2, 3), ">i4")))
    return out.getvalue()


def _safetensors_file() -> bytes:
    out = io.BytesIO()
    tensors = {"a": gpukit.ones(2, 3), "b": gpukit.arange(5), "c": gpukit.zeros(0, 4)}
    gpukit.save(tensors, out, format="safetensors")
    return out.getvalue()


def flip_bits(draw: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 8))):
        out[draw.randrange(len(out))] ^= 1 << draw.randrange(8)
    return bytes(out)


def cut(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] if draw.random() < 0.7 else data[at:]


def splice(draw: random.Random, data: bytes) -> bytes:
    at, other = draw.randrange(len(data)), draw.randrange(len(data))
    piece = draw.choice((data[other : other + draw.randrange(64)], draw.randbytes(8), bytes(16)))
    return data[:at] + piece + data[at + draw.choice((0, len(piece))) :]


def set_word(draw: random.Random, data: bytes) -> bytes:
    """A field of 2, 4 or 8 bytes becomes an extreme number: sizes, offsets, counts."""
    width = draw.choice((2, 4, 8))
    at = draw.randrange(max(1, len(data) - width))
    number = draw.choice(HUGE) % (1 << (8 * width))
    return data[:at] + number.to_bytes(width, "little") + data[at + width :]


def set_number(draw: random.Random, data: bytes) -> bytes:
    """A number written as text becomes another one: shapes and offsets of headers."""
    found = list(re.finditer(rb"\d+", data[:4096]))
    if not found:
        return flip_bits(draw, data)
    match = draw.choice(found)
    return data[: match.start()] + str(draw.choice(HUGE)).encode() + data[match.end() :]


PLAIN: list[Change] = [flip_bits, cut, splice, set_word, set_number]


def _entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def change_entry(draw: random.Random, data: bytes) -> bytes:
    """One entry is changed and the archive written anew: checksums are right."""
    entries = _entries(data)
    name = draw.choice(list(entries))
    entries[name] = draw.choice(PLAIN)(draw, entries[name] or b"x")
    return _archive(draw, list(entries.items()))


def change_names(draw: random.Random, data: bytes) -> bytes:
    items = list(_entries(data).items())
    at = draw.randrange(len(items))
    name, content = items[at]
    trick = draw.choice(
        ("../../x", "", "a" * 3000, "\x00", "é\n\x1b[2J", f"{name}/", name.replace("archive", "b"))
    )
    action = draw.randrange(4)
    if action == 0:
        items[at] = (trick, content)
    elif action == 1:
        items.append((trick, content))
    elif action == 2:
        del items[at]
    else:
        items[at], other = (items[draw.randrange(len(items))][0], content), items[at]
        items.append(other)
    return _archive(draw, items)


def _archive(draw: random.Random, items: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    packing = zipfile.ZIP_DEFLATED if draw.random() < 0.1 else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", packing) as archive:
        for name, content in items:
            archive.writestr(zipfile.ZipInfo(name), content, packing)
    return out.getvalue()


def change_npy_header(draw: random.Random, data: bytes) -> bytes:
    """A Python literal of a header becomes another one, of any form."""
    entries = _entries(data)
    name = draw.choice(list(entries))
    shape = draw.choice((
        "(1,)*9", "(2**40,)", "()", "(-1,)", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "(1.5,)", "'x'",
        "(1000000000000,)", "(" * 300, "{}", "(0, 99999999999999)",
    ))  # fmt: skip
    kind = draw.choice(("<f8", "|O", "<c16", "<M8[s]", "[('a', '<f4')]", "<U9", "|V3", "", "<f16"))
    text = draw.choice((
        f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}",
        f"{{'descr': {kind}, 'fortran_order': 1, 'shape': (2,), }}",
        "[" * draw.randrange(200), "'''", "{'descr': '<f8', ", "1/0", "\t{}\n  \\", "a.b", "f(1)",
    ))  # fmt: skip
    header = text.encode("latin1")
    version = draw.choice((b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x04\x00"))
    length = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    entries[name] = b"\x93NUMPY" + version + length + header + bytes(draw.randrange(64))
    return _archive(draw, list(entries.items()))


def change_json(draw: random.Random, data: bytes) -> bytes:
    """The header of safetensors is changed, its length is right."""
    length = int.from_bytes(data[:8], "little")
    header, rest = json.loads(data[8 : 8 + length]), data[8 + length :]
    name = draw.choice(list(header))
    value = draw.choice((
        [1] * 9, [6], [2, 3, 1], [-1, -6], [2**62, 2**62, 0], None, "F32", [1.5], {}, [[]], True,
        [0, 24], [24, 0], [0, 2**63], 7, [10**30], "F4", "C64", "nonsense",
    ))  # fmt: skip
    header[name][draw.choice(("dtype", "shape", "data_offsets", "other"))] = value
    if draw.random() < 0.2:
        header[draw.choice(("", "__metadata__", "x" * 2000))] = draw.choice((header[name], {}, 3))
    text = json.dumps(header).encode()
    if draw.random() < 0.3:
        text = draw.choice(PLAIN)(draw, text)
    padding = b" " * draw.choice((0, 0, 3, 8))
    text = draw.choice((text + padding, padding + text))
    return struct.pack("<Q", len(text)) + text + rest


FORMATS: dict[str, tuple[Callable[[], bytes], list[Change]]] = {
    "torch": (_torch_file, [*PLAIN, change_entry, change_entry, change_names]),
    "npz": (_npz_file, [*PLAIN, change_entry, change_names, change_npy_header, change_npy_header]),
    "packed npz": (_packed_npz_file, [*PLAIN, change_entry, change_npy_header]),
    "safetensors": (_safetensors_file, [*PLAIN, change_json, change_json, change_json]),
}


def _used_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_changed_files_are_loaded_or_refused_by_name(format, tmp_path):
    make, changes = FORMATS[format]
    whole = make()
    gpukit.load(io.BytesIO(whole))
    path = tmp_path / "changed.bin"
    before = _used_memory()
    refused = 0
    for trial in range(TRIALS):
        draw = random.Random(f"{format} {trial}")
        data = draw.choice(changes)(draw, whole)
        path.write_bytes(data)
        begin = time.monotonic()
        mapped = format == "torch" and draw.random() < 0.2
        fault: Exception | None = None
        try:
            gpukit.load(path, mmap=mapped)
        except Exception as error:
            fault = error
        assert time.monotonic() - begin < SLOWEST, f"{format} {trial}"
        if mapped and type(fault) is ValueError and "mmap=True" in str(fault):
            continue  # a zip without a pickle is NumPy's, which is never mapped
        assert fault is None or isinstance(fault, CheckpointError), f"{format} {trial}: {fault!r}"
        assert fault is None or str(path) in str(fault), f"{format} {trial}: {fault}"
        refused += fault is not None
    assert refused > TRIALS // 4  # most changes do harm
    assert _used_memory() - before < MOST_MEMORY


@pytest.mark.parametrize("blanks", [b" ", b"   \n", b"\t" * 8])
def test_a_header_of_safetensors_may_begin_with_blanks(blanks):
    """As the safetensors package reads it."""
    whole = _safetensors_file()
    length = int.from_bytes(whole[:8], "little")
    moved = struct.pack("<Q", length + len(blanks)) + blanks + whole[8:]
    assert gpukit.load(io.BytesIO(moved))["a"].tolist() == [[1.0] * 3] * 2


@pytest.mark.parametrize("make", ["npz", "safetensors"])
def test_nine_dimensions_are_refused_with_the_files_name(make, tmp_path):
    path = tmp_path / f"nine.{make}"
    if make == "npz":
        np.savez(path, a=np.zeros((1,) * 9))
    else:
        header = json.dumps({"a": {"dtype": "F32", "shape": [1] * 9, "data_offsets": [0, 4]}})
        path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + bytes(4))
    with pytest.raises(CheckpointError, match=re.escape(str(path))) as caught:
        gpukit.load(path)
    assert re.search("9|shape", str(caught.value))
