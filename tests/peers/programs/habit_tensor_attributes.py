import torch

x = torch.randn(2, 3)
print(
    x.dtype,
    x.device,
    x.layout,
    x.requires_grad,
    x.ndim,
    x.dim(),
    x.nelement(),
    x.itemsize,
    x.is_leaf,
    x.grad,
)
print(
    len(x),
    x.numel(),
    torch.numel(x),
    x.stride(),
    x.T.shape,
    x.is_contiguous(),
    x.t().is_contiguous(),
    x.names if False else "",
)
print(
    torch.tensor(5).item() + 1,
    torch.tensor([1, 2]).tolist(),
    int(torch.tensor(7)),
    float(torch.tensor(2)),
    range(torch.tensor(3))[-1],
)
print(
    [i.item() for i in torch.tensor([3, 4])],
    max(torch.tensor([1, 5])),
    sum(torch.tensor([1, 2])),
    sorted(torch.tensor([2, 1]).tolist()),
)
print(
    x.data.shape,
    x.clone().detach().shape,
    x.contiguous().shape,
    torch.tensor(x.tolist()).shape,
    hash(x) == hash(x),
    x.is_sparse,
)
a, b = torch.tensor([1, 2])
print(
    a + b,
    -a,
    abs(-a),
    a**2,
    2**b,
    5 - a,
    1 / b,
    b // a,
    7 % b,
    a == 1,
    a != b,
    not a.bool(),
    a and b,
    divmod(7, 2),
)
print(
    torch.tensor([1.0]).dtype,
    torch.tensor(1).dtype,
    torch.tensor(True).dtype,
    torch.tensor([1, 2.5]).dtype,
    torch.arange(3.0).dtype,
    torch.empty(0).dtype,
)
print(
    torch.tensor([1, 2]).float().mean(),
    torch.tensor([1, 2]).sum().dtype,
    torch.tensor([True, True]).sum(),
    torch.ones(2, dtype=torch.uint8).sum().dtype,
)
y = torch.zeros(3, dtype=torch.uint8)
y[0] = 255
print(
    y + 1,
    y.dtype,
    (y / 2).dtype,
    torch.tensor([1]).to(dtype=torch.float),
    y.char(),
    y.short().dtype,
)
print(
    "storage",
    x.untyped_storage().nbytes(),
    x.data_ptr() != 0,
    x.storage_offset(),
    x[1].storage_offset(),
    x.element_size() * x.nelement(),
)
