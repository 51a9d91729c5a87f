"""Modules that hold parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gpukit._arguments import int_of
from gpukit._core import Tensor
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ParameterDict", "ParameterList"]


def _kept(value: Any) -> Any:
    """A tensor as a parameter; anything else as it is."""
    is_tensor = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_tensor else value


def _described(name: object, value: Any, dtype: str = "") -> str:
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    sizes = "x".join(map(str, value.shape))
    where = "" if value.is_cpu else f" ({value.device})"
    return f"  ({name}): {kind} containing: [{dtype or value.dtype} of size {sizes}{where}]"


def _older_type(value: Any) -> str:
    """'gpukit.FloatTensor', which torch shows of a dict's parameters."""
    return value.type().replace("torch", "gpukit") if isinstance(value, Tensor) else ""


class ParameterList(Module):
    """Parameters named by their numbers; tensors become parameters.

    Args:
        values: Tensors, or anything else, which is kept as it is.

    Example:
        >>> import gpukit
        >>> params = gpukit.nn.ParameterList([gpukit.zeros(2), gpukit.ones(1)])
        >>> len(params), params[-1].requires_grad, list(params.state_dict())
        (2, True, ['0', '1'])
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _position(self, index: Any) -> int:
        place = int_of("ParameterList", "an index", index)
        if not -self._size <= place < self._size:
            raise IndexError(f"index {place} is out of range: ParameterList has {self._size}")
        return place % self._size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(self._size))])
        return getattr(self, str(self._position(index)))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(self._position(index)), _kept(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(self._size)])

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def append(self, value: Any) -> Self:
        """Add one at the end.

        Args:
            value: A tensor, or anything else.
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several at the end.

        Args:
            values: Tensors, or anything else.

        Raises:
            TypeError: values is a tensor, or cannot be gone through.
        """
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(
                f"ParameterList: values must be a list of tensors, got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Return a line for each of them."""
        return "\n".join(_described(i, value) for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Raise the error that says so: it computes nothing.

        Args:
            args: Not used.
            kwargs: Not used.
        """
        raise _NotCalledError("ParameterList computes nothing. Use its parameters in forward.")


class ParameterDict(Module):
    """Parameters by name; tensors become parameters.

    Args:
        parameters: A mapping, or (name, value) pairs.

    Example:
        >>> import gpukit
        >>> params = gpukit.nn.ParameterDict({"scale": gpukit.ones(2)})
        >>> params["scale"].requires_grad, list(params.keys())
        (True, ['scale'])
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise _NoParameterError(f"ParameterDict: there is no {key!r}; there are {[*self]}")
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"ParameterDict: a name must be a str, got {type(key).__name__}")
        setattr(self, key, _kept(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __or__(self, other: ParameterDict) -> ParameterDict:
        """Return the parameters of both; the other's where both have a name."""
        made = ParameterDict()
        made.update(self)
        made.update(other)
        return made

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """Return the parameters."""
        return [self[key] for key in self._keys]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return (name, parameter) pairs."""
        return [(key, self[key]) for key in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the parameter of a name.

        Args:
            key: The name.
            default: What is returned where there is none.
        """
        return self[key] if key in self._keys else default

    def pop(self, key: str) -> Any:
        """Take a parameter away, and return it.

        Args:
            key: The name.

        Raises:
            KeyError: There is none.
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take the last parameter away, and return its name and it.

        Raises:
            KeyError: There is none.
        """
        if not self._keys:
            raise KeyError("ParameterDict: it is empty")
        key = next(reversed(self))
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new dict with one value for all names.

        Args:
            keys: The names.
            default: The value.
        """
        return ParameterDict((key, default) for key in keys)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the parameter of a name, which is set where there is none.

        Args:
            key: The name.
            default: What it is set to.
        """
        if key not in self._keys:
            self[key] = default
        return self[key]

    def update(self, parameters: Any) -> None:
        """Set several.

        Args:
            parameters: A mapping, or (name, value) pairs.

        Raises:
            TypeError: It is neither.
        """
        if type(parameters) is dict:
            parameters = sorted(parameters.items())
        elif isinstance(parameters, (Mapping, ParameterDict)):
            parameters = parameters.items()
        if isinstance(parameters, Tensor) or not isinstance(parameters, Iterable):
            raise TypeError(
                "ParameterDict: parameters must be a mapping or (name, value) pairs, got "
                f"{type(parameters).__name__}"
            )
        for key, value in parameters:
            self[key] = value

    def clear(self) -> None:
        """Take all away."""
        for key in list(self._keys):
            del self[key]

    def copy(self) -> ParameterDict:
        """Return another ParameterDict with the same parameters."""
        return type(self)(list(self.items()))

    def extra_repr(self) -> str:
        """Return a line for each of them."""
        return "\n".join(_described(key, value, _older_type(value)) for key, value in self.items())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Raise the error that says so: it computes nothing.

        Args:
            args: Not used.
            kwargs: Not used.
        """
        raise _NotCalledError("ParameterDict computes nothing. Use its parameters in forward.")


class _NotCalledError(RuntimeError, TypeError):
    """torch raises RuntimeError, or TypeError where no argument is given."""


class _NoParameterError(KeyError, AttributeError):
    """torch raises AttributeError."""

    def __str__(self) -> str:
        return str(self.args[0])
