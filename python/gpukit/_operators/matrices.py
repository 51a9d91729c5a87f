"""Arguments of linear algebra: matrices of a floating dtype, and errors that name what failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import DTypeError, LinAlgError, ShapeError

Derivative = Callable[[list[Tensor], list[Tensor | None]], Sequence[Tensor | None]]

COMPUTED = (_core.float32, _core.float64, _core.complex64, _core.complex128)


def floating_of(function: str, name: str, value: Any) -> Tensor:
    """A tensor of a dtype that LAPACK computes in."""
    tensor = tensor_of(function, name, value)
    if tensor.dtype not in COMPUTED:
        raise DTypeError(
            f"{function}: {name} is {tensor.dtype.name}; float32, float64 or their complex "
            "dtypes are needed. Convert it with .float() or .double()"
        )
    return tensor


def matrices_of(function: str, name: str, value: Any) -> Tensor:
    """Matrices in the last two dimensions."""
    tensor = floating_of(function, name, value)
    if tensor.ndim < 2:
        raise ShapeError(
            f"{function}: {name} is {tensor.shape}; matrices need two dimensions or more. Use "
            f"{name}.unsqueeze(0) for one row, or .unsqueeze(-1) for one column"
        )
    return tensor


def square_of(function: str, name: str, value: Any) -> Tensor:
    """Square matrices in the last two dimensions."""
    tensor = matrices_of(function, name, value)
    if tensor.shape[-1] != tensor.shape[-2]:
        raise ShapeError(
            f"{function}: {name} is {tensor.shape}; square matrices (..., n, n) are needed. For "
            "others see lstsq, pinv and svd"
        )
    return tensor


def same_dtype(function: str, one: tuple[str, Tensor], other: tuple[str, Tensor]) -> None:
    """Raise unless two tensors have one dtype and one device."""
    (name, x), (second, y) = one, other
    if x.dtype is not y.dtype:
        raise DTypeError(
            f"{function}: {name} is {x.dtype.name} and {second} {y.dtype.name}; one dtype is "
            f"needed. Convert one, as {second}.to({name}.dtype)"
        )
    if x.device != y.device:
        _core.add(x[..., :0].sum(), y[..., :0].sum().unsqueeze(0))  # raises, and names the copy


def check_rows(function: str, name: str, a: Tensor, b: Tensor, dim: int, second: str = "B") -> None:
    """Raise unless B has as many rows, or columns, as the square matrices."""
    if a.shape[-1] != b.shape[dim]:
        raise ShapeError(
            f"{function}: {name} is {a.shape} and {second} {b.shape}; the size {b.shape[dim]} of "
            f"{second} must be {a.shape[-1]}"
        )


def flag_of(function: str, name: str, value: Any) -> bool:
    """True or False."""
    return bool_of(function, name, value)


def leading(*tensors: Tensor) -> list[int]:
    """The sizes in front of the matrices, broadcast."""
    shapes = [tensor.shape[:-2] for tensor in tensors]
    if all(shape == shapes[0] for shape in shapes):
        return list(shapes[0])
    return list(_core.broadcast_shapes(*shapes))


def with_leading(tensor: Tensor, sizes: Sequence[int]) -> Tensor:
    """The same matrices, broadcast to the sizes in front."""
    if list(tensor.shape[:-2]) == list(sizes):
        return tensor
    return tensor.expand([*sizes, *tensor.shape[-2:]])


def identity(n: int, like: Tensor) -> Tensor:
    """An identity matrix of the dtype and device of a tensor."""
    return _core.eye(n, dtype=like.dtype, device=like.device)


def real_dtype(a: Tensor) -> Any:
    """The dtype of singular values: that of the parts of complex numbers."""
    double = a.dtype is _core.float64 or a.dtype is _core.complex128
    return _core.float64 if double else _core.float32


def eps_of(a: Tensor) -> float:
    """The distance of 1 and the next number."""
    return 2.0**-52 if real_dtype(a) is _core.float64 else 2.0**-23


def diagonals(a: Tensor) -> Tensor:
    """The diagonals of matrices, as the last dimension. A view."""
    last = a.ndim - 1
    return a.permute([last - 1, last, *range(last - 1)]).diagonal()


def record(
    name: str,
    outputs: list[Tensor],
    inputs: list[Tensor],
    saved: list[Tensor],
    derivative: Derivative,
) -> None:
    """Give the outputs a node where an input requires grad."""
    if _core.is_grad_enabled() and any(each.requires_grad for each in inputs):
        _core.record_function(name, outputs, inputs, saved, derivative)


def raise_for(function: str, info: Tensor, meaning: Callable[[int], str]) -> None:
    """Raise LinAlgError for the first matrix whose info is not 0; reads info."""
    if info.is_meta or not info.numel() or not info.any().item():
        return
    failed = info.reshape(-1).tolist() if info.ndim else [info.item()]
    for i, code in enumerate(failed):
        if code:
            batch = f" (matrix {i} of the batch)" if info.ndim else ""
            raise LinAlgError(f"{function}: {meaning(int(code))}{batch}")


def not_converged(code: int) -> str:
    """What an iterative algorithm's info means."""
    if code < 0:
        return "the algorithm cannot converge because the input has NaN or infinity"
    return (
        f"the algorithm failed to converge ({code} values did not); the input is ill-conditioned "
        "or has too many repeated values"
    )
