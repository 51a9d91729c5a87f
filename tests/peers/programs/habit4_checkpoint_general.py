import io

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class TheModelClass(nn.Module):
    def __init__(self):
        super(TheModelClass, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(6 * 2 * 2, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = x.view(-1, 6 * 2 * 2)
        return self.fc1(x)


model = TheModelClass()
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name, "\t", optimizer.state_dict()[var_name])
loss = model(torch.ones(1, 3, 8, 8)).sum()
loss.backward()
optimizer.step()
buffer = io.BytesIO()
torch.save(
    {
        "epoch": 5,
        "model_state_dict": model.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "loss": loss,
    },
    buffer,
)
buffer.seek(0)
checkpoint = torch.load(buffer, weights_only=True, map_location="cpu")
other = TheModelClass()
print(other.load_state_dict(checkpoint["model_state_dict"]))
optimizer2 = optim.SGD(other.parameters(), lr=0.5, momentum=0.1)
optimizer2.load_state_dict(checkpoint["optimizer_state_dict"])
print(checkpoint["epoch"], checkpoint["loss"].requires_grad, optimizer2.param_groups[0]["momentum"])
print(torch.equal(other.conv1.weight, model.conv1.weight), sorted(checkpoint))
print(list(optimizer2.state_dict()["state"][0]), type(checkpoint["model_state_dict"]).__name__)
