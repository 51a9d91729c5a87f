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
from gpukit.distributed._reductions import average_each
from gpukit.errors import AutogradError


class _Bucket:
    """Parameters whose gradients travel together.

    The gradients of large parameters are reduced where they lie, and the others in the bucket's
    memory, to which they are copied. Which ones are large is the same on all ranks; where a
    gradient lies is not compared.
    """

    def __init__(self, parameters: dict[int, Tensor], *, large: float, gives_views: bool) -> None:
        self._gives_views = gives_views
        self.parameters = parameters  # by number
        self._alone = [i for i, each in parameters.items() if each.nbytes >= large]
        self._together = [i for i in parameters if i not in self._alone]
        self._allocate()
        self.begin()

    def _allocate(self) -> None:
        first = next(iter(self.parameters.values()))
        numbers = [*self._together, *(self._alone if self._gives_views else ())]
        sizes = [self.parameters[number].numel() for number in numbers]
        memory = _core.empty(sum(sizes), dtype=first.dtype, device=first.device)
        self._slots = {
            number: piece.view(self.parameters[number].shape)
            for number, piece in zip(numbers, memory.split(sizes), strict=True)
        }
        self._flat = memory[: sum(sizes[: len(self._together)])]
        self._given = False  # no gradient is a view of the memory yet

    def begin(self) -> None:
        """Before a pass."""
        if self._given:
            self._allocate()
        self.missing = len(self.parameters)
        self.work: Work | None = None
        self._places: dict[int, Tensor] = {}  # where each gradient is reduced
        self._without: set[int] = set()  # the parameters that had no gradient before the pass
        if self._gives_views:
            self._without = {i for i, each in self.parameters.items() if each.grad is None}

    def take(self, number: int, *, is_reached: bool) -> None:
        """A parameter's gradient is final, or the pass does not reach it."""
        gradient = self.parameters[number].grad
        if gradient is not None and is_reached and number not in self._slots:
            self._places[number] = gradient.detach()
        else:
            self._place(number).copy_(0.0 if gradient is None else gradient.detach())
        self.missing -= 1

    def _place(self, number: int) -> Tensor:
        """Memory that is not the gradient's."""
        slot = self._slots.get(number)
        if slot is None:
            slot = _core.empty_like(self.parameters[number].detach())
        self._places[number] = slot
        return slot

    def reduce(self, group: ProcessGroup, *, in_background: bool) -> None:
        """Once nothing is missing."""
        parts = [self._places[number] for number in self._alone[::-1]]  # what caches hold first
        if self._together:
            parts.append(self._flat)
        self.work = average_each(parts, group, in_background)

    def reduce_zeros(self, group: ProcessGroup) -> None:
        """In place of a pass."""
        self.begin()
        for number in self.parameters:
            self._place(number).zero_()
        self.reduce(group, in_background=False)

    def write_means(self, used: Sequence[int]) -> None:
        """Of the parameters that a rank used; the others keep their gradient."""
        for number, each in self.parameters.items():
            if not used[number]:
                continue
            mean, found = self._places[number], each.grad
            if number in self._without:
                each.grad = mean
                self._given = True
            elif found is None:
                each.grad = mean.clone()
            elif found.data_ptr() != mean.data_ptr():
                found.detach().copy_(mean)
        self._places = {}


class Reducer:
    """What DistributedDataParallel does between a forward pass and the end of its backward pass.

    Each parameter's gradient joins its bucket as soon as it is final, and a full bucket is reduced
    while the backward pass goes on. The hook of the last parameter to arrive waits for all
    of them, because no other place sees the end of a backward pass. Buckets are reduced in their
    order on every rank, whatever the order in which they fill. After an error of a reduction the
    gradients are not defined.
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
        self._bucket_of = {i: bucket for bucket in self._buckets for i in bucket.parameters}
        self._nodes = {_node_of(each): i for i, each in enumerate(self._parameters)}
        self._arrived: set[int] = set()
        self._launched = 0
        self._pending = False
        self._used: tuple[Tensor, Work | None] | None = None
        for number, each in enumerate(self._parameters):
            each.register_post_accumulate_grad_hook(self._hook(number))

    def _make_buckets(self, limit: float) -> list[_Bucket]:
        channel = self._group.channel
        assert channel is not None
        # A GPU copies faster than NCCL begins another operation.
        large = float("inf") if channel.nccl is not None else channel.alone_bytes
        order = iter(range(len(self._parameters) - 1, -1, -1))
        return [
            _Bucket({next(order): each for each in run}, large=large, gives_views=self._gives_views)
            for run in buckets(self._parameters[::-1], limit)
        ]

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
                    self._arrive(number, is_reached=False)
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
        self._arrive(number, is_reached=True)
        if len(self._arrived) == len(self._parameters):
            self._finish()

    def _arrive(self, number: int, *, is_reached: bool) -> None:
        self._arrived.add(number)
        self._bucket_of[number].take(number, is_reached=is_reached)
        while self._launched < len(self._buckets) and not self._buckets[self._launched].missing:
            bucket = self._buckets[self._launched]
            self._launched += 1
            # There is nothing to overlap with the last reduction, so no thread is used.
            later = self._launched < len(self._buckets)
            bucket.reduce(self._group, in_background=later)

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
            bucket.reduce_zeros(self._group)


def _wait(work: Work | None) -> None:
    if work is not None:
        work.wait()


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
