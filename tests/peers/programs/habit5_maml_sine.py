import torch
from torch import nn
from torch.func import functional_call


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


net = fixed(nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1)))
meta_opt = torch.optim.Adam(net.parameters(), lr=1e-2)
loss_fn = nn.MSELoss()
inner_lr = 0.05


def sample_task(i):
    amp, phase = 1 + 0.2 * i, 0.3 * i
    x = torch.linspace(-2, 2, 10).unsqueeze(1)
    return x[::2], amp * torch.sin(x[::2] + phase), x[1::2], amp * torch.sin(x[1::2] + phase)


for it in range(4):
    meta_opt.zero_grad()
    outer = 0.0
    for task in range(3):
        xs, ys, xq, yq = sample_task(task)
        fast = dict(net.named_parameters())
        for _ in range(2):
            loss = loss_fn(functional_call(net, fast, (xs,)), ys)
            grads = torch.autograd.grad(loss, tuple(fast.values()), create_graph=True)
            fast = {k: w - inner_lr * g for (k, w), g in zip(fast.items(), grads)}
        outer = outer + loss_fn(functional_call(net, fast, xq), yq)
    outer = outer / 3
    outer.backward()
    meta_opt.step()
    print(
        f"iter {it}: meta loss {outer.item():.4f}, |g| {sum(p.grad.abs().sum() for p in net.parameters()):.4f}"
    )
