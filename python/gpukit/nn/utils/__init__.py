"""Helpers for training."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.nn.utils import parametrizations, parametrize, rnn
from gpukit.nn.utils._hooked_norms import (
    remove_spectral_norm,
    remove_weight_norm,
    spectral_norm,
    weight_norm,
)
from gpukit.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_
from gpukit.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]

__getattr__ = module_getattr(__name__)
