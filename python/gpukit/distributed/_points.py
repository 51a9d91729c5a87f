"""Tensors from one rank to another: a description first, the bytes once the receiver agrees."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gpukit import _core, _traffic
from gpukit._system.nccl_library import library
from gpukit.distributed._buffers import byte_buffer, check_tensor, describe, packed
from gpukit.distributed._channel import RECORD, Channel
from gpukit.distributed._groups import ProcessGroup, group_of
from gpukit.distributed._operation import by_nccl, in_stream_of
from gpukit.distributed._work import Work
from gpukit.errors import ArgumentError, DistributedError

Tensor = _core.Tensor
_NUMBERS = 10_000  # messages between two ranks whose tags differ
_DIGITS = 8
_REFUSED, _BY_MPI, _BY_NCCL, _BY_NEW_NCCL = b"\0", b"\1", b"\2", b"\3"  # a receiver's verdicts


def _channel(name: str, group: ProcessGroup) -> Channel:
    if group.channel is None or group.rank() < 0:
        raise DistributedError(
            f"{name}: the group has no other rank. Start several by: gpukit run -n 2 script.py"
        )
    return group.channel


def _peer(name: str, group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    if group_rank is None and (rank is None or int(rank) not in group.ranks):
        raise ArgumentError(f"{name}: rank {rank} is not in the group of {list(group.ranks)}")
    peer = group.ranks.index(int(rank)) if group_rank is None and rank is not None else group_rank
    if peer is None or not 0 <= peer < group.size() or peer == group.rank():
        raise ArgumentError(f"{name}: rank {peer} of the group is absent, or this one itself")
    return peer


class _Sending:
    """One tensor on its way out. Made in the caller's order, which is the order of matching."""

    def __init__(self, channel: Channel, tensor: Tensor, peer: int, tag: int) -> None:
        self.channel, self.tensor, self.peer = channel, tensor, peer
        self.number = channel.next_number(peer) % _NUMBERS
        self.text = describe(tensor)
        offer = ""
        if (nccl := by_nccl(channel, tensor)) is not None:
            self.key = nccl.key_of(tensor)
            offer = "{}.{}".format(*self.key)
            self.tensor = tensor.contiguous()
            self.ready = _core.current_stream(tensor.device).record_event()
        record = f"{self.number:0{_DIGITS}d}{offer}|{self.text}".encode()[:RECORD].ljust(RECORD)
        mpi = channel.mpi
        self.header = channel.headers.Isend([record, mpi.BYTE], dest=peer, tag=tag)
        self.verdict = bytearray(1)
        self.answer = channel.payload.Irecv(
            [self.verdict, mpi.BYTE], source=peer, tag=2 * self.number
        )

    def finish(self) -> None:
        """Wait for the receiver, and send."""
        channel = self.channel
        channel.await_request(
            self.answer, f"send of {self.text} to rank {channel.ranks[self.peer]}"
        )
        if self.verdict == _REFUSED:
            raise DistributedError(
                f"send: rank {channel.ranks[self.peer]} wants to receive another shape or dtype "
                f"than {self.text}"
            )
        if self.verdict == _BY_MPI:
            buffer = byte_buffer(channel.mpi, "send", packed(self.tensor))
            channel.payload.Send(buffer, dest=self.peer, tag=2 * self.number + 1)
            return
        nccl = channel.nccl
        assert nccl is not None  # it was offered
        lane = nccl.lane(self.peer, sends=True)
        if self.verdict == _BY_NEW_NCCL:
            identity = library().unique_id()
            buffer = [identity, channel.mpi.BYTE]
            channel.payload.Send(buffer, dest=self.peer, tag=2 * self.number + 1)
            lane.renew(identity, self.key[1], self.key)
        lane.move(self.tensor, self.ready)


class _Receiving:
    """One tensor on its way in."""

    def __init__(self, channel: Channel, tensor: Tensor, peer: int | None, tag: int) -> None:
        self.channel, self.tensor = channel, tensor
        if by_nccl(channel, tensor) is not None:
            self.ready = _core.current_stream(tensor.device).record_event()
        mpi = channel.mpi
        self.record = bytearray(RECORD)
        source = mpi.ANY_SOURCE if peer is None else peer
        self.status = mpi.Status()
        self.header = channel.headers.Irecv([self.record, mpi.BYTE], source=source, tag=tag)

    def finish(self) -> int:
        """Wait for the sender, and receive; returns the sender's rank in the job."""
        channel, text = self.channel, describe(self.tensor)
        channel.await_request(self.header, f"recv of {text}", self.status)
        peer: int = self.status.Get_source()
        number = int(self.record[:_DIGITS])
        offer, _, sent = self.record[_DIGITS:].decode().strip().partition("|")
        if sent != text:
            self._answer(peer, number, _REFUSED)
            raise DistributedError(
                f"recv: rank {channel.ranks[peer]} sends {sent}, the tensor to receive is {text}"
            )
        if offer and by_nccl(channel, self.tensor) is not None:
            self._by_nccl(peer, number, offer)
        else:
            self._answer(peer, number, _BY_MPI)
            self._by_mpi(peer, number)
        return channel.ranks[peer]

    def _answer(self, peer: int, number: int, verdict: bytes) -> None:
        channel = self.channel
        channel.payload.Send([verdict, channel.mpi.BYTE], dest=peer, tag=2 * number)

    def _by_mpi(self, peer: int, number: int) -> None:
        channel, host = self.channel, packed(self.tensor)
        buffer = byte_buffer(channel.mpi, "recv", host, written=True)
        channel.payload.Recv(buffer, source=peer, tag=2 * number + 1)
        if host.data_ptr() != self.tensor.data_ptr():
            self.tensor.copy_(host)

    def _by_nccl(self, peer: int, number: int, offer: str) -> None:
        channel, target = self.channel, self.tensor.contiguous()
        nccl = channel.nccl
        assert nccl is not None
        own = nccl.key_of(self.tensor)
        lane, key = nccl.lane(peer, sends=False), (*own, offer)
        with lane.turn:  # the next message is agreed to once this one is there
            if lane.fits(key):
                self._answer(peer, number, _BY_NCCL)
            else:
                self._answer(peer, number, _BY_NEW_NCCL)
                identity = bytearray(128)
                buffer = [identity, channel.mpi.BYTE]
                channel.payload.Recv(buffer, source=peer, tag=2 * number + 1)
                lane.renew(bytes(identity), own[1], key)
            lane.move(target, self.ready)
        if target.data_ptr() != self.tensor.data_ptr():
            self.tensor.copy_(target)
        else:
            _core.increment_version(self.tensor)


def _in_thread(description: str, tensor: Tensor, call: Callable[[Work], None]) -> Work:
    work = Work(description, tensor.nbytes)
    in_stream = in_stream_of(tensor, lambda: call(work))

    def run() -> None:
        try:
            in_stream()
        except BaseException as error:  # raised by wait()
            work.finish(error)
        else:
            work.finish()

    threading.Thread(target=run, name="gpukit-distributed-point", daemon=True).start()
    return work


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor to another rank, which has to call `recv`; wait until it has it.

    Args:
        tensor: what is sent.
        dst: the job's number of the receiver.
        group: the ranks; None means all.
        tag: a number that the receiver names too.
        group_dst: its number in the group, in place of dst.

    Raises:
        DistributedError: the receiver wants another shape or dtype, has left, or there is none.
        ArgumentError: dst is not in the group, or this rank.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> if dist.get_world_size() > 1 and dist.get_rank() == 0:
        ...     dist.send(gpukit.ones(2), dst=1)
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    x, channel = check_tensor("send", "tensor", tensor), _channel("send", found)
    sending = _Sending(channel, x, _peer("send", found, dst, group_dst), tag)
    with _traffic.timed("send", x.nbytes):
        sending.finish()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor that another rank sends.

    Args:
        tensor: what receives it; of the shape and dtype that are sent.
        src: the job's number of the sender; None means any.
        group: the ranks; None means all.
        tag: the number that the sender names.
        group_src: its number in the group, in place of src.

    Returns:
        the sender's number in the job.

    Raises:
        DistributedError: another shape or dtype is sent, the sender has left, or there is none.
        ArgumentError: src is not in the group, or this rank; the tensor is read-only.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> if dist.get_world_size() > 1 and dist.get_rank() == 1:
        ...     sender = dist.recv(gpukit.zeros(2), src=0)
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    x, channel = check_tensor("recv", "tensor", tensor), _channel("recv", found)
    is_any = src is None and group_src is None
    peer = None if is_any else _peer("recv", found, src, group_src)
    receiving = _Receiving(channel, x, peer, tag)
    with _traffic.timed("recv", x.nbytes):
        return receiving.finish()


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work:
    """As send, in the background.

    Args:
        tensor: what is sent; it must not be modified until `wait()`.
        dst: as for send.
        group: as for send.
        tag: as for send.
        group_dst: as for send.

    Returns:
        Work.

    Raises:
        DistributedError: there is no other rank; `wait()` raises the rest.
        ArgumentError: dst is not in the group, or this rank.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> if dist.get_world_size() > 1 and dist.get_rank() == 0:
        ...     work = dist.isend(gpukit.ones(2), dst=1)
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    x, channel = check_tensor("isend", "tensor", tensor), _channel("isend", found)
    sending = _Sending(channel, x, _peer("isend", found, dst, group_dst), tag)
    return _in_thread("isend", x, lambda _: sending.finish())


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work:
    """As recv, in the background.

    Args:
        tensor: what receives it; it must not be used until `wait()`.
        src: as for recv.
        group: as for recv.
        tag: as for recv.
        group_src: as for recv.

    Returns:
        Work, whose source_rank() is the sender once it has arrived.

    Raises:
        DistributedError: there is no other rank; `wait()` raises the rest.
        ArgumentError: src is not in the group, or this rank.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> if dist.get_world_size() > 1 and dist.get_rank() == 1:
        ...     work = dist.irecv(gpukit.zeros(2), src=0)
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    x, channel = check_tensor("irecv", "tensor", tensor), _channel("irecv", found)
    is_any = src is None and group_src is None
    receiving = _Receiving(
        channel, x, None if is_any else _peer("irecv", found, src, group_src), tag
    )

    def run(work: Work) -> None:
        work.set_source(receiving.finish())

    return _in_thread("irecv", x, run)
