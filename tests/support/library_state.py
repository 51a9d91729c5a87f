"""The settings of torch and gpukit that a program changes: later tests of the process see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def restored_settings(library: Any) -> Iterator[None]:
    """Leave a library's settings as they were: dtype, device, printing, modes, divergences.

    Distributions check their arguments meanwhile, as in a new process.
    """
    dtype, device = library.get_default_dtype(), library.get_default_device()
    records, anomaly = library.is_grad_enabled(), library.is_anomaly_enabled()
    threads, precision = library.get_num_threads(), library.get_float32_matmul_precision()
    strict = library.are_deterministic_algorithms_enabled()
    warns = library.is_deterministic_algorithms_warn_only_enabled()
    kl = library.distributions.kl
    divergences = kl._KL_REGISTRY if hasattr(kl, "_KL_REGISTRY") else kl._FORMULAS
    known = dict(divergences)
    distribution = library.distributions.Distribution
    checks = distribution._validate_args
    distribution.set_default_validate_args(__debug__)  # torch.compile switches it off for good
    try:
        yield
    finally:
        distribution.set_default_validate_args(checks)
        library.set_default_dtype(dtype)
        if library.get_default_device() != device:
            library.set_default_device(None)
        library.set_printoptions(profile="default", sci_mode=None)
        library.set_grad_enabled(records)
        library.autograd.set_detect_anomaly(anomaly)
        library.set_num_threads(threads)
        library.set_float32_matmul_precision(precision)
        library.use_deterministic_algorithms(strict, warn_only=warns)
        for pair in divergences.keys() - known.keys():
            del divergences[pair]
