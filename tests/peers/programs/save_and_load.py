import io
import tempfile
from pathlib import Path

import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "checkpoint.pth"
    torch.save(
        {"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "loss": 0.5},
        path,
    )
    checkpoint = torch.load(path, map_location="cpu")
    print(sorted(checkpoint), checkpoint["epoch"], checkpoint["loss"], list(checkpoint["model"]))
    again = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    print(again.load_state_dict(checkpoint["model"]), torch.equal(again[0].weight, model[0].weight))
    optimizer.load_state_dict(checkpoint["optimizer"])
    torch.save(torch.arange(3), str(path))
    print(torch.load(str(path), map_location=torch.device("cpu"), weights_only=True))
    try:
        torch.load(Path(folder) / "missing.pth")
    except FileNotFoundError:
        print("no such file")
buffer = io.BytesIO()
torch.save([torch.ones(2), {"a": 1}], buffer)
buffer.seek(0)
print(torch.load(buffer))
