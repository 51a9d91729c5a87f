"""What the call of an operator means for a trace, by the operator's name."""

from __future__ import annotations

from typing import Any

# Questions whose answers a trace's guards hold; of sizes, those of functions that read them.
ANSWERED = frozenset(
    """
    dim ndimension is_complex is_floating_point is_signed element_size get_device numel nelement
    size
    """.split()  # noqa: SIM905
)
READS_VALUE = {
    "__bool__": "branches on the value of a tensor",
    "__int__": "reads the value of a tensor as an int",
    "__float__": "reads the value of a tensor as a float",
    "__index__": "reads the value of a tensor as an index",
    "item": "reads the value of a tensor with item()",
    "tolist": "reads the values of a tensor with tolist()",
    "numpy": "reads the values of a tensor with numpy()",
}
REFUSED = frozenset(
    """
    backward requires_grad_ set_data set_grad set_requires_grad retain_grad register_hook grad
    data data_ptr stride storage_offset is_contiguous is_pinned optimizer_step with_state
    """.split()  # noqa: SIM905
)
# Operators whose results have sizes that depend on the values of their operands.
SIZED_BY_VALUES = frozenset(
    "nonzero argwhere unique masked_select bincount repeat_interleave".split()  # noqa: SIM905
)
INDEXES = frozenset(("getitem", "__getitem__"))
MAY_BE_SIZED_BY_VALUES = SIZED_BY_VALUES | INDEXES


def writes(name: str, arguments: dict[str, Any]) -> bool:
    """Whether it changes a tensor that was there before."""
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place or name in {"setitem", "__setitem__"} or arguments.get("out") is not None
