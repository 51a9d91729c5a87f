import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)

    def forward(self, x):
        return self.fc(x)


net = Net()
nn.init.constant_(net.fc.weight, 0.5)
nn.init.zeros_(net.fc.bias)
buffer = io.BytesIO()
torch.save(net.state_dict(), buffer)
buffer.seek(0)
other = Net()
print(other.load_state_dict(torch.load(buffer)))
print(other(torch.ones(1, 2)).item())
checkpoint = {
    "epoch": 3,
    "model": net.state_dict(),
    "loss": torch.tensor(0.25),
    "names": ["a", "b"],
}
buffer = io.BytesIO()
torch.save(checkpoint, buffer)
buffer.seek(0)
loaded = torch.load(buffer, map_location="cpu", weights_only=True)
print(loaded["epoch"], loaded["loss"], loaded["names"], list(loaded["model"]))
