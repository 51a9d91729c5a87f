"""No operator is forgotten: every row, slot, property and derivative comes through the point.

What has to be seen is taken from the tables and from the type of Tensor. An observer answers before
the operator runs, so that a row needs no arguments that it could work on.
"""

from __future__ import annotations

import re
import types

import numpy as np
import pytest

import gpukit
from gpukit import _core
from support.gradients import CASES

ROWS = {name: (text, kind) for name, text, kind, _ in _core.entry_points()}


class Answering:
    """Answers each operator with itself, and notes the calls."""

    def __init__(self):
        self.calls = []

    def before_operator(self, call):
        self.calls.append(call)
        call.answer(self)


def required(text):
    """The parameters of a signature that have to be given: by position, and by name."""
    inside = text[text.index("(") + 1 : text.rindex(")")]
    parts = [part.strip() for part in re.split(r",\s*(?![^()]*\))", inside)]
    star = parts.index("*") if "*" in parts else len(parts)
    plain, named = (
        [part for part in some if part and not part.startswith("*") and "=" not in part]
        for some in (parts[:star], parts[star:])
    )
    return plain, named


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_seen(name):
    text, kind = ROWS[name]
    plain, named = required(text)
    operands = [gpukit.ones(2) for _ in plain]
    ways = []
    if kind in {"function", "both"}:
        ways.append(getattr(_core, name))
    if kind in {"method", "both"}:
        ways.append(getattr(gpukit.Tensor, name))
    for call in ways:
        observer = Answering()
        with _core.observe(observer):
            assert call(*operands, **dict.fromkeys(named, 1)) is observer
        assert [(c.name, list(c.arguments)) for c in observer.calls] == [(name, plain + named)]


def acts(function, operands):
    """Whether it gives a tensor, changes one, or its answer depends on the elements."""
    answers = []
    for value in (0, 1):
        inputs = [each.clone() if isinstance(each, gpukit.Tensor) else each for each in operands]
        first = inputs[0]
        first.fill_(value)
        version = first._version
        try:
            answer = function(*inputs)
        except (TypeError, ValueError, IndexError, AttributeError, gpukit.GpukitError):
            return False
        if isinstance(answer, gpukit.Tensor) or first._version != version:
            return True
        answers.append(answer)
    ids = types.MethodWrapperType, types.BuiltinMethodType
    return (
        type(answers[0]) in {bool, int, float, str}
        and answers[0] != answers[1]
        and function.__name__ != "__hash__"
        and not isinstance(answers[0], ids)
    )


ONE = gpukit.ones(1, dtype=gpukit.int64)
TWO = gpukit.ones(2, dtype=gpukit.int64)
OPERANDS = [(ONE,), (ONE, ONE), (TWO, 0), (TWO, 0, 1), (TWO, 0, TWO), (ONE, "text")]
SLOTS = [
    (name, operands)
    for name, member in vars(gpukit.Tensor).items()
    if isinstance(member, types.WrapperDescriptorType)
    for operands in OPERANDS
    if acts(member, operands)
]


def test_the_walk_finds_slots():
    found = {name for name, _ in SLOTS}
    assert {"__add__", "__rsub__", "__getitem__", "__setitem__", "__bool__", "__lt__"} <= found
    assert len(found) >= 50
    assert not found & {"__len__", "__hash__", "__iter__", "__setattr__", "__getattribute__"}


@pytest.mark.parametrize(("name", "operands"), SLOTS, ids=lambda part: str(part)[:14])
def test_every_slot_is_seen(name, operands):
    slot = vars(gpukit.Tensor)[name]
    log = []

    class Notes:
        def before_operator(self, call):
            if call.depth == 0:
                log.append(call)

    inputs = [each.clone() if isinstance(each, gpukit.Tensor) else each for each in operands]
    with _core.observe(Notes()):
        slot(*inputs)
    assert [call.operator.kind for call in log] == ["slot"]
    row = ROWS.get(log[0].name)
    if row is not None:
        parameters = [p.split("=")[0].strip(" *") for p in row[0].split("(")[1][:-1].split(",")]
        assert list(log[0].arguments) == parameters[: len(log[0].arguments)]
    else:
        assert log[0].name.strip("_") == name.strip("_")


def test_every_property_that_makes_a_tensor_is_seen():
    real = gpukit.ones(2, 2, requires_grad=True)
    (real * 2).sum().backward()
    made = []
    for x in (real, gpukit.ones(2, 2, dtype="complex64")):
        for name, member in vars(gpukit.Tensor).items():
            if not isinstance(member, types.GetSetDescriptorType):
                continue
            if name == "imag" and x is real:
                continue  # raises: torch has none of a real tensor either
            if not isinstance(getattr(x, name, None), gpukit.Tensor):
                continue
            made.append(name)
            observer = Answering()
            with _core.observe(observer):
                assert getattr(x, name) is observer
            assert [call.name for call in observer.calls] == [name]
    assert {"T", "mT", "H", "mH", "real", "imag", "data", "grad"} <= set(made)


def test_every_property_that_can_be_set_is_seen():
    settable = []
    for name, member in vars(gpukit.Tensor).items():
        if not isinstance(member, types.GetSetDescriptorType) or name == "__dict__":
            continue
        for value in (gpukit.ones(2), True):
            x = gpukit.zeros(2)
            try:
                setattr(x, name, value)
            except (AttributeError, TypeError):
                continue
            settable.append(name)
            observer = Answering()
            with _core.observe(observer):
                setattr(x, name, value)
            assert [call.name for call in observer.calls] == [f"set_{name}"]
    assert {"data", "grad", "requires_grad"} <= set(settable)


def nodes_behind(tensor):
    """The nodes from a result to the leaves, without these."""
    found, waiting = [], [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in found or node.name() == "AccumulateGrad":
            continue
        found.append(node)
        waiting += [other for other, _ in node.next_functions]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_derivative_is_seen(case):
    class Derivatives:
        def __init__(self):
            self.begun, self.ended, self.made = [], [], []

        def after_operator(self, call):
            self.made += call.nodes

        def before_derivative(self, call):
            self.begun.append(call.node)

        def after_derivative(self, call):
            self.ended.append(call.node)
            assert call.given or not nodes_behind_edges(call.node)

    inputs = [
        gpukit.tensor(np.asarray(each), requires_grad=True).requires_grad_()
        for each in case.inputs(0)
    ]
    observer = Derivatives()
    with _core.observe(observer, nodes=True):
        results = case.function(gpukit, *inputs)
        parts = results if isinstance(results, list | tuple) else [results]
        loss = sum((part.sum() for part in parts[1:]), parts[0].sum())
        nodes = nodes_behind(loss)
        loss.backward()
    key = sorted(map(repr, nodes))
    assert sorted(map(repr, observer.begun)) == sorted(map(repr, observer.ended)) == key
    assert {repr(node) for node in nodes} <= {repr(node) for node in observer.made}


def nodes_behind_edges(node):
    return [other for other, _ in node.next_functions if other is not None]
