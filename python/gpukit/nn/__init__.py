"""Networks: modules, layers, losses, and what initialises them; torch.nn's names and defaults."""

from __future__ import annotations

from gpukit._suggest import module_getattr
from gpukit.nn import functional, init, parallel, utils
from gpukit.nn.activation import GELU, LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from gpukit.nn.container import ModuleDict, ModuleList, Sequential
from gpukit.nn.dropout import Dropout
from gpukit.nn.embedding import Embedding
from gpukit.nn.flatten import Flatten
from gpukit.nn.linear import Identity, LazyLinear, Linear
from gpukit.nn.loss import BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from gpukit.nn.module import Module
from gpukit.nn.normalization import LayerNorm
from gpukit.nn.parallel import DataParallel
from gpukit.nn.parameter import Parameter

__all__ = [
    "GELU",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "DataParallel",
    "Dropout",
    "Embedding",
    "Flatten",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LazyLinear",
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
    "Sigmoid",
    "Softmax",
    "Tanh",
    "functional",
    "init",
    "parallel",
    "utils",
]

__getattr__ = module_getattr(__name__)
