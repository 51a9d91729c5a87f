import math

import torch

x = torch.linspace(-math.pi, math.pi, 200)
y = torch.sin(x)
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
torch.nn.init.zeros_(model[0].weight)
torch.nn.init.zeros_(model[0].bias)
loss_fn = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for t in range(200):
    y_pred = model(xx)
    loss = loss_fn(y_pred, y)
    if t % 100 == 99:
        print(t, round(loss.item(), 2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
linear_layer = model[0]
print(
    f"Result: y = {linear_layer.bias.item():.3f} + {linear_layer.weight[:, 0].item():.3f} x + {linear_layer.weight[:, 1].item():.3f} x^2"
)


class Polynomial3(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.tensor(0.5))
        self.b = torch.nn.Parameter(torch.tensor(-0.5))

    def forward(self, x):
        return self.a + self.b * x

    def string(self):
        return f"y = {self.a.item()} + {self.b.item()} x"


m = Polynomial3()
print(m.string(), list(m.parameters()), m)
coef = torch.linalg.lstsq(torch.stack([torch.ones_like(x), x, x**3], 1), y.unsqueeze(1)).solution
print(coef.squeeze()[1:])
print(
    torch.linalg.solve(torch.tensor([[2.0, 1.0], [1.0, 3.0]]), torch.tensor([3.0, 5.0])),
    torch.inverse(torch.tensor([[2.0, 0.0], [0.0, 4.0]])),
)
u, s, vh = torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))
print(
    s,
    torch.linalg.det(torch.eye(2) * 2),
    torch.linalg.norm(torch.tensor([3.0, 4.0])),
    torch.trace(torch.eye(3)),
)
