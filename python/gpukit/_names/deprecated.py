"""Spellings that torch has deprecated: the present function or class, with torch's warning."""

from __future__ import annotations

import functools
import sys
import warnings
from importlib import import_module
from typing import Any

_INIT = (
    "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform "
    "kaiming_normal orthogonal sparse"
)
# By module: the spelling, and what is called with which arguments.
_CALLS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "gpukit.nn.init": {name: (f"{name}_", {}) for name in _INIT.split()},
    "gpukit.nn.utils": {"clip_grad_norm": ("clip_grad_norm_", {})},
    "gpukit.nn.functional": {
        "upsample": ("interpolate", {}),
        "upsample_nearest": ("interpolate", {"mode": "nearest"}),
        "upsample_bilinear": ("interpolate", {"mode": "bilinear", "align_corners": True}),
    },
}
_CLASSES = {("gpukit.nn", "NLLLoss2d"): "gpukit.nn.loss"}


def deprecated(module: str, name: str) -> Any:
    """What a deprecated spelling of torch's stands for, or None."""
    if (module, name) in _CLASSES:
        return getattr(import_module(_CLASSES[module, name]), name)
    return _call(module, name) if name in _CALLS.get(module, ()) else None


def _text(module: str, name: str, present: str) -> tuple[str, type[Warning]]:
    """The words and class of torch's warning."""
    if module == "gpukit.nn.functional":
        return (
            f"`nn.functional.{name}` is deprecated. Use `nn.functional.{present}` instead.",
            UserWarning,
        )
    place = module.removeprefix("gpukit.")
    return (
        f"`{place}.{name}` is now deprecated in favor of `{place}.{present}`.",
        FutureWarning,
    )


@functools.cache  # one object, which is no member of the module: `dir` shows present names only
def _call(module: str, name: str) -> Any:
    present, settings = _CALLS[module][name]
    function = getattr(sys.modules[module], present)
    text, category = _text(module, name, present)

    def spelled(*args: Any, **arguments: Any) -> Any:
        warnings.warn(text, category, stacklevel=2)
        return function(*args, **arguments, **settings)

    spelled.__name__ = spelled.__qualname__ = name
    spelled.__module__ = module
    spelled.__doc__ = f"Deprecated: {present}."
    if not settings:
        spelled.__wrapped__ = function  # type: ignore[attr-defined]
    return spelled
