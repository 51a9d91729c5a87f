"""Encoders and decoders of attention and feed-forward layers."""

from __future__ import annotations

import copy
import math
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ShapeError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn import init
from gpukit.nn.container import ModuleList
from gpukit.nn.module import Module
from gpukit.nn.normalization import LayerNorm
from gpukit.nn.transformer_layers import (
    Activation,
    TransformerDecoderLayer,
    TransformerEncoderLayer,
    _sizes,
)

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerEncoder",
]


def _copies(op: str, layer: Any, count: Any) -> ModuleList:
    """Deep copies, so that no parameters are shared."""
    if not isinstance(layer, Module):
        raise TypeError(f"{op}: the layer must be a Module, got {layer!r:.80}")
    number = int_from(op, "num_layers", count, 0)
    return ModuleList([copy.deepcopy(layer) for _ in range(number)])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer: What is copied.
        num_layers: Number of copies.
        norm: A layer for the result, or None.
        enable_nested_tensor: Accepted for compatibility with PyTorch; ignored.
        mask_check: Accepted likewise.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        >>> gpukit.nn.TransformerEncoder(layer, 2)(gpukit.ones(1, 3, 4)).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(type(self).__name__, encoder_layer, num_layers)
        self.num_layers = len(self.layers)
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Return the encoded sequences, of src's shape; arguments as of the layers."""
        x = tensor_of(type(self).__name__, "src", src)
        for layer in self.layers:
            x = layer(
                x,
                src_mask=mask,
                src_key_padding_mask=src_key_padding_mask,
                is_causal=bool(is_causal),
            )
        return x if self.norm is None else self.norm(x)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other; each attends to the same memory.

    Args:
        decoder_layer: What is copied.
        num_layers: Number of copies.
        norm: A layer for the result, or None.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.TransformerDecoderLayer(4, 2, 8, batch_first=True)
        >>> decoder = gpukit.nn.TransformerDecoder(layer, 2)
        >>> decoder(gpukit.ones(1, 3, 4), gpukit.ones(1, 5, 4)).shape
        (1, 3, 4)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(type(self).__name__, decoder_layer, num_layers)
        self.num_layers = len(self.layers)
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoded sequences, of tgt's shape; arguments as of the layers."""
        x = tensor_of(type(self).__name__, "tgt", tgt)
        for layer in self.layers:
            x = layer(
                x,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder and a decoder (Vaswani and others, 2017), without embeddings and last layer.

    Args:
        d_model: Features of inputs and results.
        nhead: Heads of the attentions.
        num_encoder_layers: Layers of the encoder.
        num_decoder_layers: Layers of the decoder.
        dim_feedforward: Features inside the feed-forward networks.
        dropout: Probability of an element to become 0 while training.
        activation: "relu", "gelu" or a function of a tensor.
        custom_encoder: Takes the encoder's place.
        custom_decoder: Takes the decoder's place.
        layer_norm_eps: eps of the layer norms.
        batch_first: Inputs are (N, S, E) and not (S, N, E).
        norm_first: Normalise before each part and not after it.
        bias: With biases in linear layers and norms.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> net = gpukit.nn.Transformer(4, 2, 1, 1, 8, batch_first=True)
        >>> net(gpukit.ones(1, 5, 4), gpukit.ones(1, 3, 4)).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        d_model, nhead, dim_feedforward = _sizes(self, d_model, nhead, dim_feedforward)
        name = type(self).__name__
        num_encoder_layers = int_from(name, "num_encoder_layers", num_encoder_layers, 0)
        num_decoder_layers = int_from(name, "num_decoder_layers", num_decoder_layers, 0)
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        same = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first)
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*same, norm_first, **made)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **made)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        else:
            self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*same, norm_first, **made)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **made)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        else:
            self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        """Draw all matrices again, by Xavier and Glorot."""
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the causal mask: -inf above the diagonal, 0 elsewhere.

        Args:
            sz: Length of the sequences.
            device: Where the mask is.
            dtype: A floating dtype.

        Example:
            >>> import gpukit
            >>> gpukit.nn.Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        sz = int_from("generate_square_subsequent_mask", "sz", sz, 0)
        return _core.full((sz, sz), -math.inf, dtype=dtype, device=device).triu(1)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoded sequences, of tgt's shape.

        Args:
            src: What is encoded: (S, N, E), (N, S, E) with batch_first, or (S, E).
            tgt: What is decoded: (T, N, E), (N, T, E) or (T, E).
            src_mask: attn_mask of the encoder.
            tgt_mask: attn_mask of the decoder.
            memory_mask: attn_mask of the decoder's attention to the encoder.
            src_key_padding_mask: key_padding_mask of the encoder.
            tgt_key_padding_mask: key_padding_mask of the decoder.
            memory_key_padding_mask: key_padding_mask of the decoder's attention to the encoder.
            src_is_causal: A hint that src_mask is the causal mask.
            tgt_is_causal: The same of tgt_mask.
            memory_is_causal: The same of memory_mask.

        Raises:
            ShapeError: Other numbers of sequences, or features that are not d_model.
        """
        name = type(self).__name__
        tensor_of(name, "src", src)
        tensor_of(name, "tgt", tgt)
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and tgt.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ShapeError(
                f"{name}: src has {src.shape[batch]} sequences and tgt {tgt.shape[batch]}; the "
                f"numbers must be equal (dimension {batch}, as batch_first={self.batch_first})"
            )
        for what, each in (("src", src), ("tgt", tgt)):
            if each.shape[-1] != self.d_model:
                raise ShapeError(
                    f"{name}: {what} must have d_model = {self.d_model} features, its last size is "
                    f"{each.shape[-1]}"
                )
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        decoded: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return decoded
