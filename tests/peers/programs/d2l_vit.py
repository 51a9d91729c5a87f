"""d2l (2nd ed.) 11.8: a vision transformer."""

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


class PatchEmbedding(nn.Module):
    def __init__(self, img_size=96, patch_size=16, num_hiddens=512):
        super().__init__()

        def _make_tuple(x):
            if not isinstance(x, (list, tuple)):
                return (x, x)
            return x

        img_size, patch_size = _make_tuple(img_size), _make_tuple(patch_size)
        self.num_patches = (img_size[0] // patch_size[0]) * (img_size[1] // patch_size[1])
        self.conv = nn.LazyConv2d(num_hiddens, kernel_size=patch_size, stride=patch_size)

    def forward(self, X):
        return self.conv(X).flatten(2).transpose(1, 2)


class ViTBlock(nn.Module):
    def __init__(self, num_hiddens, mlp_num_hiddens, num_heads):
        super().__init__()
        self.ln1 = nn.LayerNorm(num_hiddens)
        self.attention = nn.MultiheadAttention(num_hiddens, num_heads, batch_first=True)
        self.ln2 = nn.LayerNorm(num_hiddens)
        self.mlp = nn.Sequential(
            nn.LazyLinear(mlp_num_hiddens), nn.GELU(), nn.LazyLinear(num_hiddens)
        )

    def forward(self, X):
        X = X + self.attention(*([self.ln1(X)] * 3), need_weights=False)[0]
        return X + self.mlp(self.ln2(X))


class ViT(nn.Module):
    def __init__(self, img_size, patch_size, num_hiddens, num_blks, num_classes=10):
        super().__init__()
        self.patch_embedding = PatchEmbedding(img_size, patch_size, num_hiddens)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, num_hiddens))
        num_steps = self.patch_embedding.num_patches + 1
        self.pos_embedding = nn.Parameter(torch.randn(1, num_steps, num_hiddens))
        self.blks = nn.Sequential()
        for i in range(num_blks):
            self.blks.add_module(f"{i}", ViTBlock(num_hiddens, 16, 2))
        self.head = nn.Sequential(nn.LayerNorm(num_hiddens), nn.Linear(num_hiddens, num_classes))

    def forward(self, X):
        X = self.patch_embedding(X)
        X = torch.cat((self.cls_token.expand(X.shape[0], -1, -1), X), 1)
        X = X + self.pos_embedding
        for blk in self.blks:
            X = blk(X)
        return self.head(X[:, 0])


net = ViT(16, 4, 8, 2)
images = wave(2, 3, 16, 16)
net(images)
set_weights(net)
print(net)
out = net(images)
print(out.shape, out[0])
nn.functional.cross_entropy(out, torch.tensor([1, 5]), label_smoothing=0.1).backward()
print(f"{net.cls_token.grad.norm():.5f}", net.patch_embedding.conv.weight.shape)
