"""Parameters that are computed from others each time they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError, ShapeError
from gpukit.nn.container import ModuleDict, ModuleList
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

_kept: dict[tuple[int, str], Tensor] | None = None  # of cached()


def _registered(owner: Module, name: str, value: Tensor, kind: type | None) -> None:
    if kind is None:
        owner.register_buffer(name, value)
    else:
        # An optimizer that was made before goes on to change the same object.
        if not isinstance(value, Parameter):
            value = Parameter(value, requires_grad=value.requires_grad)
        owner.register_parameter(name, value)


class ParametrizationList(ModuleList):
    """The modules that compute one tensor, in order, and what they compute it from.

    Args:
        modules: The modules.
        original: The tensor that they are to compute.
        unsafe: Shape and dtype may change.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import parametrizations
        >>> layer = parametrizations.weight_norm(gpukit.nn.Linear(2, 1))
        >>> kept = layer.parametrizations.weight
        >>> isinstance(kept, gpukit.nn.utils.parametrize.ParametrizationList), kept.is_tensor
        (True, False)
    """

    def __init__(self, modules: Any, original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        self._kind = type(original) if isinstance(original, Parameter) else None
        value: Any = original
        with no_grad():
            for part in reversed(list(self)):
                if hasattr(part, "right_inverse"):
                    with suppress(NotImplementedError):  # as in torch: the value stays
                        value = part.right_inverse(value)
        self.is_tensor = isinstance(value, Tensor)
        self.ntensors = 1 if self.is_tensor else len(value)
        for name, each in zip(self._names(), [value] if self.is_tensor else value, strict=True):
            kept = original if each is original else each.detach()
            if self._kind is not None and kept is not original:
                kept.requires_grad_(original.requires_grad)
            _registered(self, name, kept, self._kind)

    def _names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Set what the tensor is computed from, so that it becomes `value`.

        Args:
            value: The tensor.

        Raises:
            NotImplementedError: A parametrization has no right_inverse.
        """
        with no_grad():
            found: Any = value
            for part in reversed(list(self)):
                if not hasattr(part, "right_inverse"):
                    raise NotImplementedError(
                        f"{type(part).__name__} has no right_inverse, which assigning to a "
                        "parametrized tensor needs. Define it, or change the original tensor"
                    )
                found = part.right_inverse(found)
            for name, each in zip(self._names(), [found] if self.is_tensor else found, strict=True):
                getattr(self, name).copy_(each)

    def forward(self) -> Tensor:
        """Return the tensor."""
        parts = list(self)
        value: Tensor = parts[0](*[getattr(self, name) for name in self._names()])
        for part in parts[1:]:
            value = part(value)
        return value


def _read(name: str) -> property:
    def get(module: Module) -> Tensor:
        place = (id(module), name)
        if _kept is not None and place in _kept:
            return _kept[place]
        value: Tensor = getattr(module.parametrizations, name)()
        if _kept is not None:
            _kept[place] = value
        return value

    def put(module: Module, value: Tensor) -> None:
        getattr(module.parametrizations, name).right_inverse(value)

    return property(get, put)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a module compute a parameter or a buffer, each time it is read.

    The parameter becomes `module.parametrizations.NAME.original`, which optimizers change.

    Args:
        module: The module that has the tensor.
        tensor_name: The tensor's name.
        parametrization: Its forward takes the original and returns the tensor; a `right_inverse`
            goes back, and may return several tensors.
        unsafe: Do not check that shape and dtype stay.

    Raises:
        ValueError: The module has no such parameter or buffer.
        ShapeError: The shape changes.

    Example:
        >>> import gpukit
        >>> class Positive(gpukit.nn.Module):
        ...     def forward(self, x):
        ...         return x.exp()
        >>> layer = gpukit.nn.Linear(1, 1, bias=False)
        >>> _ = gpukit.nn.utils.parametrize.register_parametrization(layer, "weight", Positive())
        >>> bool(layer.weight > 0), type(layer).__name__
        (True, 'ParametrizedLinear')
    """
    op = "register_parametrization"
    if is_parametrized(module, tensor_name):
        parts = getattr(module.parametrizations, tensor_name)
        if not unsafe:
            with no_grad():
                value = getattr(module, tensor_name)
                made = parametrization(value)
            if made.shape != value.shape or made.dtype is not value.dtype:
                raise ShapeError(
                    f"{op}: the parametrization makes {made.dtype.name} {tuple(made.shape)} of "
                    f"{value.dtype.name} {tuple(value.shape)}. Keep both, or pass unsafe=True"
                )
        parts.append(parametrization)
        return module
    if tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
    else:
        raise ArgumentError(
            f"{op}: module '{type(module).__name__}' has no parameter or buffer {tensor_name!r}"
        )
    parts = ParametrizationList([parametrization], original, unsafe)
    if not unsafe:
        with no_grad():
            made = parts()
        if made.shape != original.shape or made.dtype != original.dtype:
            raise ShapeError(
                f"{op}: the parametrization makes {made.dtype.name} {tuple(made.shape)} of "
                f"{original.dtype.name} {tuple(original.shape)}. Keep both, or pass unsafe=True"
            )
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.add_module("parametrizations", ModuleDict())
        cls = type(module)
        module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {})
    module.parametrizations[tensor_name] = parts
    setattr(type(module), tensor_name, _read(tensor_name))
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module computes a tensor, or any.

    Args:
        module: The module.
        tensor_name: The tensor's name; None asks for any.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.parametrize.is_parametrized(gpukit.nn.Linear(1, 1))
        False
    """
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def type_before_parametrizations(module: Module) -> type:
    """Return the class that a module had before its first parametrization.

    Args:
        module: The module.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(gpukit.nn.Linear(1, 1))
        >>> parametrize.type_before_parametrizations(layer).__name__
        'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make a computed tensor an ordinary parameter or buffer again.

    Args:
        module: The module.
        tensor_name: The tensor's name.
        leave_parametrized: Keep the value that was computed; False takes the original back.

    Raises:
        ValueError: The tensor is not parametrized, or it has several originals to go back to.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(gpukit.nn.Linear(1, 1))
        >>> parametrize.remove_parametrizations(layer, "weight")
        Linear(in_features=1, out_features=1, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(
            f"remove_parametrizations: {type(module).__name__} has no parametrization on "
            f"{tensor_name!r}"
        )
    parts = getattr(module.parametrizations, tensor_name)
    if not leave_parametrized and not parts.is_tensor:
        raise ArgumentError(
            "remove_parametrizations: leave_parametrized=False needs one original tensor, there "
            f"are {parts.ntensors}. Use leave_parametrized=True"
        )
    first = getattr(parts, parts._names()[0])
    with no_grad():
        value = parts() if leave_parametrized else first
    value = value.detach().clone().requires_grad_(first.requires_grad)
    kind = parts._kind
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        module.__class__ = type(module).__bases__[0]
        delattr(module, "parametrizations")
    _registered(module, tensor_name, value, kind)
    return module


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once in the block, however often it is read.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import parametrizations, parametrize
        >>> layer = parametrizations.weight_norm(gpukit.nn.Linear(1, 1))
        >>> with parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _kept
    before = _kept
    _kept = {} if before is None else before
    try:
        yield
    finally:
        _kept = before


__getattr__ = module_getattr(__name__)
