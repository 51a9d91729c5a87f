"""Switches and facts of what computes."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]

__getattr__ = module_getattr(__name__)
