import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div(a * b * c * d)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super(ContentLoss, self).__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super(StyleLoss, self).__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super(Normalization, self).__init__()
        self.mean = torch.as_tensor(mean).view(-1, 1, 1)
        self.std = torch.as_tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


content = torch.linspace(0, 1, 3 * 6 * 6).reshape(1, 3, 6, 6)
style = content.flip(3)
conv = nn.Conv2d(3, 4, 3, padding=1)
nn.init.constant_(conv.weight, 0.1)
nn.init.zeros_(conv.bias)
norm = Normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
base = nn.Sequential(norm, conv)
cl, sl = ContentLoss(base(content)), StyleLoss(base(style))
model = nn.Sequential(norm, conv, cl, sl).requires_grad_(False)
model.eval()
input_img = content.clone().requires_grad_(True)
optimizer = optim.LBFGS([input_img], max_iter=5)
run = [0]
while run[0] < 8:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        loss = sl.loss * 10 + cl.loss
        loss.backward()
        run[0] += 1
        if run[0] % 4 == 0:
            print(
                "run {}: Style Loss : {:4f} Content Loss: {:4f}".format(
                    run, sl.loss.item(), cl.loss.item()
                )
            )
        return sl.loss + cl.loss

    optimizer.step(closure)
with torch.no_grad():
    input_img.clamp_(0, 1)
print(input_img.shape, input_img.requires_grad, gram_matrix(content)[0, :2])
print(model)
