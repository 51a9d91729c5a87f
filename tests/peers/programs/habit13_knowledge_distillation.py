import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
from dataclasses import asdict, dataclass, field
from typing import Dict, List, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class KDConfig:
    T: float = 2.0
    soft_target_loss_weight: float = 0.25
    ce_loss_weight: float = 0.75
    epochs: int = 4
    lr: float = 5e-3
    widths: List[int] = field(default_factory=lambda: [64, 8])


cfg = KDConfig()
print(cfg)
print(asdict(cfg))


class MLP(nn.Module):
    def __init__(self, d_in: int, width: int, n_cls: int = 4) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Linear(d_in, width), nn.GELU(), nn.Linear(width, 16), nn.GELU()
        )
        self.classifier = nn.Linear(16, n_cls)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x))


class HiddenMLP(MLP):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        h = self.features(x)
        return self.classifier(h), h


@torch.no_grad()
def det_init(m: nn.Module, f: float) -> nn.Module:
    for i, p in enumerate(m.parameters()):
        scale = 1.0 / p.shape[-1] ** 0.5
        p.copy_(torch.sin(f * torch.arange(p.numel()) + i).view_as(p).mul(scale))
    return m


rng = np.random.default_rng(0)
mus = rng.normal(size=(4, 10)) * 1.0
y = np.tile(np.arange(4), 60)
X = mus[y] + rng.normal(size=(240, 10))
X, y = torch.from_numpy(X).float(), torch.from_numpy(y)
train_loader = DataLoader(TensorDataset(X[:160], y[:160]), batch_size=32)
test_loader = DataLoader(TensorDataset(X[160:], y[160:]), batch_size=80)


def train(model, loader, cfg):
    criterion, optimizer = nn.CrossEntropyLoss(), optim.Adam(model.parameters(), lr=cfg.lr)
    model.train()
    hist = []
    for epoch in range(cfg.epochs):
        running = 0.0
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), labels)
            loss.backward()
            optimizer.step()
            running += loss.item()
        hist.append(round(running / len(loader), 3))
    print("hist", hist)


def test(model, loader) -> float:
    model.eval()
    correct = total = 0
    with torch.inference_mode():
        for inputs, labels in loader:
            out = model(inputs)
            _, predicted = torch.max(out.data, 1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()
    return 100 * correct / total


teacher = det_init(MLP(10, cfg.widths[0]), 1.3)
student = det_init(MLP(10, cfg.widths[1]), 2.9)
print(student)
print("Teacher parameters: " + f"{sum(p.numel() for p in teacher.parameters()):,}")
print("Student parameters: " + f"{sum(p.numel() for p in student.parameters()):,}")
print("Norm of 1st layer of teacher: %.4f" % torch.norm(teacher.features[0].weight).item())
train(teacher, train_loader, cfg)
train(student, train_loader, cfg)
print(
    "CE only: teacher %.0f student %.0f" % (test(teacher, test_loader), test(student, test_loader))
)

student2 = det_init(HiddenMLP(10, cfg.widths[1]), 2.9)
teacher2 = HiddenMLP(10, cfg.widths[0])
teacher2.load_state_dict(teacher.state_dict())
optimizer = optim.Adam(student2.parameters(), lr=cfg.lr)
ce, cos = nn.CrossEntropyLoss(), nn.CosineEmbeddingLoss()
for epoch in range(cfg.epochs):
    parts: Dict[str, float] = {"kd": 0.0, "ce": 0.0, "cos": 0.0}
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        with torch.no_grad():
            t_logits, t_hid = teacher2(inputs)
        s_logits, s_hid = student2(inputs)
        soft_targets = nn.functional.softmax(t_logits / cfg.T, dim=-1)
        soft_prob = nn.functional.log_softmax(s_logits / cfg.T, dim=-1)
        kd = (
            torch.sum(soft_targets * (soft_targets.log() - soft_prob))
            / soft_prob.size()[0]
            * (cfg.T**2)
        )
        hid = cos(s_hid, t_hid, target=torch.ones(inputs.size(0)))
        label_loss = ce(s_logits, labels)
        (cfg.soft_target_loss_weight * kd + cfg.ce_loss_weight * label_loss + 0.1 * hid).backward()
        optimizer.step()
        for k, v in zip(parts, (kd, label_loss, hid)):
            parts[k] += v.item() / len(train_loader)
    print(epoch, {k: f"{v:.3f}" for k, v in parts.items()})
print(
    "KD student trained", test(MLP.forward and student, test_loader) >= 0, student2(X[:2])[1].shape
)
