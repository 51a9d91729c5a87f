import torch
from torch import nn, optim


def net():
    m = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    for i, p in enumerate(m.parameters()):
        p.data.copy_(torch.sin(torch.arange(float(p.numel())) + i).view(p.shape) * 0.5)
    return m


X = torch.cos(torch.arange(18.0)).view(6, 3)
y = torch.tensor([0, 1, 1, 0, 1, 0])
cfgs = [
    (optim.SGD, dict(lr=0.1)),
    (optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)),
    (optim.Adam, {}),
    (optim.Adam, dict(lr=0.01, weight_decay=0.1, amsgrad=True)),
    (optim.AdamW, dict(lr=0.01)),
    (optim.Adamax, dict(lr=0.01)),
    (optim.NAdam, dict(lr=0.01)),
    (optim.RAdam, dict(lr=0.01)),
    (optim.Adagrad, dict(lr=0.1, lr_decay=0.1)),
    (optim.Adadelta, dict(lr=1.0)),
    (optim.RMSprop, dict(lr=0.01, centered=True, momentum=0.1)),
    (optim.Rprop, dict(lr=0.01)),
    (optim.ASGD, dict(lr=0.1)),
    (optim.Adafactor, {}),
    (optim.SGD, dict(lr=0.1, maximize=True, foreach=False)),
    (optim.Adam, dict(lr=torch.tensor(0.01), foreach=False)),
    (
        optim.Adam,
        dict(fused=False, capturable=False, differentiable=False, betas=(0.5, 0.9), eps=1e-06),
    ),
]
for cls, kw in cfgs:
    m = net()
    o = cls(m.parameters(), **kw)
    ls = []
    for _ in range(4):
        o.zero_grad()
        l = nn.functional.cross_entropy(m(X), y)
        l.backward()
        o.step()
        ls.append(round(l.item(), 3))
    print(o, ls)
    print(list(o.state_dict()["state"].get(0, {})), o.defaults.keys())
m = net()
o = optim.LBFGS(m.parameters(), lr=0.5, max_iter=4, history_size=3, line_search_fn="strong_wolfe")
n = 0


def closure():
    global n
    n += 1
    o.zero_grad()
    l = nn.functional.cross_entropy(m(X), y)
    l.backward()
    return l


print(o.step(closure), n, o, o.step(closure).item().__round__(3))
o = optim.SGD([{"params": m[0].parameters(), "lr": 0.001}, {"params": m[2].parameters()}], lr=0.01)
print(o, len(o.param_groups))
o.add_param_group({"params": nn.Parameter(torch.zeros(1)), "weight_decay": 0.5})
print(o, o.param_groups[2])
o = optim.Adam([("w", nn.Parameter(torch.ones(2)))], lr=0.1)
print(o.state_dict(), o.param_groups)
for bad in (
    lambda: optim.SGD([], lr=0.1),
    lambda: optim.SGD(m.parameters(), lr=-1),
    lambda: optim.SGD([torch.ones(1) * nn.Parameter(torch.ones(1))], lr=0.1),
    lambda: optim.SGD(torch.ones(2), lr=0.1),
    lambda: optim.SGD([1], lr=0.1),
    lambda: optim.Adam(m.parameters(), betas=(1.0, 0)),
    lambda: optim.SGD(m.parameters(), lr=0.1, nesterov=True),
    lambda: optim.Adam(m.parameters(), lr="a"),
    lambda: o.add_param_group({"params": [o.param_groups[0]["params"][0]]}),
    lambda: optim.SGD([{"params": m[0].parameters()}, {"params": m.parameters()}], lr=1),
    lambda: optim.SGD(m.parameters(), lr=0.1, momentum=-1),
    lambda: optim.RMSprop(m.parameters(), alpha=-1),
    lambda: optim.LBFGS(
        [{"params": [nn.Parameter(torch.ones(1))]}, {"params": [nn.Parameter(torch.ones(1))]}]
    ),
    lambda: optim.Adam(m.parameters(), eps=-1),
    lambda: optim.SGD(m.parameters(), learning_rate=0.1),
    lambda: optim.AdamW(m.parameters(), weight_decay=-1),
):
    try:
        bad()
        print("ok")
    except Exception as e:
        print("refused")


class PlainSGD(optim.Optimizer):
    def __init__(self, params, lr=0.01):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if len(st) == 0:
                    st["step"] = 0
                    st["avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                st["step"] += 1
                st["avg"].mul_(0.9).add_(p.grad, alpha=0.1)
                p.addcdiv_(st["avg"], st["avg"].abs().add_(1e-08), value=-g["lr"])
        return loss


o = PlainSGD(net().parameters())
print(o, o.state, o.step())
q = nn.Parameter(torch.ones(2))
o = PlainSGD([q], 0.1)
q.sum().backward()
o.step()
print(q, o.state[q], o.state_dict(), o)
h = o.register_step_post_hook(lambda op, a, k: print("post", type(op).__name__, a, k))
o.step()
h.remove()
o.zero_grad()
print(q.grad)
o.zero_grad(set_to_none=False)
