"""What torch's operators do at least: FLOPs and bytes by device, counted as they are dispatched.

FLOPs of products and convolutions are those of torch's own formulas
(torch.utils.flop_counter); an element-by-element operator counts one an element of its result, a
sum, a comparison or a softmax one an element of its operand. Bytes are read and written once.
Views and empty tensors cost nothing; copies count only bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gpukit.bench.work import Work

_COPIES = {"_to_copy", "clone", "contiguous", "copy", "copy_", "lift_fresh", "lift_fresh_copy"}
_FREE = {
    "detach",
    "detach_",
    "empty",
    "empty_like",
    "empty_strided",
    "new_empty",
    "resize_",
    "set_",
}
_FILLS = {"arange", "eye", "fill", "fill_", "full", "full_like", "ones", "ones_like"}
_FILLS |= {"zero_", "zeros", "zeros_like"}
_REDUCTIONS = frozenset(
    """
    _log_softmax _log_softmax_backward_data _softmax _softmax_backward_data all amax amin any
    argmax argmin cummax cumprod cumsum linalg_vector_norm logsumexp max mean median min
    native_batch_norm native_group_norm native_layer_norm native_layer_norm_backward
    nll_loss_forward norm prod std sum var var_mean
    """.split()  # noqa: SIM905
)


def loaded_torch() -> Any:
    """torch, if the process has imported it; it is never imported here."""
    module = sys.modules.get("torch")
    specification = getattr(module, "__spec__", None)
    return None if getattr(specification, "_initializing", False) else module


class _Tally:
    """The work of one device."""

    def __init__(self) -> None:
        self.operations = self.copies = 0
        self.bytes = 0.0
        self.flops: dict[str, float] = {}
        self.longest_sum = 1

    def work(self) -> Work:
        return Work(self.operations, self.bytes, self.flops, self.longest_sum, self.copies)


def count_torch(call: Callable[[], Any]) -> dict[str, Work]:
    """Calls once, and counts what torch's operators do, by the name of the device.

    Example:
        >>> from gpukit.bench.torch_work import count_torch
        >>> count_torch(lambda: None)
        {}
    """
    if loaded_torch() is None:
        call()
        return {}
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.flop_counter import flop_registry

    tallies: dict[str, _Tally] = {}

    class Counting(TorchDispatchMode):  # type: ignore[misc]  # mypy does not see torch
        def __torch_dispatch__(
            self, function: Any, _types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            answer = function(*args, **(kwargs or {}))
            _add(tallies, function, args, kwargs or {}, answer, flop_registry)
            return answer

    with Counting():
        call()
    return {name: tally.work() for name, tally in tallies.items()}


def _add(  # noqa: PLR0917
    tallies: dict[str, _Tally],
    function: Any,
    args: Any,
    kwargs: Any,
    answer: Any,
    formulas: Any,
) -> None:
    """Adds one operator to the device of its result, or of its first operand."""
    given, made = _tensors((args, kwargs)), _tensors(answer)
    for tensor in (*given, *made):
        tallies.setdefault(str(tensor.device), _Tally())
    if not (made or given):
        return
    name = function.overloadpacket.__name__
    if name in _FREE or _is_view(function):
        return
    tally = tallies[str((made or given)[0].device)]
    tally.operations += 1
    tally.bytes += sum(map(_bytes, made)) + (0 if name in _FILLS else sum(map(_bytes, given)))
    if name in _COPIES or name in _FILLS:
        tally.copies += 1
        return
    dtype = str((given or made)[0].dtype).removeprefix("torch.")
    flops = _flops(function, name, args, kwargs, answer, given, made, formulas)
    if flops:
        tally.flops[dtype] = tally.flops.get(dtype, 0.0) + flops
    tally.longest_sum = max(tally.longest_sum, _longest_sum(name, given, made, flops))


def _flops(  # noqa: PLR0917
    function: Any,
    name: str,
    args: Any,
    kwargs: Any,
    answer: Any,
    given: list[Any],
    made: list[Any],
    formulas: Any,
) -> float:
    if function.overloadpacket in formulas:
        formula = formulas[function.overloadpacket]
        return float(formula(*args, **kwargs, out_val=answer))
    if name in _REDUCTIONS and given:
        return float(given[0].numel())
    if any(str(tag) in {"Tag.pointwise", "pointwise"} for tag in function.tags):
        return float(sum(tensor.numel() for tensor in made))
    return 0.0


def _longest_sum(name: str, given: list[Any], made: list[Any], flops: float) -> int:
    """How many products or terms contribute to one element."""
    if not (given and made and made[0].numel()):
        return 1
    made_elements = int(made[0].numel())
    if name in _REDUCTIONS:
        return max(1, int(given[0].numel()) // made_elements)
    return max(1, round(flops / 2 / made_elements))


def _is_view(function: Any) -> bool:
    """True of an operator whose result shares the memory of an argument that it only reads."""
    arguments = function._schema.arguments  # noqa: SLF001 (torch's only way to ask)
    return any(
        argument.alias_info is not None and not argument.alias_info.is_write
        for argument in arguments
    )


def _tensors(value: Any) -> list[Any]:
    from torch.utils._pytree import tree_leaves

    torch = loaded_torch()
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _bytes(tensor: Any) -> float:
    """Those of its elements; for a broadcast tensor, those that are stored."""
    elements = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        elements *= size if stride or size == 0 else 1
    return float(elements * tensor.element_size())
