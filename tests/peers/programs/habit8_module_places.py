from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.modules import Module
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.loss import _Loss, _WeightedLoss
from torch.nn.modules.utils import _pair, _triple, consume_prefix_in_state_dict_if_present


class SmoothedL1(_Loss):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction)


class FocalLoss(_WeightedLoss):
    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(weight, reduction=reduction)
        self.gamma = gamma

    def forward(self, input, target):
        ce = F.cross_entropy(input, target, weight=self.weight, reduction="none")
        return ((1 - torch.exp(-ce)) ** self.gamma * ce).mean()


class Center(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.tensor([1.0, 2.0]))
        self.scratch = nn.Buffer(torch.zeros(1), persistent=False)

    def forward(self, x):
        return x - self.mean


print(SmoothedL1("sum")(torch.ones(2), torch.zeros(2)), SmoothedL1())
focal = FocalLoss(weight=torch.tensor([1.0, 3.0]))
print(focal(torch.tensor([[1.0, 0.0], [0.5, 0.2]]), torch.tensor([0, 1])), focal.state_dict())
weighted = [nn.MultiMarginLoss(weight=torch.ones(2)), nn.MultiLabelSoftMarginLoss(torch.ones(2))]
print(
    [list(loss.state_dict()) for loss in weighted],
    [loss.double().weight.dtype for loss in weighted],
)

layers = [nn.BatchNorm1d(2), nn.InstanceNorm1d(2), nn.SyncBatchNorm(2), nn.GroupNorm(1, 2)]
layers += [nn.Conv1d(1, 1, 1), nn.ConvTranspose2d(1, 1, 1), nn.Linear(1, 1), nn.Dropout2d()]
for layer in layers:
    kinds = [
        kind
        for kind in (_BatchNorm, _ConvNd, _DropoutNd, nn.Dropout, Module)
        if isinstance(layer, kind)
    ]
    print(type(layer).__name__, [kind.__name__ for kind in kinds])
print(nn.modules.batchnorm.BatchNorm1d is nn.BatchNorm1d, nn.modules.linear.Linear is nn.Linear)
print(_pair(3), _pair((1, 2)), _triple(0))

saved = OrderedDict([("module.0.weight", torch.ones(1)), ("module.0.bias", torch.zeros(1))])
consume_prefix_in_state_dict_if_present(saved, "module.")
print(saved)

center = Center()
print(
    center(torch.zeros(2)), list(center.state_dict()), [name for name, _ in center.named_buffers()]
)
print(
    isinstance(center.mean, nn.Buffer),
    isinstance(torch.ones(1), nn.Buffer),
    type(center.mean) is torch.Tensor,
)
center.mean = torch.zeros(2)
print(center.state_dict(), center.half().mean.dtype)

converted = nn.SyncBatchNorm.convert_sync_batchnorm(
    nn.Sequential(nn.InstanceNorm1d(2), nn.BatchNorm1d(2))
)
print([type(layer).__name__ for layer in converted])
torch.set_deterministic_debug_mode("warn")
print(torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled())
torch.set_deterministic_debug_mode(0)
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_multithreading_enabled(False):
    (x * 3).sum().backward()
print(x.grad)
