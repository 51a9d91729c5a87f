"""Parameters: the tensors that training changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._core import Tensor

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Parameter", "UninitializedParameter"]


class Parameter(Tensor):
    """A tensor that belongs to a module: assigned to an attribute, it is one of its parameters.

    Args:
        data: A tensor, whose memory it shares, or what `gpukit.tensor` takes.
        requires_grad: False for a parameter that training does not change.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Parameter(gpukit.zeros(2))
        Parameter containing:
        tensor([0., 0.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Self:
        """Make a parameter over the memory of a tensor."""
        made: Self = super().__new__(cls, _core.empty(0) if data is None else data)  # type: ignore[assignment]
        if requires_grad:
            made.requires_grad_(True)
        return made

    def __repr__(self) -> str:
        plain = self.detach()
        if self.requires_grad:
            plain.requires_grad_(True)
        return f"Parameter containing:\n{plain!r}"


class UninitializedParameter(Parameter):
    """The parameter of a lazy layer, whose size the first input decides."""

    def __repr__(self) -> str:
        return "<UninitializedParameter>"

    def materialize(self, shape: tuple[int, ...], device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary parameter of a shape; its values are not set yet."""
        self.data = _core.empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = Parameter  # type: ignore[assignment]
