import torch


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
for step in range(7):
    y = rosenbrock(x)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    H = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)])
    determinant = H[0, 0] * H[1, 1] - H[0, 1] * H[1, 0]
    inverse = torch.stack([H[1, 1], -H[0, 1], -H[1, 0], H[0, 0]]).reshape(2, 2) / determinant
    print(step, f"{y.item():.6f}", g.detach())
    with torch.no_grad():
        x -= inverse @ g
print(x)
