"""The layers of encoders and decoders: attention, then a feed-forward network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn.dropout import Dropout
from gpukit.nn.linear import Linear
from gpukit.nn.module import Module
from gpukit.nn.multihead_attention import MultiheadAttention
from gpukit.nn.normalization import LayerNorm

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]

Activation = str | Callable[[Tensor], Tensor]


def _activation(op: str, activation: Activation) -> Callable[[Tensor], Tensor]:
    named: dict[Any, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
    found = named.get(activation) if isinstance(activation, str) else activation
    if not callable(found):
        raise ArgumentError(
            f"{op}: activation must be 'relu', 'gelu' or a function, got {activation!r}"
        )
    return found


def _sizes(layer: Module, d_model: Any, nhead: Any, dim_feedforward: Any) -> list[int]:
    given = {"d_model": d_model, "nhead": nhead, "dim_feedforward": dim_feedforward}
    return [int_from(type(layer).__name__, name, value, 1) for name, value in given.items()]


class TransformerEncoderLayer(Module):
    """Self-attention, then a feed-forward network (Vaswani and others, 2017).

    Args:
        d_model: Features of inputs and results.
        nhead: Heads of the attention.
        dim_feedforward: Features inside the feed-forward network.
        dropout: Probability of an element to become 0 while training.
        activation: "relu", "gelu" or a function of a tensor.
        layer_norm_eps: eps of the layer norms.
        batch_first: Inputs are (N, S, E) and not (S, N, E).
        norm_first: Normalise before each part and not after it.
        bias: With biases in linear layers and norms.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        >>> layer(gpukit.ones(1, 3, 4)).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        d_model, nhead, dim_feedforward = _sizes(self, d_model, nhead, dim_feedforward)
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first, **made
        )
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(type(self).__name__, activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the encoded sequences, of src's shape.

        Args:
            src: (S, N, E), (N, S, E) with batch_first, or (S, E).
            src_mask: attn_mask of MultiheadAttention.
            src_key_padding_mask: Its key_padding_mask.
            is_causal: A hint that src_mask is the causal mask.
        """
        x = tensor_of(type(self).__name__, "src", src)
        masks = src_mask, src_key_padding_mask, is_causal
        if self.norm_first:
            x = x + self._attended(self.norm1(x), *masks)
            return x + self._fed_forward(self.norm2(x))
        x = self.norm1(x + self._attended(x, *masks))
        encoded: Tensor = self.norm2(x + self._fed_forward(x))
        return encoded

    def _attended(
        self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        result: Tensor = self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0]
        dropped: Tensor = self.dropout1(result)
        return dropped

    def _fed_forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return result


class TransformerDecoderLayer(Module):
    """Self-attention, attention to an encoder's results, then a feed-forward network.

    Args:
        d_model: Features of inputs and results.
        nhead: Heads of both attentions.
        dim_feedforward: Features inside the feed-forward network.
        dropout: Probability of an element to become 0 while training.
        activation: "relu", "gelu" or a function of a tensor.
        layer_norm_eps: eps of the layer norms.
        batch_first: Inputs are (N, T, E) and not (T, N, E).
        norm_first: Normalise before each part and not after it.
        bias: With biases in linear layers and norms.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.TransformerDecoderLayer(4, 2, 8, batch_first=True)
        >>> layer(gpukit.ones(1, 3, 4), gpukit.ones(1, 5, 4)).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        d_model, nhead, dim_feedforward = _sizes(self, d_model, nhead, dim_feedforward)
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        heads: dict[str, Any] = {"dropout": dropout, "batch_first": batch_first, **made}
        self.self_attn = MultiheadAttention(d_model, nhead, **heads)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **heads)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(type(self).__name__, activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoded sequences, of tgt's shape.

        Args:
            tgt: (T, N, E), (N, T, E) with batch_first, or (T, E).
            memory: The encoder's results: (S, N, E), (N, S, E) or (S, E).
            tgt_mask: attn_mask of the self-attention.
            memory_mask: attn_mask of the attention to memory.
            tgt_key_padding_mask: key_padding_mask of the self-attention.
            memory_key_padding_mask: key_padding_mask of the attention to memory.
            tgt_is_causal: A hint that tgt_mask is the causal mask.
            memory_is_causal: The same of memory_mask.
        """
        x = tensor_of(type(self).__name__, "tgt", tgt)
        tensor_of(type(self).__name__, "memory", memory)
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory_mask, memory_key_padding_mask, memory_is_causal
        if self.norm_first:
            x = x + self._attended(self.norm1(x), *own)
            x = x + self._remembered(self.norm2(x), memory, *other)
            return x + self._fed_forward(self.norm3(x))
        x = self.norm1(x + self._attended(x, *own))
        x = self.norm2(x + self._remembered(x, memory, *other))
        decoded: Tensor = self.norm3(x + self._fed_forward(x))
        return decoded

    def _attended(
        self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        result: Tensor = self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0]
        dropped: Tensor = self.dropout1(result)
        return dropped

    def _remembered(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None,
        padding: Tensor | None,
        is_causal: bool,
    ) -> Tensor:
        result: Tensor = self.multihead_attn(
            x, memory, memory, padding, False, mask, is_causal=is_causal
        )[0]
        dropped: Tensor = self.dropout2(result)
        return dropped

    def _fed_forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return result
