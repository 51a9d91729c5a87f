"""Tensors of inference_mode() outside of it: refused where torch refuses them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gpukit

# inf makes a tensor in inference_mode(); w requires a gradient; F and t as usual.
ROWS = """
w * inf()
inf() * w
w + inf()
w - inf()
w / inf()
inf() / w
inf() - w
w @ inf()
F.linear(w, inf(3, 2))
F.linear(inf(), t.ones(3, 2, requires_grad=True))
F.linear(w, t.ones(3, 2), inf(3))
w[inf_indices()]
w.index_select(0, inf_indices())
w.gather(0, inf_indices())
t.where(inf() > 0, w, 0.0)
w.masked_fill(inf() > 0, 0.0)
t.cat([w, inf()])
t.stack([w, inf()])
(w * 1).add_(inf())
(w * 1).mul_(inf())
(w * 1).copy_(inf())
w.clone().index_add_(0, t.tensor([0, 1]), inf())
w.dot(inf())
t.maximum(w, inf())
t.lerp(w, inf(), 0.5)
F.l1_loss(w, inf())
F.embedding(inf_indices(), t.ones(3, 2, requires_grad=True))
F.layer_norm(inf(3, 2), (2,), w)
F.dropout(inf(), 0.5)
w.expand_as(inf(3, 2))
w.view_as(inf())
w ** inf()
inf() ** w
w.atan2(inf())
t.outer(w, inf())
t.nn.Linear(2, 3)(inf())
t.nn.Linear(2, 3).requires_grad_(False)(inf())
t.nn.Conv1d(1, 1, 1)(inf(1, 1, 4))
t.nn.BatchNorm1d(2)(inf(4, 2))
F.relu(inf())
inf() + 1
inf().clone()
inf()[0]
inf().detach()
inf().to(t.float64)
inf().contiguous()
inf().view(2, 1)
inf().add_(1)
inf().mul_(w.detach())
inf().zero_()
inf().fill_(2.0)
inf().copy_(t.zeros(2))
inf()[0].fill_(1)
inf().relu_()
inf().clamp_(0, 1)
inf().normal_()
inf().uniform_()
inf().index_fill_(0, t.tensor([0]), 1.0)
inf().masked_fill_(t.tensor([True, False]), 1.0)
inf().scatter_(0, t.tensor([0]), 1.0)
inf().index_put_((t.tensor([0]),), t.tensor(1.0))
inf().add_(w)
inf().detach_()
inf().requires_grad_()
inf().requires_grad_(False)
t.nn.Parameter(inf())
t.nn.Parameter(inf(), requires_grad=False)
t.add(t.ones(2), 1, out=inf())
t.abs(t.ones(2), out=inf())
assigned(inf(), 0, 1.0)
assigned(inf(), slice(0, 1), 1.0)
assigned(inf(), t.tensor([0]), 1.0)
assigned(inf(), t.tensor([True, False]), t.tensor([4.0]))
assigned(t.zeros(2), slice(0, 2), inf())
in_mode(lambda: inf().add_(1))
in_mode(lambda: assigned(inf(), 0, 1.0))
in_mode(lambda: inf().requires_grad_())
in_mode(lambda: w * 2)
in_mode(lambda: recorded(lambda: w * 2))
in_mode(lambda: w.detach())
in_mode(lambda: w[0])
in_mode(lambda: w.clone())
in_mode(lambda: n.add_(1))
in_mode(lambda: in_mode(lambda: w * 2, False))
in_mode(lambda: t.ones(2, requires_grad=True).sum())
t.autograd.grad((w * 2).sum(), w, inf(1)[0])[0]
t.nn.init.zeros_(inf())
""".strip().splitlines()


def said(t: Any, row: str) -> object:
    def in_mode(function: Any, mode: bool = True) -> Any:
        with t.inference_mode(mode):
            return function()

    def recorded(function: Any) -> Any:
        with t.enable_grad():
            return function()

    def assigned(x: Any, key: Any, value: Any) -> Any:
        x[key] = value
        return x

    scope = {
        "t": t,
        "F": t.nn.functional,
        "w": t.tensor([1.0, 2.0], requires_grad=True),
        "n": t.ones(2),
        "inf": lambda *shape: in_mode(lambda: t.ones(*(shape or (2,)))),
        "inf_indices": lambda: in_mode(lambda: t.tensor([0, 1])),
        "in_mode": in_mode,
        "recorded": recorded,
        "assigned": assigned,
    }
    try:
        result = eval(row, scope)
    except RuntimeError as error:
        return "saved" if "saved for backward" in str(error) else "refused"
    return result.requires_grad, result.is_inference()


@pytest.mark.parametrize("row", ROWS)
def test_as_torch(row: str) -> None:
    assert said(gpukit, row) == said(torch, row)


def test_the_errors_say_what_to_do() -> None:
    with gpukit.inference_mode():
        x = gpukit.ones(2)
        parameter = gpukit.ones(2)
    w = gpukit.ones(2, requires_grad=True)
    with pytest.raises(gpukit.AutogradError, match=r"made in inference_mode.*clone") as saved:
        w * x
    assert saved.value.fix == "X.clone()"
    with pytest.raises(gpukit.AutogradError, match=r"add_: X was made in inference_mode.*clone"):
        x += 1
    assert x.tolist() == [1, 1]
    parameter.grad = gpukit.ones(2)
    for step in (gpukit.optim.SGD([parameter], 0.1), gpukit.optim.Adam([parameter], 0.1)):
        with pytest.raises(gpukit.AutogradError, match="inference_mode"):
            step.step()
    (w * x.clone()).sum().backward()
    assert w.grad.tolist() == [1, 1]
