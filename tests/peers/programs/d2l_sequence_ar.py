"""d2l 8.1: predicting a sine by a multilayer perceptron from four past values."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


T = 120
time = torch.arange(1, T + 1, dtype=torch.float32)
x = torch.sin(0.05 * time) + torch.cos(time * 7) * 0.2
tau = 4
features = torch.zeros((T - tau, tau))
for i in range(tau):
    features[:, i] = x[i : T - tau + i]
labels = x[tau:].reshape((-1, 1))
dataset = torch.utils.data.TensorDataset(features[:64], labels[:64])
train_iter = torch.utils.data.DataLoader(dataset, 16, shuffle=False)
net = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 1))
set_weights(net)
loss = nn.MSELoss(reduction="none")
trainer = torch.optim.Adam(net.parameters(), 0.01)
for epoch in range(5):
    for X, y in train_iter:
        trainer.zero_grad()
        l = loss(net(X), y)
        l.sum().backward()
        trainer.step()
    total = sum(loss(net(X), y).mean().item() for X, y in train_iter) / len(train_iter)
    print(f"epoch {epoch + 1}, loss: {total:f}")
multistep_preds = torch.zeros(T)
multistep_preds[: 64 + tau] = x[: 64 + tau]
for i in range(64 + tau, T):
    multistep_preds[i] = net(multistep_preds[i - tau : i].reshape((1, -1)))
print(multistep_preds[64 + tau :].detach().numpy().round(3)[:8].tolist())
