"""Depthwise, dilated and 'same' convolutions in 1, 2 and 3 dimensions; second gradients."""

import torch
import torch.nn.functional as F
from torch import nn


class DepthwiseSeparable(nn.Module):
    def __init__(self, nin, nout, kernels_per_layer=2):
        super().__init__()
        self.depthwise = nn.Conv2d(
            nin, nin * kernels_per_layer, kernel_size=3, padding=1, groups=nin
        )
        self.pointwise = nn.Conv2d(nin * kernels_per_layer, nout, kernel_size=1)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))


torch.manual_seed(0)
net = DepthwiseSeparable(3, 5)
print(net)
print(sum(p.numel() for p in net.parameters()))
bound = 1 / (3 * 3) ** 0.5
print(
    bool((net.depthwise.weight.abs() <= bound).all()),
    bool((net.depthwise.bias.abs() <= bound).all()),
)
for p in net.parameters():
    nn.init.constant_(p, 0.1)
x = torch.linspace(0, 1, 2 * 3 * 5 * 5).reshape(2, 3, 5, 5).requires_grad_()
y = net(x)
print(y.shape, y[0, 0])
y.pow(2).mean().backward()
print(x.grad.shape, x.grad[0, 0])
print(net.depthwise.weight.grad[0])


class CausalConv1d(nn.Module):
    def __init__(self, channels, kernel_size, dilation):
        super().__init__()
        self.padding = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, kernel_size, dilation=dilation)

    def forward(self, x):
        return self.conv(F.pad(x, (self.padding, 0)))


stack = nn.Sequential(*[CausalConv1d(2, 2, 2**i) for i in range(3)])
print(stack)
for p in stack.parameters():
    nn.init.constant_(p, 0.5)
print(stack(torch.arange(16.0).reshape(1, 2, 8)).detach())

same = nn.Conv2d(2, 3, (3, 4), padding="same", dilation=(1, 2))
print(same, same(torch.ones(1, 2, 7, 9)).shape)
wrap = nn.Conv2d(1, 1, 3, padding=1, padding_mode="circular", bias=False)
nn.init.ones_(wrap.weight)
print(wrap, wrap(torch.arange(9.0).reshape(1, 1, 3, 3)).data)
volume = nn.Conv3d(1, 2, kernel_size=(1, 2, 3), stride=(1, 2, 1))
nn.init.constant_(volume.weight, 0.25)
nn.init.zeros_(volume.bias)
print(volume(torch.arange(48.0).reshape(1, 1, 2, 4, 6)).tolist())
print(nn.Conv1d(3, 6, 3)(torch.ones(3, 10)).shape)
print(nn.ConvTranspose1d(3, 2, 4, stride=2, dilation=2))
print(nn.ConvTranspose3d(1, 2, 2, bias=False)(torch.ones(1, 1, 2, 2, 2)).shape)

w = torch.tensor([[[1.0, -2.0, 0.5]]], requires_grad=True)
x = torch.linspace(-1, 1, 6).reshape(1, 1, 6).requires_grad_()
out = torch.tanh(F.conv1d(x, w, padding=1)).sum()
(g,) = torch.autograd.grad(out, x, create_graph=True)
print(g.detach())
g.pow(2).sum().backward()
print(w.grad)

unfit = [
    lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 2, 8, 8)),
    lambda: nn.Conv2d(3, 4, 9)(torch.ones(1, 3, 8, 8)),
    lambda: nn.Conv2d(3, 4, 3)(torch.ones(8, 8)),
    lambda: F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), torch.ones(3)),
    lambda: F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), stride=0),
    lambda: F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2).double()),
    lambda: F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), padding=-1),
    lambda: F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(3, 1, 2, 2), groups=2),
]
for number, attempt in enumerate(unfit):
    try:
        attempt()
        print(number, "no error")
    except RuntimeError:
        print(number, "RuntimeError")
for bad in (
    lambda: nn.Conv2d(3, 4, 3, groups=2),
    lambda: nn.Conv2d(4, 3, 3, groups=2),
    lambda: nn.Conv2d(3, 4, 3, padding="same", stride=2),
    lambda: nn.Conv2d(3, 4, 3, padding="full"),
    lambda: nn.Conv2d(3, 4, 3, padding_mode="mirror"),
    lambda: nn.Conv2d(3, 4),
):
    try:
        bad()
        print("no error")
    except (TypeError, ValueError) as error:
        print(type(error).__name__ if isinstance(error, TypeError) else "ValueError")
