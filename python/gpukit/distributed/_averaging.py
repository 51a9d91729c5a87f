"""Gradients of one network on several ranks: their mean on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gpukit import _core
from gpukit.distributed._buffers import ReduceOp
from gpukit.distributed._groups import ProcessGroup, group_of
from gpukit.distributed._reductions import all_reduce

BUCKET_BYTES = 25 << 20  # torch's


def buckets(tensors: Iterable[_core.Tensor], limit: float) -> Iterator[list[_core.Tensor]]:
    """Runs of tensors of one dtype and device, of at most `limit` bytes or one tensor."""
    run: list[_core.Tensor] = []
    size = 0
    for each in tensors:
        new = run and (each.dtype is not run[0].dtype or each.device != run[0].device)
        if run and (new or size + each.nbytes > limit):
            yield run
            run, size = [], 0
        run.append(each)
        size += each.nbytes
    if run:
        yield run


def average_gradients(module: Any, group: ProcessGroup | None = None) -> None:
    """Replace each parameter's gradient by its mean over the ranks; call it after `backward()`.

    Parameters without a gradient count as zeros, so that ranks may differ in what they used; one
    that no rank used keeps none.

    Args:
        module: the network, whose parameters are the same on every rank.
        group: the ranks; None means all.

    Raises:
        DistributedError: the ranks have other parameters, or one has left.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> model = gpukit.nn.Linear(2, 1)
        >>> model(gpukit.ones(4, 2)).sum().backward()
        >>> dist.average_gradients(model)
        >>> model.bias.grad
        tensor([4.])
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    parameters = [each for each in module.parameters() if each.requires_grad]
    if found.channel is None or found.rank() < 0 or not parameters:
        return
    used = _core.tensor([each.grad is not None for each in parameters], dtype=_core.uint8)
    all_reduce(used, ReduceOp.MAX, group)
    chosen = [each for each, flag in zip(parameters, used.tolist(), strict=True) if flag]
    with _no_grad():
        gradients = [_gradient(each) for each in reversed(chosen)]
        works = []
        for run in buckets(gradients, BUCKET_BYTES):
            flat = _core.cat([each.reshape(-1) for each in run])
            works.append((all_reduce(flat, ReduceOp.AVG, group, async_op=True), flat, run))
        for work, flat, run in works:
            if work is not None:
                work.wait()
            unflatten(flat, run)


def _no_grad() -> Any:
    from gpukit import autograd

    return autograd.no_grad()


def _gradient(parameter: _core.Tensor) -> _core.Tensor:
    if parameter.grad is None:
        parameter.grad = _core.zeros_like(parameter.detach())
    gradient: Any = parameter.grad
    return gradient.detach()  # type: ignore[no-any-return]


def unflatten(flat: _core.Tensor, tensors: list[_core.Tensor]) -> None:
    """Elements of a bucket back into its tensors."""
    first = 0
    for each in tensors:
        each.copy_(flat[first : first + each.numel()].reshape(each.shape))
        first += each.numel()
