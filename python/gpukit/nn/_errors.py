"""Errors from inside a network say which layer they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpukit._core import Tensor
from gpukit.errors import DeviceMismatchError, GpukitError

if TYPE_CHECKING:
    from gpukit.nn.module import Module


class _Origin:
    """Where an error came from: the innermost module, and the names on the way to it."""

    def __init__(self, module: Module, text: str) -> None:
        self.module = module
        self.outermost = module
        self.path: list[str] = []
        self.text = text

    def message(self) -> str:
        kind = type(self.module).__name__
        name = f"{'.'.join(self.path)} ({kind})" if self.path else kind
        return f"{name}: {self.text}"


def name_layer(module: Module, error: GpukitError, inputs: tuple[Any, ...]) -> None:
    """Prefix the message with the layer's name; each enclosing module adds its part."""
    origin: _Origin | None = error.__dict__.get("_origin")
    if origin is None:
        origin = _Origin(module, _text(module, error, inputs))
        error.__dict__["_origin"] = origin
    else:
        for name, child in module._modules.items():
            if child is origin.outermost:
                origin.path.insert(0, name)
        origin.outermost = module
    error.args = (origin.message(),)
    error.details["layer"] = ".".join(origin.path)


def _text(module: Module, error: GpukitError, inputs: tuple[Any, ...]) -> str:
    text = str(error.args[0]) if error.args else ""
    if not isinstance(error, DeviceMismatchError):
        return text
    own = {str(parameter.device) for parameter in module.parameters(recurse=False)}
    given = [value for value in inputs if isinstance(value, Tensor)]
    if len(own) != 1 or not given or str(given[0].device) in own:
        return text
    home = own.pop()
    error.fix = f"X.to('{home}')"
    return (
        f"weights on {home}, input X on {given[0].device}. Use {error.fix} (copies "
        f"{given[0].nbytes} B), or move the network. gpukit never moves data silently."
    )
