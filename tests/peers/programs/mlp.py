import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.fc1 = nn.Linear(inputs, hidden)
        self.fc2 = nn.Linear(hidden, outputs)
        self.dropout = nn.Dropout(0.2)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.fc2(self.dropout(x))


model = MLP(4, 8, 3)
for i, p in enumerate(model.parameters()):
    with torch.no_grad():
        p.copy_(torch.sin(torch.arange(p.numel()) + float(i)).reshape(p.shape))
model.eval()
x = torch.ones(2, 4)
print(model)
print(model(x), model(x).shape, model.training, model.train().dropout.training)
print([name for name, _ in model.named_parameters()], [type(m).__name__ for m in model.modules()])
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
print(next(model.parameters()).device, model.fc1.weight.shape, model.fc1.in_features)
