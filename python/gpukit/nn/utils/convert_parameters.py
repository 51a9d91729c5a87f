"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from gpukit import _core
from gpukit._arguments import parameters_of, tensor_of
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.errors import ShapeError

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all elements of the parameters, one after the other.

    Args:
        parameters: Tensors, such as model.parameters().

    Raises:
        ValueError: There are none.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.parameters_to_vector([gpukit.ones(2), gpukit.zeros(1, 1)])
        tensor([1., 1., 0.])
    """
    every = parameters_of("parameters_to_vector", parameters)
    return _core.cat([parameter.reshape(-1) for parameter in every])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters their parts of a vector, as views of it.

    Args:
        vec: As many elements as the parameters have.
        parameters: Tensors, such as model.parameters().

    Raises:
        ShapeError: The numbers of elements differ.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.Linear(1, 1)
        >>> gpukit.nn.utils.vector_to_parameters(gpukit.tensor([2.0, 3.0]), layer.parameters())
        >>> layer.weight.item(), layer.bias.item()
        (2.0, 3.0)
    """
    given = tensor_of("vector_to_parameters", "vec", vec).detach()
    every = parameters_of("vector_to_parameters", parameters)
    count = sum(parameter.numel() for parameter in every)
    if given.ndim != 1 or given.numel() != count:
        raise ShapeError(
            f"vector_to_parameters: vec is {given.shape}, the parameters have {count} elements"
        )
    start = 0
    for parameter in every:
        part = given[start : start + parameter.numel()]
        parameter.data = part.reshape(parameter.shape)
        start += parameter.numel()


__getattr__ = module_getattr(__name__)
