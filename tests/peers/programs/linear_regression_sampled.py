import torch

torch.manual_seed(0)
true_w, true_b = torch.tensor([2.0, -3.4]), 4.2
X = torch.normal(0, 1, (1000, len(true_w)))
y = torch.matmul(X, true_w) + true_b
y += torch.normal(0, 0.01, y.shape)
w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(3):
    order = torch.randperm(1000)
    for i in range(0, 1000, 10):
        rows = order[i : i + 10]
        loss = (X[rows] @ w + b - y[rows].reshape(-1, 1)) ** 2 / 2
        loss.sum().backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.03 * p.grad / 10
                p.grad.zero_()
print((w.detach().reshape(-1) - true_w).abs().max() < 0.02, abs(b.item() - true_b) < 0.02)
print(X.shape, y.shape, w.is_leaf, w.requires_grad)
