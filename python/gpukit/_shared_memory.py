"""CPU tensors in memory that several processes use, and how they are sent from one to another.

The memory has no name: a file descriptor of it goes to the other process, and it is gone with the
last process that has it. Nothing is left behind by one that is killed.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from typing import Any

from gpukit import _copying, _core
from gpukit.errors import AutogradError

_NO_MEMORY = {errno.ENOSPC, errno.ENOMEM}
_NO_FILES = {errno.EMFILE, errno.ENFILE}


def open_memory(name: str) -> int:
    """A file descriptor of memory without a name; `name` is for /proc alone."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name, os.MFD_CLOEXEC)
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112
    handle, path = tempfile.mkstemp(prefix=f"{name}-", dir=folder)
    os.unlink(path)  # noqa: PTH108
    return handle


def share(tensor: _core.Tensor, keep: bool = False) -> None:
    """Move the tensor's storage into shared memory, unless it is there already.

    `keep`: another thread may use the tensor; the memory it had lives as long as the storage.
    """
    register()
    if not tensor.is_cpu or tensor.is_pinned():
        where = tensor.device if not tensor.is_cpu else "in pinned memory"
        raise NotImplementedError(
            f"share_memory_: the tensor is {where}; only plain CPU memory is shared with other "
            "processes. Use x.cpu().clone().share_memory_()"
        )
    _place, size = _core.storage_info(tensor)
    if size and _core.shared_memory_of(tensor) < 0:
        _core.move_to_shared_memory(tensor, _memory_of(size), keep)


def _memory_of(size: int) -> int:
    handle = -1
    try:
        handle = open_memory("gpukit-tensor")
        os.ftruncate(handle, size)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # what is missing is an error, not a bus error
    except OSError as error:
        if handle >= 0:
            os.close(handle)
        if error.errno in _NO_MEMORY:
            raise MemoryError(
                f"share_memory_: no shared memory is left for {size} bytes. Give the container "
                "more of it (docker run --shm-size=8g), or share fewer tensors"
            ) from error
        if error.errno in _NO_FILES:
            raise _too_many_files() from error
        raise
    return handle


def _too_many_files() -> OSError:
    return OSError(
        errno.EMFILE,
        "share_memory_: no file descriptor is free; each shared tensor needs one. Call "
        "gpukit.multiprocessing.set_sharing_strategy('file_system'), which allows more, or "
        "raise the limit (ulimit -n 65536)",
    )


class _Sent:
    """The shared memory of a tensor while it is pickled: its views, too, send it once."""

    def __init__(self, tensor: _core.Tensor) -> None:
        self.tensor = tensor.detach()

    def __reduce__(self) -> Any:
        from multiprocessing.reduction import DupFd

        try:
            return received, (DupFd(_core.shared_memory_of(self.tensor)),)
        except OSError as error:
            raise (_too_many_files() if error.errno in _NO_FILES else error) from error


_sent: weakref.WeakValueDictionary[int, _Sent] = weakref.WeakValueDictionary()


def received(file: Any) -> _core.Tensor:
    """The memory that another process has sent, as bytes."""
    register()
    return _core.map_shared_memory(file.detach())


def reduce(tensor: _core.Tensor) -> tuple[Any, ...]:
    """How a tensor goes to another process: its memory is shared from then on.

    One on a GPU, and one without elements, is copied.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise AutogradError(
            "multiprocessing: the tensor is the result of a recorded operation "
            f"({tensor.grad_fn and tensor.grad_fn.name()}); its graph stays in this process. "
            "Send x.detach()"
        )
    source = tensor.detach()
    if not source.is_cpu or source.is_pinned() or not _core.storage_info(source)[1]:
        function, arguments, *_ = _copying.reduce(tensor, 2)
        return function, arguments
    share(source, keep=True)
    file = _core.shared_memory_of(source)
    memory = _sent.get(file)
    if memory is None:
        memory = _sent[file] = _Sent(source)
    layout = source.dtype, tuple(source.shape), source.stride(), source.storage_offset()
    return rebuild, (type(tensor), memory, *layout, tensor.requires_grad, dict(tensor.__dict__))


def rebuild(  # noqa: PLR0917 (pickle calls it by position)
    cls: type,
    memory: _core.Tensor,
    dtype: _core.dtype,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int,
    requires_grad: bool,
    attributes: dict[str, Any],
) -> _core.Tensor:
    """The tensor over memory that was sent."""
    result: _core.Tensor = _core.storage_view(memory, dtype, shape, stride, offset)
    if cls is not _core.Tensor:
        result = result.as_subclass(cls)
    result.requires_grad_(requires_grad)
    result.__dict__.update(attributes)
    return result


def register(*classes: type) -> None:
    """Send tensors, and those of these classes, as reduce() says."""
    from multiprocessing.reduction import ForkingPickler

    for each in (_core.Tensor, *classes):
        ForkingPickler.register(each, reduce)
