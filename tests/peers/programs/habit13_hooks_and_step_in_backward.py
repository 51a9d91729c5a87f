from collections import OrderedDict

import torch
from torch import nn

torch.set_printoptions(precision=4)


def det(m, k=1.0):
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.linspace(-0.5 * k, 0.5 * k, p.numel()).view_as(p))
    return m


# --- tensor hooks -----------------------------------------------------------
v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
h = v.register_hook(lambda grad: grad * 2)
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad)
h.remove()
v.grad = None
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(v.grad)

a = torch.ones(2, 2, requires_grad=True)
b = a * 3
b.retain_grad()
b.register_hook(lambda g: print("grad of b:", g.tolist()))
c = b.sum() ** 2
c.backward()
print(b.grad, a.grad, b.is_leaf, c.requires_grad)

# --- module hooks -----------------------------------------------------------
model = det(
    nn.Sequential(
        OrderedDict(
            [
                ("lin1", nn.Linear(4, 3)),
                ("act", nn.ReLU()),
                ("lin2", nn.Linear(3, 2)),
            ]
        )
    )
)
activations = {}


def get_activation(name):
    def hook(model, input, output):
        activations[name] = output.detach()

    return hook


handles = [m.register_forward_hook(get_activation(n)) for n, m in model.named_children()]


def printnorm(self, input, output):
    print(
        "Inside " + self.__class__.__name__ + " forward",
        type(input).__name__,
        input[0].size(),
        output.data.size(),
    )


def bw(module, grad_input, grad_output):
    print(
        "backward",
        module.__class__.__name__,
        [None if g is None else tuple(g.shape) for g in grad_input],
        f"{grad_output[0].norm():.4f}",
    )


handles.append(model.act.register_forward_hook(printnorm))
handles.append(model.lin2.register_full_backward_hook(bw))
handles.append(model.lin1.register_full_backward_hook(bw))
handles.append(model.lin2.register_forward_pre_hook(lambda m, args: (args[0] * 0.5,)))
x = torch.arange(8.0).view(2, 4) / 8
out = model(x)
print(out)
out.pow(2).sum().backward()
for k, act in activations.items():
    print(k, act.shape, f"{act.mean():.4f}")
for hd in handles:
    hd.remove()
print(model(x).detach() - out.detach())


# dict of running statistics, as in the fast.ai lesson
class Hook:
    def __init__(self, m, f):
        self.hook = m.register_forward_hook(lambda mod, i, o: f(self, mod, i, o))
        self.stats = []

    def remove(self):
        self.hook.remove()

    def __del__(self):
        self.remove()


def append_stats(hook, mod, inp, outp):
    hook.stats.append((round(outp.mean().item(), 4), round(outp.std().item(), 4)))


hooks = [Hook(l, append_stats) for l in model.children()]
model(x), model(-x)
print([hk.stats for hk in hooks])
[hk.remove() for hk in hooks]

# --- optimizer step in backward --------------------------------------------
net = det(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)))
optimizer_dict = {p: torch.optim.Adam([p], foreach=False) for p in net.parameters()}


def optimizer_hook(parameter) -> None:
    optimizer_dict[parameter].step()
    optimizer_dict[parameter].zero_grad()


for p in net.parameters():
    p.register_post_accumulate_grad_hook(optimizer_hook)
ref = det(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)))
opt = torch.optim.Adam(ref.parameters())
for i in range(3):
    loss = (net(x) - 1).pow(2).mean()
    loss.backward()
    loss2 = (ref(x) - 1).pow(2).mean()
    loss2.backward()
    opt.step()
    opt.zero_grad()
    print(i, f"{loss.item():.4f} {loss2.item():.4f}", [p.grad for p in net.parameters()])
print(all(torch.allclose(p, q) for p, q in zip(net.parameters(), ref.parameters())))
print(
    [sorted(optimizer_dict[p].state_dict()["state"][0].keys()) for p in list(net.parameters())[:1]]
)
torch.set_printoptions(profile="default")
