"""Vectors by number."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import int_from, int_of, tensor_of
from gpukit._asserted import AssertedError, AssertedShapeError
from gpukit._core import Tensor, empty
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn import init
from gpukit.nn._embedding import dense_only
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """A table of vectors and how its rows are used."""

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        options: tuple[float | None, float, bool, bool],
        weight: Tensor | None,
        place: dict[str, Any],
    ) -> None:
        super().__init__()
        name = type(self).__name__
        num_embeddings = int_from(name, "num_embeddings", num_embeddings, 0)
        embedding_dim = int_from(name, "embedding_dim", embedding_dim, 0)
        if padding_idx is not None:
            padding_idx = int_of(name, "padding_idx", padding_idx)
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertedError(
                    f"{name}: padding_idx must be one of the {num_embeddings} rows, "
                    f"got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = options
        dense_only(name, self.sparse)
        sizes = (num_embeddings, embedding_dim)
        if weight is None:
            self.weight = Parameter(empty(sizes, **place))
            self.reset_parameters()
            return
        tensor_of(name, "_weight", weight)
        if tuple(weight.shape) != sizes:
            raise AssertedShapeError(
                f"{name}: _weight must be {sizes}, its shape is {tuple(weight.shape)}"
            )
        self.weight = Parameter(weight)

    def reset_parameters(self) -> None:
        """Draw a new table."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def _text(self, *names: str) -> str:
        """The sizes, and of these arguments those that are not as by default."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name in names:
            value = getattr(self, name)
            if value is not None and value is not False and (name != "norm_type" or value != 2):
                parts.append(f"{name}={value!r}")
        return ", ".join(parts)


def _sizes(table: Tensor) -> tuple[int, int]:
    tensor_of("from_pretrained", "embeddings", table)
    if table.ndim != 2:
        raise AssertedShapeError(
            "from_pretrained: embeddings must be (rows, row length), their shape is "
            f"{tuple(table.shape)}"
        )
    return table.shape[0], table.shape[1]


class Embedding(_Table):
    """A table of vectors, drawn from the standard normal distribution; the input is row numbers.

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Length of a row.
        padding_idx: A row that starts at 0 and is never trained.
        max_norm: Scale the rows that a call uses, in place, to this norm at most.
        norm_type: The p of that norm.
        scale_grad_by_freq: Divide a row's gradient by how often its number occurs.
        sparse: Only False.
        _weight: The table, instead of a drawn one.
        _freeze: Do not train it.
        device: Where the table is.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Embedding(10, 3)(gpukit.tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = (max_norm, norm_type, scale_grad_by_freq, sparse)
        place = {"device": device, "dtype": dtype}
        super().__init__(num_embeddings, embedding_dim, padding_idx, options, _weight, place)
        self.weight.requires_grad_(not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Make a layer of a table.

        Args:
            embeddings: The table, which becomes the layer's weight.
            freeze: Do not train it.
            padding_idx: A row that is never trained.
            max_norm: As in the constructor.
            norm_type: As in the constructor.
            scale_grad_by_freq: As in the constructor.
            sparse: Only False.

        Returns:
            The layer.
        """
        rows, length = _sizes(embeddings)
        options = (max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(rows, length, padding_idx, *options, embeddings, freeze)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rows of the table at the numbers of the input."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
        )

    def extra_repr(self) -> str:
        """Return the sizes, and what is not as by default."""
        return self._text("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq")


class EmbeddingBag(_Table):
    """Sums, means or maxima of a table's rows by bags of numbers, without the rows in between.

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Length of a row.
        max_norm: Scale the rows that a call uses, in place, to this norm at most.
        norm_type: The p of that norm.
        scale_grad_by_freq: Divide a row's gradient by how often its number occurs.
        mode: 'sum', 'mean' or 'max'.
        sparse: Only False.
        _weight: The table, instead of a drawn one.
        include_last_offset: The last of the offsets is the end of the last bag.
        padding_idx: A row that starts at 0 and does not count.
        device: Where the table is.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> bags = gpukit.nn.EmbeddingBag(10, 3, mode="sum")
        >>> bags(gpukit.tensor([1, 2, 4]), gpukit.tensor([0, 2])).shape
        (2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = (max_norm, norm_type, scale_grad_by_freq, sparse)
        place = {"device": device, "dtype": dtype}
        super().__init__(num_embeddings, embedding_dim, padding_idx, options, _weight, place)
        self.mode = mode
        self.include_last_offset = include_last_offset

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Make a layer of a table.

        Args:
            embeddings: The table, which becomes the layer's weight.
            freeze: Do not train it.
            max_norm: As in the constructor.
            norm_type: As in the constructor.
            scale_grad_by_freq: As in the constructor.
            mode: As in the constructor.
            sparse: Only False.
            include_last_offset: As in the constructor.
            padding_idx: As in the constructor.

        Returns:
            The layer.
        """
        rows, length = _sizes(embeddings)
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        layer = cls(rows, length, *options, embeddings, include_last_offset, padding_idx)
        layer.weight.requires_grad_(not freeze)
        return layer

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """Return a row for each bag."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            False,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Return the sizes, and what is not as by default."""
        return self._text("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx")
