"""Switches and facts of what computes."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]

__getattr__ = module_getattr(__name__)
