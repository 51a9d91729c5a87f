"""A softmax over many classes, whose rare ones are in clusters with smaller layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import int_from, ints_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import BoundsError, ShapeError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn.container import ModuleList, Sequential
from gpukit.nn.linear import Linear
from gpukit.nn.module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The log-probability of each target, and the mean of their negatives."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of many classes, sorted by frequency (Grave and others, 2016).

    `head` gives the first classes and one number for each cluster; `tail` has a cluster's layers.

    Args:
        in_features: Size of an input.
        n_classes: How many classes there are.
        cutoffs: The first class of each cluster: rising, each from 1 to n_classes - 1.
        div_value: How much smaller each cluster's layer is than the one before.
        head_bias: Whether `head` has a bias.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> rare = gpukit.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0)
        >>> output, loss = rare(gpukit.ones(3, 8), gpukit.tensor([0, 5, 19]))
        >>> output.shape, loss.shape, rare.log_prob(gpukit.ones(3, 8)).shape
        ((3,), (), (3, 20))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        name = "AdaptiveLogSoftmaxWithLoss"
        in_features = int_from(name, "in_features", in_features, 1)
        n_classes = int_from(name, "n_classes", n_classes, 1)
        firsts = ints_of(name, "cutoffs", cutoffs)
        if not firsts or firsts != sorted({*firsts}) or firsts[0] < 1 or firsts[-1] >= n_classes:
            raise ValueError(
                f"{name}: cutoffs must be rising ints from 1 to n_classes - 1 = {n_classes - 1}, "
                f"got {firsts}"
            )
        super().__init__()
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*firsts, n_classes]
        self.div_value = number_of(name, "div_value", div_value)
        self.head_bias = head_bias
        self.shortlist_size = firsts[0]
        self.n_clusters = len(firsts)
        self.head_size = self.shortlist_size + self.n_clusters
        places = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **places)
        self.tail = ModuleList()
        for number, (low, high) in enumerate(self._clusters(), 1):
            size = int(in_features // self.div_value**number)
            self.tail.append(
                Sequential(
                    Linear(in_features, size, bias=False, **places),
                    Linear(size, high - low, bias=False, **places),
                )
            )

    def _clusters(self) -> list[tuple[int, int]]:
        """The first class of each cluster, and the one behind its last."""
        return list(zip(self.cutoffs, self.cutoffs[1:], strict=False))

    def reset_parameters(self) -> None:
        """Draw the first values again."""
        self.head.reset_parameters()
        for cluster in self.tail:
            for layer in cluster:
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Return the log-probability of each row's class, and the mean of their negatives."""
        name = "AdaptiveLogSoftmaxWithLoss"
        x, classes = tensor_of(name, "input", input_), tensor_of(name, "target", target_)
        if classes.ndim > 1 or x.ndim != classes.ndim + 1 or x.shape[:-1] != classes.shape:
            raise ShapeError(
                f"{name}: input is {tuple(x.shape)} and target {tuple(classes.shape)}; they must "
                "be (N, in_features) and (N,), or without N"
            )
        batched = classes.ndim > 0
        if not batched:
            x, classes = x.unsqueeze(0), classes.unsqueeze(0)
        self._check_classes(name, classes)
        head = F.log_softmax(self.head(x), dim=1)
        output = head.gather(1, classes.clamp(max=self.shortlist_size - 1).unsqueeze(1)).squeeze(1)
        for number, (low, high) in enumerate(self._clusters()):
            rows = ((classes >= low) & (classes < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            inside = F.log_softmax(self.tail[number](x.index_select(0, rows)), dim=1)
            own = (classes.index_select(0, rows) - low).unsqueeze(1)
            cluster = head.index_select(0, rows)[:, self.shortlist_size + number]
            output = output.index_copy(0, rows, inside.gather(1, own).squeeze(1) + cluster)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _check_classes(self, name: str, classes: Tensor) -> None:
        if classes.numel() == 0:
            return
        low, high = int(classes.min().item()), int(classes.max().item())
        if low < 0 or high >= self.n_classes:
            raise BoundsError(
                f"{name}: target must be from 0 to {self.n_classes - 1}, got {low} to {high}"
            )

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes.

        Args:
            input: (N, in_features).

        Returns:
            (N, n_classes).
        """
        tensor_of("AdaptiveLogSoftmaxWithLoss", "input", input)
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for number in range(self.n_clusters):
            place = self.shortlist_size + number
            inside = F.log_softmax(self.tail[number](input), dim=1)
            parts.append(inside + head[:, place : place + 1])
        return _core.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most likely class of each row.

        Args:
            input: (N, in_features).

        Returns:
            Class numbers, (N,).
        """
        return self.log_prob(input).argmax(1)
