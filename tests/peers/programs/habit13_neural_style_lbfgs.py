import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.set_printoptions(precision=3, sci_mode=False)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        # we 'detach' the target content from the tree used to dynamically compute the gradient
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()  # a=batch size(=1), b=number of feature maps
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        G = gram_matrix(input)
        self.loss = F.mse_loss(G, self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.as_tensor(mean).view(-1, 1, 1)
        self.std = torch.as_tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


cnn = nn.Sequential(
    nn.Conv2d(3, 6, 3, padding=1),
    nn.ReLU(inplace=True),
    nn.Conv2d(6, 6, 3, padding=1),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(2, 2),
    nn.Conv2d(6, 8, 3, padding=1),
    nn.ReLU(inplace=True),
).eval()
for i, p in enumerate(cnn.parameters()):
    p.data = (torch.sin(torch.arange(p.numel()) * 1.618 + i) * 0.3).view(p.shape)
    p.requires_grad_(False)

r = torch.linspace(0, 1, 16)
content_img = torch.stack([r.outer(r), r[:, None].expand(16, 16), r.expand(16, 16)]).unsqueeze(0)
style_img = (torch.sin(torch.arange(3 * 256.0) * 0.9).view(1, 3, 16, 16) + 1) / 2
assert style_img.size() == content_img.size(), (
    "we need to import style and content images of the same size"
)
print(gram_matrix(style_img))


def get_style_model_and_losses(
    cnn,
    mean,
    std,
    style_img,
    content_img,
    content_layers=("conv_3",),
    style_layers=("conv_1", "conv_2"),
):
    normalization = Normalization(mean, std)
    content_losses, style_losses = [], []
    model = nn.Sequential(normalization)
    i = 0
    for layer in copy.deepcopy(cnn).children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = "conv_{}".format(i)
        elif isinstance(layer, nn.ReLU):
            name = "relu_{}".format(i)
            layer = nn.ReLU(inplace=False)
        elif isinstance(layer, nn.MaxPool2d):
            name = "pool_{}".format(i)
            layer = nn.AvgPool2d(layer.kernel_size, layer.stride)
        else:
            raise RuntimeError("Unrecognized layer: {}".format(layer.__class__.__name__))
        model.add_module(name, layer)
        if name in content_layers:
            content_loss = ContentLoss(model(content_img).detach())
            model.add_module("content_loss_{}".format(i), content_loss)
            content_losses.append(content_loss)
        if name in style_layers:
            style_loss = StyleLoss(model(style_img).detach())
            model.add_module("style_loss_{}".format(i), style_loss)
            style_losses.append(style_loss)
    for i in range(len(model) - 1, -1, -1):
        if isinstance(model[i], ContentLoss) or isinstance(model[i], StyleLoss):
            break
    return model[: (i + 1)], style_losses, content_losses


model, style_losses, content_losses = get_style_model_and_losses(
    cnn, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225], style_img, content_img
)
print(model)
input_img = content_img.clone().double().float()
input_img.requires_grad_(True)
optimizer = optim.LBFGS([input_img], lr=0.5)
print([n for n, _ in model.named_children()][-3:], sorted(optimizer.param_groups[0].keys()))
run = [0]
while run[0] < 20:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        style_score = sum(sl.loss for sl in style_losses) * 100
        content_score = sum(cl.loss for cl in content_losses)
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        if run[0] in (1, 5, 10, 15):
            print(
                "run {}: Style Loss : {:.3f} Content Loss: {:.3f}".format(
                    run[0], style_score.item(), content_score.item()
                )
            )
        return loss

    optimizer.step(closure)
with torch.no_grad():
    input_img.clamp_(0, 1)
print(input_img.shape, input_img.min() >= 0, input_img.max() <= 1, run)
torch.set_printoptions(profile="default")
