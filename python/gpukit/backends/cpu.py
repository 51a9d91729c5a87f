"""The processor: which vector instructions gpukit uses."""

from __future__ import annotations

import platform

from gpukit._core import cpu_simd
from gpukit._names.suggest import module_getattr

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """Return the level of vector instructions in torch's words: "AVX512", "AVX2" or "NO AVX".

    It is the level that `GPUKIT_SIMD` allows and the processor has; `gpukit.info().cpu_simd` names
    it more closely. On aarch64, and other processors that are not x86, it is "DEFAULT".

    Example:
        >>> import gpukit
        >>> gpukit.backends.cpu.get_cpu_capability() in {"AVX512", "AVX2", "NO AVX", "DEFAULT"}
        True
    """
    return _capability(cpu_simd(), platform.machine())


def _capability(level: str, machine: str) -> str:
    if level.startswith("avx512") or level == "amx":
        return "AVX512"
    if level == "avx2":
        return "AVX2"
    return "NO AVX" if machine.lower() in {"x86_64", "amd64"} else "DEFAULT"


__getattr__ = module_getattr(__name__)
