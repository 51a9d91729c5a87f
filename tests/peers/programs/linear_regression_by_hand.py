import torch

x = torch.linspace(0, 1, 20).reshape(-1, 1)
y = 3 * x + 2
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.5
for epoch in range(200):
    prediction = x @ w + b
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
        w.grad.zero_()
        b.grad.zero_()
    if epoch % 50 == 0:
        print(f"epoch {epoch}: loss {loss.item():.4f}")
print(w, b, w.item(), b)
print(f"loss {loss:.5f}")
