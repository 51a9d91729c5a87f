import math

import torch
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), weight_decay=0.0):
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                    state["step"] = 0
                state["step"] += 1
                exp_avg = state["exp_avg"]
                b1, b2 = group["betas"]
                update = exp_avg * b1 + grad * (1 - b1)
                p.add_(update.sign_(), alpha=-group["lr"])
                exp_avg.mul_(b2).add_(grad, alpha=1 - b2)
        return loss


class SAM(Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        norm = torch.norm(
            torch.stack([p.grad.norm(p=2) for g in self.param_groups for p in g["params"]]), p=2
        )
        for g in self.param_groups:
            for p in g["params"]:
                e = p.grad * g["rho"] / (norm + 1e-12)
                self.state[p]["old"] = p.data.clone()
                p.add_(e)
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g["params"]:
                p.data = self.state[p]["old"]
        self.base.step()
        self.zero_grad()


def loss_of(m, x, y):
    return ((m(x) - y) ** 2).mean()


def model():
    m = torch.nn.Linear(2, 1)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[0.5, -0.5]]))
        m.bias.zero_()
    return m


x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = x @ torch.tensor([[1.0], [2.0]]) + 0.3
m = model()
opt = Lion(m.parameters(), lr=0.05, weight_decay=0.1)
for i in range(30):
    opt.zero_grad()
    loss = loss_of(m, x, y)
    loss.backward()
    opt.step()
print(loss, m.weight, opt.state[m.weight]["step"])
print(opt)
m2 = model()
o2 = Lion(m2.parameters())
o2.load_state_dict(opt.state_dict())
print(o2.param_groups[0]["lr"], o2.state[m2.weight]["exp_avg"])
m = model()
sam = SAM(m.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
for i in range(20):
    loss_of(m, x, y).backward()
    sam.first_step()
    loss_of(m, x, y).backward()
    sam.second_step()
print(loss_of(m, x, y), m.bias)
m = model()
lb = torch.optim.LBFGS(m.parameters(), lr=1, max_iter=5)


def closure():
    lb.zero_grad()
    loss = loss_of(m, x, y)
    loss.backward()
    return loss


for _ in range(3):
    lb.step(closure)
print(loss_of(m, x, y).item() < 1e-5, m.weight)
m = model()
opt = torch.optim.AdamW(
    [{"params": [m.weight], "weight_decay": 0.1}, {"params": [m.bias], "weight_decay": 0}], lr=0.1
)
opt.add_param_group({"params": [torch.nn.Parameter(torch.ones(1))], "lr": 0.5})
loss_of(m, x, y).backward()
opt.step()
print(m.weight, m.bias, len(opt.param_groups), [g["weight_decay"] for g in opt.param_groups])
opt.register_step_post_hook(lambda o, a, k: print("stepped"))
opt.step()
for group in opt.param_groups:
    group["lr"] *= 0.5
print([g["lr"] for g in opt.param_groups], math.isclose(1.0, 1.0))
for O in (
    torch.optim.RMSprop,
    torch.optim.Adagrad,
    torch.optim.Adamax,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.Rprop,
    torch.optim.ASGD,
    torch.optim.Adadelta,
):
    m = model()
    o = O(m.parameters(), lr=0.05)
    for _ in range(3):
        o.zero_grad()
        loss_of(m, x, y).backward()
        o.step()
    print(O.__name__, m.weight)
