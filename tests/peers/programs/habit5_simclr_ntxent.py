import torch
import torch.nn as nn
import torch.nn.functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


enc = fixed(
    nn.Sequential(nn.Linear(6, 10), nn.BatchNorm1d(10), nn.ReLU(inplace=True), nn.Linear(10, 4))
)


def info_nce_loss(features, batch_size, temperature=0.5):
    labels = torch.cat([torch.arange(batch_size) for i in range(2)], dim=0)
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    features = F.normalize(features, dim=1)
    sim = torch.matmul(features, features.T)
    mask = torch.eye(labels.shape[0], dtype=torch.bool)
    labels = labels[~mask].view(labels.shape[0], -1)
    sim = sim[~mask].view(sim.shape[0], -1)
    positives = sim[labels.bool()].view(labels.shape[0], -1)
    negatives = sim[~labels.bool()].view(sim.shape[0], -1)
    logits = torch.cat([positives, negatives], dim=1) / temperature
    return logits, torch.zeros(logits.shape[0], dtype=torch.long)


x = torch.sin(torch.arange(30.0)).view(5, 6)
views = torch.cat([x + 0.1, x * 0.9])
opt = torch.optim.Adam(enc.parameters(), 1e-2, weight_decay=1e-4)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5, eta_min=0, last_epoch=-1)
for e in range(5):
    logits, labels = info_nce_loss(enc(views), 5)
    loss = F.cross_entropy(logits, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sch.step()
    top1 = (logits.argmax(1) == labels).float().mean() * 100
    print(f"{e} loss {loss:.4f} top1 {top1:.1f} lr {sch.get_last_lr()[0]:.5f}")
q = torch.zeros(4, 3)
ptr = 0
for batch in F.normalize(x, dim=1)[:, :4].T.split(2, dim=1):
    q[:, ptr : ptr + batch.shape[1]] = batch[:, : q.shape[1] - ptr]
    ptr = (ptr + batch.shape[1]) % 3
    break
print(q)
