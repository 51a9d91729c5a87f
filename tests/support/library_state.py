"""The settings of torch and gpukit that a program changes: later tests of the process see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def divergences_of(library: Any) -> dict[Any, Any]:
    """The formulas of `kl_divergence`, by the two classes."""
    kl = library.distributions.kl
    found: dict[Any, Any] = kl._KL_REGISTRY if hasattr(kl, "_KL_REGISTRY") else kl._FORMULAS
    return found


def settings_of(library: Any) -> dict[str, Any]:
    """The settings that can be read, but for those of printing."""
    return {
        "dtype": library.get_default_dtype(),
        "device": library.get_default_device(),
        "records": library.is_grad_enabled(),
        "anomaly": library.is_anomaly_enabled(),
        "threads": library.get_num_threads(),
        "precision": library.get_float32_matmul_precision(),
        "deterministic": library.are_deterministic_algorithms_enabled(),
        "warns": library.is_deterministic_algorithms_warn_only_enabled(),
        "checks": library.distributions.Distribution._validate_args,
        "divergences": set(divergences_of(library)),
    }


@contextmanager
def restored_settings(library: Any) -> Iterator[None]:
    """Leave a library's settings as they were, and those of printing as in a new process.

    Distributions check their arguments meanwhile, as in a new process.
    """
    before = settings_of(library)
    distribution = library.distributions.Distribution
    distribution.set_default_validate_args(__debug__)  # torch.compile switches it off for good
    try:
        yield
    finally:
        library.set_default_dtype(before["dtype"])
        if library.get_default_device() != before["device"]:
            library.set_default_device(None)
        library.set_grad_enabled(before["records"])
        library.autograd.set_detect_anomaly(before["anomaly"])
        library.set_num_threads(before["threads"])
        library.set_float32_matmul_precision(before["precision"])
        library.use_deterministic_algorithms(before["deterministic"], warn_only=before["warns"])
        library.set_printoptions(profile="default", sci_mode=None)
        distribution.set_default_validate_args(before["checks"])
        divergences = divergences_of(library)
        for pair in divergences.keys() - before["divergences"]:
            del divergences[pair]
