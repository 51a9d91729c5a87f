from functools import partial

import torch
import torch.nn as nn

acts = {}
net = nn.Sequential()
net.add_module("conv", nn.Conv2d(1, 2, 3, padding=1))
net.add_module("act", nn.ReLU())
net.add_module("pool", nn.AdaptiveAvgPool2d(1))
net.add_module("flat", nn.Flatten())
net.add_module("fc", nn.Linear(2, 2))
for p in net.parameters():
    nn.init.constant_(p, 0.1)


def save(name, module, inp, out):
    acts[name] = out.detach()


handles = [m.register_forward_hook(partial(save, n)) for n, m in net.named_children()]
x = torch.arange(16.0).view(1, 1, 4, 4)
out = net(x)
for k, v in acts.items():
    print(k, tuple(v.shape), v.mean().item())
for h in handles:
    h.remove()
acts.clear()
net(x)
print(acts, len(net.conv._forward_hooks))
# grad-cam
grads = []
h1 = net.act.register_full_backward_hook(lambda m, gi, go: grads.append((gi[0].shape, go[0].sum())))
h2 = net.conv.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
h3 = net.fc.register_forward_hook(lambda m, a, o: o + 1)
h4 = net.fc.register_forward_hook(lambda m, a, kw, o: print("kw", kw, len(a)), with_kwargs=True)
h5 = net.fc.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,))
y = net(x)
y[0, 1].backward()
print(y, grads, net.fc.bias.grad)
for h in (h1, h2, h3, h4, h5):
    h.remove()
t = torch.tensor([1.0, 2.0], requires_grad=True)
log = []
h = t.register_hook(lambda g: log.append(g.clone()) or g * 3)
u = t * t
u.retain_grad()
u.register_hook(lambda g: g.clamp(max=0.5))
u.sum().backward()
print(log, t.grad, u.grad)
h.remove()
t.grad = None
t.register_post_accumulate_grad_hook(lambda p: print("acc", p.grad))
(t.sum() * 2).backward()


class Probe:
    def __init__(self, m):
        self.h = m.register_forward_hook(self)
        self.stats = []

    def __call__(self, m, i, o):
        self.stats.append(
            (m.__class__.__name__, round(o.mean().item(), 4), round(o.std().item(), 4))
        )

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.h.remove()


with Probe(net.conv) as pr:
    net(x)
    net(x + 1)
net(x)
print(pr.stats)
with nn.modules.module.register_module_forward_hook(
    lambda m, i, o: print("global", type(m).__name__)
):
    net(x)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), lambda a: torch.from_numpy(a)):
    q = torch.ones(3, requires_grad=True)
    (q.exp() * 2).sum().backward()
print(q.grad)


class Rep(nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


r = Rep()
r.register_forward_pre_hook(lambda m, a, k: (a, {"scale": 5.0}), with_kwargs=True)
r.register_forward_hook(lambda m, a, o: print("always", o), always_call=True)
r(torch.ones(1), scale=2.0)
sdh = net.register_state_dict_post_hook(lambda m, sd, prefix, meta: sd.__delitem__("fc.bias"))
print(list(net.state_dict()))
