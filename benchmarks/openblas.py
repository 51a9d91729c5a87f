"""Measures with the processor's own OpenBLAS kernels, and says which ones ran.

OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE choose kernels for another processor. Set to Haswell, say, on
a processor with AVX-512, they halve the speed of NumPy's and gpukit's products.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

OVERRIDES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def overrides() -> list[str]:
    """The variables that are set, in the order of OVERRIDES."""
    return [name for name in OVERRIDES if name in os.environ]


def restart_without_overrides(arguments: Sequence[str]) -> None:
    """Run pytest again in place of this process, with the processor's own kernels."""
    found = overrides()
    if "numpy" in sys.modules:
        raise SystemExit(f"benchmarks: NumPy was loaded with {', '.join(found)}; unset them")
    print(f"benchmarks: started again without {', '.join(found)}", flush=True)
    environment = {name: value for name, value in os.environ.items() if name not in OVERRIDES}
    os.execve(sys.executable, [sys.executable, "-m", "pytest", *arguments], environment)


def library_of(path: str) -> str:
    """Whose OpenBLAS a file is."""
    return "numpy" if "numpy" in Path(path).parent.name else "gpukit"


def kernels() -> dict[str, str]:
    """The OpenBLAS kernels that ran, by library: {'numpy': 'SkylakeX 0.3.31', …}."""
    import numpy as np
    import pytest

    import gpukit

    try:
        import threadpoolctl
    except ImportError as error:
        raise pytest.UsageError(
            "benchmarks need threadpoolctl: pip install --group bench"
        ) from error

    gpukit.ones(300, 300) @ gpukit.ones(300, 300)  # opens gpukit's OpenBLAS
    np.ones((2, 2)) @ np.ones((2, 2))
    return {
        library_of(found["filepath"]): f"{found['architecture']} {found['version']}"
        for found in threadpoolctl.threadpool_info()
        if found["internal_api"] == "openblas"
    }


def peak() -> dict[str, Any]:
    """What this processor reaches at best, measured now: GFLOP/s and GB/s."""
    import gpukit

    found = gpukit.bench.peaks("cpu")
    return {
        "float32 GFLOP/s": round(found.fp32 or 0),
        "float64 GFLOP/s": round(found.fp64 or 0),
        "copy GB/s": round(found.bandwidth or 0),
        "source": found.source,
    }
