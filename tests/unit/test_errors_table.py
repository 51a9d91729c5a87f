"""Bad input gets a typed error that names the argument and the value, and the next call works.

The first half takes every parameter of every function in turn; the second is a list by hand.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit import _core

TYPED = (TypeError, ValueError, IndexError, gpukit.GpukitError)

# Values that are good for a parameter of that name, where a call needs one.
GOOD: dict[str, Any] = {
    "input": lambda: gpukit.ones(2, 2),
    "condition": lambda: gpukit.ones(2, 2) > 0,
    "other": lambda: gpukit.ones(2, 2),
    "tensors": lambda: [gpukit.ones(2), gpukit.ones(2)],
    "mat1": lambda: gpukit.ones(2, 2),
    "mat2": lambda: gpukit.ones(2, 2),
    "vec": lambda: gpukit.ones(2),
    "vec2": lambda: gpukit.ones(2),
    "mask": lambda: gpukit.ones(2, 2) > 0,
    "index": lambda: gpukit.tensor([0, 1]),
    "source": lambda: gpukit.ones(2, 2),
    "src": lambda: gpukit.ones(2, 2),
    "data": lambda: [1.0, 2.0],
    "obj": lambda: [1.0, 2.0],
    "ndarray": lambda: np.ones(2),
    "size": lambda: (2, 2),
    "shape": lambda: (2, 2),
    "dims": lambda: (0, 1),
    "repeats": lambda: (1, 1),
    "dim": lambda: 0,
    "dim0": lambda: 0,
    "dim1": lambda: 1,
    "fill_value": lambda: 1.0,
    "value": lambda: 1.0,
    "exponent": lambda: 2.0,
    "start": lambda: 0,
    "end": lambda: 2,
    "length": lambda: 1,
    "steps": lambda: 3,
    "n": lambda: 3,
    "k": lambda: 1,
    "low": lambda: 10,
    "chunks": lambda: 2,
    "split_size_or_sections": lambda: 1,
    "precision": lambda: "highest",
    "dtype": lambda: gpukit.float32,
    "cls": lambda: gpukit.Tensor,
    "equation": lambda: "...",
    "operands": lambda: gpukit.ones(2, 2),
    "sorted_sequence": lambda: gpukit.ones(2),
    "elements": lambda: gpukit.ones(2, 2),
    "test_elements": lambda: gpukit.ones(2, 2),
    "indices": lambda: gpukit.tensor([[0, 1], [1, 0]]),
    "destination": lambda: 0,
    "shifts": lambda: (1, 1),
    "shapes": lambda: [(2, 2)],
    "device": lambda: "cpu",
}
# Functions whose first parameter has one dimension, and the like.
SPECIAL: dict[tuple[str, str], Any] = {
    ("dot", "input"): lambda: gpukit.ones(2),
    ("dot", "other"): lambda: gpukit.ones(2),
    ("outer", "input"): lambda: gpukit.ones(2),
    ("bmm", "input"): lambda: gpukit.ones(1, 2, 2),
    ("bmm", "mat2"): lambda: gpukit.ones(1, 2, 2),
    ("gather", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_add_", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_add", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("randint", "size"): lambda: (2,),
    ("item", "input"): lambda: gpukit.ones(1),
    ("select", "index"): lambda: 0,
    ("expand", "size"): lambda: (2, 2),
    ("moveaxis", "source"): lambda: 0,
    ("movedim", "source"): lambda: 0,
}
# Arguments that are optional in the signature, but needed.
EXTRA: dict[str, dict[str, Any]] = {
    "arange": {"end": 5},
    "randint": {"high": 20, "size": (2,)},
}
# Parameters that take anything: protocols of Python, and what is only meant for NumPy.
FREE = {
    ("__deepcopy__", "memo"),
    ("__reduce_ex__", "protocol"),
    ("__array__", "dtype"),
    ("__array__", "copy"),
}
# Needs a GPU to get as far as its arguments.
SKIPPED = {"pin_memory"}


class Nothing:
    """A value that fits no parameter."""

    def __repr__(self) -> str:
        return "<nothing>"


def parameters(signature: str) -> list[tuple[str, bool, bool]]:
    """(name, is required, is variadic) of a signature text."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    found = []
    for part in re.split(r",\s*(?![^()]*\))", inside):
        if part in {"", "*"}:
            continue
        name = part.lstrip("*").split("=")[0]
        found.append((name, "=" not in part, part.startswith("*")))
    return found


def entry_points() -> list[tuple[str, str, str, bool]]:
    """The functions that users see; those that only nn and optim call are tested with them."""
    return [row for row in _core.entry_points() if row[2] == "method" or hasattr(gpukit, row[0])]


def good(function: str, name: str) -> Any:
    return SPECIAL.get((function, name), GOOD.get(name, lambda: 1))()


def cases() -> list[tuple[str, str, str, str]]:
    """(function, signature, where, parameter)."""
    rows = []
    for function, signature, where, _ in entry_points():
        if function in SKIPPED:
            continue
        for name, _, _ in parameters(signature):
            if (function, name) not in FREE and not (where == "method" and name == "input"):
                rows.append((function, signature, where, name))
    return rows


def call(function: str, signature: str, where: str, changed: dict[str, Any]) -> Any:
    keywords = {
        name: good(function, name) for name, required, _ in parameters(signature) if required
    }
    keywords |= {**EXTRA.get(function, {}), **changed}
    if where == "method":
        return getattr(keywords.pop("input", gpukit.ones(2, 2)), function)(**keywords)
    return getattr(gpukit, function)(**keywords)


@pytest.mark.parametrize(("function", "signature", "where", "name"), cases())
def test_wrong_type_of_every_parameter(function, signature, where, name):
    with pytest.raises(TYPED) as caught:
        call(function, signature, where, {name: Nothing()})
    assert not isinstance(caught.value, SystemError)
    message = str(caught.value)
    assert name.rstrip("_") in message or function in message
    assert "<nothing>" in message or "Nothing" in message
    assert gpukit.ones(2).sum().item() == 2.0


@pytest.mark.parametrize(
    ("function", "signature", "where"),
    [row[:3] for row in entry_points() if row[0][:2] != "__"],
)
def test_unknown_and_missing_arguments(function, signature, where):
    target = gpukit.ones(2, 2) if where == "method" else gpukit
    with pytest.raises(TypeError, match="nonsense"):
        getattr(target, function)(nonsense=1)
    names = [name for name, required, _ in parameters(signature) if required]
    needed = names[1:] if where == "method" else names
    if needed:
        with pytest.raises(TypeError, match=f"'{needed[0]}' is missing|{needed[0]}"):
            getattr(target, function)()


T = gpukit.tensor
HUGE = 2**62

# (call, exception, words of the message)
TABLE: list[tuple[Any, type[Exception], str]] = [
    # sizes
    (lambda: gpukit.ones("3"), TypeError, r"ones: size must be ints, got '3' \(str\)"),
    (lambda: gpukit.ones(-1), ValueError, "-1"),
    (lambda: gpukit.ones(2, -5), ValueError, "-5"),
    (lambda: gpukit.ones(2.5), TypeError, "2.5"),
    (lambda: gpukit.ones(True), TypeError, "True"),
    (lambda: gpukit.ones((2, True)), TypeError, "True"),
    (lambda: gpukit.ones(None), TypeError, "None"),
    (gpukit.ones, TypeError, "size is missing"),
    (lambda: gpukit.zeros(HUGE), ValueError, "big"),
    (lambda: gpukit.zeros(HUGE, HUGE), ValueError, "big"),
    (lambda: gpukit.zeros(2**70), ValueError, str(2**70)),
    (lambda: gpukit.empty(*[1] * 9), gpukit.ShapeError, "9"),
    (lambda: gpukit.rand(2, "x"), TypeError, "x"),
    (lambda: gpukit.full((2, "x"), 1), TypeError, "x"),
    (lambda: gpukit.full((2,), "x"), TypeError, "fill_value"),
    (lambda: gpukit.full((2,), None), TypeError, "fill_value"),
    (lambda: gpukit.eye(-1), ValueError, "-1"),
    (gpukit.arange, TypeError, "end"),
    (lambda: gpukit.arange("5"), TypeError, "5"),
    (lambda: gpukit.arange(0, 5, 0), ValueError, "step"),
    (lambda: gpukit.arange(0, float("nan")), ValueError, "nan"),
    (lambda: gpukit.arange(0, float("inf")), ValueError, "inf"),
    (lambda: gpukit.linspace(0, 1, -3), ValueError, "-3"),
    (lambda: gpukit.linspace(0, 1, 2.5), TypeError, "steps"),
    (lambda: gpukit.randint(5, 5, (2,)), ValueError, "5"),
    (lambda: gpukit.randint(0, (2,)), ValueError, "low"),
    (lambda: gpukit.randint(3), TypeError, "size"),
    (lambda: gpukit.randperm(-1), ValueError, "-1"),
    (lambda: gpukit.rand(2, dtype="int64"), gpukit.DTypeError, "int64"),
    (lambda: gpukit.rand(2, generator=3), TypeError, "generator"),
    # data
    (lambda: T("abc"), TypeError, "abc"),
    (lambda: T(b"abc"), TypeError, "abc"),
    (lambda: T(None), TypeError, "None"),
    (lambda: T([1, "a"]), TypeError, "'a'"),
    (lambda: T([1, None]), TypeError, "None"),
    (lambda: T([[1, 2], [3]]), ValueError, "ragged: at level 1"),
    (lambda: T([[1, 2], 3]), ValueError, "ragged"),
    (lambda: T([1, [2, 3]]), ValueError, "ragged"),
    (lambda: T([[[1], [2]], [[3], [4, 5]]]), ValueError, "level 2"),
    (lambda: T([2**70]), ValueError, str(2**70)),
    (lambda: T([300], dtype=gpukit.uint8), ValueError, "uint8"),
    (lambda: T([-1], dtype="uint8"), ValueError, "uint8"),
    (lambda: T([1j]), TypeError, "1j"),
    (lambda: T({1: 2}), TypeError, "dict"),
    (lambda: T(np.array(["a"])), gpukit.DTypeError, "<U1"),
    (lambda: T(np.array([1 + 2j])), gpukit.DTypeError, "complex128"),
    (lambda: T(np.array([1], dtype=np.longdouble)), gpukit.DTypeError, "float128|longdouble"),
    (lambda: T(np.array([1.0], dtype=">f4")), gpukit.DTypeError, ">f4"),
    (lambda: T(np.array([1], dtype="M8[s]")), gpukit.DTypeError, "datetime64"),
    (lambda: gpukit.from_numpy([1, 2]), TypeError, "list"),
    (lambda: gpukit.from_numpy(np.array([1j])), gpukit.DTypeError, "complex"),
    (lambda: gpukit.asarray([1.0], copy=False), ValueError, "copy=False"),
    # dtypes and devices
    (lambda: gpukit.ones(2, dtype="flaot32"), gpukit.DTypeError, "float32"),
    (lambda: gpukit.ones(2, dtype=3), gpukit.DTypeError, "3"),
    (lambda: gpukit.ones(2, dtype=str), gpukit.DTypeError, "str"),
    (lambda: gpukit.ones(2, dtype=np.complex64), gpukit.DTypeError, "complex64"),
    (lambda: gpukit.dtype("real"), gpukit.DTypeError, "real"),
    (lambda: gpukit.ones(2, device="cude:0"), gpukit.InvalidDeviceError, "cuda:0"),
    (lambda: gpukit.ones(2, device="cuda:-1"), gpukit.InvalidDeviceError, "-1"),
    (lambda: gpukit.ones(2, device="cuda:01"), gpukit.InvalidDeviceError, "01"),
    (lambda: gpukit.ones(2, device=True), gpukit.InvalidDeviceError, "True"),
    (lambda: gpukit.ones(2, device=1.5), gpukit.InvalidDeviceError, "1.5"),
    (lambda: gpukit.ones(2, device=-1), gpukit.InvalidDeviceError, "-1"),
    (lambda: gpukit.ones(2, device="cuda:99"), gpukit.DeviceNotFoundError, "cuda:99"),
    (lambda: gpukit.device("cpu", 1), gpukit.InvalidDeviceError, "one cpu"),
    (lambda: gpukit.device("cuda:0", 1), gpukit.InvalidDeviceError, "twice"),
    (lambda: gpukit.device(None), gpukit.InvalidDeviceError, "None"),
    (lambda: gpukit.device("cuda", "0"), gpukit.InvalidDeviceError, "'0'"),
    (lambda: gpukit.device("xpu"), gpukit.InvalidDeviceError, "xpu"),
    (lambda: gpukit.device("cuda", 2**40), gpukit.InvalidDeviceError, str(2**40)),
    (lambda: gpukit.set_default_device("cup"), gpukit.InvalidDeviceError, "cpu"),
    (lambda: gpukit.set_default_dtype("int64"), gpukit.DTypeError, "int64"),
    (lambda: gpukit.synchronize("gpux"), gpukit.InvalidDeviceError, "gpux"),
    (lambda: gpukit.set_num_threads(0), ValueError, "0"),
    (lambda: gpukit.set_num_threads("2"), TypeError, "'2'"),
    (lambda: gpukit.finfo("int8"), gpukit.DTypeError, "int8"),
    (lambda: gpukit.iinfo("float32"), gpukit.DTypeError, "float32"),
    # operators
    (lambda: gpukit.ones(2) + gpukit.ones(3), gpukit.ShapeError, "add"),
    (lambda: gpukit.ones(2) + "a", TypeError, r"add: .*'a' \(str\)"),
    (lambda: gpukit.ones(2) - [1, 2], TypeError, "list"),
    (lambda: gpukit.ones(2) + None, TypeError, "unsupported operand"),
    (lambda: "a" * gpukit.ones(2), TypeError, "mul: .*'a'"),
    (lambda: gpukit.ones(2) + np.ones(2), TypeError, "from_numpy"),
    (lambda: gpukit.ones(2) + 2**70, ValueError, str(2**70)),
    (lambda: gpukit.ones(2) @ 3, TypeError, "@"),
    (lambda: gpukit.ones(2, 3) @ gpukit.ones(2, 3), gpukit.ShapeError, r"\(2, 3\)"),
    (lambda: gpukit.mm(gpukit.ones(2), gpukit.ones(2)), gpukit.ShapeError, "mm"),
    (lambda: gpukit.ones(2) & gpukit.ones(2), gpukit.DTypeError, "bitwise_and"),
    (lambda: gpukit.ones(2) << 1, gpukit.DTypeError, "shift"),
    (lambda: ~gpukit.ones(2), gpukit.DTypeError, "bitwise_not"),
    (lambda: pow(gpukit.ones(2), 2, 3), TypeError, "modulus"),
    (lambda: bool(gpukit.ones(2)), ValueError, "ambiguous"),
    (lambda: float(gpukit.ones(2)), ValueError, "2 elements"),
    (lambda: int(gpukit.ones(0)), ValueError, "0 elements"),
    (lambda: gpukit.ones(2).item(), ValueError, "2 elements"),
    (lambda: [1, 2][gpukit.ones(())], TypeError, "integer"),
    (lambda: len(gpukit.ones(())), TypeError, "0-d"),
    (lambda: iter(gpukit.ones(())), TypeError, "0-d"),
    (lambda: "a" in gpukit.ones(2), TypeError, "'a'"),
    (lambda: gpukit.tensor([1, 2]).add_(1.5), gpukit.DTypeError, "add_"),
    (lambda: gpukit.ones(2).add_(gpukit.ones(3)), gpukit.ShapeError, "add_"),
    # indexing
    (lambda: gpukit.ones(3)[5], IndexError, "5"),
    (lambda: gpukit.ones(3)[-4], IndexError, "-4"),
    (lambda: gpukit.ones(3)[1.0], IndexError, "1.0"),
    (lambda: gpukit.ones(3)["a"], IndexError, "'a'"),
    (lambda: gpukit.ones(3)[0, 0], IndexError, "2"),
    (lambda: gpukit.ones(3)["a":2], TypeError, "'a'"),
    (lambda: gpukit.ones(3)[::0], ValueError, "step"),
    (lambda: gpukit.ones(3)[2**70], ValueError, str(2**70)),
    (lambda: gpukit.ones(())[0], IndexError, "0 dimensions"),
    (lambda: gpukit.ones(3)[..., ...], IndexError, r"\.\.\."),
    (lambda: gpukit.ones(3)[gpukit.tensor([0, 7])], IndexError, "7"),
    (lambda: gpukit.ones(3)[gpukit.tensor([True, False])], IndexError, "2"),
    (lambda: gpukit.ones(3)[gpukit.ones(1)], (IndexError, gpukit.DTypeError), "float32"),
    (lambda: gpukit.ones(3).__setitem__(0, "a"), TypeError, "'a'"),
    (lambda: gpukit.ones(3).__setitem__(9, 1), IndexError, "9"),
    (lambda: gpukit.ones(3).__setitem__(slice(None), gpukit.ones(2)), gpukit.ShapeError, "2"),
    (lambda: gpukit.ones(3).__delitem__(0), TypeError, "deleted"),
    # shapes
    (lambda: gpukit.ones(6).reshape(4), gpukit.ShapeError, "4"),
    (lambda: gpukit.ones(6).reshape(-1, -1), gpukit.ShapeError, "-1"),
    (lambda: gpukit.ones(6).reshape(), TypeError, "shape"),
    (lambda: gpukit.ones(2, 3).T.view(6), gpukit.ShapeError, "view"),
    (lambda: gpukit.ones(2, 3).permute(0), gpukit.ShapeError, "permute"),
    (lambda: gpukit.ones(2, 3).permute(0, 0), (gpukit.ShapeError, ValueError), "permute"),
    (lambda: gpukit.ones(2, 3).transpose(0, 5), IndexError, "5"),
    (lambda: gpukit.ones(2, 3, 4).t(), gpukit.ShapeError, "t:"),
    (lambda: gpukit.ones(2).expand(3), gpukit.ShapeError, "3"),
    (lambda: gpukit.ones(2).unsqueeze(5), IndexError, "5"),
    (lambda: gpukit.ones(2).sum(dim=3), IndexError, "3"),
    (lambda: gpukit.ones(2).sum(dim="x"), TypeError, "dim"),
    (lambda: gpukit.ones(2).sum(dmi=0), TypeError, "dim"),
    (lambda: gpukit.ones(2).sum(dim=(0, 0)), (ValueError, IndexError), "0"),
    (lambda: gpukit.tensor([1, 2]).mean(), gpukit.DTypeError, "int64"),
    (lambda: gpukit.ones(0).max(), gpukit.ShapeError, "max"),
    (lambda: gpukit.cat([]), (ValueError, gpukit.ShapeError), "cat"),
    (lambda: gpukit.cat([gpukit.ones(2), 3]), TypeError, r"tensors\[1\]"),
    (lambda: gpukit.cat(gpukit.ones(2)), TypeError, "tensors"),
    (lambda: gpukit.stack([gpukit.ones(2), gpukit.ones(3)]), gpukit.ShapeError, "stack"),
    (lambda: gpukit.ones(4).split([1, 2]), gpukit.ShapeError, "3"),
    (lambda: gpukit.ones(4).split(0), ValueError, "0"),
    (lambda: gpukit.ones(4).chunk(0), ValueError, "0"),
    (lambda: gpukit.ones(4).topk(9), ValueError, "9"),
    (lambda: gpukit.ones(2).repeat(-1), ValueError, "-1"),
    (lambda: gpukit.clamp(gpukit.ones(2)), ValueError, "min"),
    (lambda: gpukit.norm(gpukit.ones(2), "nuc"), ValueError, "nuc"),
    (lambda: gpukit.where(gpukit.ones(2), 1, 2), gpukit.DTypeError, "condition"),
    (lambda: gpukit.div(gpukit.ones(2), 2, rounding_mode="up"), ValueError, "up"),
    (lambda: gpukit.set_float32_matmul_precision("best"), ValueError, "best"),
    # joining, indexing, sorting
    (lambda: gpukit.cat([gpukit.ones(2, 2), gpukit.ones(2, 3)]), gpukit.ShapeError, "cat"),
    (lambda: gpukit.cat([gpukit.ones(2), gpukit.ones(2)], 1), IndexError, "1"),
    (lambda: gpukit.cat([gpukit.ones(2), gpukit.ones(2, 2)]), gpukit.ShapeError, "cat"),
    (lambda: gpukit.stack([]), (ValueError, gpukit.ShapeError), "stack"),
    (lambda: gpukit.stack([gpukit.ones(2)], 3), IndexError, "3"),
    (lambda: gpukit.hstack([]), ValueError, "stack|cat"),
    (lambda: gpukit.vstack([gpukit.ones(2), gpukit.ones(3)]), gpukit.ShapeError, "cat|stack"),
    (lambda: gpukit.ones(4).split(2, 3), IndexError, "3"),
    (lambda: gpukit.ones(4).split("a"), TypeError, "'a'"),
    (lambda: gpukit.ones(4).split([2, -1, 3]), ValueError, "-1"),
    (lambda: gpukit.ones(4).chunk(2, 1), IndexError, "1"),
    (lambda: gpukit.ones(3).unbind(2), IndexError, "2"),
    (lambda: gpukit.ones(3).narrow(0, 2, 2), (IndexError, ValueError), "2"),
    (lambda: gpukit.ones(3).narrow(0, 0, -1), IndexError, "-1"),
    (lambda: gpukit.ones(3).narrow(1, 0, 1), IndexError, "1"),
    (lambda: gpukit.ones(3).select(0, 3), IndexError, "3"),
    (lambda: gpukit.ones(3).select(1, 0), IndexError, "1"),
    (lambda: gpukit.ones(3).index_select(0, gpukit.ones(1)), gpukit.DTypeError, "float32"),
    (lambda: gpukit.ones(3).index_select(0, T([3])), IndexError, "3"),
    (lambda: gpukit.ones(3).index_select(2, T([0])), IndexError, "2"),
    (lambda: gpukit.ones(3).index_select(0, T([[0]])), gpukit.ShapeError, "index"),
    (lambda: gpukit.ones(3).gather(0, T([5])), IndexError, "5"),
    (lambda: gpukit.ones(3).gather(0, gpukit.ones(1)), gpukit.DTypeError, "float32"),
    (lambda: gpukit.ones(3).gather(0, T([[0]])), gpukit.ShapeError, "gather"),
    (lambda: gpukit.ones(3).gather(4, T([0])), IndexError, "4"),
    (lambda: gpukit.ones(3).take(T([9])), IndexError, "9"),
    (lambda: gpukit.take(gpukit.ones(3), gpukit.ones(1)), gpukit.DTypeError, "float32"),
    (lambda: gpukit.ones(3).scatter(0, T([7]), gpukit.ones(1)), IndexError, "7"),
    (
        lambda: gpukit.ones(3).index_add(0, T([0, 1]), gpukit.ones(3)),
        gpukit.ShapeError,
        "index_add",
    ),
    (lambda: gpukit.ones(3).index_add(0, T([8]), gpukit.ones(1)), IndexError, "8"),
    (lambda: gpukit.ones(3).masked_select(gpukit.ones(3)), gpukit.DTypeError, "bool"),
    (lambda: gpukit.ones(3).masked_select(gpukit.ones(2) > 0), gpukit.ShapeError, "2"),
    (lambda: gpukit.ones(3).masked_fill(gpukit.ones(3), 1), gpukit.DTypeError, "bool"),
    (lambda: gpukit.ones(3).masked_fill(gpukit.ones(3) > 0, "x"), TypeError, "'x'"),
    (lambda: gpukit.ones(3).sort(dim=2), IndexError, "2"),
    (lambda: gpukit.ones(3).sort(descending="yes"), TypeError, "descending"),
    (lambda: gpukit.ones(3).argsort(5), IndexError, "5"),
    (lambda: gpukit.ones(3).topk(-1), ValueError, "-1"),
    (lambda: gpukit.ones(3).topk(1, dim=4), IndexError, "4"),
    (lambda: gpukit.ones(3).topk("1"), TypeError, "'1'"),
    (lambda: gpukit.ones(3).flip(3), IndexError, "3"),
    (lambda: gpukit.ones(3).roll("a"), TypeError, "'a'"),
    (lambda: gpukit.ones(2, 2).roll((1, 2), (0,)), ValueError, "roll"),
    (lambda: gpukit.diag(gpukit.ones(2, 2, 2)), gpukit.ShapeError, "diag"),
    (lambda: gpukit.diagonal(gpukit.ones(2)), (gpukit.ShapeError, IndexError), "diagonal|dim"),
    (lambda: gpukit.tril(gpukit.ones(3)), gpukit.ShapeError, "tril"),
    (lambda: gpukit.triu(gpukit.ones(2, 2), "1"), TypeError, "'1'"),
    (lambda: gpukit.meshgrid(gpukit.ones(2, 2)), gpukit.ShapeError, "meshgrid"),
    (lambda: gpukit.meshgrid(gpukit.ones(2), indexing="yx"), ValueError, "yx"),
    (lambda: gpukit.einsum("ij,jk->il", gpukit.ones(2, 2), gpukit.ones(2, 2)), ValueError, "l"),
    (lambda: gpukit.einsum("ij", gpukit.ones(2)), (ValueError, gpukit.ShapeError), "ij"),
    (
        lambda: gpukit.einsum("i,i", gpukit.ones(2), gpukit.ones(3)),
        (ValueError, gpukit.ShapeError),
        "i",
    ),
    (lambda: gpukit.einsum("i?", gpukit.ones(2)), ValueError, r"\?"),
    (lambda: gpukit.einsum("i,i", gpukit.ones(2)), ValueError, "1|2"),
    (lambda: gpukit.tensordot(gpukit.ones(2), gpukit.ones(3), 1), gpukit.ShapeError, "tensordot"),
    (lambda: gpukit.vecdot(gpukit.ones(2), gpukit.ones(3)), gpukit.ShapeError, "2"),
    (
        lambda: gpukit.searchsorted(gpukit.ones(2, 2), gpukit.ones(2)),
        gpukit.ShapeError,
        "searchsorted",
    ),
    # products
    (lambda: gpukit.mm(gpukit.ones(2, 3), gpukit.ones(2, 3)), gpukit.ShapeError, "Did you mean"),
    (lambda: gpukit.bmm(gpukit.ones(2, 2), gpukit.ones(2, 2)), gpukit.ShapeError, "bmm"),
    (lambda: gpukit.bmm(gpukit.ones(2, 1, 1), gpukit.ones(3, 1, 1)), gpukit.ShapeError, "batch"),
    (lambda: gpukit.mv(gpukit.ones(2, 3), gpukit.ones(2)), gpukit.ShapeError, "mv"),
    (lambda: gpukit.dot(gpukit.ones(2), gpukit.ones(3)), gpukit.ShapeError, "dot"),
    (lambda: gpukit.dot(gpukit.ones(2, 2), gpukit.ones(2)), gpukit.ShapeError, "dot"),
    (lambda: gpukit.ones(2, 2) @ T([[1, 2], [3, 4]]), gpukit.DTypeError, "same dtype"),
    (lambda: (gpukit.ones(2, 2) > 0) @ (gpukit.ones(2, 2) > 0), gpukit.DTypeError, "bool"),
    (lambda: gpukit.ones(()) @ gpukit.ones(2), gpukit.ShapeError, "matmul"),
    (lambda: gpukit.ones(2, 2, 3) @ gpukit.ones(3, 3, 2), gpukit.ShapeError, "batch"),
    (
        lambda: gpukit.addmm(gpukit.ones(3), gpukit.ones(2, 2), gpukit.ones(2, 2)),
        gpukit.ShapeError,
        "addmm",
    ),
    (lambda: gpukit.addmm(T([1]), T([[1]]), T([[1]]), beta=0.5), gpukit.DTypeError, "beta"),
    # numbers that do not fit, kinds that do not mix
    (lambda: T([1]) ** -1, ValueError, "negative"),
    (lambda: T([1]) + 2**63, ValueError, str(2**63)),
    (lambda: gpukit.full((2,), 2**64), ValueError, str(2**64)),
    (lambda: T([2**64], dtype="uint64"), ValueError, "uint64|int64"),
    (lambda: T([70000], dtype="uint16"), ValueError, "uint16"),
    (lambda: T([-1], dtype="uint32"), ValueError, "uint32"),
    (lambda: T([1e300], dtype="int64"), ValueError, "int64"),
    (lambda: gpukit.ones(2, dtype="uint64") + T([1, 2]), gpukit.DTypeError, "uint64"),
    (lambda: gpukit.promote_types("uint64", "int8"), gpukit.DTypeError, "uint64"),
    (lambda: gpukit.promote_types("float32", 3), gpukit.DTypeError, "3"),
    (lambda: gpukit.result_type(gpukit.ones(2), "x"), (TypeError, gpukit.DTypeError), "x"),
    (lambda: gpukit.can_cast("float32", "real"), gpukit.DTypeError, "real"),
    (lambda: (gpukit.ones(2) > 0) - (gpukit.ones(2) > 0), gpukit.DTypeError, "sub"),
    (lambda: -(gpukit.ones(2) > 0), gpukit.DTypeError, "neg"),
    (lambda: gpukit.relu(gpukit.ones(2) > 0), gpukit.DTypeError, "relu"),
    (lambda: gpukit.clamp(gpukit.ones(2), "0"), TypeError, "'0'"),
    (lambda: T([1, 2]).clamp_(0.5), gpukit.DTypeError, "clamp_"),
    (lambda: T([1, 2]).sqrt_(), gpukit.DTypeError, "sqrt_"),
    (lambda: T([1, 2]).uniform_(), gpukit.DTypeError, "uniform_"),
    (lambda: gpukit.ones(2).uniform_(2, 1), ValueError, "2"),
    (lambda: gpukit.ones(2).normal_(0, -1), ValueError, "-1"),
    (lambda: gpukit.ones(2).fill_("a"), TypeError, "'a'"),
    (lambda: gpukit.ones(1).expand(3).add_(1), ValueError, "expanded"),
    (lambda: gpukit.randint(0, 300, (2,), dtype="uint8"), ValueError, "255"),
    (lambda: gpukit.randint(-1, 3, (2,), dtype="uint64"), ValueError, "uint64"),
    (lambda: gpukit.randint(0, 2**60, (2,), dtype="float32"), ValueError, "float32"),
    (lambda: gpukit.softmax(gpukit.ones(2), 1), IndexError, "1"),
    (lambda: gpukit.ones(2).cumsum(1), IndexError, "1"),
    (lambda: gpukit.ones(2).var(dim=1), IndexError, "1"),
    (lambda: gpukit.ones(2).std(correction="x"), TypeError, "'x'"),
    (lambda: gpukit.ones(2).argmax(3), IndexError, "3"),
    (lambda: gpukit.ones(0).argmin(), gpukit.ShapeError, "argmin"),
    (lambda: gpukit.ones(2, 0).amax(1), gpukit.ShapeError, "amax|max"),
    (lambda: gpukit.diff(gpukit.ones(3), -1), ValueError, "-1"),
    (lambda: gpukit.add(gpukit.ones(2), 1, out=3), TypeError, "out"),
    (lambda: gpukit.add(gpukit.ones(2), 1, out=gpukit.ones(3)), gpukit.ShapeError, "out"),
    (lambda: gpukit.exp(gpukit.ones(2), out=T([1, 2])), gpukit.DTypeError, "out"),
    # frombuffer and DLPack
    (lambda: gpukit.frombuffer(b"abc", dtype="int16"), ValueError, "count|whole"),
    (lambda: gpukit.frombuffer(b"abcd", dtype="int16", count=3), ValueError, "3"),
    (lambda: gpukit.frombuffer(b"abcd", dtype="int16", offset=9), ValueError, "9"),
    (lambda: gpukit.frombuffer(3, dtype="int16"), TypeError, "buffer"),
    (lambda: gpukit.from_dlpack(3), TypeError, "__dlpack__"),
    # moving
    (lambda: gpukit.ones(2).to(), TypeError, "to:"),
    (lambda: gpukit.ones(2).to("floatt"), gpukit.DTypeError, "floatt"),
    (lambda: gpukit.ones(2).to("cuba"), gpukit.InvalidDeviceError, "cuda"),
    (lambda: gpukit.ones(2).to(1.5), TypeError, "1.5"),
    (lambda: gpukit.ones(2).to("cpu", copy=2), TypeError, "copy"),
    (lambda: gpukit.ones(2).to("cpu", non_blocking=0), TypeError, "non_blocking"),
    (lambda: gpukit.ones(2).to("cpu", stream=3), TypeError, "stream"),
    (lambda: gpukit.ones(2).cuda("cpu"), gpukit.InvalidDeviceError, "cpu"),
    (lambda: gpukit.ones(2).cpu("x"), TypeError, "non_blocking"),
    (lambda: gpukit.ones(2).requires_grad_(1), TypeError, "requires_grad"),
    (lambda: gpukit.arange(2).requires_grad_(), gpukit.DTypeError, "int64"),
    (lambda: setattr(gpukit.ones(2), "grad", gpukit.ones(3)), gpukit.ShapeError, r"\(3,\)"),
    (lambda: setattr(gpukit.ones(2), "grad", 1.0), TypeError, "1.0"),
    (lambda: setattr(gpukit.ones(2), "data", 1.0), TypeError, "1.0"),
    # helpers
    (lambda: gpukit.try_gpu(-1), ValueError, ">= 0"),
    (lambda: gpukit.try_gpu("0"), TypeError, "'0'"),
    (lambda: gpukit.try_gpu(0, verify=1), TypeError, "verify"),
    (lambda: gpukit.try_gpu(99, strict=True), gpukit.DeviceNotFoundError, "cuda:99"),
    (lambda: gpukit.try_all_gpus(verify=None), TypeError, "verify"),
    (lambda: gpukit.require_gpus(99), gpukit.DeviceNotFoundError, "99"),
    (lambda: gpukit.require_gpus(-1), ValueError, "-1"),
    (lambda: gpukit.gpu(-2), ValueError, "-2"),
    (lambda: gpukit.manual_seed("1"), TypeError, "'1'"),
    (lambda: gpukit.manual_seed(2**65), ValueError, str(2**65)),
    (lambda: gpukit.Generator().set_state(b"1"), TypeError, "16 bytes"),
    (lambda: gpukit.cuda.set_device("cpu"), gpukit.InvalidDeviceError, "cpu"),
    (lambda: gpukit.cuda.get_device_properties(99), gpukit.DeviceNotFoundError, "cuda:99"),
    (lambda: gpukit.cuda.get_device_name("cpu"), gpukit.InvalidDeviceError, "cpu"),
    (lambda: gpukit.cuda.Stream("cpu"), gpukit.InvalidDeviceError, "cpu"),
    (lambda: gpukit.cuda.Event(enable_timing=2), TypeError, "enable_timing"),
    (lambda: gpukit.cuda.Event().elapsed_time(3), TypeError, "3"),
    (lambda: gpukit.cuda.Event().elapsed_time(gpukit.cuda.Event()), gpukit.GpukitError, "timing"),
    (lambda: gpukit.cuda.stream(3), TypeError, "3"),
    (lambda: gpukit.cuda.set_per_process_memory_fraction(2), ValueError, "2"),
    (lambda: gpukit.cuda.set_per_process_memory_fraction("a"), TypeError, "'a'"),
    (lambda: gpukit.cuda.FloatTensor, AttributeError, "dtype=gpukit.float"),
    (lambda: gpukit.config.list_physical_devices("TPU"), ValueError, "TPU"),
    (lambda: gpukit.linalg.matrix_norm(gpukit.ones(2, 2), "nuc"), ValueError, "nuc"),
    (lambda: gpukit.decive, AttributeError, "Did you mean 'device'"),
    (lambda: gpukit.compile, AttributeError, "not part of gpukit; see docs/limits"),
    (lambda: gpukit.cuda.is_avaliable, AttributeError, "is_available"),
    (lambda: gpukit.linalg.nrom, AttributeError, "norm"),
    (lambda: gpukit.simulate(0), ValueError, "0"),
    (lambda: gpukit.simulate("2"), TypeError, "'2'"),
    (lambda: gpukit.simulate(2, card=4), TypeError, "4"),
    (lambda: gpukit.simulate(2, memory="lots"), ValueError, "lots"),
    (lambda: gpukit.simulate(2, memory=-1), ValueError, "-1"),
    (lambda: gpukit.simulate(2, link_gbps="x"), TypeError, "link_gbps"),
    (lambda: gpukit.simulate(2, launch_us=-1), ValueError, "launch_us"),
    (lambda: gpukit.simulate(2, realtime=1), TypeError, "realtime"),
    (lambda: gpukit.simulate(2, seed=-1), ValueError, "seed"),
    (lambda: gpukit.simulate(2, fault=1), TypeError, "fault"),
    (lambda: gpukit.simulate(2, on="tpu"), ValueError, "tpu"),
]


@pytest.mark.parametrize("row", range(len(TABLE)))
def test_table(row):
    function, exception, words = TABLE[row]
    with pytest.raises(exception, match=words) as caught:
        function()
    assert type(caught.value) not in {RuntimeError, SystemError, Exception}
    assert (gpukit.ones(2) + 1).tolist() == [2.0, 2.0]


def test_there_are_enough():
    assert len(TABLE) >= 300


def test_attributes_of_errors():
    with pytest.raises(gpukit.InvalidDeviceError) as caught:
        gpukit.device("cude:0")
    error = caught.value
    assert isinstance(error, RuntimeError)
    assert isinstance(error, ValueError)
    assert error.code.startswith("GK-E")
    assert error.fix == "device='cuda:0'"
    assert error.details == {}


@pytest.mark.parametrize("name", gpukit.errors.__all__)
def test_every_class_is_reachable(name):
    cls = getattr(gpukit, name)
    assert cls is getattr(gpukit.errors, name)
    assert issubclass(cls, RuntimeError) or name == "GpukitWarning"


def test_classes_are_those_a_torch_user_would_catch():
    bases = {
        gpukit.ShapeError: ValueError,
        gpukit.DTypeError: TypeError,
        gpukit.InvalidDeviceError: ValueError,
        gpukit.DeviceMismatchError: ValueError,
        gpukit.OutOfMemoryError: MemoryError,
        gpukit.GpukitWarning: UserWarning,
    }
    for cls, base in bases.items():
        assert issubclass(cls, base)
