"""makemore 5: wavenet, with our own layer classes shaped like torch.nn"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import torch
import torch.nn.functional as F


class Linear:
    def __init__(self, fan_in, fan_out, bias=True):
        n = fan_in * fan_out
        self.weight = (
            torch.sin(torch.arange(n) * 1.7 + fan_in).view(fan_in, fan_out) * 1.4 / fan_in**0.5
        )
        self.bias = torch.zeros(fan_out) if bias else None

    def __call__(self, x):
        self.out = x @ self.weight
        if self.bias is not None:
            self.out += self.bias
        return self.out

    def parameters(self):
        return [self.weight] + ([] if self.bias is None else [self.bias])


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps, self.momentum, self.training = eps, momentum, True
        self.gamma, self.beta = torch.ones(dim), torch.zeros(dim)
        self.running_mean, self.running_var = torch.zeros(dim), torch.ones(dim)

    def __call__(self, x):
        if self.training:
            dim = 0 if x.ndim == 2 else (0, 1)
            xmean, xvar = x.mean(dim, keepdim=True), x.var(dim, keepdim=True)
        else:
            xmean, xvar = self.running_mean, self.running_var
        xhat = (x - xmean) / torch.sqrt(xvar + self.eps)
        self.out = self.gamma * xhat + self.beta
        if self.training:
            with torch.no_grad():
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * xmean
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * xvar
        return self.out

    def parameters(self):
        return [self.gamma, self.beta]


class Tanh:
    def __call__(self, x):
        self.out = torch.tanh(x)
        return self.out

    def parameters(self):
        return []


class Embedding:
    def __init__(self, n, d):
        self.weight = torch.cos(torch.arange(n * d) * 2.1).view(n, d)

    def __call__(self, IX):
        self.out = self.weight[IX]
        return self.out

    def parameters(self):
        return [self.weight]


class FlattenConsecutive:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        B, T, C = x.shape
        x = x.view(B, T // self.n, C * self.n)
        self.out = x.squeeze(1) if x.shape[1] == 1 else x
        return self.out

    def parameters(self):
        return []


class Sequential:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


V, n_embd, H = 10, 6, 16
model = Sequential(
    [
        Embedding(V, n_embd),
        FlattenConsecutive(2),
        Linear(n_embd * 2, H, bias=False),
        BatchNorm1d(H),
        Tanh(),
        FlattenConsecutive(2),
        Linear(H * 2, H, bias=False),
        BatchNorm1d(H),
        Tanh(),
        FlattenConsecutive(2),
        Linear(H * 2, H, bias=False),
        BatchNorm1d(H),
        Tanh(),
        Linear(H, V),
    ]
)
model.layers[-1].weight *= 0.1
parameters = model.parameters()
print(sum(p.nelement() for p in parameters))
for p in parameters:
    p.requires_grad = True

seq = [(3 * i + i // 4) % V for i in range(80)]
X, Y = (
    torch.tensor([seq[i : i + 8] for i in range(64)]),
    torch.tensor([seq[i + 8] for i in range(64)]),
)
print(X.shape, Y[:8])
lossi, ud = [], []
for i in range(40):
    logits = model(X)
    loss = F.cross_entropy(logits, Y)
    if i == 0:
        for layer in model.layers:
            print(layer.__class__.__name__, ":", tuple(layer.out.shape))
    for p in parameters:
        p.grad = None
    loss.backward()
    lr = 0.1 if i < 30 else 0.01
    for p in parameters:
        p.data += -lr * p.grad
    if i % 10 == 0:
        print(f"{i:7d}/{40:7d}: {loss.item():.4f}")
    lossi.append(loss.log10().item())
    with torch.no_grad():
        ud.append(
            [((lr * p.grad).std() / p.data.std()).log10().item() for p in parameters if p.ndim == 2]
        )
print([f"{v:.2f}" for v in torch.tensor(lossi).view(-1, 10).mean(1)])
print(torch.tensor(ud).mean(0).shape)
for i, layer in enumerate(model.layers[:-1]):
    if isinstance(layer, Tanh):
        t = layer.out
        print(
            "layer %d (%10s): std %.2f, saturated: %.0f%%"
            % (i, layer.__class__.__name__, t.detach().std(), (t.abs() > 0.97).float().mean() * 100)
        )
for layer in model.layers:
    layer.training = False


@torch.no_grad()
def split_loss(x, y):
    return F.cross_entropy(model(x), y).item()


print(
    "train %.3f" % split_loss(X, Y),
    "first20 %.3f" % split_loss(X[:20], Y[:20]),
    model(X[:1]).argmax(1) == Y[:1],
)
