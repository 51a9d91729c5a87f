"""Modules whose first values are not to be relied on."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from gpukit._names.suggest import module_getattr
from gpukit.nn.module import Module

__all__ = ["skip_init"]

__getattr__ = module_getattr(__name__)

_Layer = TypeVar("_Layer", bound=Module)


def skip_init(module_cls: type[_Layer], *args: Any, **kwargs: Any) -> _Layer:
    """Make a module whose values are not defined; no random numbers are taken from the generator.

    Args:
        module_cls: The class, whose constructor takes `device`.
        *args: Arguments of the constructor.
        **kwargs: Keyword arguments of the constructor; `device` says where.

    Raises:
        TypeError: It is not a class of modules.
        RuntimeError: Its constructor takes no `device`.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.skip_init(gpukit.nn.Linear, 2, 3).weight.shape
        (3, 2)
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise TypeError(f"skip_init: module_cls must be a class of modules, got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError(
            f"skip_init: {module_cls.__name__} takes no device. Make it as usual: "
            f"{module_cls.__name__}(...)"
        )
    device = kwargs.pop("device", "cpu")
    constructor: Any = module_cls
    made: _Layer = constructor(*args, device="meta", **kwargs)
    made.to_empty(device=device)
    return made
