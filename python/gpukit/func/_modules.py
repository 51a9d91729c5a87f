"""A module called with other parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.errors import ArgumentError


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with tensors in place of its parameters and buffers.

    Args:
        module: The module; it has its own again afterwards.
        parameter_and_buffer_dicts: Tensors by the names of `named_parameters`; those left out
            stay. Also a tuple of such dicts, as of parameters and buffers.
        args: The arguments, one or a tuple.
        kwargs: Arguments by name.
        tie_weights: A parameter with several names is replaced under all of them.
        strict: Each parameter and buffer must be given.

    Raises:
        KeyError: The module has no parameter or buffer of a name.
        RuntimeError: With strict, names are missing.
        ValueError: Two dicts have the same name, or names of one parameter different tensors.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Linear(1, 1, bias=False)
        >>> weights = {"weight": gpukit.tensor([[3.0]])}
        >>> gpukit.func.functional_call(layer, weights, gpukit.ones(1)).item()
        3.0
    """
    given = () if args is None else args if isinstance(args, tuple) else (args,)
    tensors = _merged(parameter_and_buffer_dicts)
    own = _names_by_tensor(module) if strict or tie_weights else {}
    if strict and (missing := [names[0] for names in own.values() if not tensors.keys() & names]):
        raise RuntimeError(f"functional_call: missing keys: {', '.join(missing)}")
    if tie_weights:
        tensors = _tied(tensors, own.values())
    kept: list[tuple[Any, str, Any]] = []
    try:
        for path, tensor in tensors.items():
            owner, name = _place_of(module, path)
            kept.append((owner, name, getattr(owner, name)))
            _set(owner, name, tensor)
        return module(*given, **(kwargs or {}))
    finally:
        for owner, name, value in reversed(kept):
            _set(owner, name, value)


def _merged(dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    whole: dict[str, Tensor] = {}
    for each in dicts:
        if not isinstance(each, Mapping):
            raise TypeError(
                "functional_call: parameter_and_buffer_dicts must be a dict or a tuple of dicts, "
                f"got a {type(each).__name__} in it"
            )
        if twice := whole.keys() & each.keys():
            raise ValueError(f"functional_call: {min(twice)!r} appears in two dicts")
        whole.update(each)
    return whole


def _names_by_tensor(module: Any) -> dict[int, list[str]]:
    """The names of each parameter and buffer; one that is shared has several."""
    names: dict[int, list[str]] = {}
    for prefix, part in module.named_modules():
        for table in (part._parameters, part._buffers):  # noqa: SLF001 (shared ones come once)
            for name, tensor in table.items():
                if tensor is not None:
                    path = f"{prefix}.{name}" if prefix else name
                    names.setdefault(id(tensor), []).append(path)
    return names


def _tied(tensors: dict[str, Tensor], names: Iterable[list[str]]) -> dict[str, Tensor]:
    """The tensors under all names of what they replace."""
    whole = dict(tensors)
    for group in names:
        given = [name for name in group if name in tensors]
        if any(tensors[name] is not tensors[given[0]] for name in given):
            raise ValueError(
                f"functional_call: {', '.join(given)} are one parameter; give one tensor for all"
            )
        if given:
            whole.update(dict.fromkeys(group, tensors[given[0]]))
    return whole


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters and the buffers of models of one kind, for vmap over functional_call.

    Args:
        models: A list of modules of one class, with the same names and shapes.

    Returns:
        Two dicts of tensors, parameters and buffers, whose first dimension is that of the models.
        Parameters are leaves that require gradients, as they did.

    Raises:
        ValueError: There is no model, or the classes differ.

    Example:
        >>> import gpukit
        >>> models = [gpukit.nn.Linear(2, 1) for _ in range(3)]
        >>> params, buffers = gpukit.func.stack_module_state(models)
        >>> params["weight"].shape
        (3, 1, 2)
    """
    models = list(models)
    if not models:
        raise ArgumentError("stack_module_state: Expected at least one model, got 0")
    if len({type(model) for model in models}) > 1:
        raise ArgumentError("stack_module_state: Expected all models to be of the same class")

    def stacked(named: list[dict[str, Tensor]]) -> dict[str, Tensor]:
        made = {}
        for name, first in named[0].items():
            whole = _core.stack([tensors[name].detach() for tensors in named])
            made[name] = whole.requires_grad_(first.requires_grad)
        return made

    parameters = stacked([dict(model.named_parameters()) for model in models])
    return parameters, stacked([dict(model.named_buffers()) for model in models])


def _set(owner: Any, name: str, value: Any) -> None:
    """As the module does itself, for any tensor."""
    table = owner._parameters if name in owner._parameters else owner._buffers  # noqa: SLF001
    table[name] = value
    owner.__dict__[name] = value


def _place_of(module: Any, path: str) -> tuple[Any, str]:
    inside, _, name = path.rpartition(".")
    owner = module.get_submodule(inside) if inside else module
    for table in (owner._parameters, owner._buffers):  # noqa: SLF001 (as nn's own)
        if name in table:
            return owner, name
    raise KeyError(f"functional_call: {type(module).__name__} has no parameter or buffer {path!r}")
