"""Ranks with different numbers of batches, by torch's name: `with Join([model]):`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError

__all__ = ["Join"]

__getattr__ = module_getattr(__name__)


class Join:
    """What `DistributedDataParallel.join()` does, around the loop of one network.

    Args:
        joinables: the network, in a list.
        enable: whether ranks may have different numbers of batches; False does nothing.
        throw_on_early_termination: not supported.

    Raises:
        ArgumentError: there are several networks, or one that has no join().

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> from gpukit.distributed.algorithms.join import Join
        >>> from gpukit.nn.parallel import DistributedDataParallel
        >>> dist.init_process_group("mpi")
        >>> model = DistributedDataParallel(gpukit.nn.Linear(2, 1))
        >>> with Join([model]):
        ...     model(gpukit.ones(4, 2)).sum().backward()
        >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        joinables: Sequence[Any],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        found = list(joinables)
        if len(found) != 1 or not callable(getattr(found[0], "join", None)):
            raise ArgumentError(
                f"Join: joinables has {len(found)} entries; use one DistributedDataParallel. For "
                "several networks, put them into one Module"
            )
        if throw_on_early_termination:
            raise ArgumentError(
                "Join: throw_on_early_termination is True; leave it out. Without Join the other "
                "ranks raise when one ends early"
            )
        self._inner: AbstractContextManager[Any] = found[0].join(enable=enable, **kwargs)

    def __enter__(self) -> None:
        self._inner.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._inner.__exit__(kind, error, trace)
