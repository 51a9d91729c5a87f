import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

net = torch.nn.Linear(2, 1, bias=False)
torch.nn.init.ones_(net.weight)
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
ema.update_parameters(net)
with torch.no_grad():
    net.weight.mul_(3)
ema.update_parameters(net)
print(ema.module.weight, ema.n_averaged)
print(list(ema.state_dict().keys()))
plain = AveragedModel(net, avg_fn=lambda a, m, n: 0.5 * a + 0.5 * m)
plain.update_parameters(net)
plain.update_parameters(net)
print(plain.module.weight.data)
print(ema)
