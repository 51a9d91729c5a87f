"""`.safetensors`: a JSON header with places, then the bytes.

The safetensors package validates every header before gpukit reads it. Writing is done here: the
package wants all bytes in host memory at once, and its arguments differ between versions.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from gpukit import _core
from gpukit._checkpoint.dtypes import BY_SAFETENSORS, SAFETENSORS_OF
from gpukit._checkpoint.failure import damaged, shown
from gpukit._checkpoint.map_location import Placement
from gpukit._checkpoint.named_tensors import checked_names
from gpukit._checkpoint.source import Source
from gpukit._checkpoint.storage_bytes import row_chunks, seen_as
from gpukit._system import installing
from gpukit.errors import CheckpointError, DTypeError

_MAX_HEADER_BYTES = 100_000_000  # the format's own limit


def write(value: Any, stream: Any) -> None:
    """Writes a dict of tensors; shared storages are written once for each tensor."""
    tensors = checked_names(value, ".safetensors")
    if "__metadata__" in tensors:
        raise CheckpointError("save: .safetensors keeps the name '__metadata__' for itself")
    # Large elements first, so that every tensor is aligned to its element size.
    order = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    _write_all(stream, memoryview(_header(tensors, order)))
    for name in order:
        for chunk in row_chunks(tensors[name]):
            _write_all(stream, chunk)


def _write_all(stream: Any, data: memoryview) -> None:
    while len(data):
        done = stream.write(data)
        data = data[len(data) if done is None else done :]


def _header(tensors: dict[str, _core.Tensor], order: list[str]) -> bytes:
    places, end = {}, 0
    for name in order:
        tensor = tensors[name]
        begin, end = end, end + tensor.nbytes
        if tensor.dtype.name not in SAFETENSORS_OF:
            raise DTypeError(
                f"save: {name!r} is {tensor.dtype.name}, which safetensors files do not have. "
                "Use .cfloat(), or the suffix .pth or .npz",
                fix=".cfloat()",
            )
        places[name] = {
            "dtype": SAFETENSORS_OF[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(places, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def is_safetensors(start: bytes, size: int) -> bool:
    """True when the first 9 bytes can be a header of a file of `size` bytes."""
    # The format says "{" comes first; the package that reads the files of others takes blanks too.
    if len(start) < 9 or start[8:9] not in {b"{", b" ", b"\t", b"\n", b"\r"}:
        return False
    return int.from_bytes(start[:8], "little") <= min(size - 8, _MAX_HEADER_BYTES)


def read(source: Source, placement: Placement) -> dict[str, _core.Tensor]:
    """The tensors of the file."""
    _check(source)
    length = int.from_bytes(source.read(0, 8), "little")
    places = json.loads(source.read(8, length), object_pairs_hook=_Unique(source.name))
    places.pop("__metadata__", None)
    return {
        name: _read_one(source, 8 + length, name, place, placement)
        for name, place in places.items()
    }


def _read_one(
    source: Source, base: int, name: str, place: dict[str, Any], placement: Placement
) -> _core.Tensor:
    dtype = BY_SAFETENSORS.get(place["dtype"])
    if dtype is None:
        raise damaged(
            source.name,
            f"holds {shown(name)} of {shown(str(place['dtype']))}, which gpukit does not have",
        )
    begin, end = place["data_offsets"]
    data = placement.place(
        "cpu", lambda device: source.tensor(base + begin, end - begin, device, None)
    )
    try:
        return seen_as(data, dtype, place["shape"])
    except (OverflowError, ValueError) as error:
        raise damaged(
            source.name, f"holds {shown(name)} of a shape that gpukit does not have ({error})"
        ) from error


def _check(source: Source) -> None:
    """The safetensors package judges the file."""
    package = _package()
    try:
        _judge(package, source)
    except (package.SafetensorError, OSError, ValueError, OverflowError) as error:
        raise damaged(source.name, f"is not a valid safetensors file ({error})") from error


def _judge(package: Any, source: Source) -> None:
    try:
        descriptor = source.stream.fileno()
    except OSError:  # bytes in memory
        source.stream.seek(0)
        package.deserialize(source.stream.read())
        return
    # The open file itself, even if its path now names another file.
    itself = Path(f"/dev/fd/{descriptor}")
    with package.safe_open(itself if itself.exists() else source.name, framework="numpy"):
        pass


def _package() -> Any:
    try:
        import safetensors
    except ImportError as error:
        fix = installing.command("io")
        raise CheckpointError(
            f"load: reading .safetensors needs the safetensors package. Use {fix}", fix=fix
        ) from error
    return safetensors


class _Unique:
    """Refuses a JSON object that names something twice: readers would differ about it."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            raise damaged(self._file, "names a tensor twice")
        return result
