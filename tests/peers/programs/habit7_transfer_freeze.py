import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.layer1 = nn.Sequential(
            nn.Conv2d(4, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True)
        )
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.avgpool(self.layer1(x))
        return self.fc(torch.flatten(x, 1))


def set_parameter_requires_grad(model, feature_extracting):
    if feature_extracting:
        for param in model.parameters():
            param.requires_grad = False


model = fixed(Backbone())
set_parameter_requires_grad(model, True)
model.fc = fixed(nn.Linear(model.fc.in_features, 2))
print([name for name, p in model.named_parameters() if p.requires_grad])
params = [p for p in model.parameters() if p.requires_grad]
optimizer = optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1, momentum=0.9)
before = copy.deepcopy(model.state_dict())
for m in model.modules():
    if isinstance(m, nn.BatchNorm2d):
        m.eval()
x, labels = noise(6, 3, 8, 8), torch.tensor([0, 1, 0, 1, 1, 0])
for epoch in range(3):
    optimizer.zero_grad()
    with torch.set_grad_enabled(True):
        out = model(x)
        _, preds = torch.max(out, 1)
        loss = F.cross_entropy(out, labels)
        loss.backward()
        optimizer.step()
    print(
        f"{loss.item() * x.size(0):.4f}", torch.sum(preds == labels.data).double() / len(x), preds
    )
changed = [k for k, v in model.state_dict().items() if not torch.equal(v, before[k])]
print(changed, model.conv1.weight.grad, model.training, model.bn1.training)

for name, child in model.named_children():
    if name in ["layer1", "fc"]:
        print(name, "unfreeze")
        for p in child.parameters():
            p.requires_grad_(True)
    else:
        child.requires_grad_(False)
print(
    sum(p.numel() for p in model.parameters() if p.requires_grad),
    sum(p.numel() for p in model.parameters()),
)
ignored = list(map(id, model.fc.parameters()))
base = filter(lambda p: id(p) not in ignored and p.requires_grad, model.parameters())
optimizer = optim.Adam([{"params": base}, {"params": model.fc.parameters(), "lr": 1e-2}], lr=1e-3)
print([(g["lr"], len(g["params"])) for g in optimizer.param_groups])
optimizer.add_param_group({"params": model.bn1.parameters(), "lr": 5e-4})
print(len(optimizer.param_groups), optimizer.param_groups[-1]["betas"])

pretrained = {"module." + k: v for k, v in before.items()}
stripped = {
    k.replace("module.", ""): v for k, v in pretrained.items() if not k.startswith("module.fc")
}
result = model.load_state_dict(stripped, strict=False)
print(result, result.missing_keys, result.unexpected_keys)
try:
    model.load_state_dict(before)
except RuntimeError as e:
    print("size mismatch" in str(e), "fc.weight" in str(e))
try:
    model.load_state_dict(pretrained)
except RuntimeError as e:
    print("Missing key" in str(e) or "Unexpected key" in str(e))
print(model.load_state_dict(model.state_dict()))
features = nn.Sequential(*list(model.children())[:-1])
print(features(x).shape, nn.Sequential(*list(model.layer1.children())[:1]))
model.fc = nn.Identity()
print(model(x).shape, model.fc, list(model._modules))
