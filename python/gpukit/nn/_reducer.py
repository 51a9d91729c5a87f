"""Buckets of gradients: filled by hooks, reduced in the background, spread at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from gpukit import _core, distributed
from gpukit._core import Tensor
from gpukit.autograd import enable_grad, no_grad
from gpukit.distributed import ReduceOp, Work
from gpukit.distributed._averaging import buckets
from gpukit.distributed._groups import ProcessGroup
from gpukit.errors import AutogradError


class _Bucket:
    """Parameters whose gradients travel together."""

    def __init__(self, parameters: list[Tensor], numbers: list[int], *, gives_views: bool) -> None:
        self.gives_views = gives_views
        self.parameters = parameters
        self.numbers = numbers
        self._allocate()
        self.missing = len(parameters)
        self.work: Work | None = None
        self.without: set[int] = set()  # the parameters that had no gradient before the pass

    def _allocate(self) -> None:
        first = self.parameters[0]
        sizes = [each.numel() for each in self.parameters]
        self.flat = _core.empty(sum(sizes), dtype=first.dtype, device=first.device)
        pieces = self.flat.split(sizes)
        self.slots = {
            number: piece.view(each.shape)
            for number, piece, each in zip(self.numbers, pieces, self.parameters, strict=True)
        }
        self.given = False  # a gradient is a view of the memory

    def begin(self) -> None:
        """Before a pass."""
        if self.given:
            self._allocate()
        self.missing, self.work = len(self.parameters), None
        self.without = {
            number
            for number, each in zip(self.numbers, self.parameters, strict=True)
            if self.gives_views and each.grad is None
        }

    def write_means(self, used: Sequence[int]) -> None:
        """Of the parameters that a rank used; the others keep their gradient."""
        for number, each in zip(self.numbers, self.parameters, strict=True):
            if not used[number]:
                continue
            mean, found = self.slots[number], each.grad
            if number in self.without:
                each.grad = mean
                self.given = True
            elif found is None:
                each.grad = mean.clone()
            else:
                found.detach().copy_(mean)


class Reducer:
    """What DistributedDataParallel does between a forward pass and the end of its backward pass.

    Each parameter's gradient is copied into its bucket as soon as it is final, and a full bucket is
    reduced while the backward pass goes on. The hook of the last parameter to arrive waits for all
    of them, because no other place sees the end of a backward pass. Buckets are reduced in their
    order on every rank, whatever the order in which they fill.
    """

    def __init__(
        self,
        group: ProcessGroup,
        named: Sequence[tuple[str, Tensor]],
        limit: float,
        *,
        finds: bool,
        gives_views: bool,
    ) -> None:
        self.reduces = True
        self._group = group
        self._finds = finds
        self._gives_views = gives_views
        self._names = [name for name, _ in named]
        self._parameters: list[Tensor] = [each for _, each in named]
        self._buckets = self._make_buckets(limit)
        self._bucket_of = {number: bucket for bucket in self._buckets for number in bucket.numbers}
        self._nodes = {_node_of(each): i for i, each in enumerate(self._parameters)}
        self._arrived: set[int] = set()
        self._launched = 0
        self._pending = False
        self._used: tuple[Tensor, Work | None] | None = None
        for number, each in enumerate(self._parameters):
            each.register_post_accumulate_grad_hook(self._hook(number))

    def _make_buckets(self, limit: float) -> list[_Bucket]:
        order = list(range(len(self._parameters)))[::-1]
        made = []
        for run in buckets([self._parameters[i] for i in order], limit):
            made.append(_Bucket(run, order[: len(run)], gives_views=self._gives_views))
            order = order[len(run) :]
        return made

    # ---- one pass ----

    def begin(self) -> None:
        """Before a forward pass whose gradients are wanted."""
        if not _core.is_grad_enabled():
            return
        if self._pending and self._arrived:
            self._raise_unfinished()
        self._arrived, self._launched, self._pending = set(), 0, self.reduces
        self._used = None
        for bucket in self._buckets:
            bucket.begin()

    def _raise_unfinished(self) -> None:
        missing = [name for i, name in enumerate(self._names) if i not in self._arrived]
        raise AutogradError(
            "DistributedDataParallel: the last backward pass did not reach the parameters "
            f"{', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}, so the ranks' gradients "
            "were not averaged. Use find_unused_parameters=True, or freeze them by "
            "requires_grad_(False) before wrapping"
        )

    def look_at(self, output: Any) -> None:
        """After the forward pass: parameters that it did not use count as zeros."""
        if not (self._finds and self.reduces and _core.is_grad_enabled()):
            return
        used = self._reached(output)
        flags = [int(i in used) for i in range(len(self._parameters))]
        told = _core.tensor(flags, dtype=_core.uint8)
        self._used = (told, distributed.all_reduce(told, ReduceOp.MAX, self._group, async_op=True))
        with no_grad():
            for number, flag in enumerate(flags):
                if not flag:
                    self._copy_in(number)
                    self._arrive(number)
            if len(self._arrived) == len(self._parameters):
                self._finish()

    def _reached(self, output: Any) -> set[int]:
        waiting = [each.grad_fn for each in _tensors(output) if each.grad_fn is not None]
        seen, found = set(waiting), set()
        while waiting:
            node = waiting.pop()
            if node in self._nodes:
                found.add(self._nodes[node])
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return found

    def _hook(self, number: int) -> Callable[[Tensor], None]:
        reducer = ref(self)  # the parameter keeps the hook, and is kept by the reducer

        def hook(_: Tensor) -> None:
            here = reducer()
            if here is not None and here._pending and here.reduces:
                with no_grad():
                    here._receive(number)

        return hook

    def _receive(self, number: int) -> None:
        self._copy_in(number)
        self._arrive(number)
        if len(self._arrived) == len(self._parameters):
            self._finish()

    def _copy_in(self, number: int) -> None:
        slot = self._bucket_of[number].slots[number]
        slot.copy_(_current_gradient(self._parameters[number]))

    def _arrive(self, number: int) -> None:
        self._arrived.add(number)
        self._bucket_of[number].missing -= 1
        while self._launched < len(self._buckets) and not self._buckets[self._launched].missing:
            bucket = self._buckets[self._launched]
            self._launched += 1
            # There is nothing to overlap with the last reduction, so no thread is used.
            later = self._launched < len(self._buckets)
            bucket.work = distributed.all_reduce(
                bucket.flat, ReduceOp.AVG, self._group, async_op=later
            )

    def _finish(self) -> None:
        """Wait for all buckets and write the means."""
        used = [1] * len(self._parameters)
        if self._used is not None:
            told, work = self._used
            _wait(work)
            used = told.tolist()
        for bucket in self._buckets:
            _wait(bucket.work)
            bucket.write_means(used)
        self._pending = False

    # ---- ranks with different numbers of batches ----

    def announce(self, *, active: bool) -> tuple[int, int, bool]:
        """Share with all ranks whether this one has a batch: (number that do, the last one, …)."""
        flags = _core.zeros(self._group.size() + 1, dtype=_core.int32)
        if active:
            flags[self._group.rank()] = 1
            flags[-1] = int(self.reduces)
        distributed.all_reduce(flags, ReduceOp.MAX, self._group)
        told = flags.tolist()
        working = [rank for rank, flag in enumerate(told[:-1]) if flag]
        return len(working), working[-1] if working else 0, bool(told[-1])

    def shadow(self) -> int:
        """Take part with zeros until no rank has a batch; returns the last that had one."""
        last = self._group.rank()
        while True:
            working, found, reduces = self.announce(active=False)
            if not working:
                return last
            last = found
            if reduces:
                self._reduce_zeros()

    def _reduce_zeros(self) -> None:
        if self._finds:
            told = _core.zeros(len(self._parameters), dtype=_core.uint8)
            distributed.all_reduce(told, ReduceOp.MAX, self._group)
        for bucket in self._buckets:
            bucket.begin()
            distributed.all_reduce(bucket.flat.zero_(), ReduceOp.AVG, self._group)


def _wait(work: Work | None) -> None:
    if work is not None:
        work.wait()


def _current_gradient(parameter: Tensor) -> Tensor:
    """The gradient that is stored, or zeros."""
    return _core.zeros_like(parameter) if parameter.grad is None else parameter.grad.detach()


def _node_of(parameter: Tensor) -> Any:
    """The node of the graph that accumulates the parameter's gradient."""
    with enable_grad():
        node: Any = parameter.view(parameter.shape).grad_fn
    return node.next_functions[0][0]


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in _tensors(part)]
    return []
