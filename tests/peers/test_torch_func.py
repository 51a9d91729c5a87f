"""gpukit.func beside torch.func: values, containers, nested derivatives."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

ROWS = """
t.vmap(t.dot)(x, y)
t.vmap(lambda a, b: a + b, in_dims=(0, None))(x, x[0])
t.vmap(lambda a: a * 2, in_dims=1, out_dims=1)(x)
t.vmap(lambda a: (a.sum(), a), out_dims=(0, 1))(x)
t.vmap(lambda d: d["a"] + d["b"])({"a": x, "b": y})
t.vmap(t.vmap(t.sin))(x)
t.vmap(lambda a, scale: a * scale)(x, scale=x[0])
f.grad(lambda a: (a ** 3).sum())(x)
f.grad(lambda a, b: (a * b).sum(), argnums=1)(x, y)
f.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, y)
f.grad(lambda p: (p["w"] * p["b"]).sum())({"w": x, "b": y})
f.grad(lambda a: ((a * a).sum(), a + 1), has_aux=True)(x)
f.grad_and_value(lambda a: (a * a).sum())(x)
f.grad(f.grad(lambda a: a ** 3))(x[0, 0])
f.grad(f.grad(f.grad(lambda a: a ** 4)))(x[0, 0])
t.vmap(f.grad(lambda a: (a * a).sum()))(x)
t.vmap(f.grad(lambda w, a, b: ((a @ w) - b) ** 2), in_dims=(None, 0, 0))(y[0], x, x[:, 0])
f.jacrev(lambda a: a * a)(x[0])
f.jacrev(lambda a, b: a * b, argnums=1)(x[0], y[0])
f.jacrev(lambda a, b: a * b, argnums=(0, 1))(x[0], y[0])
f.jacrev(lambda a: (a * a, a.sum()))(x[0])
f.jacrev(lambda p: p["w"] * p["b"].sum())({"w": x, "b": y})
f.jacrev(lambda a: (a * a, a + 1), has_aux=True)(x[0])
f.jacrev(lambda p: f.functional_call(layer, p, (y,)))({"weight": x, "bias": y[:, 0]})
f.jacfwd(lambda a: {"s": a.sin(), "c": a.cos()})(x[0])
f.jacfwd(lambda a, b: a @ b, argnums=1)(x, y[0])
f.jacfwd(f.jacrev(lambda a: (a ** 3).sum()))(x[0])
f.jacrev(f.jacfwd(lambda a: a ** 3))(x[0])
t.vmap(f.jacrev(lambda a: a * a.sum()))(x)
f.grad(lambda b: f.jacrev(lambda a: a * b * b)(b * 2).sum())(x[0])
f.grad(lambda b: f.grad(lambda a: (a * b * b).sum())(x[0]).sum())(y[0])
f.jacrev(lambda b: f.jacfwd(lambda a: a * b)(x[0]))(y[0])
f.grad(lambda b: f.hessian(lambda a: (a ** 3 * b).sum())(x[0]).sum())(y[0])
f.grad(lambda b: f.vjp(lambda a: a * b, x[0])[1](y[0])[0].sum())(y[0])
closure(lambda w: f.jacrev(lambda a: a * a * w)(x[0]).sum())
closure(lambda w: f.grad(lambda a: (a * a * w).sum())(x[0]).sum())
closure(lambda w: f.hessian(lambda a: (a ** 3 * w).sum())(x[0]).sum())
closure(lambda w: f.vjp(lambda a: a * w, x[0])[1](y[0])[0].sum())
f.hessian(lambda a, b: (a * a * b).sum(), argnums=(0, 1))(x[0], y[0])
f.hessian(lambda a: a ** 3)(x[0])
f.hessian(lambda a: (a ** 3).sum())(x[0])
f.vjp(lambda a: a.sin(), x)[1](y)
f.vjp(lambda a, b: a * b, x, y)[0]
f.jvp(lambda a: a.sin(), (x,), (y,))
f.jvp(lambda a: (a.sin(), a + 1), (x,), (y,), has_aux=True)
f.functionalize(lambda a: a.clone().add_(1).view(-1).mul_(2))(x)
f.linearize(lambda a: a.sin(), x)[1](y)
f.linearize(lambda a, b: {"p": a * b["w"], "s": a.sum()}, x, {"w": y})[1](y, {"w": x})
f.linearize(lambda a, b: (a * 2, b * b), x, y)[0]
[product(each) for product in [f.linearize(lambda a: a ** 3 + 1, x)[1]] for each in (x, y)]
f.linearize(lambda a: t.ones(2), x)[1](y)
f.linearize(lambda a: (a * 2, a.argmax()), x)[1](y)
f.linearize(lambda d: d["k"] * 2 + d["j"], {"k": x, "j": y})[1]({"k": x, "j": x * 0})
closure(lambda w: f.linearize(lambda a: a ** 3, x)[1](w * y).sum())
closure(lambda w: f.jvp(lambda a: a ** 3, (x,), (w * y,))[1].sum())
f.functional_call(layer, ({"weight": x}, {"bias": y[:, 0]}), (y,))
f.functional_call(t.nn.Sequential(layer), {"0.weight": x, "0.bias": y[:, 0]}, y, strict=True)
f.functional_call(layer, {"weight": x, "bias": y[:, 0]}, (y,))
f.grad(lambda p: f.functional_call(layer, p, (y,)).sum())({"weight": x, "bias": y[:, 0]})
"""


def value_of(t: Any, row: str) -> Any:
    x = t.arange(6.0).reshape(2, 3) / 4 + 0.1

    def closure(function: Any) -> Any:
        w = t.tensor(2.0, requires_grad=True)
        function(w).backward()
        return w.grad

    names = {
        "closure": closure,
        "t": t,
        "f": t.func,
        "x": x,
        "y": x.flip(0) - 1,
        "layer": t.nn.Linear(3, 2),
    }
    return plain(eval(compile(ast.parse(row, mode="eval"), "row", "eval"), names))


def plain(value: Any) -> Any:
    if isinstance(value, (torch.Tensor, gpukit.Tensor)):
        return value.detach().numpy()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value]


def agree(got: Any, want: Any) -> None:
    if isinstance(want, np.ndarray):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    elif isinstance(want, dict):
        assert got.keys() == want.keys()
        for key, value in want.items():
            agree(got[key], value)
    else:
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            agree(one, other)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_gives_what_torch_gives(row: str) -> None:
    agree(value_of(gpukit, row), value_of(torch, row))


def test_a_module_has_its_parameters_again() -> None:
    layer = gpukit.nn.Linear(1, 1)
    own = layer.weight
    with pytest.raises(gpukit.ShapeError):
        gpukit.func.functional_call(layer, {"weight": gpukit.ones(1, 1)}, gpukit.ones(2, 3))
    assert layer.weight is own
    with pytest.raises(KeyError, match="'weights'"):
        gpukit.func.functional_call(layer, {"weights": own}, gpukit.ones(1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: gpukit.vmap(gpukit.dot)(x, x[:1]), "sizes"),
        (gpukit.vmap(gpukit.sin, in_dims=None), "in_dims"),
        (gpukit.vmap(gpukit.sin, in_dims=(0, 1)), "in_dims has 2"),
        (gpukit.vmap(lambda a: 3), "must return tensors"),
        (lambda x: gpukit.vmap(gpukit.sin, randomness="some"), "randomness"),
        (lambda x: gpukit.func.functionalize(gpukit.sin, remove="views"), "'mutations'"),
        (lambda x: gpukit.func.jvp(lambda d: d["k"], ({"k": x},), ({"j": x},)), "a dict of 'j'"),
        (lambda x: gpukit.func.jvp(gpukit.sin, (x,), (x, x)), "as many parts"),
        (lambda x: gpukit.func.linearize(lambda d: d[0], [x])[1](x), "a Tensor for a list"),
        (lambda x: gpukit.vmap(gpukit.sin, randomness=[]), "randomness"),
        (lambda x: gpukit.func.linearize(gpukit.sin, x)[1](x[:1]), "shapes of primals"),
        (lambda x: gpukit.vmap(gpukit.sin)(x[:0]), "no items"),
        (gpukit.func.grad(lambda a: a), "one element"),
        (gpukit.func.grad(lambda a: a.sum(), argnums=2), "argnums is 2"),
        (lambda x: gpukit.func.grad(lambda a: a)(3.0), "must be a Tensor"),
        (lambda x: gpukit.func.jacrev(lambda a: a, argnums=(0.5,)), "must be an int"),
    ],
)
def test_what_is_refused(call: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call(gpukit.ones(2, 2))


@pytest.mark.parametrize("library", [torch, gpukit], ids=["torch", "gpukit"])
def test_items_draw_the_same_numbers_or_their_own(library: Any) -> None:
    def drawn(_: Any) -> Any:
        return library.rand(2)

    def draws(randomness: str) -> list[list[float]]:
        library.manual_seed(3)
        found: list[list[float]] = library.vmap(drawn, randomness=randomness)(
            library.zeros(3)
        ).tolist()
        return found

    same = draws("same")
    assert same[0] == same[1] == same[2]
    assert library.rand(2).tolist() != same[0]
    assert len({tuple(row) for row in draws("different")}) == 3


def test_linearize_gives_new_tensors_and_derivatives_of_its_products() -> None:
    x = gpukit.tensor([1.0, 2.0])
    _, product = gpukit.func.linearize(lambda a: a, x)
    product(x).add_(1)
    assert x.tolist() == [1.0, 2.0]

    def of_product(a: Any) -> Any:
        return gpukit.func.linearize(lambda b: (b**3).sum(), a)[1](gpukit.ones(2))

    assert gpukit.func.grad(of_product)(x).tolist() == [6.0, 12.0]
    assert gpukit.func.linearize(lambda d: d["k"] * 2, {"k": x, "j": x})[1](
        {"j": x * 0, "k": x}
    ).tolist() == [2.0, 4.0]


def test_batch_norms_without_running_values():
    results = []
    for m in (gpukit, torch):
        net = m.nn.Sequential(
            m.nn.BatchNorm1d(3),
            m.nn.Sequential(m.nn.BatchNorm1d(3, affine=False), m.nn.InstanceNorm1d(3)),
            m.nn.BatchNorm1d(3, track_running_stats=False),
        )
        assert m.func.replace_all_batch_norm_modules_(net) is net
        assert list(net.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
        assert [each.track_running_stats for each in (net[0], net[1][0], net[2])] == [False] * 3
        x = m.arange(24.0).reshape(2, 3, 4).square()
        results.append([net(x), net.eval()(x)])
        alone = m.nn.BatchNorm2d(2)
        assert m.func.replace_all_batch_norm_modules_(alone).running_var is None
    for got, want in zip(*results, strict=True):
        np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), 1e-5, 1e-5)
    with pytest.raises(TypeError, match="root must be a Module, got 3"):
        gpukit.func.replace_all_batch_norm_modules_(3)


def test_vmap_of_a_function_that_returns_numbers():
    for m in (gpukit, torch):
        with pytest.raises(ValueError, match=r"must (only )?return"):
            m.vmap(lambda x: 3.0)(m.ones(2))
    with pytest.raises(gpukit.ArgumentError, match=r"got 3\.0 \(float\)\. Return a tensor"):
        gpukit.vmap(lambda x: 3.0)(gpukit.ones(2))
