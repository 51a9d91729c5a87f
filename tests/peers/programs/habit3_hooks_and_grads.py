import torch
from torch import nn

activation, grads = {}, {}


def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()

    return hook


def bhook(module, grad_input, grad_output):
    grads[module.__class__.__name__] = (grad_input[0].shape, grad_output[0].sum().item())


net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in net.parameters():
    nn.init.constant_(p, 0.5)
handle = net[1].register_forward_hook(get_activation("relu"))
handles = [m.register_full_backward_hook(bhook) for m in net]
x = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
out = net(x)
out.retain_grad()
x.register_hook(lambda g: print("grad of x", g))
out.mean().backward()
print(activation["relu"], grads, out.grad)
handle.remove()
for h in handles:
    h.remove()
activation.clear()
net(x)
print(activation)


def pre(module, args):
    return (args[0] * 2,)


h = net[0].register_forward_pre_hook(pre)
print(net[0](torch.ones(1, 2)))
h.remove()
print(net[0](torch.ones(1, 2)))


def scale_output(module, args, output):
    return output * 10


with torch.no_grad():
    net.register_forward_hook(scale_output)
    print(net(torch.ones(1, 2)))
h = nn.Parameter(torch.ones(2)).register_hook(lambda g: g * 0)
print(type(h).__name__)
for name, module in net.named_modules():
    print(name, type(module).__name__)
