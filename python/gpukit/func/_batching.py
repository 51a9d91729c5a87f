"""vmap: one call for each item of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._arguments import dim_of
from gpukit._core import Tensor, default_generator
from gpukit.errors import ArgumentError
from gpukit.func._trees import changed, filled, leaves


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function of batches that calls `func` for each item and stacks the results.

    torch computes all items in one call; here each is a call, so write operations on whole
    batches where speed counts.

    Args:
        func: A function of tensors that returns a tensor, or a tuple, list or dict of them.
        in_dims: The batch's dimension of each argument, None for one that has none; one int is
            for all.
        out_dims: Where the batch's dimension lies in each result.
        randomness: 'same': every item draws the same numbers of the default generator;
            'different' or 'error': its own.
        chunk_size: Accepted for compatibility with PyTorch: items are single in any case.

    Raises:
        ValueError: No argument has a batch, sizes of batches differ, or randomness is another one.

    Example:
        >>> import gpukit
        >>> gpukit.vmap(gpukit.dot)(gpukit.ones(3, 2), gpukit.ones(3, 2))
        tensor([2., 2., 2.])
    """
    if not callable(func):
        raise TypeError(f"vmap: func must be a function, got {func!r:.80}")
    if randomness not in ("error", "different", "same"):
        raise ArgumentError(
            f"vmap: randomness must be 'error', 'different' or 'same', got {randomness!r}"
        )
    del chunk_size

    @functools.wraps(func)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        batches = [_items(value, dim) for value, dim in _paired(args, in_dims)]
        sizes = {len(items) for _, columns in batches for items in columns if items is not None}
        if len(sizes) != 1:
            raise ArgumentError(
                f"vmap: the batches have sizes {sorted(sizes)}; one size is needed. Give the "
                "dimension of each argument in in_dims, None for one without a batch"
            )
        state = default_generator.get_state() if randomness == "same" else None
        results = []
        for i in range(sizes.pop()):
            if state is not None:
                default_generator.set_state(state)
            results.append(func(*(_item(batch, i) for batch in batches), **keywords))
        return _stacked(results, out_dims)

    return wrapper


def _paired(args: tuple[Any, ...], in_dims: Any) -> list[tuple[Any, Any]]:
    if isinstance(in_dims, (tuple, list)):
        if len(in_dims) != len(args):
            raise ArgumentError(f"vmap: in_dims has {len(in_dims)} parts for {len(args)} arguments")
        return list(zip(args, in_dims, strict=True))
    return [(value, in_dims) for value in args]


def _items(value: Any, dim: Any) -> tuple[Any, list[Any]]:
    """The argument, and for each of its tensors the slices; None where there is no batch."""
    columns = []
    dims = list(leaves(dim)) if isinstance(dim, (tuple, list, dict)) else None
    for number, leaf in enumerate(leaves(value)):
        axis = dim if dims is None else dims[number]
        batched = axis is not None and isinstance(leaf, Tensor)
        columns.append(
            _core.unbind(leaf, dim_of("vmap", "in_dims", axis, leaf.ndim)) if batched else None
        )
    return value, columns


def _item(batch: tuple[Any, list[Any]], i: int) -> Any:
    value, columns = batch
    pairs = zip(leaves(value), columns, strict=True)
    return filled(value, [leaf if column is None else column[i] for leaf, column in pairs])


def _stacked(results: list[Any], out_dims: Any) -> Any:
    if not results:
        raise ArgumentError("vmap: the batch has no items, so the shape of a result is not known")
    columns = [list(leaves(result)) for result in results]
    count = len(columns[0])
    dims = list(out_dims) if isinstance(out_dims, (tuple, list)) else [out_dims] * count
    if len(dims) != count:
        raise ArgumentError(f"vmap: out_dims has {len(dims)} parts for {count} results")
    stacked = []
    for number, dim in enumerate(dims):
        parts = [column[number] for column in columns]
        if not isinstance(parts[0], Tensor):
            raise _NoTensorError(
                f"vmap: func must return tensors, got {parts[0]!r:.80} "
                f"({type(parts[0]).__name__}). Return a tensor, as by gpukit.tensor(…)"
            )
        stacked.append(parts[0] if dim is None else _core.stack(parts, dim))
    return filled(changed(results[0], lambda leaf: leaf), stacked)


class _NoTensorError(ArgumentError, TypeError):
    """A result that is no tensor, where torch raises ValueError."""
