"""Names and values of a module's state, and what does not fit when it is loaded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from gpukit._core import Tensor
from gpukit.errors import CheckpointError
from gpukit.nn.parameter import Uninitialized, is_lazy


class Stateful(Protocol):
    """The sources of a module's state: its own tensors and its submodules."""

    _transient_buffers: set[str]

    @property
    def _parameters(self) -> Mapping[str, Tensor | None]: ...
    @property
    def _buffers(self) -> Mapping[str, Tensor | None]: ...
    @property
    def _modules(self) -> Mapping[str, Stateful | None]: ...


class KeysReport(NamedTuple):
    """What `load_state_dict` did not find in the state, and what it found too many of."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def named_state(module: Stateful, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Parameters and persistent buffers of a module and of those inside, in torch's order."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield prefix + name, parameter
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._transient_buffers:
            yield prefix + name, buffer
    for name, child in module._modules.items():
        if child is not None:
            yield from named_state(child, f"{prefix}{name}.")


def load(module: Stateful, state: Mapping[str, Any], strict: bool) -> KeysReport:
    """Copy the values of a state into a module; nothing is changed when something does not fit."""
    own = dict(named_state(module))
    missing = [name for name in own if name not in state and not _is_implied(name, state)]
    unexpected = [name for name in state if name not in own]
    for name, value in state.items():
        if name in own and not isinstance(value, Tensor):
            raise TypeError(
                f"load_state_dict({type(module).__name__}): {name} must be a Tensor, "
                f"got {type(value).__name__}"
            )
    shapes = [
        f"size mismatch for {name}: copying a param with shape {_shape(state[name])} from "
        f"checkpoint, the shape in current model is {_shape(tensor)}."
        for name, tensor in own.items()
        if name in state and _differs(tensor, state[name])
    ]
    faults = _faults(missing if strict else [], unexpected if strict else [], shapes)
    if faults:
        raise CheckpointError(
            "\n\t".join([f"Error(s) in loading state_dict for {type(module).__name__}:", *faults])
        )
    for name, tensor in own.items():
        if name in state:
            _take(tensor, state[name])
    return KeysReport(missing, unexpected)


def _is_implied(name: str, state: Mapping[str, Any]) -> bool:
    """A plain dict may come from before batch norms counted their batches, as in torch."""
    return name.endswith("num_batches_tracked") and not isinstance(state, OrderedDict)


def _differs(tensor: Tensor, value: Tensor) -> bool:
    if is_lazy(tensor) or is_lazy(value):
        return is_lazy(value) and not is_lazy(tensor)
    return tuple(tensor.shape) != tuple(value.shape)


def _shape(tensor: Tensor) -> str:
    return "uninitialized" if is_lazy(tensor) else str(tuple(tensor.shape))


def _faults(missing: list[str], unexpected: list[str], shapes: list[str]) -> list[str]:
    """In torch's words, which people search for."""
    parts = {"Missing": missing, "Unexpected": unexpected}
    keys = [
        f"{what} key(s) in state_dict: {', '.join(map(_quoted, names))}. "
        for what, names in parts.items()
        if names
    ]
    return keys + shapes


def _quoted(name: str) -> str:
    return f'"{name}"'


def _take(tensor: Tensor, value: Tensor) -> None:
    if is_lazy(value):
        return
    if isinstance(tensor, Uninitialized):
        tensor.materialize(value.shape)
    tensor.detach().copy_(value.detach())
