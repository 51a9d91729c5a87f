"""gpukit.compile: what changes between calls is seen, and results are those of the function."""

from __future__ import annotations

import operator
import warnings

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit._compile import compiled as compiled_functions

FACTORS = [1, 2]


@pytest.fixture(autouse=True)
def always_chains(monkeypatch):
    monkeypatch.setattr(compiled_functions, "FEW_ELEMENTS", 0)


@pytest.fixture(autouse=True)
def no_warnings_of_functions_that_run_as_written():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpukit.errors.GpukitWarning)
        yield


def listed(result):
    if isinstance(result, gpukit.Tensor):
        return result.tolist()
    if isinstance(result, (tuple, list)):
        return [listed(item) for item in result]
    return result


def outcome(function, *args):
    try:
        return listed(function(*args))
    except Exception as error:
        return (type(error), str(error))


def of_pair(x):
    first, second = x
    return first * 2 + second


@pytest.mark.parametrize(
    "function",
    [
        lambda x: [row * 2 + 1 for row in x],
        lambda x: sum(x * 2 + 1),
        lambda x: gpukit.stack(list(x)) * 2 + 1,
        lambda x: tuple(map(gpukit.neg, x)),
        lambda x: [row * 2 + 1 for row in gpukit.split(x, 2)],
        lambda x: (x * 2 + 1) * x.__len__(),
        lambda x: (x * 2 + 1) * operator.length_hint(x),
        lambda x: (x * 2 + 1) * getattr(x, "shape")[0],  # noqa: B009
        lambda x: (x * 2 + 1) * operator.attrgetter("shape")(x)[0],
        of_pair,
    ],
)
def test_other_sizes_than_recorded(function):
    compiled = gpukit.compile(function)
    for rows in (2, 2, 3, 5, 1, 2, 0, 4):
        x = gpukit.arange(rows * 2.0).reshape(rows, 2)
        assert outcome(compiled, x) == outcome(function, x)


def test_a_loop_over_nothing_is_recorded_first():
    def rows(x):
        return [row * 2 + 1 for row in x]

    compiled = gpukit.compile(rows)
    for count in (0, 0, 3):
        assert len(compiled(gpukit.ones(count, 2))) == count


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x * 2 + 1) * len(gpukit.nonzero(x > 0)),
        lambda x: (x * 2 + 1) * x[x > 0].shape[0],
        lambda x: (x * 2 + 1) * len(gpukit.unique(x)),
        lambda x: sum(gpukit.unique(x)) * 2 + x,
        lambda x: [item * 2 + 1 for item in x[x > 0]],
    ],
)
def test_sizes_that_depend_on_values(function):
    compiled = gpukit.compile(function)
    for values in ([1.0, 2, 3], [1, 2, 3], [1, -2, 1], [-1, -1, -1], [4, 5, 6]):
        x = gpukit.tensor(values)
        assert outcome(compiled, x) == outcome(function, x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sort().values * 2 + 1,
        lambda x: x.topk(2)[0] * 2 + 1,
        lambda x: x.max(dim=0),
        lambda x: gpukit.min(x, 0).values * 2 + 1,
        lambda x: (x * 2 + 1).median(dim=0),
    ],
)
def test_results_with_names(function):
    compiled = gpukit.compile(function, fullgraph=True)
    for size in (3, 3, 5):
        x = gpukit.randn(size)
        assert type(compiled(x)) is type(function(x))
        assert listed(compiled(x)) == listed(function(x))


def test_numpy_draws_anew():
    compiled = gpukit.compile(lambda x: x * 2 + float(np.random.rand()))
    x = gpukit.ones(3)
    assert len({compiled(x)[0].item() for _ in range(4)}) > 1


def test_an_operator_that_is_replaced(monkeypatch):
    compiled = gpukit.compile(lambda x: gpukit.sigmoid(x * 2) + 1)
    x = gpukit.ones(3)
    compiled(x)
    monkeypatch.setattr(gpukit, "sigmoid", gpukit.tanh)
    for _ in range(2):
        assert gpukit.equal(compiled(x), gpukit.tanh(x * 2) + 1)


def test_a_method_of_tensors_that_is_replaced(monkeypatch):
    compiled = gpukit.compile(lambda x: x.relu() * 2 + 1)
    x = gpukit.ones(3)
    compiled(x)
    monkeypatch.setattr(gpukit.Tensor, "relu", lambda x: x * 5)
    for _ in range(2):
        assert compiled(x).tolist() == [11, 11, 11]


def test_the_history_of_a_tensor():
    x = gpukit.ones(3, requires_grad=True)
    made = x * 1
    written = gpukit.ones(3)
    written.add_(0)
    functions = [
        lambda x: x * 2 + (3.0 if x.is_leaf else 4.0),
        lambda x: x * 2 + (3.0 if x.grad_fn is None else 4.0),
        lambda x: x * 2 + x._version,
        lambda x: x * 2 + getattr(x, "_version", 7),
    ]
    for function in functions:
        compiled = gpukit.compile(function)
        with gpukit.no_grad():
            for each in (x, x, made, x, gpukit.ones(3), gpukit.ones(3), written):
                assert listed(compiled(each)) == listed(function(each))


def test_lists_of_the_result_are_those_of_the_function():
    x = gpukit.ones(3)
    own = [x]
    given = gpukit.compile(lambda x, items: (items, x * 2 + 1))
    outer = gpukit.compile(lambda x: (FACTORS, x * 2 + 1))

    def twice(x):
        items = [1]
        return items, items, x * 2 + 1

    doubled = gpukit.compile(twice)
    for _ in range(3):
        assert given(x, own)[0] is own
        assert outer(x)[0] is FACTORS
        first, second, _ = doubled(x)
        assert first is second


class Scaled(nn.Module):
    factor = 2.0

    def chain(self, x):
        return self.inner(x) * self.factor

    def inner(self, x):
        return x + 1

    @property
    def drawn(self):
        SEEN.append(1)
        return float(len(SEEN))

    def forward(self, x):
        return self.chain(x) * 2 + 1


class Drawing(Scaled):
    def forward(self, x):
        return super().forward(x) * self.drawn


SEEN: list[int] = []


def test_the_class_of_a_module_changes(monkeypatch):
    model = Scaled()
    compiled = gpukit.compile(model)
    x = gpukit.ones(3)

    def check():
        for _ in range(2):
            assert gpukit.equal(compiled(x), model(x))

    check()
    monkeypatch.setattr(Scaled, "factor", 5.0)
    check()
    monkeypatch.setattr(Scaled, "inner", lambda self, x: x * 7)
    check()
    monkeypatch.setattr(Scaled, "forward", lambda self, x: x - self.factor)
    check()
    outer = nn.Sequential(model)
    compiled, model = gpukit.compile(outer), outer
    check()
    outer[0].__class__ = Drawing
    monkeypatch.setattr(Drawing, "forward", lambda self, x: x * 100)
    check()


def test_properties_and_methods_of_base_classes_are_read():
    SEEN.clear()
    compiled = gpukit.compile(Drawing())
    values = [compiled(gpukit.ones(1)).item() for _ in range(3)]
    assert values == [9.0, 18.0, 27.0]


def test_fullgraph_raises_on_each_call():
    seen = []

    def prints(x):
        print(x.ndim)
        return x * 2 + 1

    def appends(x):
        seen.append(1)
        return x * 2 + 1

    for function in (prints, appends):
        compiled = gpukit.compile(function, fullgraph=True)
        for _ in range(3):
            with pytest.raises(gpukit.CompileError, match="fullgraph"):
                compiled(gpukit.ones(3))
    assert len(seen) == 1


def test_an_error_of_an_operator_is_raised_as_it_is_with_fullgraph():
    add = gpukit.compile(lambda x, y: x * 2 + y, fullgraph=True)
    for _ in range(2):
        with pytest.raises(gpukit.ShapeError):
            add(gpukit.ones(3), gpukit.ones(4))
    assert add(gpukit.ones(3), gpukit.ones(3)).tolist() == [3, 3, 3]
