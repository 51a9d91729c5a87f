import copy
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(o)
        self.conv2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o)
        self.shortcut = nn.Sequential()
        if stride != 1 or i != o:
            self.shortcut = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, blocks, n=3):
        super().__init__()
        self.inp = 4
        self.conv1 = nn.Conv2d(1, 4, 3, 1, 1, bias=False)
        self.layer1 = self._make(4, blocks[0], 1)
        self.layer2 = self._make(8, blocks[1], 2)
        self.linear = nn.Linear(8, n)

    def _make(self, planes, num, stride):
        layers = []
        for s in [stride] + [1] * (num - 1):
            layers.append(BasicBlock(self.inp, planes, s))
            self.inp = planes
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.layer2(self.layer1(self.conv1(x)))
        x = F.avg_pool2d(x, x.size()[2:])
        return self.linear(x.view(x.size(0), -1))


rs = np.random.RandomState(0)
lab = rs.randint(0, 3, 36)
img = rs.rand(36, 1, 6, 6).astype("f4") * 0.3
for i, l in enumerate(lab):
    img[i, 0, l * 2 : l * 2 + 2] += 1
sets = {
    p: TensorDataset(torch.from_numpy(img[s]), torch.from_numpy(lab[s]))
    for p, s in (("train", slice(0, 24)), ("val", slice(24, 36)))
}
loaders = {k: DataLoader(v, batch_size=8, shuffle=False) for k, v in sets.items()}
sizes = {k: len(v) for k, v in sets.items()}
model = ResNet([1, 1])
for i, p in enumerate(model.parameters()):
    if p.dim() > 1:
        p.data.copy_((torch.arange(p.numel()) * 0.77 + i).sin().view_as(p) * 0.3)
print(model)
nn.init.zeros_(model.linear.bias)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
scheduler = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)


def train_model(model, criterion, optimizer, scheduler, num_epochs=4):
    since = time.time()
    best_wts, best = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train() if phase == "train" else model.eval()
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            epoch_loss = running_loss / sizes[phase]
            epoch_acc = running_corrects.double() / sizes[phase]
            print(
                "Epoch {} {} Loss: {:.2f} Acc: {:.2f}".format(epoch, phase, epoch_loss, epoch_acc)
            )
            if phase == "val" and epoch_acc > best:
                best, best_wts = epoch_acc, copy.deepcopy(model.state_dict())
    print("Best val Acc: {:2f}".format(best), time.time() - since >= 0)
    model.load_state_dict(best_wts)
    return model


model = train_model(model, criterion, optimizer, scheduler)
model.eval()
x = torch.from_numpy(img[:1]).requires_grad_()
score = model(x)[0, lab[0]]
score.backward()
sal, _ = torch.max(x.grad.data.abs(), dim=1)
print(
    sal.shape, [n for n, _ in model.named_parameters() if "shortcut" in n], model.layer2[0].shortcut
)
feats = nn.Sequential(*list(model.children())[:-1])
print(feats(x).shape, sum(p.numel() for p in model.parameters()))
inp = torch.zeros(1, 1, 6, 6, requires_grad=True)
o = torch.optim.Adam([inp], lr=0.1)
for _ in range(3):
    o.zero_grad()
    (-model(inp)[0, 0]).backward()
    o.step()
print(inp.grad.shape, inp.std() > 0)
occ = torch.zeros(3, 3)
for a in range(3):
    for b in range(3):
        z = x.detach().clone()
        z[..., a * 2 : a * 2 + 2, b * 2 : b * 2 + 2] = 0
        occ[a, b] = model(z).softmax(-1)[0, lab[0]]
print(occ.shape, (occ <= 1).all())
