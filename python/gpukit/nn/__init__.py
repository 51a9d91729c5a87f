"""Networks: modules, layers, losses, and what initialises them; torch.nn's names and defaults."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.nn import functional, init, parallel, utils
from gpukit.nn.activation import (
    ELU,
    GELU,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from gpukit.nn.container import ModuleDict, ModuleList, Sequential
from gpukit.nn.dropout import Dropout
from gpukit.nn.embedding import Embedding
from gpukit.nn.flatten import Flatten
from gpukit.nn.linear import Identity, LazyLinear, Linear
from gpukit.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from gpukit.nn.module import Module
from gpukit.nn.normalization import LayerNorm
from gpukit.nn.parallel import DataParallel
from gpukit.nn.parameter import Parameter

__all__ = [
    "ELU",
    "GELU",
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "DataParallel",
    "Dropout",
    "Embedding",
    "Flatten",
    "HuberLoss",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LazyLinear",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Tanh",
    "functional",
    "init",
    "parallel",
    "utils",
]

__getattr__ = module_getattr(__name__)
