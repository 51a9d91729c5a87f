"""Sends and receives that are begun together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpukit import _core
from gpukit.distributed._groups import ProcessGroup
from gpukit.distributed._points import irecv, isend
from gpukit.distributed._work import Work
from gpukit.errors import ArgumentError


class P2POp:
    """One send or receive of `batch_isend_irecv`.

    Args:
        op: isend or irecv, of gpukit.distributed.
        tensor: what is sent, or receives.
        peer: the job's number of the other rank.
        group: the ranks; None means all.
        tag: a number that both ends name.
        group_peer: its number in the group, in place of peer.

    Raises:
        ArgumentError: op is neither.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.P2POp(dist.isend, gpukit.ones(2), 1).peer
        1
    """

    def __init__(
        self,
        op: Callable[..., Work],
        tensor: _core.Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in {isend, irecv}:
            raise ArgumentError(
                f"P2POp: op is {op!r}; use gpukit.distributed.isend or gpukit.distributed.irecv"
            )
        self.op, self.tensor, self.peer = op, tensor, peer
        self.group, self.tag, self.group_peer = group, tag, group_peer


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begin several sends and receives, in any order: ranks in a ring do not wait.

    Args:
        p2p_op_list: what to begin.

    Returns:
        Work, one for each.

    Raises:
        ArgumentError: the list is empty, or holds something else.
        DistributedError: there is no other rank; `wait()` raises the rest.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> if dist.get_world_size() == 2:
        ...     x, y, peer = gpukit.ones(2), gpukit.zeros(2), 1 - dist.get_rank()
        ...     ops = [dist.P2POp(dist.isend, x, peer), dist.P2POp(dist.irecv, y, peer)]
        ...     waited = [work.wait() for work in dist.batch_isend_irecv(ops)]
        >>> dist.destroy_process_group()
    """
    ops = list(p2p_op_list)
    if not ops or not all(isinstance(each, P2POp) for each in ops):
        raise ArgumentError("batch_isend_irecv: p2p_op_list must be a list of P2POp, not empty")
    return [each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer) for each in ops]
