"""Arguments and inputs of layers, for the tests that go over every parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gpukit
from gpukit import nn
from gpukit.nn import functional

_LINE = gpukit.arange(96.0).reshape(2, 4, 12)
_PLANES = gpukit.arange(512.0).reshape(2, 4, 8, 8)
_BOXES = gpukit.arange(864.0).reshape(1, 4, 6, 6, 6)
_BY_RANK = {"1d": _LINE, "2d": _PLANES, "3d": _BOXES}
_COLUMNS = gpukit.arange(64.0).reshape(2, 8, 4)

_WINDOW = {"kernel_size": 2, "stride": 2, "padding": 1, "dilation": 2}
_CONVOLUTION = {"out_channels": 4, **_WINDOW, "groups": 2}
_FOLDED = {"output_size": 4, "kernel_size": 2, "dilation": 1, "padding": 0, "stride": 2}
_UNFOLDED = {"kernel_size": 2, "dilation": 2, "padding": 1, "stride": 2}
_PADDINGS = ("Zero", "Constant", "Reflection", "Replication", "Circular")


_SEQUENCES = gpukit.arange(24.0).reshape(2, 3, 4)
_CELL = {"input_size": 4, "hidden_size": 3}
_RECURRENT = {"input_size": 4, "hidden_size": 3, "num_layers": 2}


def _layers() -> dict[Callable[..., Any], dict[str, Any]]:
    found: dict[Callable[..., Any], dict[str, Any]] = {}
    for rank in _BY_RANK:
        found[getattr(nn, f"Conv{rank}")] = {"in_channels": 4, **_CONVOLUTION}
        found[getattr(nn, f"LazyConv{rank}")] = dict(_CONVOLUTION)
        transposed = {**_CONVOLUTION, "output_padding": 1}
        found[getattr(nn, f"ConvTranspose{rank}")] = {"in_channels": 4, **transposed}
        found[getattr(nn, f"LazyConvTranspose{rank}")] = transposed
        found[getattr(nn, f"BatchNorm{rank}")] = {"num_features": 4}
        found[getattr(nn, f"LazyBatchNorm{rank}")] = {}
        found[getattr(nn, f"InstanceNorm{rank}")] = {"num_features": 4}
        found[getattr(nn, f"LazyInstanceNorm{rank}")] = {"affine": True}
        average = {"kernel_size": 3, "stride": 2, "padding": 1}
        found[getattr(nn, f"MaxPool{rank}")] = {**average, "dilation": 2}
        divided = {} if rank == "1d" else {"divisor_override": 2}
        found[getattr(nn, f"AvgPool{rank}")] = {**average, **divided}
        found[getattr(nn, f"AdaptiveAvgPool{rank}")] = {"output_size": 3}
        found[getattr(nn, f"AdaptiveMaxPool{rank}")] = {"output_size": 3}
        found[getattr(nn, f"MaxUnpool{rank}")] = dict(average)
        power = {"norm_type": 2.0, "kernel_size": 3, "stride": 2}
        found[getattr(nn, f"LPPool{rank}")] = power
        if rank != "1d":
            found[getattr(nn, f"FractionalMaxPool{rank}")] = {"kernel_size": 2, "output_size": 3}
        for kind in _PADDINGS:
            value = {"value": 0.5} if kind == "Constant" else {}
            found[getattr(nn, f"{kind}Pad{rank}")] = {"padding": 2, **value}
    return {
        **found,
        nn.Fold: _FOLDED,
        nn.AdaptiveLogSoftmaxWithLoss: {
            "in_features": 4,
            "n_classes": 6,
            "cutoffs": [1, 2],
            "div_value": 2.0,
        },
        nn.Unfold: _UNFOLDED,
        nn.GroupNorm: {"num_groups": 2, "num_channels": 4},
        nn.LocalResponseNorm: {"size": 3},
        nn.Unflatten: {"dim": 1, "unflattened_size": [2, 2]},
        nn.RMSNorm: {"normalized_shape": 8},
        nn.PReLU: {"num_parameters": 4},
        nn.Hardtanh: {},
        nn.ReLU6: {},
        nn.Hardsigmoid: {},
        nn.Hardswish: {},
        nn.Mish: {},
        nn.SELU: {},
        nn.CELU: {},
        nn.Threshold: {"threshold": 2.0, "value": -1.0},
        nn.Softmin: {"dim": 2},
        nn.Softmax2d: {},
        nn.Softsign: {},
        nn.Tanhshrink: {},
        nn.LogSigmoid: {},
        nn.Hardshrink: {},
        nn.Softshrink: {},
        nn.GLU: {"dim": 2},
        nn.RReLU: {},
        nn.Dropout1d: {},
        nn.Dropout2d: {},
        nn.Dropout3d: {},
        nn.AlphaDropout: {},
        nn.FeatureAlphaDropout: {},
        nn.PixelShuffle: {"upscale_factor": 2},
        nn.ChannelShuffle: {"groups": 2},
        nn.SyncBatchNorm: {"num_features": 4},
        nn.Bilinear: {"in1_features": 4, "in2_features": 4, "out_features": 2},
        nn.PixelUnshuffle: {"downscale_factor": 2},
        nn.Upsample: {"size": 5},
        nn.UpsamplingBilinear2d: {"size": 5},
        nn.UpsamplingNearest2d: {"size": 5},
        nn.RNN: _RECURRENT,
        nn.GRU: _RECURRENT,
        nn.LSTM: {**_RECURRENT, "proj_size": 2},
        nn.RNNCell: _CELL,
        nn.LSTMCell: _CELL,
        nn.GRUCell: _CELL,
    }


_BLOCK = {"d_model": 4, "nhead": 2, "dim_feedforward": 8}
_ATTENTION: dict[Callable[..., Any], dict[str, Any]] = {
    nn.MultiheadAttention: {"embed_dim": 4, "num_heads": 2, "kdim": 4, "vdim": 4},
    nn.TransformerEncoderLayer: _BLOCK,
    nn.TransformerDecoderLayer: _BLOCK,
    nn.TransformerEncoder: {
        "encoder_layer": nn.TransformerEncoderLayer(4, 2, 8),
        "num_layers": 2,
    },
    nn.TransformerDecoder: {
        "decoder_layer": nn.TransformerDecoderLayer(4, 2, 8),
        "num_layers": 2,
    },
    nn.Transformer: {**_BLOCK, "num_encoder_layers": 1, "num_decoder_layers": 2},
    nn.CosineSimilarity: {"dim": 2},
}
# What their calls take in place of one input.
SEVERAL = {
    nn.AdaptiveLogSoftmaxWithLoss: 2,
    nn.MaxUnpool1d: 2,
    nn.MaxUnpool2d: 2,
    nn.MaxUnpool3d: 2,
    nn.Bilinear: 2,
    nn.CTCLoss: 4,
    nn.MultiLabelMarginLoss: 2,
    nn.TripletMarginWithDistanceLoss: 3,
    nn.MultiheadAttention: 3,
    nn.TransformerEncoderLayer: 1,
    nn.TransformerDecoderLayer: 2,
    nn.TransformerEncoder: 1,
    nn.TransformerDecoder: 2,
    nn.Transformer: 2,
    nn.CosineSimilarity: 2,
    nn.PairwiseDistance: 2,
    nn.MultiMarginLoss: 2,
    nn.KLDivLoss: 2,
    nn.SoftMarginLoss: 2,
    nn.HingeEmbeddingLoss: 2,
    nn.MultiLabelSoftMarginLoss: 2,
    nn.PoissonNLLLoss: 2,
    nn.CosineEmbeddingLoss: 3,
    nn.MarginRankingLoss: 3,
    nn.TripletMarginLoss: 3,
    nn.GaussianNLLLoss: 3,
}


def _functions() -> dict[Callable[..., Any], dict[str, Any]]:
    found: dict[Callable[..., Any], dict[str, Any]] = {}
    for rank, planes in _BY_RANK.items():
        weight = gpukit.ones(4, 2, *[2] * (planes.ndim - 2))
        step = {"input": planes, "weight": weight, "stride": 2, "padding": 1, "dilation": 2}
        found[getattr(functional, f"conv{rank}")] = {**step, "groups": 2}
        window = {"input": planes, "kernel_size": 3, "stride": 2, "padding": 1}
        for name in (f"max_pool{rank}", f"max_pool{rank}_with_indices"):
            found[getattr(functional, name)] = {**window, "dilation": 2}
        divided = {} if rank == "1d" else {"divisor_override": 2}
        found[getattr(functional, f"avg_pool{rank}")] = {**window, **divided}
        adaptive = {"input": planes, "output_size": 3}
        found[getattr(functional, f"adaptive_avg_pool{rank}")] = adaptive
        found[getattr(functional, f"adaptive_max_pool{rank}")] = adaptive
        power = {"input": planes, "norm_type": 2.0, "kernel_size": 3, "stride": 2}
        found[getattr(functional, f"lp_pool{rank}")] = power
        if rank != "1d":
            drawn = {"kernel_size": 2, "output_size": 3}
            drawn["_random_samples"] = gpukit.rand(*planes.shape[:2], planes.ndim - 2)
            found[getattr(functional, f"fractional_max_pool{rank}")] = {"input": planes, **drawn}
        places = {"indices": planes.long() * 0, "output_size": [2 * n for n in planes.shape[2:]]}
        found[getattr(functional, f"max_unpool{rank}")] = {**window, **places}
        transposed = {**step, "groups": 2, "output_padding": 1}
        found[getattr(functional, f"conv_transpose{rank}")] = transposed
    return {
        **found,
        functional.fold: {"input": _COLUMNS, **_FOLDED},
        functional.channel_shuffle: {"input": _PLANES, "groups": 2},
        functional.embedding_bag: {
            "input": gpukit.tensor([[0, 2], [1, 1]]),
            "weight": _COLUMNS[0],
            "padding_idx": 1,
        },
        functional.ctc_loss: {
            "log_probs": _SEQUENCES.log_softmax(2),
            "targets": gpukit.tensor([[1], [2], [1]]),
            "input_lengths": [2, 2, 1],
            "target_lengths": [1, 1, 1],
            "blank": 0,
        },
        functional.relu_: {"input": _PLANES.clone()},
        functional.selu_: {"input": _PLANES.clone()},
        functional.rrelu_: {"input": _PLANES.clone()},
        functional.threshold_: {"input": _PLANES.clone(), "threshold": 2.0, "value": -1.0},
        functional.unfold: {"input": _PLANES, **_UNFOLDED},
        functional.batch_norm: {
            "input": _PLANES,
            "running_mean": gpukit.zeros(4),
            "running_var": gpukit.ones(4),
        },
        functional.group_norm: {"input": _PLANES, "num_groups": 2},
        functional.instance_norm: {
            "input": _PLANES,
            "running_mean": gpukit.zeros(4),
            "running_var": gpukit.ones(4),
        },
        functional.local_response_norm: {"input": _PLANES, "size": 3},
        functional.rms_norm: {"input": _PLANES, "normalized_shape": 8},
        functional.dropout2d: {"input": _PLANES},
        functional.dropout3d: {"input": _BOXES},
        functional.threshold: {"input": _PLANES, "threshold": 2.0, "value": -1.0},
        functional.prelu: {"input": _PLANES, "weight": gpukit.ones(4)},
        functional.softmin: {"input": _PLANES, "dim": 1},
        functional.glu: {"input": _PLANES, "dim": 2},
        functional.normalize: {"input": _PLANES, "dim": 2},
        functional.gumbel_softmax: {"logits": _PLANES, "dim": 1},
        functional.cosine_similarity: {"x1": _PLANES, "x2": _PLANES, "dim": 2},
        functional.multi_margin_loss: {
            "input": _PLANES[0, 0],
            "target": gpukit.arange(8),
            "p": 2,
        },
        functional.cosine_embedding_loss: {
            "input1": _PLANES[0, 0],
            "input2": _PLANES[0, 0],
            "target": gpukit.ones(8),
        },
        functional.interpolate: {"input": _PLANES, "size": 5},
        functional.pad: {"input": _PLANES, "pad": [1, 2]},
        functional.pixel_shuffle: {"input": _PLANES, "upscale_factor": 2},
        functional.pixel_unshuffle: {"input": _PLANES, "downscale_factor": 2},
    }


LAYERS = {**_layers(), **_ATTENTION, **_functions()}
WITHOUT_SIZES = {
    functional.relu_,
    functional.selu_,
    functional.rrelu_,
    functional.threshold_,
    nn.LazyBatchNorm1d,
    nn.LazyBatchNorm2d,
    nn.LazyBatchNorm3d,
    nn.LazyInstanceNorm1d,
    nn.LazyInstanceNorm2d,
    nn.LazyInstanceNorm3d,
    nn.Hardtanh,
    nn.ReLU6,
    nn.Hardsigmoid,
    nn.Hardswish,
    nn.Mish,
    nn.SELU,
    nn.CELU,
    nn.Threshold,
    nn.Softmax2d,
    nn.Softsign,
    nn.Tanhshrink,
    nn.LogSigmoid,
    nn.Hardshrink,
    nn.Softshrink,
    nn.RReLU,
    nn.Dropout1d,
    nn.Dropout2d,
    nn.Dropout3d,
    nn.AlphaDropout,
    nn.FeatureAlphaDropout,
    functional.batch_norm,
    functional.instance_norm,
    functional.dropout2d,
    functional.dropout3d,
    functional.threshold,
    functional.prelu,
    functional.cosine_embedding_loss,
}


def input_of(owner: Callable[..., Any]) -> gpukit.Tensor | None:
    """What a layer of this file is called with; None for another."""
    if owner is nn.Fold:
        return _COLUMNS
    if owner not in LAYERS:
        return None
    if owner in {nn.RNN, nn.GRU, nn.LSTM, *SEVERAL}:
        return _SEQUENCES
    if owner in {nn.RNNCell, nn.GRUCell, nn.LSTMCell}:
        return _SEQUENCES[0]
    if owner.__name__.startswith("Dropout"):
        return {"1d": _LINE, "3d": _BOXES}.get(owner.__name__[-2:], _PLANES)
    return _BY_RANK.get(owner.__name__[-2:], _PLANES)
