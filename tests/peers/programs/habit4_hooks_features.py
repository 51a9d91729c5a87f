import torch
from torch import nn

model = nn.Sequential()
model.add_module("conv", nn.Conv2d(1, 2, 3, padding=1))
model.add_module("act", nn.ReLU())
model.add_module("pool", nn.AdaptiveAvgPool2d(1))
model.add_module("flat", nn.Flatten())
model.add_module("fc", nn.Linear(2, 3))
for p in model.parameters():
    nn.init.constant_(p, 0.1)
activation = {}


def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()

    return hook


handles = [m.register_forward_hook(get_activation(n)) for n, m in model.named_children()]
grads = {}


def save_grad(name):
    def hook(module, grad_input, grad_output):
        grads[name] = grad_output[0]

    return hook


model.conv.register_full_backward_hook(save_grad("conv"))
x = torch.ones(1, 1, 4, 4)
out = model(x)
out[0, 1].backward()
for k, v in activation.items():
    print(k, tuple(v.shape), v.sum())
print(grads["conv"].shape, grads["conv"].sum())
for h in handles:
    h.remove()
print(len(model.conv._forward_hooks), model.get_submodule("fc"), model.fc.weight.grad)
cam = torch.einsum("k,bkhw->bhw", model.fc.weight[1], activation["act"])
print(cam, cam.argmax(), torch.relu(cam).max())
print(dict(model.named_children()).keys())
