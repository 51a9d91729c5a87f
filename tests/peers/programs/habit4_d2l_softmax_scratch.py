import torch
from torch import nn

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(X.sum(0, keepdim=True), X.sum(1, keepdim=True))


def softmax(X):
    X_exp = torch.exp(X)
    partition = X_exp.sum(1, keepdim=True)
    return X_exp / partition


X_prob = softmax(torch.linspace(-1, 1, 10).reshape((2, 5)))
print(X_prob, X_prob.sum(1))
y = torch.tensor([0, 2])
y_hat = torch.tensor([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
print(y_hat[[0, 1], y])


def cross_entropy(y_hat, y):
    return -torch.log(y_hat[range(len(y_hat)), y])


print(cross_entropy(y_hat, y))


def accuracy(y_hat, y):
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    cmp = y_hat.type(y.dtype) == y
    return float(cmp.type(y.dtype).sum())


print(accuracy(y_hat, y) / len(y))


class Accumulator:
    def __init__(self, n):
        self.data = [0.0] * n

    def add(self, *args):
        self.data = [a + float(b) for a, b in zip(self.data, args)]

    def __getitem__(self, idx):
        return self.data[idx]


net = nn.Sequential(nn.Flatten(), nn.Linear(6, 3))


def init_weights(m):
    if type(m) == nn.Linear:
        nn.init.constant_(m.weight, 0.1)
        nn.init.zeros_(m.bias)


net.apply(init_weights)
metric = Accumulator(2)
net.eval()
with torch.no_grad():
    metric.add(accuracy(net(torch.ones(4, 2, 3)), torch.zeros(4, dtype=torch.int64)), 4)
print(metric[0] / metric[1])
print(net)
