"""The methods of prune: what computes masks and keeps them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.errors import ArgumentError
from gpukit.nn._hooks import HookHandle, hooked_forward
from gpukit.nn.module import Module


class BasePruningMethod(ABC):
    """The base of pruning methods: a subclass has PRUNING_TYPE and compute_mask.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import prune
        >>> class EveryOther(prune.BasePruningMethod):
        ...     PRUNING_TYPE = "unstructured"
        ...
        ...     def compute_mask(self, t, default_mask):
        ...         mask = default_mask.clone()
        ...         mask.view(-1)[::2] = 0
        ...         return mask
        >>> layer = gpukit.nn.Linear(4, 1)
        >>> _ = EveryOther.apply(layer, "weight")
        >>> layer.weight_mask
        tensor([[0., 1., 0., 1.]])
    """

    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:  # noqa: ARG002
        """Set the masked tensor before each call of the module."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask of 0 and 1: what the default mask has, and what this method prunes.

        Args:
            t: The tensor, or its importance scores.
            default_mask: The mask of earlier prunings.
        """

    def apply_mask(self, module: Module) -> Tensor:
        """Return the tensor with its mask.

        Args:
            module: The module that holds both.
        """
        mask = getattr(module, self._tensor_name + "_mask")
        original: Tensor = getattr(module, self._tensor_name + "_orig")
        masked: Tensor = mask.to(dtype=original.dtype) * original
        return masked

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prune a tensor of a module, after what has pruned it before.

        Args:
            module: The module.
            name: The parameter's name.
            *args: Of the method.
            importance_scores: In place of the elements, which decide what is pruned.
            **kwargs: Of the method.
        """
        method = named(cls(*args, **kwargs), name)
        tensor = getattr(module, name)
        scores = tensor if importance_scores is None else importance_scores
        if scores.shape != tensor.shape:
            raise ArgumentError(
                f"apply: importance_scores has the shape {scores.shape}, {name} has {tensor.shape}"
            )
        earlier = method_of(module, name)
        if earlier is None:
            default = _core.ones_like(tensor.detach())
        else:
            method = PruningContainer(earlier[1], method)
            default = getattr(module, name + "_mask").detach().clone()
        mask = method.compute_mask(scores.detach(), default_mask=default)  # before any change
        if earlier is None:
            delattr(module, name)
            module.register_parameter(name + "_orig", tensor)
        else:
            earlier[0].remove()
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """Return a pruned copy of a tensor.

        Args:
            t: The tensor.
            default_mask: The mask of earlier prunings; None means ones.
            importance_scores: In place of the elements.
        """
        scores = t if importance_scores is None else importance_scores
        mask = _core.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Make the pruned tensor a parameter again.

        Args:
            module: The module.
        """
        name = self._tensor_name
        pruned = self.apply_mask(module)
        original = module._parameters[name + "_orig"]
        assert original is not None
        if hasattr(module, name):
            delattr(module, name)
        original.data = pruned.detach()
        delattr(module, name + "_orig")
        delattr(module, name + "_mask")
        setattr(module, name, original)


def named(method: BasePruningMethod, name: str) -> BasePruningMethod:
    """A method, of a tensor of that name."""
    method._tensor_name = name
    return method


def method_of(module: Module, name: str) -> tuple[HookHandle, BasePruningMethod] | None:
    """The handle and method of a tensor's pruning."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            forward = hooked_forward(module)
            return HookHandle(forward, forward.before, number), hook
    return None


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one tensor, each of what the earlier ones have left.

    Args:
        *args: Methods that have been applied to the tensor, in their order.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils import prune
        >>> layer = prune.identity(gpukit.nn.Linear(2, 2), "weight")
        >>> container = prune.L1Unstructured.apply(layer, "weight", 1)
        >>> [type(method).__name__ for method in container]
        ['Identity', 'L1Unstructured']
    """

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: list[BasePruningMethod] = []
        for method in args:
            inner = method._pruning_methods if isinstance(method, PruningContainer) else [method]
            for each in inner:
                self.add_pruning_method(each)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Add a method of the same tensor.

        Args:
            method: The method.
        """
        name = getattr(self, "_tensor_name", method._tensor_name)
        if method._tensor_name != name:
            raise ArgumentError(
                f"add_pruning_method: the method is for {method._tensor_name!r}, the container for "
                f"{name!r}"
            )
        self._tensor_name = name
        self._pruning_methods.append(method)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of the last method, of what the earlier ones have left."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            kept = mask == 1
            part = mask.clone()
            part[kept] = method.compute_mask(t[kept], default_mask=mask[kept])
            return part
        if method.PRUNING_TYPE != "structured":
            return method.compute_mask(t, default_mask=mask)
        axis = method.dim % t.ndim  # type: ignore[attr-defined]
        rows = [i for i in range(t.ndim) if i != axis]
        left = (mask.sum(rows) != 0).nonzero().flatten()
        part = mask.clone()
        chosen = method.compute_mask(t.index_select(axis, left), mask.index_select(axis, left))
        return part.index_copy(axis, left, chosen)


class Identity(BasePruningMethod):
    """Prunes nothing; the tensor gets a mask of ones.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.Identity().prune(gpukit.ones(2))
        tensor([1., 1.])
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:  # noqa: ARG002
        """Return the default mask."""
        return default_mask


def _check_amount(amount: Any) -> None:
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"amount must be a number, got {amount!r}")
    if amount < 0 or (isinstance(amount, float) and amount > 1):
        raise ArgumentError(
            f"amount must be a part from 0.0 to 1.0 or a count that is not negative, got {amount!r}"
        )


def _count(amount: Any, size: int, what: str = "elements") -> int:
    """How many of `size` an amount is."""
    if isinstance(amount, float):
        return round(amount * size)
    if amount > size:
        raise ArgumentError(f"amount={amount} is more than the {size} {what} there are")
    return int(amount)


class _OfAmount(BasePruningMethod):
    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount


class RandomUnstructured(_OfAmount):
    """Prunes elements that are drawn.

    Args:
        amount: How many, as a count or as a part.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.RandomUnstructured(3).prune(gpukit.ones(4)).sum()
        tensor(1.)
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with drawn elements at 0."""
        mask = default_mask.clone()
        count = _count(self.amount, t.numel())
        if count:
            mask.view(-1)[_core.rand(t.numel(), device=t.device).topk(count).indices] = 0
        return mask


class L1Unstructured(_OfAmount):
    """Prunes the elements of the smallest absolute values.

    Args:
        amount: How many, as a count or as a part.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.L1Unstructured(1).prune(gpukit.tensor([1.0, -5.0]))
        tensor([ 0., -5.])
    """

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with the smallest elements at 0."""
        mask = default_mask.clone()
        count = _count(self.amount, t.numel())
        if count:
            mask.view(-1)[t.abs().reshape(-1).topk(count, largest=False).indices] = 0
        return mask


class _Structured(_OfAmount):
    """Prunes whole rows along a dimension, those of the smallest scores."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _scores(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with whole rows at 0."""
        size = t.shape[self.dim]
        count = _count(self.amount, size, "rows")
        if not count:
            return default_mask
        kept = self._scores(t).topk(size - count).indices
        rows = _core.zeros(size, dtype=default_mask.dtype, device=default_mask.device)
        rows[kept] = 1
        shape = [1] * t.ndim
        shape[self.dim] = size
        return default_mask * rows.reshape(shape)


class RandomStructured(_Structured):
    """Prunes drawn rows along a dimension.

    Args:
        amount: How many, as a count or as a part.
        dim: The dimension.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.RandomStructured(0.5, dim=0).prune(gpukit.ones(4, 3)).sum()
        tensor(6.)
    """

    def _scores(self, t: Tensor) -> Tensor:
        return _core.rand(t.shape[self.dim], device=t.device)


class LnStructured(_Structured):
    """Prunes the rows of the smallest norms along a dimension.

    Args:
        amount: How many, as a count or as a part.
        n: The norm, as `gpukit.norm` takes it.
        dim: The dimension.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.LnStructured(1, n=2, dim=1).prune(gpukit.tensor([[1.0, 2.0]]))
        tensor([[0., 2.]])
    """

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t: Tensor) -> Tensor:
        axes = [i for i in range(t.ndim) if i != self.dim % t.ndim]
        return _core.norm(t, p=self.n, dim=axes)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask of one's own.

    Args:
        mask: 0 where an element is pruned.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.prune.CustomFromMask(gpukit.tensor([0.0, 1.0])).prune(gpukit.ones(2))
        tensor([0., 1.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:  # noqa: ARG002
        """Return the mask, of what the default mask has."""
        return default_mask * self.mask.to(dtype=default_mask.dtype)
