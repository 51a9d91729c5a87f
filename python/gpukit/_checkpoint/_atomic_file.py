"""Atomic file writes: a temporary file in the same folder is renamed over the target."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from gpukit.errors import CheckpointError


def _create_temporary(target: Path) -> tuple[FileIO, Path]:
    """A new file in the folder of `target`, with the permissions a new file gets."""
    while True:
        temporary = target.with_name(f".{target.name[:200]}.{os.urandom(6).hex()}.tmp")
        with suppress(FileExistsError):
            return FileIO(temporary, "x"), temporary


def _keep_permissions(target: Path, file: FileIO) -> None:
    with suppress(FileNotFoundError):
        os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))


def _sync_folder(folder: Path) -> None:
    """Flush the folder entry to disk. Best effort: some file systems do not support it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _is_special(target: Path) -> bool:
    """True for a pipe or device, which is written in place: a rename would replace it."""
    return target.exists() and not target.is_file() and not target.is_dir()


@contextmanager
def atomic_file(path: Path) -> Iterator[FileIO]:
    """The open file; on a clean exit it replaces `path`, otherwise `path` is unchanged.

    A symbolic link is kept and its target replaced. Permissions are kept.

    Raises:
        CheckpointError: writing failed, e.g. the disk is full.
        OSError: the folder does not exist or is not writable.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"save: {path} is a folder; name a file in it")
    if not target.parent.exists():
        raise FileNotFoundError(
            errno.ENOENT,
            f"save: the folder {str(target.parent)!r} does not exist; make it first, with "
            f"os.makedirs({str(target.parent)!r})",
            str(path),
        )
    if _is_special(target):
        with FileIO(target, "w") as file:
            yield file
        return
    file, temporary = _create_temporary(target)
    try:
        with file:
            _keep_permissions(target, file)
            yield file
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CheckpointError(
            f"save: {path} could not be written: {error.strerror or error}. "
            "The previous file is unchanged.",
            details={"file": str(path), "errno": error.errno},
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)
