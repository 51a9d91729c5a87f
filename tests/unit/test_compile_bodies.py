"""Operators that are written in Python join chains: each row of the table does, or says why not."""

from __future__ import annotations

import contextlib
import types
from typing import Any

import pytest

import gpukit
from gpukit import _core
from gpukit._compile.grouping import plan_of
from gpukit._compile.trace import UnknownTypeError, mapped
from gpukit._compile.tracer import Tracer
from gpukit._operators import composed

# Rows that no example calls, or whose example has another form.
CALLS = {
    "clamp": _core.clamp,
    "clip": lambda x, y: _core.clip(x, max=y),
    "where": lambda x, y: _core.where(x > y),
    "round": lambda x, y: _core.round(x, decimals=2) + y,
}

JOIN = """
    addcdiv addcmul aminmax clamp clamp_max clamp_min clip deg2rad dist float_power fmax fmin fmod
    frac frexp hardshrink heaviside isneginf isposinf isreal ldexp lerp mvlgamma nan_to_num nanmean
    nansum rad2deg
    """.split()  # noqa: SIM905
APART = {
    "depends on sizes": """
        addbmm addmv addr atleast_1d atleast_2d atleast_3d baddbmm block_diag broadcast_tensors
        bucketize cdist combinations convolve corrcoef cov cummax cummin cumulative_trapezoid diag
        diag_embed diff dsplit dstack einsum fliplr gradient hsplit index_put index_reduce inner
        interp isin istft kron kthvalue logcumsumexp median meshgrid mode moveaxis movedim
        nanmedian nanquantile prelu quantile renorm repeat_interleave roll rot90 round searchsorted
        std_mean stft sum_to_size take_along_dim tensor_split tensordot tile trace trapezoid trapz
        type_as unflatten var_mean vecdot vsplit
        """,
    "writes into a tensor": """
        diagonal_scatter histc index_add index_copy index_fill normal put scatter scatter_add
        scatter_reduce select_scatter slice_scatter unique_consecutive
        """,
    "has nothing that could join a chain": """
        adjoint diagflat flipud ger hstack msort narrow_copy new_full vdot vstack
        """,
    "reads the value of a tensor with item()": "bincount histogram multinomial unravel_index",
    "branches on the value of a tensor": "bernoulli",
    "has results of sizes that differ": """
        argwhere nonzero_static pdist tril_indices triu_indices where
        """,
    "calls broadcast_tensors, whose results depend on sizes in number": """
        gcd igamma igammac lcm masked_scatter
        """,
    "calls meshgrid, whose results depend on sizes in number": "cartesian_prod",
    "calls split, whose results depend on sizes in number": "split_with_sizes",
    "calls unbind, whose results depend on sizes in number": "unstack",
    "calls requires_grad_": "new_empty_strided",
    "calls storage_offset": "as_strided_scatter",
    "returns what it was given": "positive to_device",
}
WHY = {name: reason for reason, names in APART.items() for name in names.split()}


def is_composed(name: str) -> bool:
    return isinstance(getattr(composed, name.strip("_"), None), types.FunctionType)


ROWS = sorted(
    {name for name, *_ in _core.entry_points() if is_composed(name) and not name.endswith("_")}
    | set(CALLS)
)


class First:
    """Takes the first call of an operator."""

    def __init__(self, name: str) -> None:
        self.name, self.call, self.arguments = name, None, {}

    def before_operator(self, call: Any) -> None:
        if self.call is None and call.name == self.name:
            self.call, self.arguments = call, dict(call.arguments)


def example_of(name: str) -> First:
    """The call that the example of a row makes, of the row and not of a function around it."""
    first = First(name)
    document = getattr(_core, name, None) or getattr(gpukit.Tensor, name)
    space = {"gpukit": gpukit}
    with _core.observe(first):
        if name in CALLS:
            CALLS[name](gpukit.tensor([1.0, -2.0]), gpukit.tensor([0.5, 0.5]))
            return first
        for line in document.__doc__.splitlines():
            code = line.strip().removeprefix(">>> ")
            if hasattr(_core, name):
                code = code.replace(f"gpukit.{name}(", f"gpukit._core.{name}(")
            if line.strip().startswith(">>> "):
                with contextlib.suppress(Exception):
                    exec(code, space)
    return first


def body_of(name: str) -> Any:
    """What the tracer and the planner make of the example; None where it is no operator."""
    first = example_of(name)
    assert first.call is not None, f"no example of {name} calls it"
    tensors: list[Any] = []
    try:
        mapped(first.arguments, tensors.append)
    except UnknownTypeError:
        return None
    tracer = Tracer(tensors, strict=False)
    with _core.observe(tracer):
        result = first.call.operator.call(first.arguments)
    tracer.finish(result)
    if tracer.fault is not None:
        return None
    plan_of(tracer.trace)
    return next((each.body for each in tracer.trace.operations if each.name == name), None)


@pytest.mark.parametrize("name", ROWS)
def test_each_row_joins_or_says_why_not(name):
    body = body_of(name)
    if body is None:  # one operator, a question, or what no trace holds
        assert name not in JOIN
        assert name not in WHY
    elif name in JOIN:
        assert body.reason == ""
    else:
        assert body.reason == WHY[name]


PROGRAMS = {
    "addcdiv": lambda x, y: (x * 2).addcdiv(x, y, value=0.3) + y,
    "addcmul": lambda x, y: (x * 2).addcmul(x, y, value=-2) + y,
    "add": lambda x, y: (x * 2).add(y, alpha=0.3) * x,
    "sub": lambda x, y: (x * 2).sub(y, alpha=3) * x,
    "clamp": lambda x, y: (x * 2).clamp(y, y + 1) * x,
    "clip": lambda x, y: (x * 2).clip(max=y) * x,
    "clamp_min": lambda x, y: (x * 2).clamp_min(y) * x,
    "clamp_max": lambda x, y: (x * 2).clamp_max(0.5) * y,
    "deg2rad": lambda x, y: (x * 2).deg2rad() * y,
    "rad2deg": lambda x, y: (x * 2).rad2deg() * y,
    "fmax": lambda x, y: (x * 2).fmax(y) + x,
    "fmin": lambda x, y: (x * 2).fmin(y) + x,
    "fmod": lambda x, y: (x * 2).fmod(0.75) + y,
    "frac": lambda x, y: (x * 2).frac() + y,
    "hardshrink": lambda x, y: (x * 2).hardshrink() + y,
    "hardshrink_limit": lambda x, y: (x * 2).hardshrink(0.25) + y,
    "isposinf": lambda x, y: gpukit.where((x * 2).isposinf(), y, x),
    "isneginf": lambda x, y: gpukit.where((x * 2).isneginf(), y, x),
    "lerp": lambda x, y: (x * 2).lerp(y, 0.75) + x,
    "lerp_weights": lambda x, y: (x * 2).lerp(y, gpukit.sigmoid(x)) + x,
    "nan_to_num": lambda x, y: (x / y).nan_to_num(0.5) + x,
}
DTYPES = ["float32", "float64", "float16", "bfloat16"]


def operands(dtype: str, shape: tuple[int, ...]) -> list[Any]:
    x, y = (gpukit.randn(shape).to(dtype) for _ in range(2))
    x.flatten()[:5] = gpukit.tensor([0.0, -0.0, float("nan"), float("inf"), -float("inf")])
    y.flatten()[:3] = gpukit.tensor([0.0, -0.0, float("nan")])
    return [x, y]


def same(a: Any, b: Any) -> bool:
    return a.dtype == b.dtype and gpukit.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_join_with_the_same_bits(name, dtype):
    function = PROGRAMS[name]
    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    for shape in ((60,), (7,), (3, 40_000)):
        x, y = operands(dtype, shape)
        expected = function(x, y)
        for _ in range(2):
            assert same(compiled(x, y), expected)
    explained = compiled.explain()
    if dtype in {"float32", "float64"}:
        assert len(explained.groups) == explained.traces
        assert not explained.alone


@pytest.mark.parametrize("name", PROGRAMS)
def test_their_gradients_join_too(name):
    function = PROGRAMS[name]
    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    x, y = (each.requires_grad_() for each in operands("float32", (70,)))
    wanted = gpukit.autograd.grad(function(x, y).sum(), (x, y), allow_unused=True)
    for _ in range(3):
        found = gpukit.autograd.grad(compiled(x, y).sum(), (x, y), allow_unused=True)
        for a, b in zip(found, wanted, strict=True):
            assert (a is None) == (b is None)
            assert a is None or same(a, b)


def test_a_body_that_asks_for_sizes_is_opened_for_those_sizes_alone():
    def rectified(x, w):
        return (x * 2).prelu(w) + 1

    x, w = gpukit.randn(4, 3), gpukit.tensor([0.1, 0.2, 0.3])
    free = gpukit.compile(rectified, fullgraph=True, backend="tiles")
    bound = gpukit.compile(rectified, fullgraph=True, backend="tiles", dynamic=False)
    for compiled in (free, bound):
        for count in (4, 7):
            x = gpukit.randn(count, 3)
            for _ in range(2):
                assert gpukit.equal(compiled(x, w), rectified(x, w))
    assert "prelu" in free.explain().alone
    assert "it is composed of operators, but depends on sizes" in str(free.explain())
    assert "prelu" not in bound.explain().alone


def test_a_body_that_fails_raises_the_functions_error():
    compiled = gpukit.compile(lambda x: (x * 2).frac() + 1)
    with pytest.raises(gpukit.DTypeError, match="frac"):
        compiled(gpukit.arange(4))
    x = gpukit.randn(9)
    assert gpukit.equal(compiled(x), (x * 2).frac() + 1)


def test_tensors_that_a_body_keeps_are_not_made_again(monkeypatch):
    kept = []

    def frac(input):
        if not kept:
            kept.append(input + 1)
        return input * 2

    def fmod(input, other):
        return input + kept[0]

    monkeypatch.setattr(composed, "frac", frac)
    monkeypatch.setattr(composed, "fmod", fmod)

    def function(x):
        return x.frac() + x.fmod(2.0)

    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    for _ in range(3):
        x = gpukit.randn(9)
        assert gpukit.equal(compiled(x), function(x))


def test_tensors_of_a_body_are_unknown_behind_it():
    def twice(x):
        a = x.nan_to_num()
        b = x.movedim(0, 1).movedim(0, 1)
        return a.hardshrink() + b.positive() * x.fmod(0.5)

    compiled = gpukit.compile(twice, fullgraph=True, backend="tiles")
    for _ in range(3):
        x = gpukit.randn(5, 6)
        assert gpukit.equal(compiled(x), twice(x))
