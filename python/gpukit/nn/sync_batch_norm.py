"""Batch normalisation under the name of its synchronised form."""

from __future__ import annotations

from typing import Any

from gpukit import distributed
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ShapeError
from gpukit.nn.batchnorm import _BatchNorm
from gpukit.nn.module import Module

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(_BatchNorm):
    """Batch norm of (N, C, …): in one process the same as BatchNorm1d, 2d and 3d.

    Over several ranks batches are not joined: training with more than one raises.

    Args:
        num_features: C.
        eps: Added to the variance before its root.
        momentum: Part of a running value that a batch replaces; None takes the mean of all.
        affine: Learn a factor and an offset for each channel.
        track_running_stats: Follow mean and variance, and use them in evaluation.
        process_group: The ranks whose batches belong together; one rank.
        device: Where the parameters are.
        dtype: A floating dtype.
        bias: False leaves the offset out.

    Example:
        >>> import gpukit
        >>> net = gpukit.nn.Sequential(gpukit.nn.BatchNorm2d(3), gpukit.nn.ReLU())
        >>> gpukit.nn.SyncBatchNorm.convert_sync_batchnorm(net)[0]
        SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check_rank(self, input: Tensor) -> None:
        tensor_of("SyncBatchNorm", "input", input)
        if input.ndim < 2:
            raise ShapeError(
                f"SyncBatchNorm: input must be (N, C, …), its shape is {tuple(input.shape)}"
            )
        several = distributed.is_initialized() and distributed.get_world_size() > 1
        if self.training and several:
            raise NotImplementedError(
                f"SyncBatchNorm: {distributed.get_world_size()} ranks train, and gpukit does not "
                "join their batches. Use BatchNorm2d, by which each rank normalises its own part, "
                "or GroupNorm, which needs no batch"
            )

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace every batch norm of a network by a SyncBatchNorm with its values.

        Args:
            module: The network, which is changed.
            process_group: Goes to each new layer.

        Returns:
            The network, or the new layer if it is a batch norm itself.
        """
        result = module
        if isinstance(module, _BatchNorm) and not isinstance(module, cls):
            made = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            for name, parameter in module.named_parameters(recurse=False):
                setattr(made, name, parameter)
            if module.affine and module.bias is None:
                made.bias = None
            for name, value in module.named_buffers(recurse=False):
                setattr(made, name, value)
            made.train(module.training)
            result = made
        for name, child in list(module.named_children()):
            setattr(result, name, cls.convert_sync_batchnorm(child, process_group))
        return result
