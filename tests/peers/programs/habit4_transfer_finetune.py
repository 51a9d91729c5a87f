import copy

import torch
import torch.nn as nn
from torch.optim import lr_scheduler

backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
model = nn.Sequential()
model.add_module("backbone", backbone)
model.add_module("fc", nn.Linear(8, 10))
for p in model.parameters():
    nn.init.constant_(p, 0.1)
for param in model.parameters():
    param.requires_grad = False
num_ftrs = model.fc.in_features
model.fc = nn.Linear(num_ftrs, 2)
nn.init.constant_(model.fc.weight, 0.05)
nn.init.zeros_(model.fc.bias)
optimizer = torch.optim.SGD(
    filter(lambda p: p.requires_grad, model.parameters()), lr=0.1, momentum=0.9
)
exp_lr_scheduler = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
best_model_wts, best_acc = copy.deepcopy(model.state_dict()), 0.0
x = torch.linspace(-1, 1, 24).reshape(6, 4)
y = torch.tensor([0, 0, 0, 1, 1, 1])
for epoch in range(4):
    for phase in ["train", "val"]:
        model.train() if phase == "train" else model.eval()
        optimizer.zero_grad()
        with torch.set_grad_enabled(phase == "train"):
            outputs = model(x)
            _, preds = torch.max(outputs, 1)
            loss = nn.functional.cross_entropy(outputs, y)
            if phase == "train":
                loss.backward()
                optimizer.step()
        if phase == "train":
            exp_lr_scheduler.step()
        epoch_acc = torch.sum(preds == y.data).double() / len(y)
        print(f"{phase} Loss: {loss.item() * x.size(0) / len(y):.4f} Acc: {epoch_acc:.4f}")
        if phase == "val" and epoch_acc > best_acc:
            best_acc = epoch_acc
            best_model_wts = copy.deepcopy(model.state_dict())
print(
    best_acc,
    exp_lr_scheduler.get_last_lr(),
    [n for n, p in model.named_parameters() if p.requires_grad],
)
model.load_state_dict(best_model_wts)
print({k: v.shape for k, v in model.state_dict().items()})
missing = model.load_state_dict({"fc.weight": torch.zeros(2, 8)}, strict=False)
print(missing)
try:
    model.load_state_dict({"fc.weight": torch.zeros(3, 8)}, strict=False)
except RuntimeError as e:
    print(str(e).splitlines()[0])
print(
    optimizer.state_dict()["param_groups"][0]["lr"],
    len(optimizer.state),
    exp_lr_scheduler.state_dict()["last_epoch"],
)
