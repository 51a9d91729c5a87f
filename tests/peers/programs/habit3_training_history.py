import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.sin(torch.arange(60.0)).view(30, 2)
y = (X[:, 0] * X[:, 1] > 0).long()
train_loader = DataLoader(TensorDataset(X[:20], y[:20]), batch_size=8, shuffle=False)
val_loader = DataLoader(TensorDataset(X[20:], y[20:]), batch_size=10)
device = (
    torch.device("cuda:0" if torch.cuda.is_available() else "cpu") if False else torch.device("cpu")
)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
for i, p in enumerate(model.parameters()):
    p.data = torch.cos(torch.arange(p.numel(), dtype=torch.float) * 1.9 + i).view_as(p)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
history = {"train_loss": [], "val_loss": [], "val_acc": []}
best, best_state, patience = float("inf"), None, 0
start = time.time()
for epoch in range(6):
    model.train()
    running = 0.0
    for xb, yb in train_loader:
        xb, yb = xb.to(device, non_blocking=True), yb.to(device)
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(xb)
    model.eval()
    val_loss, correct, total = 0.0, 0, 0
    with torch.inference_mode():
        for xb, yb in val_loader:
            out = model(xb.to(device))
            val_loss += criterion(out, yb).item() * xb.size(0)
            correct += out.argmax(1).eq(yb).sum().item()
            total += yb.size(0)
    history["train_loss"].append(running / len(train_loader.dataset))
    history["val_loss"].append(val_loss / total)
    history["val_acc"].append(correct / total)
    if val_loss < best:
        best, patience = val_loss, 0
        best_state = {k: v.clone() for k, v in model.state_dict().items()}
    else:
        patience += 1
        if patience > 2:
            break
    print(
        f"Epoch {epoch:02d} | train {history['train_loss'][-1]:.4f} | val {history['val_loss'][-1]:.4f} | acc {100 * correct / total:>5.1f}%"
    )
model.load_state_dict(best_state)
print(time.time() - start >= 0, torch.tensor(history["val_acc"]).max())
