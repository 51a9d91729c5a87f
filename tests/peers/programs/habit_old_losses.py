import torch
import torch.nn.functional as F
from torch import nn

p = torch.tensor([0.1, 0.8, 0.4])
t = torch.tensor([0.0, 1.0, 0.0])
print(F.mse_loss(p, t, reduction="sum"), F.mse_loss(p, t, size_average=False))
print(nn.MSELoss(size_average=False)(p, t), nn.L1Loss(reduce=False)(p, t))
print(F.binary_cross_entropy(p, t, reduction="none"), nn.BCELoss(size_average=True)(p, t))
logits = torch.tensor([[1.0, 2.0, 0.5], [0.1, 0.2, 3.0]])
y = torch.tensor([1, 2])
print(F.cross_entropy(logits, y, size_average=False), nn.CrossEntropyLoss(reduce=False)(logits, y))
print(F.nll_loss(F.log_softmax(logits, dim=1), y, reduction="sum"))
print(nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]), label_smoothing=0.1)(logits, y))
print(
    nn.CrossEntropyLoss(ignore_index=2)(logits, y),
    F.smooth_l1_loss(p, t, beta=0.5),
    F.huber_loss(p, t),
)
print(nn.KLDivLoss(reduction="batchmean")(F.log_softmax(logits, 1), F.softmax(logits.flip(1), 1)))
print(nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0]))(p, t), nn.SmoothL1Loss()(p, t))
