"""Parameters: the tensors that training changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, GpukitError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


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

    _copied_without_grad: ClassVar[bool] = True  # by copy.deepcopy, as in torch

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


class _BufferType(type(Tensor)):  # type: ignore[misc]
    """The type of Buffer: its objects are tensors that were made as buffers."""

    def __instancecheck__(cls, instance: Any) -> bool:
        """Whether a tensor was made by Buffer."""
        return isinstance(instance, Tensor) and is_buffer(instance)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that, assigned to an attribute of a module, is one of its buffers.

    What is made is a plain tensor, as in torch; `register_buffer` is the other way.

    Args:
        data: A tensor, whose memory it shares, or what `gpukit.tensor` takes.
        persistent: Whether it is in the module's `state_dict()`.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Module()
        >>> layer.mean = gpukit.nn.Buffer(gpukit.zeros(2))
        >>> list(layer.state_dict())
        ['mean']
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Self:
        """Mark a tensor over the memory of another one."""
        given = data if isinstance(data, Tensor) else _core.tensor([] if data is None else data)
        made: Any = given.detach().requires_grad_(given.requires_grad)
        made.persistent = bool(persistent)
        made._is_buffer = True
        return made  # type: ignore[no-any-return]


def is_buffer(tensor: Tensor) -> bool:
    """Whether a tensor was made by Buffer."""
    return getattr(tensor, "_is_buffer", False) is True


class Uninitialized(Tensor):
    """What a lazy layer holds in the place of a tensor until its first input decides the shape."""

    _becomes: ClassVar[type[Tensor]] = Tensor

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of a shape; its values are not set yet.

        Args:
            shape: The sizes.
            device: Where it is; None leaves it where it is.
            dtype: Its dtype; None keeps it.
        """
        self.data = _core.empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self._becomes  # type: ignore[assignment]

    @property
    def shape(self) -> Any:
        """Raise RuntimeError: there is no shape yet."""
        raise GpukitError(
            "an uninitialized parameter or buffer has no shape yet: call the network on an input, "
            "or load a state, before its shape is used"
        )

    def numel(self) -> int:
        """Raise ValueError: there are no elements yet."""
        raise ArgumentError(
            "an uninitialized parameter or buffer has no elements yet: call the network on an "
            "input first"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(Uninitialized, Parameter):
    """The parameter of a lazy layer, whose shape the first input decides.

    Args:
        requires_grad: Whether the parameter is trained.
        device: Where it is.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> weight = gpukit.nn.UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> weight.shape
        (2, 3)
    """

    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Self:
        """Make a parameter without a shape."""
        return super().__new__(cls, _core.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        made: Self = memo[id(self)]
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, str(self.device), self.dtype)


class _Buffer(Tensor):
    """What an UninitializedBuffer becomes: an object of Tensor itself has another layout."""


class UninitializedBuffer(Uninitialized):
    """The buffer of a lazy layer, whose shape the first input decides.

    Args:
        requires_grad: Whether gradients are recorded.
        device: Where it is.
        dtype: Its dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.parameter.UninitializedBuffer()
        <UninitializedBuffer>
    """

    _becomes = _Buffer

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> Self:
        """Make a buffer without a shape."""
        made: Self = super().__new__(cls, _core.empty(0, device=device, dtype=dtype))  # type: ignore[assignment]
        if requires_grad:
            made.requires_grad_(True)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        made: Self = memo[id(self)]
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, str(self.device), self.dtype)


def is_lazy(param: Any) -> bool:
    """Return whether a parameter or buffer has no shape yet.

    Args:
        param: Anything.

    Example:
        >>> import gpukit
        >>> gpukit.nn.parameter.is_lazy(gpukit.nn.LazyLinear(2).weight)
        True
    """
    return isinstance(param, Uninitialized)
