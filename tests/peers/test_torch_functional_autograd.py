"""autograd.functional beside torch: values, structures, requires_grad and classes of errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import gpukit

CASES = {  # function: (its result, its inputs, the vectors of vjp)
    "one": (lambda t: lambda x: x**3, [[1.0, 2.0, 3.0]], [[1.0, -1.0, 2.0]], False),
    "planes": (
        lambda t: lambda x: (x @ x).sum(dim=0),
        [[[1.0, 2.0], [3.0, 4.0]]],
        [[1.0, 2.0]],
        False,
    ),
    "two": (lambda t: lambda x, y: x.sin() * y, [[1.0, 2.0], 3.0], [[1.0, 2.0]], False),
    "pairs": (lambda t: lambda x, y: (x * y, y.exp()), [[1.0, 2.0], 0.5], [[1.0, 2.0], 3.0], True),
    "unused": (lambda t: lambda x, y: x * 2, [[1.0, 2.0], 0.5], [[1.0, 2.0]], False),
    "constant": (lambda t: lambda x: t.ones(2, dtype=t.float64), [[1.0, 2.0]], [[1.0, 2.0]], False),
}
SCALARS = {
    "cubes": (lambda t: lambda x: (x**3).sum(), [[1.0, 2.0, 3.0]]),
    "mixed": (lambda t: lambda x, y: (x.sin() * y * y).sum(), [[1.0, 2.0], 3.0]),
    "flat": (lambda t: lambda x: (2 * x).sum(), [[1.0, 2.0]]),
    "one element": (lambda t: lambda x: x**4, [[2.0]]),
    "unused": (lambda t: lambda x, y: (x**2).sum(), [[1.0, 2.0], 3.0]),
}


def given(module, values, requires_grad, alone):
    tensors = tuple(
        module.tensor(value, dtype=module.float64, requires_grad=requires_grad) for value in values
    )
    return tensors[0] if alone else tensors


def described(value):
    if isinstance(value, tuple):
        return tuple(described(part) for part in value)
    return (tuple(value.shape), bool(value.requires_grad), value.detach().numpy())


def outcome(call):
    try:
        return described(call())
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return error


def assert_same(got, want):
    if isinstance(want, Exception):
        assert isinstance(got, type(want)), got
    elif isinstance(want, tuple) and want and isinstance(want[-1], np.ndarray):
        assert got[:2] == want[:2]
        np.testing.assert_allclose(got[2], want[2], rtol=1e-12, atol=1e-12)
    else:
        assert isinstance(got, tuple)
        assert len(got) == len(want)
        for mine, theirs in zip(got, want, strict=True):
            assert_same(mine, theirs)


FLAGS = list(itertools.product([False, True], [False, True], [False, True]))


def options(create_graph, strict):
    return {"create_graph": create_graph, "strict": strict}


@pytest.mark.parametrize(("create_graph", "strict", "requires_grad"), FLAGS)
@pytest.mark.parametrize("name", CASES)
def test_jacobians_and_their_products(name, create_graph, strict, requires_grad):
    make, values, vectors, several = CASES[name]

    def all_of(module):
        functional, func = module.autograd.functional, make(module)
        inputs = given(module, values, requires_grad, len(values) == 1)
        v = given(module, vectors, False, not several)
        along = given(module, values, False, len(values) == 1)
        flags = options(create_graph, strict)
        return [
            outcome(lambda: functional.jacobian(func, inputs, **flags)),
            outcome(lambda: functional.vjp(func, inputs, v, **flags)),
            outcome(lambda: functional.jvp(func, inputs, along, **flags)),
            outcome(lambda: functional.vjp(func, inputs, **flags)),
            outcome(lambda: functional.jvp(func, inputs, **flags)),
        ]

    for got, want in zip(all_of(gpukit), all_of(torch), strict=True):
        assert_same(got, want)


@pytest.mark.parametrize(("create_graph", "strict", "requires_grad"), FLAGS)
@pytest.mark.parametrize("name", SCALARS)
def test_hessians_and_their_products(name, create_graph, strict, requires_grad):
    make, values = SCALARS[name]

    def all_of(module):
        functional, func = module.autograd.functional, make(module)
        inputs = given(module, values, requires_grad, len(values) == 1)
        v = given(module, values, False, len(values) == 1)
        flags = options(create_graph, strict)
        return [
            outcome(lambda: functional.hessian(func, inputs, **flags)),
            outcome(lambda: functional.vhp(func, inputs, v, **flags)),
            outcome(lambda: functional.hvp(func, inputs, v, **flags)),
            outcome(lambda: functional.vhp(func, inputs, **flags)),
        ]

    for got, want in zip(all_of(gpukit), all_of(torch), strict=True):
        assert_same(got, want)


def test_wrong_calls_raise_the_same_classes():
    def all_of(module):
        functional = module.autograd.functional
        x = module.tensor([1.0, 2.0])
        return [
            outcome(lambda: functional.jacobian(lambda x: x, [x])),
            outcome(lambda: functional.jacobian(lambda x: 1, x)),
            outcome(lambda: functional.hessian(lambda x: x * x, x)),
            outcome(lambda: functional.hessian(lambda x: (x.sum(),), x)),
            outcome(lambda: functional.hvp(lambda x: x.sum(), x, (x, x))),
            outcome(lambda: functional.jvp(lambda x: x, x, x[:1])),
            outcome(lambda: functional.vjp(lambda x: (x,), x, x)),
            outcome(lambda: functional.vjp(lambda x: x, x, 1.0)),
            outcome(lambda: functional.jacobian(lambda x: x, x, strict=True, vectorize=True)),
            outcome(lambda: functional.jacobian(lambda x: x, x, strategy="forward-mode")),
            outcome(lambda: functional.jacobian(lambda x: x, module.tensor([1, 2]))),
        ]

    for got, want in zip(all_of(gpukit), all_of(torch), strict=True):
        assert_same(got, want)
