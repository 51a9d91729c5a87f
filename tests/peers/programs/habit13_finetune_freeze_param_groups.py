import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import copy

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler


class BasicBlock(nn.Module):
    expansion: int = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = None
        if stride != 1 or inplanes != planes:
            self.downsample = nn.Sequential(
                nn.Conv2d(inplanes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class TinyResNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.layer1 = BasicBlock(8, 8)
        self.layer2 = BasicBlock(8, 16, stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, num_classes)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def fill(m, seed=0):
    with torch.no_grad():
        for i, (n, p) in enumerate(m.named_parameters()):
            if "bn" in n or "downsample.1" in n:
                continue
            p.copy_((0.25 * torch.sin(1.9 * torch.arange(p.numel()) + i + seed)).reshape(p.shape))


def num(m, trainable_only=False):
    return sum(p.numel() for p in m.parameters() if p.requires_grad or not trainable_only)


model_ft = TinyResNet()
fill(model_ft)
print(model_ft.layer2)
print(num(model_ft))
num_ftrs = model_ft.fc.in_features
for param in model_ft.parameters():
    param.requires_grad = False
model_ft.fc = nn.Linear(num_ftrs, 2)
nn.init.constant_(model_ft.fc.weight, 0.1)
nn.init.zeros_(model_ft.fc.bias)
print(
    num(model_ft),
    num(model_ft, True),
    [n for n, p in model_ft.named_parameters() if p.requires_grad],
)

X = torch.stack(
    [
        torch.sin(torch.arange(3 * 8 * 8.0) * (0.05 + 0.1 * (i % 2)) + i).view(3, 8, 8)
        for i in range(12)
    ]
)
Y = torch.arange(12) % 2
model_ft.layer2.requires_grad_(True)
optimizer = optim.SGD(
    [
        {"params": model_ft.layer2.parameters(), "lr": 0.01},
        {"params": model_ft.fc.parameters()},
    ],
    lr=0.1,
    momentum=0.9,
)
print(
    len(optimizer.param_groups),
    [g["lr"] for g in optimizer.param_groups],
    [len(g["params"]) for g in optimizer.param_groups],
)
scheduler = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)

before = copy.deepcopy(model_ft.state_dict())
best_acc, best_wts = 0.0, None
for epoch in range(4):
    for phase in ["train", "val"]:
        model_ft.train() if phase == "train" else model_ft.eval()
        with torch.set_grad_enabled(phase == "train"):
            out = model_ft(X)
            _, preds = torch.max(out, 1)
            loss = nn.CrossEntropyLoss()(out, Y)
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        acc = torch.sum(preds == Y.data).double() / len(X)
        print(f"{epoch} {phase} Loss: {loss:.4f} Acc: {acc:.4f}")
        if phase == "val" and acc > best_acc:
            best_acc, best_wts = acc, copy.deepcopy(model_ft.state_dict())
    scheduler.step()
    print("  lr", ["%.5f" % v for v in scheduler.get_last_lr()])
print(best_acc)
changed = [k for k in before if not torch.equal(before[k], model_ft.state_dict()[k])]
print(len(before), len(changed), [k for k in changed if "stem" in k or "layer1" in k])
print(model_ft.load_state_dict(best_wts), model_ft.layer1.bn1.num_batches_tracked)
