import torch

x = torch.tensor(3.0, requires_grad=True)
for i in range(6):
    f = x**3 - 2 * x - 5
    (df,) = torch.autograd.grad(f, x)
    x = (x - f / df).detach().requires_grad_()
    print(i, f"{x.item():.6f}")
lo, hi = torch.zeros(4), torch.full((4,), 10.0)
target = torch.tensor([1.0, 4.0, 9.0, 16.0])
for _ in range(30):
    mid = (lo + hi) / 2
    less = mid * mid < target
    lo, hi = torch.where(less, mid, lo), torch.where(less, hi, mid)
print(mid)
xs = torch.linspace(0, 3.14159265, 101)
print(
    torch.trapezoid(torch.sin(xs), xs),
    torch.trapz(torch.sin(xs), dx=0.0314159265),
    torch.cumsum(torch.diff(xs), 0)[-1],
)


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


p = torch.tensor([-1.0, 1.0], requires_grad=True)
opt = torch.optim.LBFGS([p], max_iter=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = rosenbrock(p)
    loss.backward()
    return loss


for _ in range(3):
    opt.step(closure)
print(p.detach().round(decimals=3))
