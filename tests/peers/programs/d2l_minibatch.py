"""d2l 11.5: minibatches, and a training loop shared by all optimisers."""

import numpy as np
import torch
from torch import nn

A = torch.zeros(16, 16)
B = torch.ones(16, 16)
C = torch.ones(16, 16) * 2
for i in range(16):
    for j in range(16):
        A[i, j] = torch.dot(B[i, :], C[:, j])
for j in range(16):
    A[:, j] = torch.mv(B, C[:, j])
print(A[0, 0], torch.equal(A, torch.mm(B, C)))
for j in range(0, 16, 4):
    A[:, j : j + 4] = torch.mm(B, C[:, j : j + 4])
print(A.mean())

data = np.sin(np.arange(60 * 6) * 0.71).reshape(60, 6)
data = torch.from_numpy((data - data.mean(axis=0)) / data.std(axis=0))
dataset = torch.utils.data.TensorDataset(data[:, :-1].float(), data[:, -1].float())
data_iter = torch.utils.data.DataLoader(dataset, batch_size=10, shuffle=False)
feature_dim = 5


def linreg(X, w, b):
    return torch.matmul(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, states, hyperparams):
    for p in params:
        p.data.sub_(hyperparams["lr"] * p.grad)
        p.grad.data.zero_()


def train_ch11(trainer_fn, states, hyperparams, data_iter, feature_dim, num_epochs=2):
    w = torch.full((feature_dim, 1), 0.01, requires_grad=True)
    b = torch.zeros((1), requires_grad=True)
    for _ in range(num_epochs):
        for X, y in data_iter:
            l = squared_loss(linreg(X, w, b), y).mean()
            l.backward()
            trainer_fn([w, b], states, hyperparams)
    total = sum(squared_loss(linreg(X, w, b), y).sum().item() for X, y in data_iter)
    print(f"loss: {total / len(dataset):.3f}")
    return w


print(train_ch11(sgd, None, {"lr": 0.05}, data_iter, feature_dim).detach().T)


def train_concise_ch11(trainer_fn, hyperparams, data_iter, num_epochs=2):
    net = nn.Sequential(nn.Linear(5, 1))

    def init_weights(module):
        if type(module) == nn.Linear:
            torch.nn.init.constant_(module.weight, 0.01)
            torch.nn.init.zeros_(module.bias)

    net.apply(init_weights)
    optimizer = trainer_fn(net.parameters(), **hyperparams)
    loss = nn.MSELoss(reduction="none")
    for _ in range(num_epochs):
        for X, y in data_iter:
            optimizer.zero_grad()
            out = net(X)
            y = y.reshape(out.shape)
            l = loss(out, y)
            l.mean().backward()
            optimizer.step()
    print(f"{net[0].weight.norm():.4f}")


train_concise_ch11(torch.optim.SGD, {"lr": 0.01}, data_iter)
