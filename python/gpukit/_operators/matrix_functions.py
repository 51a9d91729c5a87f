"""What is made of products and factorizations: powers, ranks, conditions, pseudo-inverses."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import dim_of, int_from, int_of, ints_of, number_of, tensor_of, tensors_of
from gpukit._core import Tensor
from gpukit._operators.matrices import (
    eps_of,
    flag_of,
    floating_of,
    identity,
    matrices_of,
    raise_for,
    real_dtype,
    record,
    square_of,
    with_leading,
)
from gpukit._operators.norms import linalg_matrix_norm
from gpukit._operators.spectral import singular, singular_values, symmetric_eigen, symmetric_values
from gpukit._operators.systems import inverse_and_info, linalg_inv, linalg_solve
from gpukit.errors import ArgumentError, ShapeError

Gradients = list[Tensor | None]


# ---- powers ----


def _power(function: str, name: str, A: Any, n: Any) -> Tensor:
    a, count = square_of(function, name, A), int_of(function, "n", n)
    if count == 0:
        return with_leading(identity(a.shape[-1], a), a.shape[:-2]).clone()
    base = linalg_inv(a) if count < 0 else a
    result, left = None, abs(count)
    while True:
        if left % 2:
            result = base if result is None else result @ base
        left //= 2
        if not left:
            return result.clone() if result is a else result  # type: ignore[return-value]
        base = base @ base


def linalg_matrix_power(A: Any, n: Any) -> Tensor:
    """A product of n equal matrices."""
    return _power("linalg.matrix_power", "A", A, n)


def matrix_power(input: Any, n: Any) -> Tensor:
    """A product of n equal matrices."""
    return _power("matrix_power", "input", input, n)


_DEGREE = 18
_LARGEST_NORM = {_core.float32: 3.01, _core.float64: 1.09}  # for which that degree is enough


def _exponential(a: Tensor) -> Tensor:
    unit = identity(a.shape[-1], a)
    if not a.numel():
        return a * 1
    norm = a.detach().abs().sum(-2).amax().item()
    if not math.isfinite(norm):
        return a * float("nan")
    squarings = max(0, math.ceil(math.log2(max(norm, 1e-300) / _LARGEST_NORM[real_dtype(a)])))
    x = a / 2.0**squarings
    square = x @ x
    cube = square @ x
    result = None
    for block in reversed(range(0, _DEGREE + 1, 3)):
        terms = unit / math.factorial(block) + x / math.factorial(block + 1)
        terms = terms + square / math.factorial(block + 2)
        result = terms if result is None else terms + result @ cube
    assert result is not None
    for _ in range(squarings):
        result = result @ result
    return result


def linalg_matrix_exp(A: Any) -> Tensor:
    """The matrix exponential."""
    return _exponential(square_of("linalg.matrix_exp", "A", A))


def matrix_exp(input: Any) -> Tensor:
    """The matrix exponential."""
    return _exponential(square_of("matrix_exp", "input", input))


# ---- tolerances ----


def _tolerances(function: str, a: Tensor, atol: Any, rtol: Any) -> tuple[Any, Any]:
    def checked(name: str, value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.to(real_dtype(a))
        return number_of(function, name, value)

    if rtol is None:
        rtol = eps_of(a) * max(a.shape[-2:])
        if atol is not None and not isinstance(atol, Tensor):
            rtol = 0.0
        if isinstance(atol, Tensor):
            rtol = _core.where(atol > 0, 0.0, rtol).to(real_dtype(a))
    return checked("atol", 0.0 if atol is None else atol), checked("rtol", rtol)


def _limit(values: Tensor, atol: Any, rtol: Any) -> Tensor:
    """The largest value that counts as 0, one a matrix."""
    largest = values.amax(-1) * rtol
    return _core.maximum(largest, _core.zeros_like(largest) + atol)


def linalg_matrix_rank(
    A: Any, atol: Any = None, rtol: Any = None, hermitian: Any = False
) -> Tensor:
    """How many singular values are not 0."""
    function = "linalg.matrix_rank"
    a = matrices_of(function, "A", A).detach()
    atol, rtol = _tolerances(function, a, atol, rtol)
    if flag_of(function, "hermitian", hermitian):
        values = symmetric_values(function, square_of(function, "A", a), False).abs()
    else:
        values = singular_values(function, a)
    if not values.shape[-1]:
        return _core.zeros(a.shape[:-2], dtype=_core.int64, device=a.device)
    return (values > _limit(values, atol, rtol).unsqueeze(-1)).sum(-1)


def pseudo_inverse(function: str, a: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    """The pseudo-inverse, recorded."""
    if not a.numel():
        return a.mT * 1
    atol, rtol = _tolerances(function, a, atol, rtol)
    known = a.detach()
    if hermitian:
        values, vectors = symmetric_eigen(function, known, False)
        sizes = values.abs()
        left, right = vectors, vectors.mH
    else:
        left, values, right = singular(function, known, False)
        sizes, left, right = values, right.mH, left.mH
    kept = sizes > _limit(sizes, atol, rtol).unsqueeze(-1)
    inverses = _core.where(kept, 1 / values, 0.0)
    found = (left * inverses.unsqueeze(-2)) @ right

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (a, inverse) = gradients, saved
        assert g is not None
        return [pinv_gradient(g, inverse, a)]

    record("LinalgPinvBackward0", [found], [a], [a, found], derivative)
    return found


def pinv_gradient(g: Tensor, inverse: Tensor, a: Tensor) -> Tensor:
    """The gradient of A of that of its pseudo-inverse (Golub and Pereyra)."""
    if a.shape[-2] <= a.shape[-1]:
        k = g.mH @ inverse
        product = k @ inverse.mH
        return (
            product
            - (inverse @ k).mH
            - (a @ inverse) @ product
            + (inverse.mH @ inverse) @ (g.mH - k @ a)
        )
    k = inverse @ g.mH
    product = inverse.mH @ k
    return (
        (g.mH - a @ k) @ inverse @ inverse.mH - (k @ inverse).mH + product - (product @ inverse) @ a
    )


def linalg_pinv(A: Any, atol: Any = None, rtol: Any = None, hermitian: Any = False) -> Tensor:
    """The pseudo-inverse."""
    function = "linalg.pinv"
    symmetric = flag_of(function, "hermitian", hermitian)
    a = (square_of if symmetric else matrices_of)(function, "A", A)
    return pseudo_inverse(function, a, atol, rtol, symmetric)


def pinverse(input: Any, rcond: Any = 1e-15) -> Tensor:
    """The pseudo-inverse, torch's older form."""
    return pseudo_inverse("pinverse", matrices_of("pinverse", "input", input), 0.0, rcond, False)


def linalg_cond(A: Any, p: Any = None) -> Tensor:
    """Condition numbers."""
    function = "linalg.cond"
    a = matrices_of(function, "A", A)
    if p is None or p in {2, -2}:
        s = singular_values(function, a)
        if not s.shape[-1]:
            raise ShapeError(
                f"{function}: A is {a.shape}; a matrix without elements has no order 2"
            )
        largest, smallest = s[..., 0], s[..., -1]
        return smallest / largest if p == -2 else largest / smallest
    if p not in {"fro", "nuc", 1, -1, math.inf, -math.inf}:
        raise ArgumentError(
            f"{function}: p must be None, 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {p!r}"
        )
    a = square_of(function, "A", a)
    if not a.numel():
        return _core.zeros(a.shape[:-2], dtype=real_dtype(a), device=a.device)
    inverse, info = inverse_and_info(a)
    found = linalg_matrix_norm(a, p) * linalg_matrix_norm(
        _core.where(_as_matrices(info == 0), inverse, 1.0), p
    )
    return _core.where(info == 0, found, math.inf)


def _as_matrices(flags: Tensor) -> Tensor:
    return flags.unsqueeze(-1).unsqueeze(-1)


# ---- products ----


def linalg_multi_dot(tensors: Any) -> Tensor:
    """A product of several matrices in the cheapest order."""
    return _chained("linalg.multi_dot", tensors, 2)


def chain_matmul(matrices: Any) -> Tensor:
    """A product of several matrices in the cheapest order."""
    if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)):
        matrices = matrices[0]
    if not matrices:
        raise TypeError("chain_matmul: argument 'matrices' is missing")
    return _chained("chain_matmul", list(matrices), 1)


def _chained(function: str, tensors: Any, least: int) -> Tensor:
    parts = tensors_of(function, tensors)
    if len(parts) < least:
        raise ArgumentError(f"{function}: {len(parts)} tensors; {least} or more are needed")
    row, column = parts[0].ndim == 1, parts[-1].ndim == 1 and len(parts) > 1
    if row:
        parts[0] = parts[0].unsqueeze(0)
    if column:
        parts[-1] = parts[-1].unsqueeze(-1)
    for i, part in enumerate(parts):
        if part.ndim != 2 or (i and parts[i - 1].shape[1] != part.shape[0]):
            raise ShapeError(
                f"{function}: tensors are {[tuple(each.shape) for each in parts]}; matrices are "
                "needed, each with as many rows as the one before has columns"
            )
    sizes = [part.shape[0] for part in parts] + [parts[-1].shape[1]]
    result = _in_order(parts, _cheapest(sizes), 0, len(parts) - 1)
    if row:
        result = result.squeeze(0)
    return result.squeeze(-1) if column else result


def _cheapest(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each range of matrices: the classic dynamic program."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            cost[i, j], split[i, j] = min(options)
    return split


def _in_order(parts: list[Tensor], split: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return parts[i]
    k = split[i, j]
    return _in_order(parts, split, i, k) @ _in_order(parts, split, k + 1, j)


def linalg_vecdot(x: Any, y: Any, dim: Any = -1) -> Tensor:
    """Inner products."""
    return _core.vecdot(tensor_of("linalg.vecdot", "x", x), y, dim)


def linalg_cross(input: Any, other: Any, dim: Any = -1) -> Tensor:
    """Cross products."""
    return _crossed("linalg.cross", input, other, dim)


def cross(input: Any, other: Any, dim: Any = None) -> Tensor:
    """Cross products, along the first dimension of size 3."""
    if dim is None:
        shape = tensor_of("cross", "input", input).shape
        if 3 not in shape:
            raise ShapeError(f"cross: input is {shape}; no dimension has the size 3")
        dim = shape.index(3)
    return _crossed("cross", input, other, dim)


def _crossed(function: str, input: Any, other: Any, dim: Any) -> Tensor:
    x, y = tensor_of(function, "input", input), tensor_of(function, "other", other)
    if x.ndim != y.ndim:
        raise ShapeError(
            f"{function}: input is {x.shape} and other {y.shape}; they need as many dimensions"
        )
    axis = dim_of(function, "dim", dim, x.ndim)
    for name, each in (("input", x), ("other", y)):
        if each.shape[axis] != 3:
            raise ShapeError(
                f"{function}: {name} is {each.shape}; dimension {axis} must have the size 3"
            )
    (x0, x1, x2), (y0, y1, y2) = x.unbind(axis), y.unbind(axis)
    return _core.stack([x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0], axis)


def linalg_diagonal(A: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    """Diagonals of two dimensions, as the last one."""
    function = "linalg.diagonal"
    a = tensor_of(function, "A", A)
    rows, columns = (dim_of(function, n, d, a.ndim) for n, d in (("dim1", dim1), ("dim2", dim2)))
    if rows == columns:
        raise ArgumentError(f"{function}: dim1 and dim2 are the same dimension, {rows}")
    others = [i for i in range(a.ndim) if i not in {rows, columns}]
    return a.permute([rows, columns, *others]).diagonal(int_of(function, "offset", offset))


def linalg_vander(x: Any, N: Any = None) -> Tensor:
    """Powers in ascending order."""
    function = "linalg.vander"
    numbers = tensor_of(function, "x", x)
    numbers = numbers if numbers.ndim else numbers.reshape(1)
    count = numbers.shape[-1] if N is None else int_from(function, "N", N, 1)
    return _powers(numbers, count)


def _powers(numbers: Tensor, count: int) -> Tensor:
    repeated = numbers.unsqueeze(-1).expand([*numbers.shape, max(count - 1, 0)])
    first = _core.ones_like(numbers).unsqueeze(-1)[..., : min(count, 1)]
    products = repeated.cumprod(-1)
    return _core.cat([first.to(products.dtype), products], -1)


def vander(x: Any, N: Any = None, increasing: Any = False) -> Tensor:
    """Powers, the highest first."""
    numbers = tensor_of("vander", "x", x)
    if numbers.ndim != 1:
        raise ShapeError(f"vander: x is {numbers.shape}; a vector is needed")
    count = numbers.shape[0] if N is None else int_from("vander", "N", N, 0)
    found = _powers(numbers, count)
    return found if flag_of("vander", "increasing", increasing) else found.flip(-1)


def linalg_tensorinv(A: Any, ind: Any = 2) -> Tensor:
    """The inverse for tensordot."""
    function = "linalg.tensorinv"
    a, rows = floating_of(function, "A", A), int_from(function, "ind", ind, 1)
    front, back = list(a.shape[:rows]), list(a.shape[rows:])
    size = math.prod(front)
    if size != math.prod(back):
        raise ShapeError(
            f"{function}: A is {a.shape}; with ind={rows} its rows are {size} and its columns "
            f"{math.prod(back)}, which must be equal"
        )
    found, info = inverse_and_info(a.reshape([size, size]))
    raise_for(function, info, lambda code: f"A is singular: the pivot {code} is zero")
    return found.reshape([*back, *front])


def linalg_tensorsolve(A: Any, B: Any, dims: Any = None) -> Tensor:
    """X of tensordot(A, X) = B."""
    function = "linalg.tensorsolve"
    a, b = floating_of(function, "A", A), floating_of(function, "B", B)
    if dims is not None:
        moved = [dim_of(function, "dims", d, a.ndim) for d in ints_of(function, "dims", dims)]
        a = a.permute([*(i for i in range(a.ndim) if i not in moved), *moved])
    left = list(a.shape[b.ndim :])
    if math.prod(left) != math.prod(a.shape[: b.ndim]) or math.prod(left) != b.numel():
        raise ShapeError(
            f"{function}: A is {a.shape} and B {b.shape}; the sizes of A in front and those left "
            "must have as many elements as B"
        )
    return linalg_solve(a.reshape([b.numel(), b.numel()]), b.reshape(-1)).reshape(left)
