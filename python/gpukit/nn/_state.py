"""Names and values of a module's state, and what does not fit when it is loaded."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from gpukit._core import Tensor
from gpukit.errors import CheckpointError
from gpukit.nn.parameter import Parameter, Uninitialized, is_lazy

EXTRA = "_extra_state"  # the key of what get_extra_state() returns
_ASSIGN = "assign_to_params_buffers"


class Stateful(Protocol):
    """The sources of a module's state: its own tensors and its submodules."""

    _transient_buffers: set[str]

    @property
    def _parameters(self) -> Mapping[str, Tensor | None]: ...
    @property
    def _buffers(self) -> Mapping[str, Tensor | None]: ...
    @property
    def _modules(self) -> Mapping[str, Any]: ...


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


KeysReport.__name__ = "_IncompatibleKeys"  # what programs print


class Faults(list[str]):
    """The messages about a state, and the writes that wait until all of it was checked."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[Callable[[], None]] = []

    def write(self) -> None:
        """Store the values."""
        writes, self.writes = self.writes, []
        for each in writes:
            each()


def own_state(module: Stateful) -> Iterator[tuple[str, Tensor]]:
    """Parameters and persistent buffers of a module, without those of its submodules."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield name, parameter
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._transient_buffers:
            yield name, buffer


def load(module: Any, state: Mapping[str, Any], strict: bool, assign: bool) -> KeysReport:
    """Copy the values of a state into a module; nothing is changed when something does not fit.

    Hooks that run after loading see the loaded values, so that with such hooks the names are
    checked last.
    """
    metadata = getattr(state, "_metadata", None)
    given: OrderedDict[str, Any] = OrderedDict(state)
    report, faults = KeysReport([], []), Faults()
    visited: list[Any] = []

    def visit(part: Any, values: Mapping[str, Any], prefix: str) -> None:
        local = dict((metadata or {}).get(prefix[:-1], {}))
        if assign:
            local[_ASSIGN] = True
        part._load_from_state_dict(values, prefix, local, True, *report, faults)
        for name, child in part._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                visit(child, {k: v for k, v in values.items() if k.startswith(inner)}, inner)
        visited.append(part)

    visit(module, given, "")
    hooks = [(part, hook) for part in visited for hook in part._load_post_hooks()]
    if hooks and not faults:
        faults.write()
        for part, hook in hooks:
            if hook(part, report) is not None:
                raise RuntimeError(
                    "load_state_dict: a post hook must return None. Change the lists "
                    "missing_keys and unexpected_keys in place"
                )
    texts = [*(_key_faults(report) if strict else ()), *faults]
    if texts:
        raise CheckpointError(
            "\n\t".join([f"Error(s) in loading state_dict for {type(module).__name__}:", *texts])
        )
    faults.write()
    return report


def load_own(
    module: Any,
    state: Mapping[str, Any],
    prefix: str,
    metadata: Mapping[str, Any],
    report: KeysReport,
    faults: list[str],
    at_once: bool,
) -> None:
    """Check the values of a module's own parameters and buffers, and let them be stored.

    At once for a class that reads states itself, and may look at the values then.
    """
    own = dict(own_state(module))
    for name, tensor in own.items():
        key = prefix + name
        if key not in state:
            if not _is_implied(name, metadata):
                report.missing_keys.append(key)
            continue
        value = state[key]
        if not isinstance(value, Tensor):
            raise TypeError(
                f"load_state_dict({type(module).__name__}): {key} must be a Tensor, "
                f"got {type(value).__name__}"
            )
        if _differs(tensor, value):
            faults.append(
                f"size mismatch for {key}: copying a param with shape {_shape(value)} from "
                f"checkpoint, the shape in current model is {_shape(tensor)}."
            )
        elif metadata.get(_ASSIGN):
            _store(faults, at_once, _assigning(module, name, tensor, value))
        else:
            _warn_of_meta(key, tensor, value)
            _store(faults, at_once, _copying(tensor, value))
    _load_extra(module, state, prefix + EXTRA, report, faults, at_once)
    for key in state:
        first, *rest = key.removeprefix(prefix).split(".", 1)
        known: Any = module._modules if rest else own
        if key.startswith(prefix) and key != prefix + EXTRA and first not in known:
            report.unexpected_keys.append(key)


def _load_extra(
    module: Any,
    state: Mapping[str, Any],
    key: str,
    report: KeysReport,
    faults: list[str],
    at_once: bool,
) -> None:
    if not module._has_extra_state("set_extra_state"):
        report.unexpected_keys.extend([key] if key in state else [])
    elif key in state:
        _store(faults, at_once, lambda: module.set_extra_state(state[key]))
    else:
        report.missing_keys.append(key)


def _store(faults: list[str], at_once: bool, write: Callable[[], None]) -> None:
    """Later, when all was checked; at once where a program calls _load_from_state_dict itself."""
    if isinstance(faults, Faults) and not at_once:
        faults.writes.append(write)
    else:
        write()


def _is_implied(name: str, metadata: Mapping[str, Any]) -> bool:
    """A state without a version may come from before batch norms counted their batches."""
    return name == "num_batches_tracked" and (metadata.get("version") or 1) < 2


def _differs(tensor: Tensor, value: Tensor) -> bool:
    if is_lazy(tensor) or is_lazy(value):
        return is_lazy(value) and not is_lazy(tensor)
    return tuple(tensor.shape) != tuple(value.shape)


def _shape(tensor: Tensor) -> str:
    return "uninitialized" if is_lazy(tensor) else str(tuple(tensor.shape))


def _key_faults(report: KeysReport) -> list[str]:
    """In torch's words, which people search for."""
    parts = {"Missing": report.missing_keys, "Unexpected": report.unexpected_keys}
    return [
        f"{what} key(s) in state_dict: {', '.join(map(_quoted, names))}. "
        for what, names in parts.items()
        if names
    ]


def _quoted(name: str) -> str:
    return f'"{name}"'


def _copying(tensor: Tensor, value: Tensor) -> Callable[[], None]:
    def copy() -> None:
        if is_lazy(value):
            return
        if isinstance(tensor, Uninitialized):
            tensor.materialize(value.shape)
        tensor.detach().copy_(value.detach())

    return copy


def _warn_of_meta(key: str, tensor: Tensor, value: Tensor) -> None:
    if tensor.is_meta and not value.is_meta:
        warnings.warn(
            f"load_state_dict: {key} is on 'meta' and holds no values, so nothing is copied. Use "
            "load_state_dict(state, assign=True), or module.to_empty(device=) first.",
            stacklevel=2,
        )


def _assigning(module: Any, name: str, tensor: Tensor, value: Tensor) -> Callable[[], None]:
    def assign() -> None:
        taken = value
        if name in module._parameters and not isinstance(value, Parameter):
            taken = Parameter(value.detach())
        if name in module._parameters:
            taken.requires_grad_(tensor.requires_grad)
        setattr(module, name, taken)

    return assign
