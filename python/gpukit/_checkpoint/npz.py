"""NumPy's `.npz`: a zip of arrays. Names to CPU arrays; devices and views are not in it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from gpukit import _core
from gpukit._checkpoint.failure import damaged, shown
from gpukit._checkpoint.map_location import Placement
from gpukit._checkpoint.named_tensors import checked_names
from gpukit._checkpoint.source import Source
from gpukit._checkpoint.storage_bytes import row_chunks
from gpukit._checkpoint.zip_writer import ZipWriter
from gpukit._dtypes import ROWS
from gpukit.errors import DTypeError, ShapeError

# Deflate cannot make more of a byte than this; a directory that claims more is wrong.
_MAX_GROWTH = 1040


def write(value: Any, stream: Any) -> None:
    """Writes a dict of tensors as numpy.savez would."""
    tensors = checked_names(value, ".npz")
    with ZipWriter(stream) as archive:
        for name, tensor in tensors.items():
            header = _header(name, tensor)
            size = len(header) + tensor.nbytes
            archive.add_chunks(f"{name}.npy", size, _parts(header, tensor))


def _parts(header: bytes, tensor: _core.Tensor) -> Iterator[memoryview]:
    yield memoryview(header)
    yield from row_chunks(tensor)


def _header(name: str, tensor: _core.Tensor) -> bytes:
    import numpy as np

    if not ROWS[tensor.dtype].in_numpy:
        raise DTypeError(
            f"save: {name!r} is {tensor.dtype.name}, which NumPy does not have. "
            "Use .float(), or the suffix .pth or .safetensors",
            fix=".float()",
        )
    out = io.BytesIO()
    description = {
        "descr": np.lib.format.dtype_to_descr(np.dtype(tensor.dtype.name)),
        "fortran_order": False,
        "shape": tuple(tensor.shape),
    }
    np.lib.format.write_array_header_1_0(out, description)
    return out.getvalue()


def read(
    source: Source, directory: Sequence[zipfile.ZipInfo], placement: Placement
) -> dict[str, _core.Tensor]:
    """The arrays of the file as tensors; nothing pickled is read."""
    import numpy as np

    _check_directory(source, directory)
    source.stream.seek(0)
    try:
        with np.load(source.stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:  # NumPy's parsers let out whatever they meet; nothing else runs here
        raise damaged(source.name, f"cannot be read as .npz ({error!r:.200})") from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):  # NumPy hands out the bytes of any other entry
            raise damaged(source.name, f"cannot be read as .npz: {shown(name)} is not an array")
    return {
        name: placement.place("cpu", _Array(source.name, name, array).on)
        for name, array in arrays.items()
    }


class _Array:
    """An array of the file, to be put on a device."""

    def __init__(self, file: str, name: str, array: Any) -> None:
        self._file, self._name, self._array = file, name, array

    def on(self, device: _core.device) -> _core.Tensor:
        import numpy as np

        try:
            # Native byte order, C order: what gpukit's memory looks like.
            array = np.asarray(self._array, self._array.dtype.newbyteorder("="), order="C")
            return _core.from_numpy(array).to(device)
        except (DTypeError, ShapeError) as error:
            array = self._array
            raise damaged(
                self._file,
                f"holds {shown(self._name)} of {shown(str(array.dtype))} with {array.ndim} "
                "dimensions, which gpukit does not have",
            ) from error


def _check_directory(source: Source, directory: Sequence[zipfile.ZipInfo]) -> None:
    """Entries are packed as NumPy does, and claim no more than their bytes can hold."""
    for entry in directory:
        if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise damaged(source.name, f"has {shown(entry.filename)} in a form NumPy does not use")
        if entry.file_size > _MAX_GROWTH * (min(entry.compress_size, source.size) + 1):
            raise damaged(
                source.name,
                f"claims {entry.file_size} bytes for {shown(entry.filename)} in "
                f"{entry.compress_size}",
            )
