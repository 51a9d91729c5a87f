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


cnn = fixed(
    nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1),
        nn.ReLU(inplace=False),
        nn.AvgPool2d(2),
        nn.Conv2d(3, 4, 3, padding=1),
    )
).eval()
for p in cnn.parameters():
    p.requires_grad_(False)


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


content = torch.linspace(0, 1, 64).view(1, 1, 8, 8)
style = (torch.sin(torch.arange(64.0)) * 0.5 + 0.5).view(1, 1, 8, 8)
model, losses, target = nn.Sequential(), [], style
for i, layer in enumerate(cnn.children()):
    model.add_module(f"layer_{i}", layer)
    target = layer(target)
    if isinstance(layer, nn.Conv2d):
        losses.append(StyleLoss(target))
        model.add_module(f"style_loss_{i}", losses[-1])
print([name for name, _ in model.named_children()])
img = content.clone().requires_grad_(True)
optimizer = torch.optim.LBFGS([img], lr=0.5, max_iter=4)
run = [0]
while run[0] <= 6:

    def closure():
        with torch.no_grad():
            img.clamp_(0, 1)
        optimizer.zero_grad()
        model(img)
        style_score = sum(sl.loss for sl in losses) * 1e3
        tv = (img[..., 1:, :] - img[..., :-1, :]).abs().mean() + (
            img[..., :, 1:] - img[..., :, :-1]
        ).abs().mean()
        loss = style_score + F.mse_loss(img, content) + 0.1 * tv
        loss.backward()
        run[0] += 1
        if run[0] % 3 == 0:
            print("run {}: {:.4f}".format(run[0], loss.item()))
        return loss

    optimizer.step(closure)
with torch.no_grad():
    img.clamp_(0, 1)
print(img.min() >= 0, img.is_leaf, img.grad.shape)
