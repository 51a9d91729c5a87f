"""torch's places of the layers of gpukit.nn, such as gpukit.nn.modules.batchnorm."""

from __future__ import annotations

import sys
from itertools import repeat
from types import ModuleType
from typing import Any

from gpukit import nn
from gpukit._names.suggest import no_attribute
from gpukit.nn import (
    _global_hooks,
    batchnorm,
    conv,
    dropout,
    instancenorm,
    loss,
    padding,
    unpooling,
)

_PLACES = {
    "activation": (
        "Threshold ReLU RReLU Hardtanh ReLU6 Sigmoid Hardsigmoid Tanh SiLU Mish Hardswish ELU CELU "
        "SELU GLU GELU Hardshrink LeakyReLU LogSigmoid Softplus Softshrink MultiheadAttention "
        "PReLU Softsign Tanhshrink Softmin Softmax Softmax2d LogSoftmax"
    ),
    "adaptive": "AdaptiveLogSoftmaxWithLoss",
    "batchnorm": (
        "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d "
        "SyncBatchNorm"
    ),
    "channelshuffle": "ChannelShuffle",
    "container": "Sequential ModuleList ModuleDict ParameterList ParameterDict",
    "conv": (
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d "
        "LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
    ),
    "distance": "PairwiseDistance CosineSimilarity",
    "dropout": "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "fold": "Fold Unfold",
    "instancenorm": (
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
        "LazyInstanceNorm3d"
    ),
    "linear": "Identity Linear Bilinear LazyLinear",
    "loss": (
        "L1Loss NLLLoss PoissonNLLLoss GaussianNLLLoss KLDivLoss MSELoss BCELoss BCEWithLogitsLoss "
        "HingeEmbeddingLoss MultiLabelMarginLoss SmoothL1Loss HuberLoss SoftMarginLoss "
        "CrossEntropyLoss MultiLabelSoftMarginLoss CosineEmbeddingLoss MarginRankingLoss "
        "MultiMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss CTCLoss"
    ),
    "module": "Module",
    "normalization": "LocalResponseNorm LayerNorm GroupNorm RMSNorm",
    "padding": (
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
        "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
        "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d"
    ),
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "pooling": (
        "MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d AvgPool1d AvgPool2d "
        "AvgPool3d LPPool1d LPPool2d LPPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
        "AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d "
        "FractionalMaxPool2d FractionalMaxPool3d"
    ),
    "rnn": "RNNBase RNN LSTM GRU RNNCellBase RNNCell LSTMCell GRUCell",
    "sparse": "Embedding EmbeddingBag",
    "transformer": (
        "Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer "
        "TransformerDecoderLayer"
    ),
    "upsampling": "Upsample UpsamplingNearest2d UpsamplingBilinear2d",
    "utils": "",
}


def _ntuple(count: int) -> Any:
    """A function that repeats what is not a sequence."""

    def parse(value: Any) -> tuple[Any, ...]:
        return tuple(value) if hasattr(value, "__iter__") else tuple(repeat(value, count))

    return parse


def _reverse_repeat_tuple(value: Any, count: int) -> tuple[Any, ...]:
    return tuple(x for x in reversed(value) for _ in range(count))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the keys of a state, in place, such as "module." of DataParallel.

    Args:
        state_dict: The state.
        prefix: The prefix.
    """
    for key in list(state_dict):
        value = state_dict.pop(key)  # all are put back, so that the order stays
        state_dict[key.removeprefix(prefix)] = value
    notes = getattr(state_dict, "_metadata", None) or {}
    for key in [key for key in notes if key]:
        notes[key.removeprefix(prefix).removeprefix(prefix.removesuffix("."))] = notes.pop(key)


# Names that people import although torch has not published them.
_BASES: dict[str, dict[str, Any]] = {
    "batchnorm": {"_BatchNorm": batchnorm._BatchNorm, "_NormBase": batchnorm._NormBase},
    "conv": {"_ConvNd": conv._ConvNd, "_ConvTransposeNd": conv._ConvTransposeNd},
    "dropout": {"_DropoutNd": dropout._DropoutNd},
    "instancenorm": {"_InstanceNorm": instancenorm._InstanceNorm},
    "loss": {"_Loss": loss._Loss, "_WeightedLoss": loss._WeightedLoss, "NLLLoss2d": loss.NLLLoss2d},
    "module": {name: getattr(_global_hooks, name) for name in _global_hooks.__all__},
    "padding": {"_ConstantPadNd": padding._Constant},
    "pooling": {"_AdaptiveMaxPoolNd": unpooling._AdaptiveMaxPool},
    "utils": {
        "_ntuple": _ntuple,
        "_single": _ntuple(1),
        "_pair": _ntuple(2),
        "_triple": _ntuple(3),
        "_quadruple": _ntuple(4),
        "_reverse_repeat_tuple": _reverse_repeat_tuple,
        "consume_prefix_in_state_dict_if_present": consume_prefix_in_state_dict_if_present,
    },
}


def _place(name: str) -> ModuleType:
    path = f"{__name__}.{name}"
    place = ModuleType(path, f"torch's place of layers of gpukit.nn: {name}.")
    public = {each: getattr(nn, each) for each in _PLACES[name].split()}
    place.__dict__.update(public, __all__=sorted(public), **_BASES.get(name, {}))
    place.__dict__["__getattr__"] = lambda missing: no_attribute(path, missing)
    sys.modules[path] = place
    return place


for _name, _public in _PLACES.items():
    globals()[_name] = _place(_name)
    globals().update({each: getattr(nn, each) for each in _public.split()})


def __getattr__(name: str) -> Any:
    return no_attribute(__name__, name)
