import numpy as np
import torch
import torch.nn.functional as F

np.random.seed(0)
x = torch.arange(2 * 1 * 4 * 4, dtype=torch.float32).view(2, 1, 4, 4)
y = torch.tensor([0, 1])
lam = 0.75
index = torch.tensor([1, 0])
mixed_x = lam * x + (1 - lam) * x[index, :]
y_a, y_b = y, y[index]
print(mixed_x[0, 0, 0], y_a, y_b)
logits = torch.tensor([[1.0, -1.0], [0.5, 0.25]])
loss = lam * F.cross_entropy(logits, y_a) + (1 - lam) * F.cross_entropy(logits, y_b)
soft = lam * F.one_hot(y_a, 2).float() + (1 - lam) * F.one_hot(y_b, 2).float()
print(loss, F.cross_entropy(logits, soft), -(soft * F.log_softmax(logits, -1)).sum(-1).mean())
x2 = x.clone()
x2[:, :, 1:3, 1:3] = x[index, :, 1:3, 1:3]
print(x2[0, 0])
print(
    F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False)[0, 0],
    F.interpolate(x[:1], size=(2, 2), mode="nearest"),
)
print(
    F.pad(x[0, 0], (1, 1, 0, 0), value=-1)[0],
    x.flip(-1)[0, 0, 0],
    torch.rot90(x[0, 0], 1, [0, 1])[0],
)
grid = F.affine_grid(torch.tensor([[[1.0, 0, 0], [0, 1.0, 0]]]), [1, 1, 2, 2], align_corners=False)
print(grid)
mean, std = x.mean(dim=(0, 2, 3)), x.std(dim=(0, 2, 3))
print((x - mean[None, :, None, None]).div(std[None, :, None, None]).mean().abs() < 1e-5, mean, std)
T = 4.0
teacher = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
kd = (
    F.kl_div(F.log_softmax(logits / T, dim=1), F.softmax(teacher / T, dim=1), reduction="batchmean")
    * T
    * T
)
print(
    kd,
    F.kl_div(F.log_softmax(logits, 1), F.log_softmax(teacher, 1), reduction="sum", log_target=True),
)
img = (x[0].permute(1, 2, 0).numpy() * 8).astype(np.uint8)
back = torch.from_numpy(img).permute(2, 0, 1).float().div(255)
print(img.shape, img.dtype, back.max(), torch.as_tensor(img).dtype, np.asarray(back).sum())
focal = (1 - torch.exp(-F.cross_entropy(logits, y, reduction="none"))) ** 2 * F.cross_entropy(
    logits, y, reduction="none"
)
print(focal, F.binary_cross_entropy_with_logits(logits, soft, pos_weight=torch.tensor([2.0, 1.0])))
