import torch
import torch.nn.functional as F

img = torch.arange(48.0).reshape(3, 4, 4) / 48
mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
norm = (img - mean) / std
print(
    norm.mean((1, 2)),
    (norm * std + mean).allclose(img),
    img.permute(1, 2, 0).shape,
    img.unsqueeze(0).shape,
)
uint8 = (img * 255).clamp(0, 255).to(torch.uint8)
print(uint8[0], uint8.float().div(255).max(), uint8.numpy().transpose(1, 2, 0).shape)
print(
    torch.flip(img, dims=[-1])[0, 0],
    img[:, 1:3, 1:3].shape,
    F.pad(img, (1, 1, 1, 1)).shape,
    F.pad(img[None], (1, 1, 1, 1), mode="reflect")[0, 0, 0],
)
print(
    F.interpolate(img[None], scale_factor=2, mode="nearest")[0, 0, 0],
    F.interpolate(img[None], size=(2, 2), mode="bilinear", align_corners=False)[0, 0],
)
print(
    F.avg_pool2d(img[None], 2)[0, 0],
    F.max_pool2d(img[None], 2, return_indices=True)[1][0, 0],
    F.adaptive_avg_pool2d(img[None], 1).flatten(),
)
kernel = (
    torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
    .view(1, 1, 3, 3)
    .repeat(3, 1, 1, 1)
)
print(F.conv2d(img[None], kernel, groups=3, padding=1)[0, 0])
patches = F.unfold(img[None], kernel_size=2, stride=2)
print(
    patches.shape,
    F.fold(patches, (4, 4), 2, stride=2).allclose(img[None]),
    img.unfold(1, 2, 2).unfold(2, 2, 2).shape,
)
theta = torch.tensor([[[1.0, 0.0, 0.2], [0.0, 1.0, 0.0]]])
grid = F.affine_grid(theta, (1, 3, 4, 4), align_corners=False)
print(F.grid_sample(img[None], grid, align_corners=False)[0, 0, 0])
gray = (img * torch.tensor([0.299, 0.587, 0.114])[:, None, None]).sum(0)
print(gray[0], gray.histc(4, 0, 1) if False else gray.mean(), torch.stack([img, img]).shape)
perm = torch.tensor([1, 0])
batch = torch.stack([img, img * 0])
lam = 0.3
print((lam * batch + (1 - lam) * batch[perm])[0, 0, 0])
