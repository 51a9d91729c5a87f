"""Parameters of a network on other devices, in memory that lasts and moves in one piece."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import ref

from gpukit import _core
from gpukit._core import Tensor
from gpukit._devices.exchange import Exchange
from gpukit.autograd import Function

_ALIGNED = 64  # elements that a parameter's place is a multiple of
_KEPT = 2  # sets that stay when no graph uses them


class _Use:
    """Lives as long as a call, and the graph that it recorded."""


class _Set:
    """The parameters of one kind on all devices, one after the other in a tensor for each."""

    def __init__(self, devices: Sequence[_core.device], parameters: Sequence[Tensor]) -> None:
        self.places = []
        end = 0
        for each in parameters:
            self.places.append(end)
            end += -(-each.numel() // _ALIGNED) * _ALIGNED
        dtype = parameters[0].dtype
        self.flats = [_core.zeros((end,), dtype=dtype, device=device) for device in devices]
        self.use: Any = lambda: None

    def views(self, flat: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Each parameter's place in one of the flats."""
        return [
            flat[start : start + each.numel()].reshape(tuple(each.shape))
            for start, each in zip(self.places, parameters, strict=True)
        ]


class _Moved(Function):
    """Parameters to their copies on the other devices; the copies' gradients back, added up."""

    @staticmethod
    def forward(ctx: Any, kind: _Kind, chosen: _Set, use: _Use, *parameters: Tensor) -> Any:
        """All copies, device by device."""
        ctx.kind, ctx.use, ctx.count = kind, use, len(parameters)
        ctx.set_materialize_grads(False)
        return tuple(kind.fill(chosen, parameters))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        """One gradient for each parameter."""
        columns = [gradients[i :: ctx.count] for i in range(ctx.count)]
        return (None, None, None, *ctx.kind.added_up(columns))


class _Kind:
    """The parameters of one dtype that want a gradient, or do not."""

    def __init__(self, devices: Sequence[_core.device], exchange: Exchange) -> None:
        self._devices = list(devices)
        self._exchange = exchange
        self._lock = threading.Lock()
        self._sets: list[_Set] = []
        self._key: Any = None

    def copies(self, use: _Use, parameters: list[Tensor]) -> Sequence[Tensor]:
        """Copies on the other devices, device by device."""
        trained, records = parameters[0].requires_grad, _core.is_grad_enabled()
        if records and not trained:
            # The graph of an input may save these, and nothing in it would hold `use`.
            return self.fill(_Set(self._devices, parameters), parameters)
        chosen = self._free_set(use, parameters)
        if trained and records:
            copies: Sequence[Tensor] = _Moved.apply(self, chosen, use, *parameters)
            return copies
        return self.fill(chosen, parameters)

    def _free_set(self, use: _Use, parameters: list[Tensor]) -> _Set:
        """One that no graph refers to: what a graph has saved must not be overwritten."""
        key = (_core.session_id(), [tuple(each.shape) for each in parameters])
        with self._lock:
            if key != self._key:
                self._key, self._sets = key, []
            free = [each for each in self._sets if each.use() is None]
            self._sets = [each for each in self._sets if each.use() is not None] + free[:_KEPT]
            chosen = free[0] if free else _Set(self._devices, parameters)
            if not free:
                self._sets.append(chosen)
            chosen.use = ref(use)
            return chosen

    def fill(self, chosen: _Set, parameters: Sequence[Tensor]) -> list[Tensor]:
        """Write the parameters into a set; gives the copies on the other devices."""
        home, *others = chosen.flats
        for place, each in zip(chosen.views(home, parameters), parameters, strict=True):
            place.copy_(each.detach())
        self._exchange.broadcast([each.detach() for each in chosen.flats])
        return [copy for flat in others for copy in chosen.views(flat, parameters)]

    def added_up(self, columns: list[tuple[Tensor | None, ...]]) -> list[Tensor | None]:
        """The sum of each column at home; None where no device has a gradient."""
        used = [i for i, column in enumerate(columns) if any(each is not None for each in column)]
        found: list[Tensor | None] = [None] * len(columns)
        if not used:
            return found
        home, *others = self._devices
        if _core.is_grad_enabled():  # create_graph=True
            for i in used:
                given = [each.to(home) for each in columns[i] if each is not None]
                found[i] = given[0] if len(given) == 1 else _core.stack(given).sum(0)
            return found
        likes = [next(each for each in columns[i] if each is not None) for i in used]
        flats = []
        for row, device in enumerate(others):
            sent = [columns[i][row] for i in used]
            parts = [
                _core.zeros((like.numel(),), dtype=like.dtype, device=device)
                if each is None
                else each.detach().reshape(-1)
                for each, like in zip(sent, likes, strict=True)
            ]
            flats.append(_core.cat(parts))
        total = _core.zeros_like(flats[0], device=home)
        self._exchange.reduce([total, *flats])
        sizes = [like.numel() for like in likes]
        for i, like, part in zip(used, likes, _core.split(total, sizes), strict=True):
            found[i] = part.reshape(tuple(like.shape))
        return found


class Copies:
    """Of a network's parameters, on the devices beside its own. They last from call to call."""

    def __init__(self, devices: Sequence[_core.device]) -> None:
        self._devices = list(dict.fromkeys(devices))
        self._exchange = Exchange(self._devices)
        self._kinds: dict[tuple[_core.dtype, bool], _Kind] = {}

    @contextmanager
    def of(self, parameters: Sequence[Tensor]) -> Iterator[list[dict[int, Tensor]]]:
        """For each device the copies by their parameter's id, while a call goes on."""
        use = _Use()
        kinds: dict[tuple[_core.dtype, bool], list[Tensor]] = {}
        for each in parameters:
            kinds.setdefault((each.dtype, each.requires_grad), []).append(each)
        tables: dict[_core.device, dict[int, Tensor]] = {each: {} for each in self._devices}
        for name, members in kinds.items() if len(self._devices) > 1 else ():
            if name not in self._kinds:
                self._kinds[name] = _Kind(self._devices, self._exchange)
            copies = iter(self._kinds[name].copies(use, members))
            for device in self._devices[1:]:
                tables[device].update({id(each): next(copies) for each in members})
        tables[self._devices[0]] = {id(each): each for each in parameters}
        yield [tables[device] for device in self._devices]
        del use

    @property
    def devices(self) -> list[_core.device]:
        """Without repetition; the first is the network's own."""
        return self._devices

    def __reduce__(self) -> Any:
        """What is copied or pickled begins without memory."""
        return Copies, (self._devices,)
