"""torch's file: a zip with `data.pkl`, one entry a storage, and the byte order."""

from __future__ import annotations

import sys
from typing import Any

from gpukit import _core
from gpukit._checkpoint.failure import damaged, shown
from gpukit._checkpoint.gpukit_names import gpukit_names
from gpukit._checkpoint.map_location import Placement
from gpukit._checkpoint.pickle_machine import Token
from gpukit._checkpoint.pickle_reader import read_pickle
from gpukit._checkpoint.pickle_writer import PickleWriter
from gpukit._checkpoint.source import Source
from gpukit._checkpoint.storage_bytes import chunks
from gpukit._checkpoint.torch_names import NAMES, STORAGE_DTYPES, StoredBytes, TypedStorage
from gpukit._checkpoint.zip_archive import ZipArchive
from gpukit._checkpoint.zip_writer import ZipWriter
from gpukit.errors import CheckpointError

_ROOT = "archive"
_MAX_PICKLE_BYTES = 64 << 20  # some 400 000 tensors
_PICKLE = "data.pkl"


def write(value: Any, stream: Any) -> None:
    """Writes any value that gpukit.save takes."""
    pickled, storages = PickleWriter().write(value)
    if len(pickled) > _MAX_PICKLE_BYTES:
        raise CheckpointError(
            f"save: what is no tensor takes {len(pickled)} bytes, and files hold at most "
            f"{_MAX_PICKLE_BYTES} of that. Use gpukit.from_numpy(a) for large arrays"
        )
    with ZipWriter(stream) as archive:
        archive.add(f"{_ROOT}/{_PICKLE}", pickled)
        archive.add(f"{_ROOT}/byteorder", sys.byteorder.encode())
        for storage in storages:
            name = f"{_ROOT}/data/{storage.key}"
            archive.add_chunks(name, storage.data.numel(), chunks(storage.data))
        archive.add(f"{_ROOT}/version", b"3\n")


def read(source: Source, archive: ZipArchive, placement: Placement) -> Any:
    """The value of a file that torch or gpukit wrote."""
    root = _root_of(source, archive)
    _check_byte_order(source, archive, root)
    storages = _Storages(source, archive, root, placement)
    pickled = archive.read(f"{root}/{_PICKLE}", _MAX_PICKLE_BYTES)
    return read_pickle(source.name, pickled, {**NAMES, **gpukit_names(placement)}, storages.load)


def is_pickle(name: str) -> bool:
    """True for the entry where torch puts its pickle."""
    return name.endswith(f"/{_PICKLE}") and name.count("/") == 1


def _root_of(source: Source, archive: ZipArchive) -> str:
    roots = [name.partition("/")[0] for name in archive if is_pickle(name)]
    if len(roots) != 1:
        raise damaged(source.name, f"has {len(roots)} entries data.pkl; a torch file has one")
    if f"{roots[0]}/constants.pkl" in archive:
        raise damaged(
            source.name,
            "is a TorchScript archive, a program. Save the module's state_dict() instead",
        )
    return roots[0]


def _check_byte_order(source: Source, archive: ZipArchive, root: str) -> None:
    name = f"{root}/byteorder"
    order = archive.read(name, 16) if name in archive else b"little"
    if order.decode("ascii", "replace") != sys.byteorder:
        raise damaged(
            source.name,
            f"has the byte order {shown(order.decode('latin1'))}, this machine {sys.byteorder!r}",
        )


class _Storages:
    """The storages of a file by key; each is read once, however many tensors share it."""

    def __init__(
        self, source: Source, archive: ZipArchive, root: str, placement: Placement
    ) -> None:
        self._source = source
        self._archive = archive
        self._root = root
        self._placement = placement
        self._loaded: dict[str, StoredBytes] = {}

    def load(self, identity: Any) -> TypedStorage:
        """What ("storage", class, key, location, elements) names."""
        match identity:
            case ("storage", Token(name=kind), str(key), str(location), int(elements)):
                dtype = self._dtype_of(kind)
                self._check_size(key, elements, dtype)
                return TypedStorage(self._stored(key, location), dtype)
        raise damaged(self._source.name, "has a damaged pickle (a storage is not named rightly)")

    def _dtype_of(self, kind: str) -> _core.dtype | None:
        if kind not in STORAGE_DTYPES:
            raise damaged(self._source.name, f"has a storage of class {shown(kind)}")
        return STORAGE_DTYPES[kind]

    def _check_size(self, key: str, elements: int, dtype: _core.dtype | None) -> None:
        wanted = elements * (dtype.itemsize if dtype is not None else 1)
        found = self._archive.entry(self._entry(key)).size
        if wanted != found:
            raise damaged(
                self._source.name,
                f"is damaged: storage {shown(key)} should have {wanted} bytes, it has {found}",
            )

    def _entry(self, key: str) -> str:
        return f"{self._root}/data/{key}"

    def _stored(self, key: str, location: str) -> StoredBytes:
        if key not in self._loaded:
            entry = self._entry(key)
            data = self._placement.place(
                location, lambda device: self._archive.tensor(entry, device)
            )
            self._loaded[key] = StoredBytes(data)
        return self._loaded[key]
