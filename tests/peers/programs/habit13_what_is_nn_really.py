import os

os.environ["OMP_NUM_THREADS"] = "1"
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(0)
centers = rng.normal(size=(10, 64)).astype(np.float32)
y_all = np.arange(600) % 10
x_all = centers[y_all] + 0.5 * rng.normal(size=(600, 64)).astype(np.float32)
x_train, y_train, x_valid, y_valid = map(
    torch.tensor, (x_all[:500], y_all[:500], x_all[500:], y_all[500:])
)
n, c = x_train.shape
print(n, c, x_train.dtype, y_train.dtype)
print(x_train.shape, y_train.min(), y_train.max())

weights = (torch.cos(torch.arange(64 * 10.0)) / math.sqrt(64)).view(64, 10)
weights.requires_grad_()
bias = torch.zeros(10, requires_grad=True)


def log_softmax(x):
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def model(xb):
    return log_softmax(xb @ weights + bias)


def nll(input, target):
    return -input[range(target.shape[0]), target].mean()


def accuracy(out, yb):
    preds = torch.argmax(out, dim=1)
    return (preds == yb).float().mean()


bs = 64
xb = x_train[0:bs]
yb = y_train[0:bs]
preds = model(xb)
print(preds[0], preds.shape)
loss_func = nll
print(f"{loss_func(preds, yb):.4f}", accuracy(preds, yb))

lr = 0.5
epochs = 2
for epoch in range(epochs):
    for i in range((n - 1) // bs + 1):
        start_i = i * bs
        end_i = start_i + bs
        xb = x_train[start_i:end_i]
        yb = y_train[start_i:end_i]
        loss = loss_func(model(xb), yb)
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * lr
            bias -= bias.grad * lr
            weights.grad.zero_()
            bias.grad.zero_()
print("by hand", f"{loss_func(model(x_train), y_train).item():.4f}", accuracy(model(xb), yb))
loss_func = F.cross_entropy
print("F.cross_entropy", f"{loss_func(model(x_train), y_train).item():.4f}")


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


def preprocess(x):
    return x.view(-1, 1, 8, 8)


model = nn.Sequential(
    Lambda(preprocess),
    nn.Conv2d(1, 8, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 10, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    Lambda(lambda x: x.view(x.size(0), -1)),
)
print(model)
with torch.no_grad():
    for k, p in enumerate(model.parameters()):
        p.copy_((0.3 * torch.sin(torch.arange(p.numel()) * 1.3 + k)).view_as(p))


def loss_batch(model, loss_func, xb, yb, opt=None):
    loss = loss_func(model(xb), yb)
    if opt is not None:
        loss.backward()
        opt.step()
        opt.zero_grad()
    return loss.item(), len(xb)


def fit(epochs, model, loss_func, opt, train_dl, valid_dl):
    for epoch in range(epochs):
        model.train()
        for xb, yb in train_dl:
            loss_batch(model, loss_func, xb, yb, opt)
        model.eval()
        with torch.no_grad():
            losses, nums = zip(*[loss_batch(model, loss_func, xb, yb) for xb, yb in valid_dl])
        val_loss = np.sum(np.multiply(losses, nums)) / np.sum(nums)
        print(epoch, f"{val_loss:.4f}", nums)


train_ds = TensorDataset(x_train, y_train)
valid_ds = TensorDataset(x_valid, y_valid)
train_dl = DataLoader(train_ds, batch_size=bs)
valid_dl = DataLoader(valid_ds, batch_size=bs * 2 // 3)
print(len(train_dl), len(valid_dl), len(train_ds))
opt = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
fit(4, model, loss_func, opt, train_dl, valid_dl)
