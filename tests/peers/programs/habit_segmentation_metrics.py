import torch
import torch.nn as nn


class DiceLoss(nn.Module):
    def __init__(self, weight=None, size_average=True):
        super(DiceLoss, self).__init__()

    def forward(self, inputs, targets, smooth=1):
        inputs = torch.sigmoid(inputs).view(-1)
        targets = targets.view(-1)
        intersection = (inputs * targets).sum()
        return 1 - (2.0 * intersection + smooth) / (inputs.sum() + targets.sum() + smooth)


logits = torch.linspace(-2, 2, 16).view(1, 1, 4, 4).requires_grad_()
target = (torch.arange(16).view(1, 1, 4, 4) % 3 == 0).float()
loss = DiceLoss()(logits, target)
loss.backward()
print(loss, logits.grad.shape, logits.grad.sum())
pred = logits > 0
iou = (pred & target.bool()).sum((1, 2, 3)).float() / (pred | target.bool()).sum((1, 2, 3)).float()
print(iou, pred.float().mean(dim=[2, 3]))
b1 = torch.tensor([[0.0, 0.0, 2.0, 2.0]])
b2 = torch.tensor([[1.0, 1.0, 3.0, 3.0], [4.0, 4.0, 5.0, 5.0]])
lt = torch.max(b1[:, None, :2], b2[:, :2])
rb = torch.min(b1[:, None, 2:], b2[:, 2:])
wh = (rb - lt).clamp(min=0)
inter = wh[:, :, 0] * wh[:, :, 1]
print(inter / (4 + (b2[:, 2] - b2[:, 0]) * (b2[:, 3] - b2[:, 1]) - inter))
mean = torch.Tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
std = torch.tensor((0.229, 0.224, 0.225))[:, None, None]
image = torch.linspace(0, 255, 12).byte().view(3, 2, 2)
print(image.float().div(255).sub(mean).div(std), image.permute(1, 2, 0).numpy().shape)
