"""Helpers for training."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from gpukit._names.suggest import deprecated_or_no_attribute as _deprecated_or_no_attribute
from gpukit.nn.utils import fusion, init, parametrizations, parametrize, rnn
from gpukit.nn.utils._hooked_norms import (
    remove_spectral_norm,
    remove_weight_norm,
    spectral_norm,
    weight_norm,
)
from gpukit.nn.utils.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from gpukit.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from gpukit.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from gpukit.nn.utils.init import skip_init

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "fusion",
    "get_total_norm",
    "init",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]


def __getattr__(name: str) -> _Any:
    if name == "prune":
        return _import_module("gpukit.nn.utils.prune")
    return _deprecated_or_no_attribute(__name__, name)
