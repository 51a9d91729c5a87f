"""torch.signal's name: `gpukit.signal.windows`."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.signal import windows

__all__ = ["windows"]

__getattr__ = module_getattr(__name__)
