"""Pruning: masks that set elements of parameters to 0, kept until `remove`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError
from gpukit.nn.module import Module
from gpukit.nn.utils._pruning import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    method_of,
    named,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


def identity(module: Module, name: str) -> Module:
    """Give a parameter a mask of ones.

    Args:
        module: The module, which is returned.
        name: The parameter's name.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.prune.identity(gpukit.nn.Linear(2, 1), "bias")
        >>> layer.bias_mask
        tensor([1.])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune elements of a parameter that are drawn.

    Args:
        module: The module, which is returned.
        name: The parameter's name.
        amount: How many, as a count or as a part.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.prune.random_unstructured(gpukit.nn.Linear(2, 2), "weight", 3)
        >>> layer.weight_mask.sum()
        tensor(1.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: float, importance_scores: Tensor | None = None
) -> Module:
    """Prune the elements of a parameter with the smallest absolute values.

    Args:
        module: The module, which is returned.
        name: The parameter's name.
        amount: How many, as a count or as a part.
        importance_scores: In place of the elements.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.prune.l1_unstructured(gpukit.nn.Linear(4, 1), "weight", 0.5)
        >>> (layer.weight == 0).sum()
        tensor(2)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune drawn rows of a parameter along a dimension.

    Args:
        module: The module, which is returned.
        name: The parameter's name.
        amount: How many, as a count or as a part.
        dim: The dimension.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Linear(2, 3)
        >>> gpukit.nn.utils.prune.random_structured(layer, "weight", 1, 0).weight_mask.sum()
        tensor(4.)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module,
    name: str,
    amount: float,
    n: Any,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Prune the rows of a parameter with the smallest norms along a dimension.

    Args:
        module: The module, which is returned.
        name: The parameter's name.
        amount: How many, as a count or as a part.
        n: The norm, as `gpukit.norm` takes it.
        dim: The dimension.
        importance_scores: In place of the elements.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Linear(2, 4)
        >>> gpukit.nn.utils.prune.ln_structured(layer, "weight", 0.5, n=2, dim=0).weight_mask.sum()
        tensor(4.)
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: Callable[..., BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one.

    Args:
        parameters: Pairs of a module and a parameter's name.
        pruning_method: A class of an unstructured method.
        importance_scores: By the same pairs, in place of the elements.
        **kwargs: Of the method.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import prune
        >>> layers = [gpukit.nn.Linear(2, 2) for _ in range(2)]
        >>> pairs = [(layer, "weight") for layer in layers]
        >>> prune.global_unstructured(pairs, prune.L1Unstructured, amount=5)
        >>> int(sum((layer.weight == 0).sum() for layer in layers))
        5
    """
    pairs = list(parameters)
    given = importance_scores or {}
    scores = [given.get(pair, getattr(*pair)).detach() for pair in pairs]
    masks = [
        getattr(module, name + "_mask", _core.ones_like(getattr(module, name).detach()))
        for module, name in pairs
    ]
    method = named(pruning_method(**kwargs), "temp")
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            "global_unstructured: pruning_method must have PRUNING_TYPE 'unstructured', "
            f"{type(method).__name__} has {method.PRUNING_TYPE!r}"
        )
    container = PruningContainer(method)
    whole = container.compute_mask(
        _core.cat([each.reshape(-1) for each in scores]),
        _core.cat([each.reshape(-1) for each in masks]),
    )
    start = 0
    for (module, name), each in zip(pairs, scores, strict=True):
        part = whole[start : start + each.numel()].reshape(each.shape)
        custom_from_mask(module, name, part)
        start += each.numel()


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune a parameter by a mask.

    Args:
        module: The module, which is returned.
        name: The parameter's name.
        mask: 0 where an element is pruned.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Linear(2, 1)
        >>> mask = gpukit.tensor([[0.0, 1.0]])
        >>> gpukit.nn.utils.prune.custom_from_mask(layer, "weight", mask).weight[0, 0] == 0
        tensor(True)
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Module, name: str) -> Module:
    """Make a pruned tensor a parameter again, with its zeros.

    Args:
        module: The module, which is returned.
        name: The parameter's name.

    Raises:
        ValueError: The tensor is not pruned.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import prune
        >>> layer = prune.l1_unstructured(gpukit.nn.Linear(2, 1), "weight", 1)
        >>> [name for name, _ in prune.remove(layer, "weight").named_parameters()]
        ['bias', 'weight']
    """
    found = method_of(module, name)
    if found is None:
        raise ArgumentError(
            f"remove: '{name}' of {type(module).__name__} is not pruned. Prune it first"
        )
    handle, method = found
    method.remove(module)
    handle.remove()
    return module


def is_pruned(module: Module) -> bool:
    """Return whether a tensor of a module or of its parts is pruned.

    Args:
        module: The module.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.is_pruned(gpukit.nn.Linear(1, 1))
        False
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )


__getattr__ = module_getattr(__name__)
