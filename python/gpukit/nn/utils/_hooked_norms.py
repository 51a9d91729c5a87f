"""torch's older forms of weight and spectral norm: a hook computes the weight before each call."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import dim_of, int_from, int_of
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter
from gpukit.nn.utils._norms import drawn, largest_value, lengths, outputs_dim, power_steps, rows_of

_HANDLES = "_norm_handles"


class _WeightNorm:
    """Computes NAME from NAME_g and NAME_v."""

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def value(self, module: Module) -> Tensor:
        lengths_given, directions = (getattr(module, f"{self.name}_{part}") for part in "gv")
        product: Tensor = directions * (lengths_given / lengths(directions, self.dim))
        return product

    def parts(self) -> list[str]:
        return [f"{self.name}_g", f"{self.name}_v"]

    def __call__(self, module: Module, _: Any) -> None:
        setattr(module, self.name, self.value(module))


class _SpectralNorm:
    """Computes NAME from NAME_orig and the vectors NAME_u and NAME_v."""

    def __init__(self, name: str, steps: int, eps: float, dim: int) -> None:
        self.name, self.steps, self.eps, self.dim = name, steps, eps, dim

    def value(self, module: Module, steps: int = 0) -> Tensor:
        weight, u, v = (getattr(module, name) for name in self.parts())
        matrix = rows_of(weight, self.dim)
        power_steps(matrix.detach(), u, v, steps, self.eps)
        scaled: Tensor = weight / largest_value(matrix, u, v)
        return scaled

    def parts(self) -> list[str]:
        return [f"{self.name}_orig", f"{self.name}_u", f"{self.name}_v"]

    def __call__(self, module: Module, _: Any) -> None:
        setattr(module, self.name, self.value(module, self.steps if module.training else 0))


def _taken(op: str, module: Module, name: str) -> Parameter:
    """The parameter, for _hooked() to take from the module."""
    weight = module._parameters.get(name)
    if weight is None or name in module.__dict__.get(_HANDLES, {}):
        raise ArgumentError(f"{op}: {type(module).__name__} has no parameter {name!r} to take")
    return weight


def _hooked(module: Module, norm: Any, first: Tensor) -> Module:
    delattr(module, norm.name)
    setattr(module, norm.name, first)
    handles = module.__dict__.setdefault(_HANDLES, {})
    handles[norm.name] = (norm, module.register_forward_pre_hook(norm))
    return module


def _removed(op: str, module: Module, name: str, kind: Any) -> Module:
    norm, handle = module.__dict__.get(_HANDLES, {}).get(name, (None, None))
    if not isinstance(norm, kind):
        raise ArgumentError(f"{op} of '{name}' not found in {type(module).__name__}")
    with no_grad():
        value = norm.value(module).detach()
    handle.remove()
    del module.__dict__[_HANDLES][name]
    for each in [name, *norm.parts()]:
        delattr(module, each)
    module.register_parameter(name, Parameter(value))
    return module


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Split a weight into lengths (`weight_g`) and directions (`weight_v`), both trained.

    Args:
        module: The module that has the weight.
        name: The weight's name.
        dim: The dimension that keeps its own lengths; None is one length for all.

    Raises:
        ValueError: The module has no such parameter.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.weight_norm(gpukit.nn.Linear(4, 2))
        >>> layer.weight_g.shape
        (2, 1)
    """
    along = -1 if dim is None else int_of("weight_norm", "dim", dim)
    weight = _taken("weight_norm", module, name)
    norm = _WeightNorm(name, along)
    module.register_parameter(f"{name}_g", Parameter(lengths(weight.detach(), norm.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    return _hooked(module, norm, norm.value(module))


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight one parameter again.

    Args:
        module: A module that weight_norm was given.
        name: The weight's name.

    Raises:
        ValueError: The module has no such norm.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.weight_norm(gpukit.nn.Linear(4, 2))
        >>> [name for name, _ in gpukit.nn.utils.remove_weight_norm(layer).named_parameters()]
        ['bias', 'weight']
    """
    return _removed("weight_norm", module, name, _WeightNorm)


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by an estimate of its largest singular value, before each call.

    Args:
        module: The module that has the weight.
        name: The weight's name.
        n_power_iterations: Steps of the estimate at each forward pass while training.
        eps: The smallest length that is divided by.
        dim: The dimension of the outputs; None is 1 of transposed convolutions, else 0.

    Raises:
        ValueError: The module has no such parameter.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.spectral_norm(gpukit.nn.Linear(4, 2))
        >>> list(layer.state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if dim is None:
        dim = outputs_dim(module)
    steps = int_from("spectral_norm", "n_power_iterations", n_power_iterations, 1)
    weight = _taken("spectral_norm", module, name)
    dim = dim_of("spectral_norm", "dim", dim, weight.ndim)
    u, v = drawn(rows_of(weight.detach(), dim), eps)
    module.register_parameter(f"{name}_orig", weight)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    return _hooked(module, _SpectralNorm(name, steps, eps, dim), weight.detach())


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make the divided weight one parameter again.

    Args:
        module: A module that spectral_norm was given.
        name: The weight's name.

    Raises:
        ValueError: The module has no such norm.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.spectral_norm(gpukit.nn.Linear(4, 2))
        >>> list(gpukit.nn.utils.remove_spectral_norm(layer).state_dict())
        ['bias', 'weight']
    """
    return _removed("spectral_norm", module, name, _SpectralNorm)
