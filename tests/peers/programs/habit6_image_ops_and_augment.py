import torch
import torch.nn.functional as F

img = torch.arange(32.0).view(1, 2, 4, 4) / 32
print(
    F.interpolate(img, scale_factor=2, mode="nearest")[0, 0, :3, :3],
    F.interpolate(img, size=(3, 3), mode="bilinear", align_corners=False)[0, 0],
)
print(
    F.interpolate(img, size=3, mode="area")[0, 0],
    F.interpolate(img, scale_factor=0.5, mode="bicubic", align_corners=True)[0, 1],
)
print(
    F.pad(img, (1, 1, 0, 1), mode="reflect").shape,
    F.pad(img, (1, 0), value=-1)[0, 0, 0],
    F.pad(img, (1, 1, 1, 1), mode="replicate")[0, 0, 0],
    F.pad(img, (1, 1, 1, 1), "circular")[0, 0, 0],
)
theta = torch.tensor([[[1.0, 0.0, 0.25], [0.0, 1.0, -0.25]]])
grid = F.affine_grid(theta, img.shape, align_corners=False)
print(grid.shape, F.grid_sample(img, grid, align_corners=False)[0, 0])
print(F.grid_sample(img, grid, mode="nearest", padding_mode="border", align_corners=True)[0, 1])
patches = img.unfold(2, 2, 2).unfold(3, 2, 2)
print(patches.shape, patches.permute(0, 2, 3, 1, 4, 5).reshape(1, 4, -1)[0, 0])
cols = F.unfold(img, 2, stride=2)
print(cols.shape, torch.equal(F.fold(cols, (4, 4), 2, stride=2), img))
print(
    F.pixel_shuffle(torch.arange(16.0).view(1, 4, 2, 2), 2)[0, 0], F.pixel_unshuffle(img, 2).shape
)
print(
    img.flip(-1)[0, 0, 0],
    torch.rot90(img, 1, (2, 3))[0, 0, 0],
    img[..., 1:3, 1:3].shape,
    img.roll((1, 1), (2, 3))[0, 0, 0],
)
mean, std = torch.tensor([0.1, 0.2]), torch.tensor([0.5, 0.5])
norm = (img - mean[None, :, None, None]) / std[None, :, None, None]
print(
    norm.mean((0, 2, 3)),
    norm.std((0, 2, 3)),
    img.clamp(0.2, 0.8).sum(),
    (img * 255).byte()[0, 0, 0],
)
print(
    F.max_pool2d(img, 2, return_indices=True)[1][0, 0],
    F.avg_pool2d(img, 3, stride=1, padding=1, count_include_pad=False)[0, 0],
    F.adaptive_max_pool2d(img, 1).flatten(),
    F.lp_pool2d(img, 2, 2)[0, 0],
)
kernel = torch.tensor([[1.0, 2.0, 1.0], [0.0, 0.0, 0.0], [-1.0, -2.0, -1.0]]).expand(2, 1, 3, 3)
x = img.clone().requires_grad_()
edges = F.conv2d(x, kernel, padding=1, groups=2)
edges.abs().sum().backward()
print(edges[0, 0], x.grad[0, 1])
nhwc = img.permute(0, 2, 3, 1).contiguous()
print(
    nhwc.shape, nhwc.stride(), img.to(memory_format=torch.channels_last).shape, img.is_contiguous()
)
boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 3.0, 3.0], [0.1, 0.0, 2.0, 2.1]])
scores = torch.tensor([0.9, 0.8, 0.7])


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    return inter / (area(a)[:, None] + area(b) - inter)


def nms(boxes, scores, thr):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0].item()
        keep.append(i)
        if order.numel() == 1:
            break
        order = order[1:][iou(boxes[i : i + 1], boxes[order[1:]])[0] <= thr]
    return torch.as_tensor(keep)


print(iou(boxes, boxes), nms(boxes, scores, 0.5))
lam = 0.3
perm = torch.tensor([1, 0])
batch = torch.cat([img, img * 2])
print((lam * batch + (1 - lam) * batch[perm])[:, 0, 0, 0])
ys, xs = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
print(ys, xs, torch.stack([ys, xs], -1).view(-1, 2))
