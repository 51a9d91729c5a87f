"""Whether a call releases Python's lock follows from its row: the same for all its forms."""

from __future__ import annotations

import operator
from functools import partial

import pytest

import gpukit
from gpukit import _core

LONGEST_KEPT = {name: longest for name, _, longest in _core.row_costs()}
ELEMENTWISE = {row["name"]: row for row in _core.elementwise_operators()}
SYMBOLS = {
    "add": ("add", "iadd"),
    "sub": ("sub", "isub"),
    "mul": ("mul", "imul"),
    "div": ("truediv", "itruediv"),
    "floor_divide": ("floordiv", "ifloordiv"),
    "remainder": ("mod", "imod"),
    "pow": ("pow", "ipow"),
    "bitwise_and": ("and_", "iand"),
    "bitwise_or": ("or_", "ior"),
    "bitwise_xor": ("xor", "ixor"),
    "bitwise_left_shift": ("lshift", "ilshift"),
    "bitwise_right_shift": ("rshift", "irshift"),
    "neg": ("neg",),
    "abs": ("abs",),
    "bitwise_not": ("invert",),
    "eq": ("eq",),
    "ne": ("ne",),
    "lt": ("lt",),
    "le": ("le",),
    "gt": ("gt",),
    "ge": ("ge",),
}


def releases(call, *operands):
    """Whether the call releases the lock."""
    before = _core.gil_releases()
    call(*operands)
    return _core.gil_releases() > before


def forms(row):
    """Everything that is another way to write the operator."""
    for name in (row["name"], *row["aliases"]):
        yield getattr(gpukit, name)
        yield getattr(gpukit.Tensor, name)
        if row["in_place"]:
            yield getattr(gpukit.Tensor, name + "_")
    for symbol in SYMBOLS.get(row["name"], ()):
        yield getattr(operator, symbol)


def test_every_row_states_its_cost():
    costs = {name: kind for name, kind, _ in _core.row_costs()}
    assert {name for name, *_ in _core.entry_points()} <= set(costs)
    assert all(costs.values())
    assert costs["add"] == costs["add_"] == "arithmetic"
    assert costs["pow"] == costs["pow_"] == costs["exp"] == "function"
    assert costs["view"] == costs["einsum"] == "none"
    assert costs["sort"] == costs["topk"] == "sort"


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_all_forms_of_an_operator_decide_alike(name):
    row = ELEMENTWISE[name]
    whole = row["domain"] in {"bitwise", "shift"}
    dtype = gpukit.int32 if whole else gpukit.float32
    short = LONGEST_KEPT[name]
    assert 10_000 < short < 200_000
    for call in forms(row):
        for count, released in ((short, False), (short + 1, True)):
            operands = [gpukit.ones(count, dtype=dtype) for _ in range(row["operands"])]
            assert releases(call, *operands) == released, (call, count)
            if row["out"]:
                function = getattr(gpukit, name)
                into = partial(function, *operands, out=function(*operands))
                assert releases(into) == released


@pytest.mark.parametrize(
    "name", [name for name in ELEMENTWISE if ELEMENTWISE[name]["operands"] == 2]
)
def test_numbers_beside_tensors_decide_alike(name):
    row = ELEMENTWISE[name]
    dtype = gpukit.int32 if row["domain"] in {"bitwise", "shift"} else gpukit.float32
    symbols = [getattr(operator, symbol) for symbol in SYMBOLS.get(name, ())]
    for call in (getattr(gpukit, name), getattr(gpukit.Tensor, name), *symbols):
        for count, released in ((LONGEST_KEPT[name], False), (LONGEST_KEPT[name] + 1, True)):
            assert releases(call, gpukit.ones(count, dtype=dtype), 2) == released, (call, count)


def ones(*size):
    return gpukit.ones(size)


def strided(count):
    return ones(2, count)[:, : count // 2]


def mask(count):
    return gpukit.ones(count, dtype=gpukit.bool)


def places(count):
    return gpukit.zeros(count, dtype=gpukit.int64)


# Calls over n elements, by what gives the same by several names or has no other form.
WAYS = {
    "products": [
        lambda n: partial(operator.matmul, ones(1, n), ones(n, 1)),
        lambda n: partial(gpukit.matmul, ones(1, n), ones(n, 1)),
        lambda n: partial(gpukit.mm, ones(1, n), ones(n, 1)),
        lambda n: partial(gpukit.mv, ones(1, n), ones(n)),
        lambda n: partial(gpukit.dot, ones(n), ones(n)),
        lambda n: partial(gpukit.outer, ones(n), ones(1)),
        lambda n: partial(gpukit.nn.functional.linear, ones(1, n), ones(1, n)),
    ],
    "copies of views": [
        lambda n: partial(strided(n).reshape, -1),
        lambda n: partial(strided(n).reshape_as, ones(2 * (n // 2))),
        lambda n: strided(n).flatten,
        lambda n: strided(n).ravel,
        lambda n: strided(n).contiguous,
    ],
    "places": [
        lambda n: partial(ones(n).masked_fill, mask(n), 2),
        lambda n: partial(ones(n).masked_fill_, mask(n), 2),
        lambda n: partial(ones(n).scatter_, 0, places(n), ones(n)),
        lambda n: partial(ones(n).scatter_add_, 0, places(n), ones(n)),
        lambda n: partial(ones(n).index_add_, 0, places(n), ones(n)),
        lambda n: partial(operator.getitem, ones(n), mask(n)),
        lambda n: partial(operator.setitem, ones(n), mask(n), 2),
        lambda n: partial(operator.setitem, ones(n), slice(None), 2),
        lambda n: partial(operator.contains, ones(n), 2),
    ],
    "comparisons": [
        lambda n: partial(gpukit.maximum, ones(n), ones(n)),
        lambda n: partial(gpukit.max, ones(n), ones(n)),
        lambda n: partial(gpukit.equal, ones(n), ones(n)),
        lambda n: partial(gpukit.allclose, ones(n), ones(n)),
        lambda n: partial(gpukit.isclose, ones(n), ones(n)),
        lambda n: partial(gpukit.any, ones(n), dim=()),
    ],
    "steps": [
        lambda n: partial(gpukit.add, ones(n), ones(n), alpha=2),
        lambda n: partial(ones(n).add_, ones(n), alpha=2),
        lambda n: partial(gpukit.sub, ones(n), 1, alpha=2),
        lambda n: partial(gpukit.div, ones(n), 2, rounding_mode="trunc"),
        lambda n: partial(ones(n).div_, 2, rounding_mode="trunc"),
        lambda n: partial(gpukit.clone, ones(n)),
        lambda n: partial(gpukit.cat, [ones(n), ones(n)], out=ones(2 * n)),
    ],
    "others": [
        lambda n: partial(gpukit.unique, ones(n)),
        lambda n: partial(gpukit.sort, ones(n)),
        lambda n: partial(ones(1).repeat, n),
        lambda n: partial(gpukit.tensor, [ones(n), ones(n)]),
        lambda n: partial(gpukit.as_tensor, ones(n), dtype=gpukit.int32),
        lambda n: partial(gpukit.std, ones(n)),
        lambda n: partial(gpukit.cumsum, ones(n), 0),
        lambda n: partial(gpukit.rand, n),
        lambda n: partial(gpukit.arange, n),
    ],
}


@pytest.mark.parametrize("way", [way for group in WAYS.values() for way in group])
def test_short_work_keeps_the_lock_and_long_work_releases_it(way):
    assert not releases(way(8))
    assert releases(way(1 << 21))


@pytest.mark.parametrize(
    ("left", "right", "released"),
    [
        ((1000, 1), (1, 1000), False),  # a million multiply-adds
        ((1000, 1), (1, 1001), True),
        ((1000, 1000), (1000,), False),
        ((1001, 1000), (1000,), True),
        ((1000,), (1000, 1000), False),
        ((1000, 10, 10), (10, 10), False),
        ((100, 1, 10, 10), (11, 10, 10), True),  # each broadcasts to 1100 matrices
    ],
)
def test_a_product_counts_its_multiply_adds(left, right, released):
    for product in (operator.matmul, gpukit.matmul, gpukit.Tensor.matmul):
        assert releases(product, ones(*left), ones(*right)) == released
