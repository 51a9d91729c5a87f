"""Messages between a DataLoader and its worker processes: pickled, large ones in shared memory.

The memory has no name: a file descriptor of it goes through the connection, and it is gone with its
last mapping. Nothing is left behind by a process that is killed.
"""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import socket
from multiprocessing.connection import Connection
from typing import Any

from gpukit._shared_memory import open_memory

INLINE_BYTES = 4096  # so that messages in flight fit into the connection's buffer
ALIGNMENT = 64
_SMALL, _LARGE = b"s", b"l"


class Packed:
    """A pickled object, with its buffers in shared memory if they are large."""

    def __init__(self, value: Any) -> None:
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(value, 5, buffer_callback=buffers.append)
        parts = [memoryview(body), *(buffer.raw() for buffer in buffers)]
        self.memory: int | None = None
        if sum(part.nbytes for part in parts) <= INLINE_BYTES:
            self.header = _SMALL + (pickle.dumps(value, 5) if buffers else body)
            return
        places, end = [], 0
        for part in parts:
            places.append((end, part.nbytes))
            end += -(-part.nbytes // ALIGNMENT) * ALIGNMENT
        self.header = _LARGE + pickle.dumps((end, places))
        self.memory = _written(parts, places, end)

    def send(self, connection: Connection) -> None:
        """Send it; may be done several times."""
        connection.send_bytes(self.header)
        if self.memory is not None:
            with _socket_of(connection) as sender:
                socket.send_fds(sender, [_LARGE], [self.memory])

    def close(self) -> None:
        """Release this process's hold on the memory."""
        if self.memory is not None:
            os.close(self.memory)
            self.memory = None

    def mentions(self, text: bytes) -> bool:
        """Whether the pickled object has these bytes, as the name of a module."""
        if self.memory is None:
            return text in self.header
        size = pickle.loads(self.header[1:])[1][0][1]
        return text in os.pread(self.memory, size, 0)


def send(connection: Connection, value: Any) -> None:
    """Send an object to the process at the other end."""
    packed = Packed(value)
    try:
        packed.send(connection)
    finally:
        packed.close()


def receive(connection: Connection) -> Any:
    """The next object. Its buffers are writable, and this process's own.

    Raises:
        EOFError: The other end is closed.
    """
    header = connection.recv_bytes()
    if header[:1] == _SMALL:
        return pickle.loads(header[1:])
    size, places = pickle.loads(header[1:])
    with _socket_of(connection) as receiver:
        mark, handles, _flags, _address = socket.recv_fds(receiver, 1, 1)
    if not mark:
        raise EOFError
    if not handles:
        raise OSError(errno.EMFILE, "no file descriptor is free for a batch in shared memory")
    handle = handles[0]
    try:
        memory = memoryview(mmap.mmap(handle, size, access=mmap.ACCESS_COPY))
    finally:
        os.close(handle)
    (start, length), *others = places
    buffers = [memory[begin : begin + count] for begin, count in others]
    return pickle.loads(memory[start : start + length], buffers=buffers)


def _socket_of(connection: Connection) -> socket.socket:
    """The connection as a socket.

    multiprocessing.reduction would do, but from Python 3.14 on it waits for an answer of the other
    process, which may be sending at the same time.
    """
    made = socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM)
    made.setblocking(True)  # socket.setdefaulttimeout() would hold for the connection, too
    return made


def _written(parts: list[memoryview], places: list[tuple[int, int]], size: int) -> int:
    """A file descriptor of shared memory with the parts at their places."""
    handle = open_memory("gpukit-batch")
    try:
        os.ftruncate(handle, size)
        for part, (begin, _count) in zip(parts, places, strict=True):
            _write(handle, part.cast("B"), begin)
    except OSError as error:
        os.close(handle)
        if error.errno in {errno.ENOSPC, errno.ENOMEM}:
            raise RuntimeError(
                f"DataLoader: no shared memory is left for a message of {size} bytes. Give the "
                "container more of it (docker run --shm-size=8g), or use smaller batches, fewer "
                "workers or a smaller prefetch_factor."
            ) from error
        raise
    return handle


def _write(handle: int, part: memoryview, begin: int) -> None:
    while part.nbytes:
        count = os.pwrite(handle, part[: 1 << 30], begin)
        part, begin = part[count:], begin + count
