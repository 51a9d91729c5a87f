"""The forms in which torch's functions are called: the same answer, or an error from both."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

from .call_forms import DIFFERENT, ROWS


def world(t: Any) -> dict[str, Any]:
    """The names that the rows use, of one library."""
    drawn = np.random.default_rng(0)

    def floats(*shape: int) -> Any:
        return t.tensor(drawn.normal(size=shape).round(3).astype("float32").tolist())

    return {
        "t": t,
        "F": t.nn.functional,
        "x": floats(2, 3),
        "y": floats(2, 3),
        "v": floats(3),
        "w": floats(3),
        "m": floats(3, 3),
        "n": t.tensor(drawn.integers(0, 4, (2, 3)).tolist()),
        "i": t.tensor([0, 1, 1]),
        "b": t.tensor([[True, False, True], [False, True, True]]),
    }


def value_of(t: Any, row: str) -> Any:
    """What the row gives in one library, as what can be compared."""
    names = world(t)
    tree = ast.parse(row)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    exec(compile(tree, "row", "exec"), names)
    return plain(eval(compile(ast.Expression(last.value), "row", "eval"), names))


def plain(value: Any) -> Any:
    """Tensors as their dtype and NumPy array, all else by value or by the name of its type."""
    if isinstance(value, (torch.Tensor, gpukit.Tensor)):
        dtype = str(value.dtype).rpartition(".")[2]
        array = (value.float() if dtype == "bfloat16" else value).detach().numpy()
        return {"dtype": dtype, "array": array}
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "array": value}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (torch.dtype, gpukit.dtype)):
        return str(value).rpartition(".")[2]
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-5)
    known = value is None or isinstance(value, (bool, int, str))
    return value if known else type(value).__name__


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        equal = a["array"].shape == b["array"].shape and a["dtype"] == b["dtype"]
        return equal and np.allclose(a["array"], b["array"], 1e-4, 1e-5, equal_nan=True)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "expected") and hasattr(b, "expected"):
        return bool(a.expected == b)
    return bool(a == b)


def outcome(t: Any, row: str) -> tuple[bool, Any]:
    """(True, the value) or (False, the error)."""
    try:
        return True, value_of(t, row)
    except Exception as error:  # which one, other tests hold
        return False, error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS)
def test_call_form(row: str) -> None:
    (answers, want), (answered, got) = outcome(torch, row), outcome(gpukit, row)
    agree = answers == answered and (not answers or same(want, got))
    assert agree != (row in DIFFERENT), (want, got)


def test_the_table_is_large_and_its_differences_are_rows() -> None:
    assert len(ROWS) == len(set(ROWS)) > 700
    assert set(DIFFERENT) <= set(ROWS)
    assert sum(outcome(torch, row)[0] for row in ROWS[::10]) > 60
