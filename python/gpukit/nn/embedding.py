"""Vectors by number."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import int_from, int_of
from gpukit._core import Tensor, empty
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn import init
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
    """A table of vectors, drawn from the standard normal distribution; the input is row numbers.

    Args:
        num_embeddings: Rows of the table.
        embedding_dim: Length of a row.
        padding_idx: A row that starts at 0 and is never trained.
        device: Where the table is.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Embedding(10, 3)(gpukit.tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        num_embeddings = int_from("Embedding", "num_embeddings", num_embeddings, 0)
        embedding_dim = int_from("Embedding", "embedding_dim", embedding_dim, 0)
        if padding_idx is not None:
            padding_idx = int_of("Embedding", "padding_idx", padding_idx)
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"Embedding: padding_idx must be one of the {num_embeddings} rows, "
                    f"got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new table."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input: Tensor) -> Tensor:
        """Return the rows of the table at the numbers of the input."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Return the sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
