import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
rng = np.random.default_rng(0)
X = torch.tensor(rng.standard_normal((60, 5)), dtype=torch.float32)
y = torch.from_numpy((rng.random(60) * 3).astype("int64"))
loader = DataLoader(TensorDataset(X, y), batch_size=16, shuffle=False)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
for i, p in enumerate(model.parameters()):
    nn.init.constant_(p, 0.1)
    p.data.view(-1)[::2] = -0.1 * (i + 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    running, correct, total = 0.0, 0, 0
    for batch, (inputs, labels) in enumerate(loader):
        inputs, labels = inputs.to(device), labels.to(device)
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running += loss.item() * inputs.size(0)
        _, predicted = torch.max(outputs.data, 1)
        correct += (predicted == labels).sum().item()
        total += labels.size(0)
    print(
        f"Epoch [{epoch + 1}/5], loss: {running / total:.3f}, last batch {batch} of {len(loader)}"
    )
print(len(loader.dataset), total, 0 <= correct <= total)
