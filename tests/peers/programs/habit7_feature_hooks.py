import functools

import torch
import torch.nn as nn


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class FeatureExtractor(nn.Module):
    def __init__(self, model, layers):
        super().__init__()
        self.model = model
        self._features = {layer: torch.empty(0) for layer in layers}
        for layer in layers:
            dict([*self.model.named_modules()])[layer].register_forward_hook(self.save(layer))

    def save(self, layer):
        def hook(_, __, output):
            self._features[layer] = output

        return hook

    def forward(self, x):
        self.model(x)
        return self._features


net = fixed(
    nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)
    )
)
x = noise(2, 1, 4, 4)
features = FeatureExtractor(net, ["1", "4"])(x)
print({k: (tuple(v.shape), v.requires_grad) for k, v in features.items()})
shapes, order = [], []
handles = [
    m.register_forward_hook(
        lambda m, i, o: shapes.append((m.__class__.__name__, list(i[0].shape), list(o.shape)))
    )
    for m in net.children()
]
handles += [net[4].register_forward_pre_hook(lambda m, args: (args[0] * 2,))]
out = net(x)
for s in shapes:
    print("{:>12} {} -> {}".format(*s))
for h in handles:
    h.remove()
print(
    len(net[0]._forward_hooks),
    torch.allclose(net(x) * 2 - net[4].bias, out),
    len(net[4]._forward_pre_hooks),
)
grads = {}


def save_grad(name, module, grad_input, grad_output):
    grads[name] = (
        None if grad_input[0] is None else tuple(grad_input[0].shape),
        tuple(grad_output[0].shape),
    )


for name, m in net.named_children():
    m.register_full_backward_hook(functools.partial(save_grad, name))
net(x).sum().backward()
print(grads)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, scale=1.0):
        return {"out": self.fc(x) * scale, "x": x}


model = fixed(Model())
h = model.register_forward_hook(lambda m, a, k, o: {**o, "seen": k}, with_kwargs=True)
print(model(torch.ones(1, 2), scale=2.0)["seen"])
h.remove()
h = model.register_forward_pre_hook(lambda m, a, k: (a, {"scale": 0.0}), with_kwargs=True)
print(model(torch.ones(1, 2))["out"])
h.remove()
with_always = model.register_forward_hook(lambda *_: order.append("always"), always_call=True)
first = model.register_forward_hook(lambda *_: order.append("second"))
second = model.register_forward_hook(lambda *_: order.append("first"), prepend=True)
model(torch.ones(1, 2))
print(order)
y = torch.ones(2, requires_grad=True)
z = y * 3
z.retain_grad()
h = y.register_hook(lambda g: print("grad of y", g))
t = z.register_hook(lambda g: g * 10)
(z**2).sum().backward()
print(y.grad, z.grad, z.retains_grad, z.is_leaf)
h.remove()
y.grad = None
y.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
(y * 2).sum().backward()
activation = {}
cam = fixed(nn.Conv2d(1, 2, 3))
cam.register_forward_hook(
    lambda m, i, o: (
        activation.update(value=o)
        or (o.register_hook(lambda g: activation.update(grad=g)) and None)
    )
)
score = cam(x).pow(2).sum()
score.backward()
weights = activation["grad"].mean(dim=(2, 3), keepdim=True)
heat = torch.relu((weights * activation["value"]).sum(1))
print(heat.shape, (heat / heat.max()).detach())
