"""`gpukit.save` and `gpukit.load`: torch's zip layout, `.npz` and `.safetensors`.

torch_zip knows torch's file, on zip_writer and zip_archive below it and pickle_writer and
pickle_reader for what is not bytes of tensors. Nothing that a file holds is ever run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gpukit._checkpoint import npz, safetensors_file, torch_zip
from gpukit._checkpoint._atomic_file import atomic_file
from gpukit._checkpoint.failure import damaged
from gpukit._checkpoint.map_location import Placement
from gpukit._checkpoint.source import Source
from gpukit._checkpoint.zip_archive import ZipArchive, zip_directory
from gpukit._system.host_memory import warn_before

_WRITERS = {"torch": torch_zip.write, "npz": npz.write, "safetensors": safetensors_file.write}
_FORMATS = ("auto", *_WRITERS)
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")  # the second one begins an empty archive
# What torch wrote before 1.6 begins with a pickle of this number.
_OLD_TORCH_MAGIC = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"


def save(obj: Any, f: Any, *, format: str = "auto") -> None:
    """Write tensors, and what holds them, to a file.

    Format "torch" is what `torch.load(weights_only=True)` opens: tensors of all dtypes, views and
    shared memory, numbers, text, None, lists, tuples, dicts, sets, devices and dtypes. "npz" and
    "safetensors" hold one dict from names to tensors. A tensor's whole storage is written, once.

    The file is complete or absent: it is written to a temporary file in the same folder, which is
    then renamed. From a GPU at most 32 MiB are in host memory at a time. Other threads run
    meanwhile.

    Args:
        obj: what to save.
        f: a path, or an object with write(), e.g. io.BytesIO.
        format: "torch", "npz", "safetensors", or "auto": by the path's suffix, else torch.

    Raises:
        CheckpointError: `obj` holds something else, or writing failed; an old file is untouched.
        ValueError: an unknown format. DTypeError: .npz cannot hold bfloat16.
        OSError: the folder does not exist or is not writable.

    Example:
        >>> import io
        >>> import gpukit
        >>> file = io.BytesIO()
        >>> gpukit.save({"w": gpukit.ones(2)}, file)
        >>> gpukit.load(io.BytesIO(file.getvalue()))
        {'w': tensor([1., 1.])}
    """
    write = _WRITERS[_format_of(f, format)]
    if isinstance(f, (str, os.PathLike)):
        with atomic_file(Path(f)) as stream:
            write(obj, stream)
    elif callable(getattr(f, "write", None)):
        write(obj, f)
    else:
        raise TypeError(f"save: f must be a path or have write(), got {f!r}")


def _format_of(f: Any, format: str) -> str:
    if format not in _FORMATS:
        raise ValueError(f"save: format must be one of {', '.join(_FORMATS)}, got {format!r}")
    if format != "auto":
        return format
    suffix = Path(f).suffix.lower() if isinstance(f, (str, os.PathLike)) else ""
    return {".npz": "npz", ".safetensors": "safetensors"}.get(suffix, "torch")


def load(
    f: Any, map_location: Any = None, *, weights_only: bool | None = True, mmap: bool = False
) -> Any:
    """Read a file of gpukit.save, torch.save, numpy.savez or safetensors.

    Nothing in the file is run: it may name what is in a fixed list, everything else is refused.

    Args:
        f: a path, or an object with read(), e.g. io.BytesIO.
        map_location: where tensors go. None: where they were saved from if that device works here,
            else the CPU, with one note. A device or its name: there. A dict such as
            {"cuda:1": "cuda:0"}: by where they were saved from. A function of (storage, location):
            the storage as it returns it, a device, or None for the default.
        weights_only: Accepted for compatibility with PyTorch: nothing is run with False either.
        mmap: tensors on the CPU are views of the mapped file, read when they are touched. Writing
            to them does not change the file. Needs a path; not for .npz.

    Warns once if the file is larger than the memory that this machine, container or job has left.

    Raises:
        CheckpointError: the file is damaged, asks for something forbidden, or has another format.
        DeviceNotFoundError: map_location names a device that does not exist.
        OSError: the file cannot be opened. ValueError, TypeError: an argument does not fit.

    Example:
        >>> import io
        >>> import gpukit
        >>> file = io.BytesIO()
        >>> gpukit.save([gpukit.arange(3), 0.5], file)
        >>> gpukit.load(io.BytesIO(file.getvalue()), map_location="cpu")
        [tensor([0, 1, 2]), 0.5]
    """
    if isinstance(weights_only, str):
        raise TypeError(f"load: weights_only must be True, False or None, got {weights_only!r}")
    if not isinstance(mmap, bool):
        raise TypeError(f"load: mmap must be True or False, got {mmap!r}")
    placement = Placement(map_location)
    with Source(f, mapped=mmap) as source:
        if not mmap and placement.may_use_host:
            warn_before("load", str(source.name), source.size)
        return _read(source, placement, mmap=mmap)


def _read(source: Source, placement: Placement, *, mmap: bool) -> Any:
    start = source.read(0, min(len(_OLD_TORCH_MAGIC), source.size))
    if safetensors_file.is_safetensors(start, source.size):
        return safetensors_file.read(source, placement)
    if start.startswith(_ZIP_MAGICS):
        return _read_zip(source, placement, mmap=mmap)
    if start.startswith(_OLD_TORCH_MAGIC):
        raise damaged(
            source.name,
            "was written by torch before 1.6, or with _use_new_zipfile_serialization=False. "
            "Load it in torch and save it again",
        )
    raise damaged(source.name, "is not a torch, NumPy .npz or safetensors file")


def _read_zip(source: Source, placement: Placement, *, mmap: bool) -> Any:
    directory = zip_directory(source)
    names = [info.filename for info in directory]
    if not any(map(torch_zip.is_pickle, names)):
        if not all(name.endswith(".npy") for name in names):
            raise damaged(source.name, "is a zip file, but neither torch's nor NumPy's")
        if mmap:
            raise ValueError("load: mmap=True is for .pth and .safetensors; .npz is always read")
        return npz.read(source, directory, placement)
    return torch_zip.read(source, ZipArchive(source, directory), placement)
