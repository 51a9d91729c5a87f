import numpy as np
import torch

rng = np.random.RandomState(0)
X = rng.randn(20, 2).astype(np.float32)
true_w = np.array([2.0, -3.4], dtype=np.float32)
y = X @ true_w + 4.2
inputs, targets = torch.from_numpy(X), torch.from_numpy(y)
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)


def model(x):
    return x @ w + b


def mse(t1, t2):
    diff = t1 - t2
    return torch.sum(diff * diff) / diff.numel()


for i in range(50):
    loss = mse(model(inputs), targets.unsqueeze(1))
    loss.backward()
    with torch.no_grad():
        w -= w.grad * 1e-1
        b -= b.grad * 1e-1
        w.grad.zero_()
        b.grad.zero_()
print(f"{loss.item():.6f}", w.detach().numpy().ravel().round(3), b)
sol = torch.linalg.lstsq(torch.cat([inputs, torch.ones(20, 1)], 1), targets[:, None]).solution
print(sol.squeeze())
A = torch.cat([inputs, torch.ones(20, 1)], 1)
print(
    torch.inverse(A.t() @ A) @ A.t() @ targets,
    torch.linalg.pinv(A) @ targets,
    torch.linalg.solve(A.T @ A, A.T @ targets),
)
