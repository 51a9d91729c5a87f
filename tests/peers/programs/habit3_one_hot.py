import torch
import torch.nn.functional as F

y = torch.tensor([0, 2, 1, 2])
oh = F.one_hot(y, num_classes=4)
print(oh, oh.dtype, F.one_hot(y).shape, oh.argmax(dim=1))
print(torch.eye(4)[y], oh.float() @ torch.arange(4.0))
img = torch.tensor([[0, 1], [2, 1]])
print(F.one_hot(img, 3).permute(2, 0, 1), F.one_hot(img, 3).permute(2, 0, 1).shape)
logits = torch.tensor([[1.0, 2.0, 0.5, 0.1]]).repeat(4, 1)
logp = F.log_softmax(logits, dim=-1)
print(-(oh * logp).sum(-1).mean(), F.cross_entropy(logits, y), F.nll_loss(logp, y))
print(
    F.cross_entropy(logits, oh.float()),
    F.cross_entropy(logits, y, label_smoothing=0.1),
    F.cross_entropy(logits, y, weight=torch.tensor([1.0, 2.0, 3.0, 4.0])),
)
print(
    F.cross_entropy(logits, torch.tensor([0, -100, 1, -100]), ignore_index=-100),
    F.cross_entropy(logits, y, reduction="none"),
)
print(
    F.binary_cross_entropy_with_logits(logits, oh.type_as(logits)),
    F.multilabel_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]])),
)
lut = torch.zeros(5, dtype=torch.long)
lut[torch.tensor([1, 3])] = torch.tensor([7, 9])
print(lut[torch.tensor([3, 1, 0])])
