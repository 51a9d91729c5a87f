"""d2l 6.5: pooling."""

import torch
from torch import nn


def pool2d(X, pool_size, mode="max"):
    p_h, p_w = pool_size
    Y = torch.zeros((X.shape[0] - p_h + 1, X.shape[1] - p_w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            if mode == "max":
                Y[i, j] = X[i : i + p_h, j : j + p_w].max()
            elif mode == "avg":
                Y[i, j] = X[i : i + p_h, j : j + p_w].mean()
    return Y


X = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
print(pool2d(X, (2, 2)))
print(pool2d(X, (2, 2), "avg"))

X = torch.arange(16, dtype=torch.float32).reshape((1, 1, 4, 4))
print(X)
print(nn.MaxPool2d(3)(X))
print(nn.MaxPool2d(3, padding=1, stride=2)(X))
print(nn.MaxPool2d((2, 3), stride=(2, 3), padding=(0, 1))(X))
print(nn.AvgPool2d(2)(X))
X = torch.cat((X, X + 1), 1)
print(nn.MaxPool2d(3, padding=1, stride=2)(X))
print(nn.AdaptiveAvgPool2d((1, 1))(X), nn.AdaptiveMaxPool2d((2, 1))(X))
pooled, where = nn.MaxPool2d(2, return_indices=True)(X)
print(nn.MaxUnpool2d(2)(pooled, where))
print(nn.LPPool2d(2, 2)(X))
