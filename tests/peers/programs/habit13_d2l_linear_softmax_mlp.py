import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import collections
import inspect

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import data


class Accumulator:
    """For accumulating sums over n variables."""

    def __init__(self, n):
        self.data = [0.0] * n

    def add(self, *args):
        self.data = [a + float(b) for a, b in zip(self.data, args)]

    def __getitem__(self, idx):
        return self.data[idx]


class HyperParameters:
    def save_hyperparameters(self, ignore=[]):
        frame = inspect.currentframe().f_back
        _, _, _, local_vars = inspect.getargvalues(frame)
        self.hparams = {
            k: v
            for k, v in local_vars.items()
            if k not in set(ignore + ["self"]) and not k.startswith("_")
        }
        for k, v in self.hparams.items():
            setattr(self, k, v)


# 3.4 linear regression from scratch
true_w = torch.tensor([2, -3.4])
true_b = 4.2
rng = np.random.default_rng(0)
X = torch.from_numpy(rng.normal(0, 1, (200, 2))).type(torch.float32)
y = torch.matmul(X, true_w) + true_b
y += torch.tensor(rng.normal(0, 0.01, y.shape), dtype=torch.float32)
y = y.reshape((-1, 1))
print("features:", X[0], "\nlabel:", y[0])


def data_iter(batch_size, features, labels):
    num_examples = len(features)
    indices = list(range(num_examples))
    for i in range(0, num_examples, batch_size):
        batch_indices = torch.tensor(indices[i : min(i + batch_size, num_examples)])
        yield features[batch_indices], labels[batch_indices]


w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)


def linreg(X, w, b):
    return torch.matmul(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


for epoch in range(4):
    for Xb, yb in data_iter(10, X, y):
        l = squared_loss(linreg(Xb, w, b), yb)
        l.sum().backward()
        sgd([w, b], 0.1, 10)
    with torch.no_grad():
        train_l = squared_loss(linreg(X, w, b), y)
        print(f"epoch {epoch + 1}, loss {float(train_l.mean()):.4f}")
print(f"w err: {(true_w - w.detach().reshape(true_w.shape)).abs().max() < 0.01}, b: {b.item():.2f}")


# concise, LazyLinear, in the class style of the book's 1.0
class SoftmaxRegression(nn.Module, HyperParameters):
    def __init__(self, num_outputs, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Flatten(), nn.LazyLinear(num_outputs))

    def forward(self, X):
        return self.net(X)

    def loss(self, Y_hat, Y, averaged=True):
        Y_hat = Y_hat.reshape((-1, Y_hat.shape[-1]))
        return F.cross_entropy(Y_hat, Y.reshape((-1,)), reduction="mean" if averaged else "none")

    def accuracy(self, Y_hat, Y):
        preds = Y_hat.argmax(axis=1).type(Y.dtype)
        return (preds == Y).type(torch.float32)


X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(X.sum(0, keepdims=True), X.sum(1, keepdims=True))
y = torch.tensor([0, 2])
y_hat = torch.tensor([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
print(y_hat[[0, 1], y], -torch.log(y_hat[list(range(len(y_hat))), y]).mean())

model = SoftmaxRegression(num_outputs=3, lr=0.1)
print(model)
imgs = torch.from_numpy(rng.normal(size=(60, 1, 4, 4))).float()
lab = imgs[:, 0].flatten(1)[:, :3].argmax(1)
model(imgs[:2])
print(model.hparams, model.net[1].weight.shape)
nn.init.zeros_(model.net[1].weight)
nn.init.zeros_(model.net[1].bias)
trainer = torch.optim.SGD(model.parameters(), lr=model.lr, weight_decay=1e-3)
for epoch in range(3):
    metric = Accumulator(3)
    for Xb, yb in data.DataLoader(data.TensorDataset(imgs, lab), 10, shuffle=False):
        yh = model(Xb)
        l = model.loss(yh, yb, averaged=False)
        trainer.zero_grad()
        l.mean().backward()
        trainer.step()
        metric.add(l.detach().sum(), model.accuracy(yh, yb).sum(), yb.numel())
    print(
        f"epoch {epoch + 1}, loss {metric[0] / metric[2]:.4f}, train acc {metric[1] / metric[2]:.3f}"
    )
