"""One network on several ranks: every backward pass leaves the mean gradient on each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

from gpukit import distributed
from gpukit._core import Tensor
from gpukit.distributed._averaging import BUCKET_BYTES, buckets, unflatten
from gpukit.distributed._groups import ProcessGroup, group_of
from gpukit.errors import ArgumentError
from gpukit.nn._reducer import Reducer
from gpukit.nn.module import Module


class DistributedDataParallel(Module):
    """A network whose gradients are averaged over the ranks during the backward pass.

    Parameters and buffers start as rank 0 has them. Gradients are collected in buckets, in reverse
    order of the parameters, and reduced in the background as each bucket fills; `backward()`
    returns when all of them have their mean. Over MPI gradients of 256 KiB and more are reduced
    where they lie: until then a hook that reads one may see a part of the sum. With one process
    the network is used unchanged.

    Args:
        module: the network, on one device.
        device_ids: None, or that device in a list.
        output_device: accepted in the same way.
        dim: accepted for compatibility with PyTorch; ignored.
        broadcast_buffers: copy the buffers of rank 0 to every rank before each forward pass.
        process_group: the ranks; None means all.
        bucket_cap_mb: megabytes (2**20 bytes) of a bucket; None is 25.
        find_unused_parameters: look in each pass which parameters it reaches; the others count as
            zeros, and keep no gradient where no rank reaches them.
        static_graph: accepted for compatibility with PyTorch; ignored.
        gradient_as_bucket_view: gradients that a pass makes are views of the buckets, which saves a
            copy of each back; over MPI the default is faster. They share memory and its version: a
            change in place of one is a change of what saved another, a `.grad` that was set between
            the forward and the backward pass is replaced, and one that is kept keeps its bucket.

    Raises:
        ArgumentError: no parameter requires a gradient, or several devices are named.
        DistributedError: there is no process group, or the ranks have other parameters.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> from gpukit.nn.parallel import DistributedDataParallel
        >>> dist.init_process_group("mpi")
        >>> model = DistributedDataParallel(gpukit.nn.Linear(2, 1))
        >>> model(gpukit.ones(4, 2)).sum().backward()
        >>> model.module.bias.grad
        tensor([4.])
        >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,  # noqa: ARG002
        dim: object = 0,  # noqa: ARG002
        broadcast_buffers: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        static_graph: bool = False,  # noqa: ARG002
        gradient_as_bucket_view: bool = False,
    ) -> None:
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise ArgumentError(
                f"DistributedDataParallel: device_ids is {list(device_ids)}; a rank has one "
                "device. Start a rank for each: gpukit run -n 2 script.py"
            )
        named = [(name, each) for name, each in module.named_parameters() if each.requires_grad]
        if not named:
            raise ArgumentError("DistributedDataParallel: no parameter requires a gradient")
        self.module = module
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self._group = group_of(process_group)
        self._joining = False
        self._reducer: Reducer | None = None
        if self._group.channel is None or self._group.rank() < 0:
            return
        _check_same(self._group, named)
        self._copy_from_first([*module.parameters(), *module.buffers()])
        limit = BUCKET_BYTES if bucket_cap_mb is None else bucket_cap_mb * 2**20
        self._reducer = Reducer(
            self._group,
            named,
            limit,
            finds=find_unused_parameters,
            gives_views=gradient_as_bucket_view,
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The network's own output.

        Args:
            inputs: what the network takes.
            kwargs: keyword inputs, in the same way.
        """
        reducer = self._reducer
        if reducer is None:
            return self.module(*inputs, **kwargs)
        if self._joining:
            reducer.announce(active=True)
        states = list(self.module.buffers())
        if self.broadcast_buffers and self.training and states:
            self._copy_from_first(states)
        reducer.begin()
        output = self.module(*inputs, **kwargs)
        reducer.look_at(output)
        return output

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients of passes inside are only added up on this rank; the next pass reduces them."""
        if self._reducer is None:
            yield
            return
        before, self._reducer.reduces = self._reducer.reduces, False
        try:
            yield
        finally:
            self._reducer.reduces = before

    @contextmanager
    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Iterator[None]:
        """Ranks may have different numbers of batches inside: who is through takes part with zeros.

        The mean is over all ranks, also those that are through. At the end every rank receives the
        parameters of the one that worked longest.

        Args:
            divide_by_initial_world_size: True; the mean is over all ranks.
            enable: False does nothing.
            throw_on_early_termination: False; without join() the other ranks raise.

        Raises:
            ArgumentError: an argument says something else than that.
        """
        if not divide_by_initial_world_size or throw_on_early_termination:
            raise ArgumentError(
                "join: divide_by_initial_world_size must be True and throw_on_early_termination "
                f"False, got {divide_by_initial_world_size} and {throw_on_early_termination}"
            )
        reducer = self._reducer
        if reducer is None or not enable:
            yield
            return
        self._joining = True
        try:
            yield
        finally:
            self._joining = False
        last = reducer.shadow()
        self._copy_from_first([*self.module.parameters(), *self.module.buffers()], last)

    def _copy_from_first(self, tensors: list[Tensor], source: int = 0) -> None:
        """Give every rank the tensors of one of the group."""
        from gpukit import autograd

        with autograd.no_grad():
            for run in buckets([each.detach() for each in tensors], BUCKET_BYTES):
                flat = _flattened(run)
                distributed.broadcast(flat, group=self._group, group_src=source)
                unflatten(flat, run)


def _flattened(tensors: list[Tensor]) -> Tensor:
    from gpukit import _core

    return _core.cat([each.reshape(-1) for each in tensors])


def _check_same(group: ProcessGroup, named: Sequence[tuple[str, Tensor]]) -> None:
    """Every rank must have the same parameters in the same order."""
    text = ";".join(f"{name} {each.dtype.name} {tuple(each.shape)}" for name, each in named)
    mark = blake2b(text.encode(), digest_size=6).hexdigest()
    count = sum(each.numel() for _, each in named)
    assert group.channel is not None
    group.channel.run(
        f"DistributedDataParallel({len(named)} parameters of {count} elements, names {mark})",
        lambda: None,
    )
