"""Functions of containers that return containers, in every transform of func, beside torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

RETURNS = {
    "tensor": lambda a: a * 2,
    "tuple": lambda a: (a * 2, a.sin()),
    "list": lambda a: [a * 2, a.sin()],
    "dict": lambda a: {"u": a * 2, "v": a.sin()},
    "nested": lambda a: (a * 2, {"v": a.sin()}),
    "scalars": lambda a: ((a * a).sum(), a.sum()),
    "unreached": lambda a: (a * 2, a.detach() + 1),
}


def ones(tree):
    if isinstance(tree, dict):
        return {name: ones(value) for name, value in tree.items()}
    if isinstance(tree, (tuple, list)):
        return type(tree)(ones(value) for value in tree)
    return tree.detach() * 0 + 1


def pulled(m, func, *args):
    value, pull = m.func.vjp(func, *args)
    return value, pull(ones(value))


TRANSFORMS = {
    "vjp": lambda m, f, x, y: pulled(m, f, x),
    "vjp of a dict": lambda m, f, x, y: pulled(m, lambda d: f(d["x"] * d["y"]), {"x": x, "y": y}),
    "vjp with aux": lambda m, f, x, y: m.func.vjp(lambda a: (f(a), a), x, has_aux=True)[::2],
    "vjp in vmap": lambda m, f, x, y: m.vmap(lambda a: m.func.vjp(f, a)[0])(m.stack([x, y])),
    "jvp": lambda m, f, x, y: m.func.jvp(f, (x,), (y,)),
    "jvp of a dict": lambda m, f, x, y: m.func.jvp(lambda d: f(d["x"]), ({"x": x},), ({"x": y},)),
    "jvp with aux": lambda m, f, x, y: m.func.jvp(lambda a: (f(a), a), (x,), (y,), has_aux=True),
    "jacrev": lambda m, f, x, y: m.func.jacrev(f)(x),
    "jacrev of a dict": lambda m, f, x, y: m.func.jacrev(lambda d: f(d["x"]))({"x": x}),
    "jacfwd": lambda m, f, x, y: m.func.jacfwd(f)(x),
    "vmap": lambda m, f, x, y: m.vmap(f)(m.stack([x, y])),
}


def told(tree):
    """Containers and numbers, and what is connected to a graph."""
    if isinstance(tree, dict):
        return {name: told(value) for name, value in tree.items()}
    if isinstance(tree, (tuple, list)):
        return [type(tree).__name__, *map(told, tree)]
    values = np.asarray(tree.detach().numpy(), "float64").round(4) + 0.0
    return values.tolist(), tree.requires_grad


@pytest.mark.filterwarnings("ignore:.*torch.jit")
@pytest.mark.parametrize("returned", RETURNS)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_containers(transform, returned):
    def result(m):
        x, y = m.tensor([1.0, 2.0]), m.tensor([3.0, 4.0])
        return told(TRANSFORMS[transform](m, RETURNS[returned], x, y))

    assert result(gpukit) == result(torch)


def test_vectors_that_do_not_fit():
    _, pull = gpukit.func.vjp(lambda a: (a, a * 2), gpukit.ones(2))
    with pytest.raises(ValueError, match="func returned 2 tensors, got 1 vectors"):
        pull(gpukit.ones(2))
    with pytest.raises(TypeError, match="the result of func must be a Tensor or a tuple"):
        gpukit.func.vjp(lambda a: (a, None), gpukit.ones(2))
    with pytest.raises(TypeError, match="the result of func must be a Tensor or a tuple"):
        gpukit.func.jvp(lambda a: (a, 3), (gpukit.ones(2),), (gpukit.ones(2),))
