import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

model = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
for k, p in enumerate(model.parameters()):
    nn.init.constant_(p, 0.1 + 0.1 * k)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
swa_model = AveragedModel(model)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
swa_start = 2
swa_scheduler = SWALR(opt, swa_lr=0.05, anneal_epochs=2)
data = [torch.linspace(-1, 1, 8).reshape(4, 2) * (i + 1) for i in range(2)]
for epoch in range(5):
    for x in data:
        opt.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        opt.step()
    if epoch > swa_start:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(epoch, opt.param_groups[0]["lr"], loss.item())
update_bn(data, swa_model)
print(swa_model.module[1].running_mean, swa_model.module[1].num_batches_tracked)
print(swa_model.n_averaged, swa_model(data[0]).shape)
