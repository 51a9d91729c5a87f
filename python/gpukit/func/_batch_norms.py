"""Batch norms that work inside `vmap` and other functions of functions."""

from __future__ import annotations

from gpukit.nn.batchnorm import _BatchNorm
from gpukit.nn.module import Module


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Take the running values from a module's batch norms, which then use those of each batch.

    Args:
        root: The module; it changes.

    Returns:
        root. The batch norms in it, and root if it is one, have `track_running_stats` False and no
        `running_mean`, `running_var` and `num_batches_tracked`.

    Raises:
        TypeError: root is no module.

    Example:
        >>> import gpukit
        >>> net = gpukit.nn.Sequential(gpukit.nn.Linear(2, 3), gpukit.nn.BatchNorm1d(3))
        >>> gpukit.func.replace_all_batch_norm_modules_(net)[1].running_mean is None
        True
    """
    if not isinstance(root, Module):
        raise TypeError(
            "replace_all_batch_norm_modules_: root must be a Module, got "
            f"{root!r:.80} ({type(root).__name__})"
        )
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
