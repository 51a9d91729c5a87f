import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
for i, p in enumerate(model.parameters()):
    p.data.copy_(torch.sin(torch.arange(float(p.numel())) + i).view(p.shape))
X = torch.cos(torch.arange(36.0)).view(12, 3)
y = X.sum(1, keepdim=True)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = CosineAnnealingLR(optimizer, T_max=10)
swa_model = AveragedModel(model)
ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
print(swa_model)
swa_start = 3
swa_scheduler = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2, anneal_strategy="linear")
for epoch in range(6):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
        ema_model.update_parameters(model)
    if epoch > swa_start:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(
        epoch, f"{loss.item():.4f}", f"{optimizer.param_groups[0]['lr']:.5f}", swa_model.n_averaged
    )
update_bn(loader, swa_model)
print(swa_model.module[1].running_mean, swa_model.n_averaged.item(), ema_model.n_averaged)
print(list(swa_model.state_dict())[:4], optimizer)
print(scheduler.get_last_lr(), scheduler.last_epoch, swa_scheduler.state_dict())
print(
    f"{nn.functional.mse_loss(swa_model(X), y).item():.3f}",
    f"{nn.functional.mse_loss(ema_model(X), y):.3f}",
)


class EMA:
    def __init__(self, model, decay):
        self.decay, self.shadow, self.backup = (decay, {}, {})
        for n, p in model.named_parameters():
            if p.requires_grad:
                self.shadow[n] = p.data.clone()

    def update(self, model):
        for n, p in model.named_parameters():
            if p.requires_grad:
                assert n in self.shadow
                self.shadow[n] = ((1.0 - self.decay) * p.data + self.decay * self.shadow[n]).clone()

    def apply(self, model):
        for n, p in model.named_parameters():
            self.backup[n] = p.data
            p.data = self.shadow[n]

    def restore(self, model):
        for n, p in model.named_parameters():
            p.data = self.backup[n]
        self.backup = {}


ema = EMA(model, 0.5)
with torch.no_grad():
    for p in model.parameters():
        p.zero_()
ema.update(model)
ema.apply(model)
print(model[3].bias, model[3].weight)
ema.restore(model)
print(model[3].bias, dict(model.named_parameters()).keys())
avg = AveragedModel(nn.Linear(2, 1), avg_fn=lambda a, m, n: 0.9 * a + 0.1 * m, use_buffers=True)
print(avg, avg.use_buffers, avg.n_averaged.dtype)
print(
    torch.nn.utils.parameters_to_vector(model.parameters()).shape,
    type(torch.nn.utils.parameters_to_vector(model.parameters()).grad_fn).__name__,
)
vec = torch.arange(29.0)
torch.nn.utils.vector_to_parameters(vec, model.parameters())
print(model[0].weight, model[0].bias)
