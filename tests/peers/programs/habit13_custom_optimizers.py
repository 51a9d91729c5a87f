"""Home-made optimizers next to the built-in ones."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import math
from typing import Callable, Iterable, Optional

import torch
from torch import nn
from torch.optim import Optimizer


class SGDM(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0.0, weight_decay=0.0):
        if lr < 0.0:
            raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, momentum=momentum, weight_decay=weight_decay)
        super(SGDM, self).__init__(params, defaults)

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                d_p = p.grad.data
                if group["weight_decay"] != 0:
                    d_p = d_p.add(p.data, alpha=group["weight_decay"])
                if group["momentum"] != 0:
                    st = self.state[p]
                    if "momentum_buffer" not in st:
                        buf = st["momentum_buffer"] = torch.clone(d_p).detach()
                    else:
                        buf = st["momentum_buffer"].mul_(group["momentum"]).add_(d_p)
                    d_p = buf
                p.data.add_(d_p, alpha=-group["lr"])
        return loss


class AdamW(Optimizer):
    """CS224n / minBERT assignment"""

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas=(0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        correct_bias: bool = True,
    ):
        super().__init__(
            params,
            dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, correct_bias=correct_bias),
        )

    @torch.no_grad()
    def step(self, closure: Optional[Callable] = None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                b1, b2 = group["betas"]
                state["t"] += 1
                state["m"].mul_(b1).add_(p.grad, alpha=1 - b1)
                state["v"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                step_size = group["lr"]
                if group["correct_bias"]:
                    step_size *= math.sqrt(1 - b2 ** state["t"]) / (1 - b1 ** state["t"])
                p.addcdiv_(state["m"], state["v"].sqrt().add_(group["eps"]), value=-step_size)
                if group["weight_decay"] > 0:
                    p.add_(p, alpha=-group["lr"] * group["weight_decay"])


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99)):
        super().__init__(params, {"lr": lr, "betas": betas})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in filter(lambda q: q.grad is not None, group["params"]):
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                b1, b2 = group["betas"]
                p.add_(m.lerp(p.grad, 1 - b1).sign_(), alpha=-group["lr"])
                m.lerp_(p.grad, 1 - b2)


def make():
    m = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.linspace(-0.6, 0.5, p.numel()).add(0.1 * i).view_as(p))
    return m


X = torch.sin(torch.arange(60.0)).reshape(20, 3)
Y = (X.sum(1, keepdim=True) * 0.7).tanh()


def run(opt_fn, steps=12):
    m = make()
    opt = opt_fn(m.parameters())
    hist = []
    for i in range(steps):
        opt.zero_grad()
        loss = nn.functional.mse_loss(m(X), Y)
        loss.backward()
        opt.step()
        hist.append(loss.item())
    return m, opt, hist


def same(m1, m2, tol=1e-5):
    return all(torch.allclose(a, b, atol=tol) for a, b in zip(m1.parameters(), m2.parameters()))


mine, o1, h1 = run(lambda ps: SGDM(ps, lr=0.1, momentum=0.9, weight_decay=0.01))
ref, o2, h2 = run(lambda ps: torch.optim.SGD(ps, 0.1, 0.9, weight_decay=0.01))
print(o1)
print("sgd same", same(mine, ref), ["%.4f" % v for v in h1[::4]], ["%.4f" % v for v in h2[::4]])
mine, o1, h1 = run(lambda ps: AdamW(ps, lr=0.01))
ref, o2, h2 = run(lambda ps: torch.optim.Adam(ps, lr=0.01, eps=1e-8))
print("adam close", same(mine, ref, 1e-2), "%.4f %.4f" % (h1[-1], h2[-1]))
print(
    {
        k: (v if isinstance(v, int) else tuple(v.shape))
        for k, v in o1.state_dict()["state"][0].items()
    }
)
_, o, h = run(lambda ps: Lion(ps, lr=0.02))
print("lion", ["%.3f" % v for v in h[:6]], len(o.state))
for cls, kw in [
    (torch.optim.Adam, {}),
    (torch.optim.AdamW, {"weight_decay": 0.1}),
    (torch.optim.NAdam, {}),
    (torch.optim.RAdam, {}),
    (torch.optim.Adamax, {}),
    (torch.optim.Adagrad, {}),
    (torch.optim.RMSprop, {"momentum": 0.5, "centered": True}),
    (torch.optim.Rprop, {}),
    (torch.optim.ASGD, {}),
    (torch.optim.Adadelta, {}),
    (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
]:
    _, o, h = run(lambda ps: cls(ps, lr=0.01, **kw), steps=8)
    print(
        f"{cls.__name__:9s}",
        f"{h[0]:.4f} -> {h[-1]:.4f}",
        sorted(o.state[o.param_groups[0]["params"][0]].keys()),
    )
try:
    SGDM([torch.zeros(1)], lr=-1)
except ValueError as e:
    print(type(e).__name__)
