import math

import torch

x = torch.linspace(-math.pi, math.pi, 50)
y = torch.sin(x)
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
with torch.no_grad():
    model[0].weight.zero_()
    model[0].bias.zero_()
loss_fn = torch.nn.MSELoss(reduction="sum")
for t in range(30):
    loss = loss_fn(model(xx), y)
    if t % 10 == 9:
        print(t, loss.item())
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for param in model.parameters():
            param -= 1e-5 * param.grad
linear = model[0]
print(f"Result: y = {linear.bias.item():.4f} + {linear.weight[:, 0].item():.4f} x")


class Polynomial3(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.full((), 0.5))
        self.b = torch.nn.Parameter(torch.full((), -0.25))

    def forward(self, x):
        return self.a + self.b * x

    def string(self):
        return f"y = {self.a.item()} + {self.b.item()} x"


poly = Polynomial3()
print(poly.string(), poly(x).sum(), list(poly.parameters()))
dtype = torch.float
a = torch.full((), 0.1, dtype=dtype, requires_grad=True)
print((a * x[:2]).type(), torch.FloatTensor(2, 2).fill_(1).sum())
