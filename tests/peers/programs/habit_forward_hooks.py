import torch
from torch import nn

features = {}


def save(name):
    def hook(model, input, output):
        features[name] = output.detach()

    return hook


model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
for p in model.parameters():
    nn.init.constant_(p, 0.1)
handles = [m.register_forward_hook(save(name)) for name, m in model.named_modules() if name]
out = model(torch.ones(2, 3))
for name, value in features.items():
    print(name, value.shape, value.mean())
for h in handles:
    h.remove()
grads = []
model[0].register_full_backward_hook(lambda m, gin, gout: grads.append(gout[0]))
x = torch.ones(1, 3, requires_grad=True)
x.register_hook(lambda g: print("x grad", g))
z = model(x)
z.retain_grad()
z.sum().backward()
print(grads, z.grad)
model.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
print(model(torch.ones(1, 3)))
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w.register_hook(lambda g: g.clamp(max=1.0))
(w * 3).sum().backward()
print(w.grad, h is not None)
