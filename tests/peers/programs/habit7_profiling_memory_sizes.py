import gc
import time
import weakref

import torch
import torch.nn as nn


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def human(n):
    for unit in ("B", "KB", "MB"):
        if abs(n) < 1024:
            return f"{n:3.1f}{unit}"
        n /= 1024
    return f"{n:.1f}GB"


def summary(model, x):
    rows = []

    def hook(module, inputs, output):
        rows.append(
            (type(module).__name__, list(output.shape), sum(p.numel() for p in module.parameters()))
        )

    handles = [m.register_forward_hook(hook) for m in model.modules() if not list(m.children())]
    model(x)
    for h in handles:
        h.remove()
    print("-" * 48)
    print(f"{'Layer (type)':>20} {'Output Shape':>18} {'Param #':>8}")
    print("=" * 48)
    for name, shape, count in rows:
        print(f"{name:>20} {shape!s:>18} {count:>8,}")
    print(f"Total params: {sum(r[2] for r in rows):,}")
    return rows


model = nn.Sequential(
    nn.Conv2d(3, 8, 3),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 10),
)
summary(model, noise(2, 3, 16, 16))
size = sum(p.nelement() * p.element_size() for p in model.parameters())
buffers = sum(b.nelement() * b.element_size() for b in model.buffers())
print(human(size), human(buffers), human(size * 1000))
x = torch.zeros(100, 10)
v = x[::2]
print(
    x.nbytes,
    v.nbytes,
    x.untyped_storage().nbytes(),
    v.storage_offset(),
    x.data_ptr() == v.data_ptr(),
    v.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(),
)
print(
    x.storage().size() if False else x.untyped_storage().size(),
    x.itemsize,
    x.element_size(),
    torch.finfo(x.dtype).bits,
)
r = weakref.ref(x)
del x, v
gc.collect()
print(r() is None)
start = time.perf_counter()
torch.ones(10).sum()
print(time.perf_counter() - start < 5, torch.get_num_threads() >= 1, torch.get_default_dtype())
flops = 0
for m in model:
    if isinstance(m, nn.Conv2d):
        flops += m.weight.numel() * 14 * 14
    elif isinstance(m, nn.Linear):
        flops += m.weight.numel()
print(
    flops,
    f"{flops:,}",
    model[0].kernel_size,
    model[0].stride,
    model[0].padding,
    model[0].dilation,
    model[0].groups,
    model[0].padding_mode,
)
print(
    torch.cuda.is_available() in (True, False),
    torch.backends.cudnn.enabled in (True, False),
    hasattr(torch, "compile"),
)
live = [o for o in gc.get_objects() if torch.is_tensor(o)]
print(len(live) > 0, all(isinstance(o, torch.Tensor) for o in live))
a = torch.empty(3, 4)
print(
    a.expand(2, 3, 4).is_contiguous(),
    a.expand(2, 3, 4).stride(),
    a.t().stride(),
    a.t().contiguous().stride(),
    a.dim(),
    a.ndim,
    a.ndimension(),
    len(a),
)
print(
    a.is_floating_point(),
    a.is_complex(),
    a.is_cuda,
    a.device.type,
    a.layout,
    a.is_leaf,
    a.requires_grad,
    a.grad,
    a.is_sparse,
    a.names if False else None,
)
print(
    torch.is_storage(a),
    torch.is_tensor([1]),
    torch.numel(a),
    a.size(-1),
    a.shape[0],
    a.shape[-2:],
    tuple(a.shape),
    list(a.size()),
    a.stride(0),
)
b = torch.ones(2)
before = b._version
print(b.is_pinned(), b.add_(1)._version - before)
with torch.inference_mode():
    c = torch.ones(2)
    print(c.is_inference(), torch.is_inference_mode_enabled(), torch.is_grad_enabled())
