"""One network on several devices: each computes a part of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of
from gpukit._core import Tensor
from gpukit._device import num_gpus, try_all_gpus
from gpukit._devices.parallel import parallel
from gpukit._names.suggest import module_getattr
from gpukit.errors import DeviceMismatchError, ShapeError
from gpukit.nn._distributed import DistributedDataParallel
from gpukit.nn._hooks import keep_hooks
from gpukit.nn._replicas import Copies
from gpukit.nn.module import Module

__all__ = ["DataParallel", "DistributedDataParallel", "gather", "replicate", "scatter"]


def scatter(inputs: Any, devices: Sequence[Any], dim: int = 0) -> list[Any]:
    """Split tensors into one part per device, and move each part there; structures are kept.

    Args:
        inputs: A tensor, or tuples, lists and dicts of them; other values go to all devices.
        devices: Devices of the parts. A batch shorter than that gives fewer parts.
        dim: The dimension to split.

    Returns:
        As many parts as the shortest tensor allows.

    Example:
        >>> import gpukit
        >>> [part.shape for part in gpukit.nn.parallel.scatter(gpukit.ones(5, 2), ["cpu", "cpu"])]
        [(3, 2), (2, 2)]
    """
    dim = int_of("scatter", "dim", dim)
    places = [_core.device(device) for device in devices]
    if isinstance(inputs, Tensor):
        parts = _core.chunk(inputs, len(places), dim)
        return [part.to(place) for part, place in zip(parts, places, strict=False)]
    if isinstance(inputs, (tuple, list)) and inputs:
        kind = type(inputs)
        columns = [scatter(value, places, dim) for value in inputs]
        return [kind(part) for part in zip(*columns, strict=False)]
    if isinstance(inputs, dict) and inputs:
        rows = zip(*(scatter(value, places, dim) for value in inputs.values()), strict=False)
        return [dict(zip(inputs, row, strict=True)) for row in rows]
    return [inputs] * len(places)


def gather(outputs: Sequence[Any], device: Any, dim: int = 0) -> Any:
    """Join the parts' outputs on one device: the inverse of `scatter`.

    Example:
        >>> import gpukit
        >>> gpukit.nn.parallel.gather([gpukit.ones(2), gpukit.zeros(1)], "cpu")
        tensor([1., 1., 0.])
    """
    dim = int_of("gather", "dim", dim)
    first = outputs[0]
    if isinstance(first, Tensor):
        parts = [output.to(device) for output in outputs]
        if first.ndim == 0:
            return _core.stack(parts)
        return _core.cat(parts, dim)
    if isinstance(first, dict):
        return {key: gather([output[key] for output in outputs], device, dim) for key in first}
    if isinstance(first, (tuple, list)):
        return type(first)(gather(part, device, dim) for part in zip(*outputs, strict=True))
    raise TypeError(f"gather: cannot join outputs of type {type(first).__name__}")


def replicate(network: Module, devices: Sequence[Any]) -> list[Module]:
    """Return a copy of the network on each device; gradients flow into the original.

    The copies' parameters are the original's, moved in the graph: backward sums the
    devices' gradients.

    Example:
        >>> import gpukit
        >>> len(gpukit.nn.parallel.replicate(gpukit.nn.Linear(2, 1), ["cpu", "cpu"]))
        2
    """
    return [_replica(network, _core.device(device), {}, {}) for device in devices]


def _replica(
    module: Module, device: _core.device, copies: dict[int, Tensor], made: dict[int, Module]
) -> Module:
    """A module of the same class and attributes.

    Its tensors are the copies by their id, or moved in the graph where there are none.
    """
    known = made.get(id(module))
    if known is not None:
        return known
    copy = made[id(module)] = module.__class__.__new__(module.__class__)
    fields = copy.__dict__
    fields.update(module.__dict__)
    for table in ("_parameters", "_buffers"):
        moved = {
            name: None if value is None else _on(device, value, copies)
            for name, value in module.__dict__[table].items()
        }
        fields[table] = moved
        fields.update(moved)
    children = {
        name: None if child is None else _replica(child, device, copies, made)
        for name, child in module._modules.items()
    }
    fields["_modules"] = children
    fields.update(children)
    keep_hooks(copy)
    return copy


def _on(device: _core.device, tensor: Tensor, copies: dict[int, Tensor]) -> Tensor:
    found = copies.get(id(tensor))
    return tensor.to(device) if found is None else found


class DataParallel(Module):
    """Runs a network on several devices in parallel, each with its part of the batch.

    The input is split along `dim`, the outputs joined on `output_device`. The other devices' memory
    for the parameters lasts from call to call; each call writes them there in one piece, and
    backward adds the gradients up on the network's own device: by NCCL where it is installed, else
    by copies between the GPUs.

    Args:
        module: The network; its parameters are on the first device.
        device_ids: Devices, or indices of CUDA devices; all usable GPUs by default. An empty list
            is the CPU where there is no GPU.
        output_device: Device of the output, by default the first device.
        dim: The dimension of the batch.

    Raises:
        DeviceMismatchError: A parameter is on another device at the call.

    Example:
        >>> import gpukit
        >>> from gpukit import nn
        >>> nn.DataParallel(nn.Linear(2, 1), ["cpu", "cpu"])(gpukit.ones(4, 2)).shape
        (4, 1)
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        devices = try_all_gpus() if device_ids is None else device_ids
        self.device_ids = [_core.device(device).resolve() for device in devices]
        if not self.device_ids and num_gpus():
            raise ValueError("DataParallel: device_ids is empty")
        if not self.device_ids:  # a list of all GPUs where there is none
            self.device_ids = [_core.device("cpu")]
        first = self.device_ids[0]
        self.output_device = first if output_device is None else _core.device(output_device)
        self.dim = int_of("DataParallel", "dim", dim)
        self.module = module
        self._copies = Copies(self.device_ids)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the network's output for the whole batch."""
        self._check_home()
        if len(self.device_ids) == 1:
            (values, named), *_ = self._parts(inputs, kwargs)
            return self.module(*values, **named)
        parts = self._parts(inputs, kwargs)
        places = self.device_ids[: len(parts)]
        with self._copies.of(list(self.module.parameters())) as tables:
            known = dict(zip(self._copies.devices, tables, strict=True))
            replicas = [_replica(self.module, place, known[place], {}) for place in places]
            calls = [
                _call(replica, values, named)
                for replica, (values, named) in zip(replicas, parts, strict=True)
            ]
            return gather(parallel(calls, places), self.output_device, self.dim)

    def _parts(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        if not inputs and not kwargs:
            raise ShapeError("DataParallel: there is no input to split")
        values = scatter(inputs, self.device_ids, self.dim)
        named = scatter(kwargs, self.device_ids, self.dim)
        values = values if inputs else [()] * len(named)
        return list(zip(values, named, strict=False))

    def _check_home(self) -> None:
        home = self.device_ids[0]
        for name, parameter in self.module.named_parameters():
            if parameter.device != home:
                raise DeviceMismatchError(
                    f"DataParallel: parameter {name} is on {parameter.device}, but the first of "
                    f"device_ids is {home}. Use net.to('{home}') first.",
                    fix=f"net.to('{home}')",
                )


def _call(replica: Module, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return lambda: replica(*values, **named)


__getattr__ = module_getattr(__name__)
