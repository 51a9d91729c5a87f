"""d2l 13.12: content, style and total variation losses."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


class SynthesizedImage(nn.Module):
    def __init__(self, img_shape, **kwargs):
        super(SynthesizedImage, self).__init__(**kwargs)
        self.weight = nn.Parameter(torch.rand(*img_shape))

    def forward(self):
        return self.weight


def content_loss(Y_hat, Y):
    return torch.square(Y_hat - Y.detach()).mean()


def gram(X):
    num_channels, n = X.shape[1], X.numel() // X.shape[1]
    X = X.reshape((num_channels, n))
    return torch.matmul(X, X.T) / (num_channels * n)


def style_loss(Y_hat, gram_Y):
    return torch.square(gram(Y_hat) - gram_Y.detach()).mean()


def tv_loss(Y_hat):
    return 0.5 * (
        torch.abs(Y_hat[:, :, 1:, :] - Y_hat[:, :, :-1, :]).mean()
        + torch.abs(Y_hat[:, :, :, 1:] - Y_hat[:, :, :, :-1]).mean()
    )


net = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(4, 6, 3, padding=1),
    nn.ReLU(),
)
set_weights(net)
rgb_mean = torch.tensor([0.485, 0.456, 0.406])
rgb_std = torch.tensor([0.229, 0.224, 0.225])
content = (wave(1, 3, 8, 8).permute(0, 2, 3, 1) * rgb_std + rgb_mean).permute(0, 3, 1, 2)
style = wave(1, 3, 8, 8, step=1.1)
content_Y = net(content)
style_gram = gram(net(style))
gen_img = SynthesizedImage(content.shape)
gen_img.weight.data.copy_(content.data)
trainer = torch.optim.Adam(gen_img.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.StepLR(trainer, 3, 0.8)
for epoch in range(6):
    trainer.zero_grad()
    Y = net(gen_img())
    contents_l, styles_l, tv_l = (
        content_loss(Y, content_Y),
        style_loss(Y, style_gram),
        tv_loss(gen_img()),
    )
    l = sum([contents_l, styles_l * 1000, tv_l * 10])
    l.backward()
    trainer.step()
    scheduler.step()
    print(f"{contents_l:.4f} {styles_l:.4f} {tv_l:.4f}", trainer.param_groups[0]["lr"])
print(torch.clamp(gen_img.weight.data, 0, 1)[0, 0, 0])
