"""Layers whose sizes are taken from their first input."""

from __future__ import annotations

from typing import Any, ClassVar

from gpukit.errors import GpukitError
from gpukit.nn.module import Module
from gpukit.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin(Module):
    """The base of lazy layers, before the layer's own class: `class LazyA(LazyModuleMixin, A)`.

    The first call runs `initialize_parameters`, which gives every parameter and buffer its shape;
    the object is of `cls_to_become` from then on. A loaded state gives the shapes too.

    Example:
        >>> import gpukit
        >>> from gpukit import nn
        >>> layer = nn.LazyLinear(2)
        >>> layer.has_uninitialized_params()
        True
        >>> _ = layer(gpukit.ones(1, 7))
        >>> type(layer) is nn.Linear
        True
    """

    cls_to_become: ClassVar[type[Module] | None] = None

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give all parameters their shapes; every lazy class defines its own.

        Args:
            *args: The arguments of the first call.
            **kwargs: Its keyword arguments.

        Raises:
            NotImplementedError: The class has no initialize_parameters.
        """
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer still lacks its shape."""
        return any(map(is_lazy, (*self._parameters.values(), *self._buffers.values())))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Take the sizes from the arguments, then compute as the layer's own class."""
        self.initialize_parameters(*args, **kwargs)
        if self.has_uninitialized_params():
            raise GpukitError(f"module {self._get_name()} has not been fully initialized")
        if self.cls_to_become is None:
            return super().forward(*args, **kwargs)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]
        return type(self).forward(self, *args, **kwargs)
