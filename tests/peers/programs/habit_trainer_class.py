import time

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, lr=0.1):
        self.model = model
        self.optimizer = optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.scheduler = optim.lr_scheduler.MultiStepLR(
            self.optimizer, milestones=[1, 2], gamma=0.1
        )
        self.criterion = nn.CrossEntropyLoss()
        self.history = {"loss": [], "acc": []}

    def run(self, loader, train):
        self.model.train(train)
        total, correct, n = 0.0, 0, 0
        with torch.set_grad_enabled(train):
            for x, y in loader:
                out = self.model(x)
                loss = self.criterion(out, y)
                if train:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                total += loss.item() * x.size(0)
                correct += (out.argmax(1) == y).type(torch.float).sum().item()
                n += y.numel()
        return total / n, correct / n

    def fit(self, train, val, epochs):
        for epoch in range(1, epochs + 1):
            since = time.time()
            loss, acc = self.run(train, True)
            vloss, vacc = self.run(val, False)
            self.scheduler.step()
            self.history["loss"].append(loss)
            print(
                f"Epoch {epoch:03d} | loss {loss:.4f} | acc {acc:.2%} | val {vloss:.4f} {vacc:.2f} | lr {self.scheduler.get_last_lr()[0]:.0e}"
            )
            assert time.time() >= since


X = torch.sin(torch.arange(40.0)).view(20, 2)
y = (X[:, 0] > X[:, 1]).long()
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.cos(torch.arange(p.numel()).float()).view(p.shape) * 0.5)
train = DataLoader(TensorDataset(X[:16], y[:16]), batch_size=4)
Trainer(model).fit(train, DataLoader(TensorDataset(X[16:], y[16:]), batch_size=4), 3)
