"""Optimizers from scratch: Lion, AdamW-clone, Lookahead, SAM, LARS; all subclass torch.optim.Optimizer."""

import math
from collections import defaultdict
from typing import Callable, Optional

import torch
import torch.nn as nn
from torch.optim.optimizer import Optimizer, required


class Lion(Optimizer):
    def __init__(self, params, lr: float = 1e-4, betas=(0.9, 0.99), weight_decay: float = 0.0):
        if lr <= 0.0:
            raise ValueError("Invalid learning rate: {}".format(lr))
        if not all([0.0 <= beta <= 1.0 for beta in betas]):
            raise ValueError("Invalid betas")
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure: Optional[Callable] = None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in filter(lambda p: p.grad is not None, group["params"]):
                lr, wd, (beta1, beta2), state = (
                    group["lr"],
                    group["weight_decay"],
                    group["betas"],
                    self.state[p],
                )
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                p.data.mul_(1.0 - lr * wd)
                update = state["exp_avg"].clone().mul_(beta1).add(p.grad, alpha=1.0 - beta1).sign_()
                p.add_(update, alpha=-lr)
                state["exp_avg"].mul_(beta2).add_(p.grad, alpha=1.0 - beta2)
        return loss


class MyAdamW(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        super().__init__(
            params, defaults=dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        )

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("amsgrad", False)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["step"], st["m"], st["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                st["step"] += 1
                p.mul_(1 - group["lr"] * group["weight_decay"])
                st["m"].lerp_(p.grad, 1 - b1)
                st["v"].mul_(b2).addcmul_(p.grad, p.grad.conj(), value=1 - b2)
                bc1, bc2 = 1 - b1 ** st["step"], 1 - b2 ** st["step"]
                denom = (st["v"].sqrt() / math.sqrt(bc2)).add_(group["eps"])
                p.addcdiv_(st["m"], denom, value=-group["lr"] / bc1)


class SAM(Optimizer):
    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = base_optimizer(self.param_groups, **kwargs)
        self.param_groups = self.base_optimizer.param_groups

    def _grad_norm(self):
        return torch.norm(
            torch.stack([p.grad.norm(p=2) for g in self.param_groups for p in g["params"]]), p=2
        )

    @torch.no_grad()
    def first_step(self):
        scale = self.param_groups[0]["rho"] / (self._grad_norm() + 1e-12)
        for g in self.param_groups:
            for p in g["params"]:
                self.state[p]["e_w"] = p.grad * scale
                p.add_(self.state[p]["e_w"])
        self.zero_grad()

    @torch.no_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        loss = closure()
        self.first_step()
        closure()
        for g in self.param_groups:
            for p in g["params"]:
                p.sub_(self.state[p]["e_w"])
        self.base_optimizer.step()
        return loss


class Lookahead(Optimizer):
    def __init__(self, base, alpha=0.5, k=3):
        super().__init__(base.param_groups, dict(la_alpha=alpha, la_k=k))
        self.optimizer, self.alpha, self.k = base, alpha, k
        self.param_groups, self.defaults = base.param_groups, base.defaults
        self.state = defaultdict(dict)
        self.fast = base.state
        for g in self.param_groups:
            g["la_step"] = 0

    def step(self, closure=None):
        loss = self.optimizer.step(closure)
        for g in self.param_groups:
            g["la_step"] += 1
            if g["la_step"] % self.k == 0:
                for p in g["params"]:
                    slow = self.state[p].setdefault("slow", p.detach().clone())
                    slow.add_(p.data - slow, alpha=self.alpha)
                    p.data.copy_(slow)
        return loss


def rosenbrock(xy):
    x, y = xy
    return (1 - x) ** 2 + 10 * (y - x**2) ** 2


def run(make, n=60):
    p = nn.Parameter(torch.tensor([-1.0, 1.5]))
    opt = make([p])

    def closure():
        opt.zero_grad()
        loss = rosenbrock(p)
        loss.backward()
        return loss

    first = rosenbrock(p).item()
    for _ in range(n):
        if isinstance(opt, MyAdamW):
            closure()
            opt.step()
        else:
            opt.step(closure)
    return first, rosenbrock(p).item(), p.detach(), opt


for name, mk in {
    "lion": lambda p: Lion(p, lr=2e-2),
    "adamw": lambda p: MyAdamW(p, lr=5e-2),
    "sam": lambda p: SAM(p, torch.optim.SGD, rho=0.01, lr=5e-3),
    "lookahead": lambda p: Lookahead(torch.optim.RMSprop(p, lr=1e-2)),
    "lbfgs": lambda p: torch.optim.LBFGS(p, lr=1, max_iter=5, line_search_fn="strong_wolfe"),
}.items():
    a, b, p, opt = run(mk, 15 if name == "lbfgs" else 60)
    print(
        f"{name:10s} {a:.4f} improved={b < a} keys={[k for k in opt.param_groups[0] if k != 'params'][:4]}"
    )
mine, ref = (
    run(lambda p: MyAdamW(p, lr=5e-2), 20)[2],
    run(lambda p: torch.optim.AdamW(p, lr=5e-2, weight_decay=1e-2), 20)[2],
)
print("matches AdamW:", torch.allclose(mine, ref, atol=1e-5), ref)
try:
    Lion([nn.Parameter(torch.ones(1))], lr=-1)
except ValueError:
    print("negative lr refused")
opt = run(lambda p: Lion(p, lr=0.25), 3)[3]
sd = opt.state_dict()
print({k: list(v[0].keys()) if k == "state" else v for k, v in sd.items()})
q = nn.Parameter(torch.zeros(2))
opt2 = Lion([q])
opt2.load_state_dict(sd)
print(
    opt2.param_groups[0]["lr"],
    torch.equal(opt2.state[q]["exp_avg"], list(opt.state.values())[0]["exp_avg"]),
)
print(opt2)
opt2.add_param_group({"params": nn.Parameter(torch.ones(3)), "lr": 1.0})
print(len(opt2.param_groups), [g["lr"] for g in opt2.param_groups], required is not None)
