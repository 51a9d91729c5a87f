"""Rows of a table by number, alone or in bags that are added up."""

from __future__ import annotations

import itertools
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_of, number_of, tensor_of
from gpukit._asserted import AssertedError
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._named_nodes import names_node


def dense_only(op: str, sparse: Any) -> None:
    """Refuse sparse=True."""
    if bool_of(op, "sparse", sparse):
        raise NotImplementedError(
            f"{op}: sparse=True needs sparse tensors, which gpukit has not. Leave it out: the "
            "gradient is then a dense table, and any optimizer takes it"
        )


def _numbers(op: str, name: str, numbers: Tensor) -> Tensor:
    tensor_of(op, name, numbers)
    if numbers.dtype not in {_core.int64, _core.int32}:
        raise DTypeError(f"{op}: {name} is {numbers.dtype}; use {name}.long()", fix="input.long()")
    return numbers.long()


def row_of(op: str, padding_idx: Any, rows: int) -> int | None:
    """padding_idx counted from 0."""
    if padding_idx is None:
        return None
    row = int_of(op, "padding_idx", padding_idx)
    if not -rows <= row < rows:
        raise AssertedError(f"{op}: padding_idx is {row}, weight has {rows} rows")
    return row % max(rows, 1)


def _shrink(op: str, weight: Tensor, numbers: Tensor, max_norm: Any, norm_type: Any) -> None:
    """Scale the rows that are used, in place, to a norm of max_norm at most."""
    max_norm = number_of(op, "max_norm", max_norm)
    norm_type = number_of(op, "norm_type", norm_type)
    if not numbers.numel():
        return
    with no_grad():
        table = weight.detach()
        used = numbers.flatten().unique()
        rows = _core.embedding_rows(table, used)
        norms = rows.norm(norm_type, -1, keepdim=True)
        table[used] = _core.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)


def _by_frequency(rows: Tensor, numbers: Tensor, count: int) -> Tensor:
    """The rows with gradients divided by how often their number occurs."""
    often = _core.bincount(numbers, minlength=count)[numbers].to(rows.dtype).unsqueeze(-1)
    shared = rows / often
    return rows.detach() + (shared - shared.detach())


def _picked(
    weight: Tensor, numbers: Tensor, padding: int | None, scale_grad_by_freq: bool
) -> Tensor:
    """Rows of flat numbers."""
    rows = _core.embedding_rows(weight, numbers)
    if scale_grad_by_freq and numbers.numel():
        rows = _by_frequency(rows, numbers, len(weight))
    if padding is None:
        return rows
    return _core.where((numbers == padding).unsqueeze(-1), rows.detach(), rows)


def _table(op: str, weight: Tensor) -> Tensor:
    tensor_of(op, "weight", weight)
    if weight.ndim != 2:
        raise ShapeError(
            f"{op}: weight must be (rows, row length), its shape is {tuple(weight.shape)}"
        )
    return weight


@names_node("EmbeddingBackward0")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of weight at the numbers of input: (…, row length).

    Args:
        input: Row numbers, int64.
        weight: The table.
        padding_idx: A row that gets no gradient; negative ones count from the end.
        max_norm: First scale the rows that are used, in place, to this norm at most.
        norm_type: The p of that norm.
        scale_grad_by_freq: Divide a row's gradient by how often its number occurs.
        sparse: Only False.

    Raises:
        DTypeError: input is not int64.
        IndexError: An index is out of range; on a GPU, raised at the next wait.
        ValueError: padding_idx is out of range.
        NotImplementedError: sparse is True.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.embedding(gpukit.tensor([1]), gpukit.tensor([[1.0], [2.0]]))
        tensor([[2.]])
    """
    numbers = _numbers("embedding", "input", input)
    _table("embedding", weight)
    dense_only("embedding", sparse)
    scale = bool_of("embedding", "scale_grad_by_freq", scale_grad_by_freq)
    padding = row_of("embedding", padding_idx, len(weight))
    if max_norm is not None:
        _shrink("embedding", weight, numbers, max_norm, norm_type)
    rows = _picked(weight, numbers.flatten(), padding, scale)
    return rows.reshape(*input.shape, weight.shape[1])


@names_node("EmbeddingBagBackward0")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, mean or maximum of the rows of each bag of numbers: (bags, row length).

    Args:
        input: (bags, numbers), or all bags one after the other, with offsets; int64.
        weight: The table.
        offsets: Where each bag begins in a 1-d input.
        max_norm: First scale the rows that are used, in place, to this norm at most.
        norm_type: The p of that norm.
        scale_grad_by_freq: Divide a row's gradient by how often its number occurs; not for 'max'.
        mode: 'sum', 'mean' or 'max'.
        sparse: Only False.
        per_sample_weights: A factor for each number, for 'sum' only.
        include_last_offset: The last of the offsets is the end of the last bag.
        padding_idx: A row that does not count in its bag.

    Returns:
        The bags; one without rows is 0.

    Raises:
        ShapeError: Shapes do not fit.
        DTypeError: input or offsets are not whole numbers.
        ValueError: Arguments that do not go together.
        NotImplementedError: sparse is True.

    Example:
        >>> import gpukit
        >>> table = gpukit.tensor([[1.0], [2.0], [4.0]])
        >>> text, begins = gpukit.tensor([0, 2, 1]), gpukit.tensor([0, 2])
        >>> gpukit.nn.functional.embedding_bag(text, table, begins, mode="sum")
        tensor([[5.],
                [2.]])
    """
    op = "embedding_bag"
    numbers, table = _numbers(op, "input", input), _table(op, weight)
    dense_only(op, sparse)
    scale = bool_of(op, "scale_grad_by_freq", scale_grad_by_freq)
    if mode not in {"sum", "mean", "max"}:
        raise ArgumentError(f"{op}: mode must be 'sum', 'mean' or 'max', got {mode!r}")
    if scale and mode == "max":
        raise ArgumentError(f"{op}: scale_grad_by_freq is not for mode='max'; leave it out")
    factors = _factors(op, input, table, per_sample_weights, mode)
    with_end = bool_of(op, "include_last_offset", include_last_offset)
    bags, count = _bags(op, numbers, offsets, with_end)
    padding = row_of(op, padding_idx, len(table))
    if max_norm is not None:
        _shrink(op, table, numbers, max_norm, norm_type)
    flat = numbers.flatten()
    if padding is not None:
        kept = (flat != padding).nonzero().flatten()
        flat, bags = flat[kept], bags[kept]
        factors = None if factors is None else factors[kept]
    rows = _picked(table, flat, None, scale)
    if factors is not None:
        rows = rows * factors.unsqueeze(-1)
    if mode == "max":
        return _largest(rows, bags, count)
    zeros = _core.zeros(count, table.shape[1], dtype=rows.dtype, device=rows.device)
    total = zeros.index_add(0, bags, rows)
    if mode == "sum":
        return total
    sizes = _core.bincount(bags, minlength=count).clamp(min=1)
    return total / sizes.to(total.dtype).unsqueeze(-1)


def _factors(
    op: str, input: Tensor, table: Tensor, weights: Tensor | None, mode: str
) -> Tensor | None:
    if weights is None:
        return None
    tensor_of(op, "per_sample_weights", weights)
    if mode != "sum":
        raise NotImplementedError(f"{op}: per_sample_weights needs mode='sum', got mode={mode!r}")
    if weights.shape != input.shape:
        raise ShapeError(
            f"{op}: per_sample_weights is {tuple(weights.shape)} and input {tuple(input.shape)}; "
            "each number has one weight"
        )
    if weights.dtype != table.dtype:
        raise DTypeError(
            f"{op}: per_sample_weights is {weights.dtype.name} and weight {table.dtype.name}. Use "
            "per_sample_weights.to(weight.dtype)"
        )
    return weights.flatten()


def _bags(op: str, numbers: Tensor, offsets: Tensor | None, with_end: bool) -> tuple[Tensor, int]:
    """The bag of each number, and how many bags there are."""
    device = numbers.device
    if numbers.ndim == 2:
        if offsets is not None:
            raise ArgumentError(
                f"{op}: offsets go with a 1-d input; input is {tuple(numbers.shape)}, whose rows "
                "are the bags. Leave offsets out"
            )
        bags, each = numbers.shape
        return _core.arange(bags, device=device).repeat_interleave(each), bags
    if numbers.ndim != 1:
        raise ShapeError(
            f"{op}: input must be (bags, numbers) or 1-d with offsets, its shape is "
            f"{tuple(numbers.shape)}"
        )
    if offsets is None:
        raise ArgumentError(
            f"{op}: input {tuple(numbers.shape)} is 1-d and needs offsets: where each bag begins"
        )
    begins = _numbers(op, "offsets", offsets)
    if begins.ndim != 1:
        raise ShapeError(f"{op}: offsets must be 1-d, their shape is {tuple(begins.shape)}")
    _check_offsets(op, begins, len(numbers), with_end)
    if with_end:
        begins = begins[:-1]
    places = _core.arange(len(numbers), device=device)
    return _core.searchsorted(begins, places, right=True) - 1, len(begins)


def _check_offsets(op: str, begins: Tensor, count: int, with_end: bool) -> None:
    listed = begins.tolist()
    if with_end and not listed:
        raise ArgumentError(f"{op}: include_last_offset needs at least one offset, the last end")
    if listed and listed[0] != 0:
        raise ArgumentError(f"{op}: offsets must begin with 0, the first one is {listed[0]}")
    if any(after < before for before, after in itertools.pairwise(listed)):
        raise ArgumentError(f"{op}: offsets must not fall, got {listed}")
    if listed and listed[-1] > count:
        raise ArgumentError(
            f"{op}: the last of the offsets, {listed[-1]}, is beyond the {count} numbers of input"
        )


def _largest(rows: Tensor, bags: Tensor, count: int) -> Tensor:
    """The largest of each column in each bag; the first of equal ones gets the gradient."""
    width = rows.shape[1]
    if not len(rows):
        return _core.zeros(count, width, dtype=rows.dtype, device=rows.device)
    sizes = _core.bincount(bags, minlength=count)
    most = int(sizes.max().item())
    begins = sizes.cumsum(0) - sizes
    step = _core.arange(most, device=rows.device)
    places = begins.unsqueeze(1) + step.clamp(max=most - 1)
    inside = step < sizes.unsqueeze(1)
    places = _core.where(inside, places, begins.unsqueeze(1)).clamp(max=len(rows) - 1)
    padded = rows[places.flatten()].reshape(count, most, width)
    result = padded.gather(1, padded.detach().argmax(1, keepdim=True)).squeeze(1)
    return _core.where((sizes == 0).unsqueeze(1), _core.zeros_like(result), result)
