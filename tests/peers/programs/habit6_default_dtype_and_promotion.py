import torch

print(torch.get_default_dtype(), torch.tensor(1.0).dtype, torch.tensor([1, 2.0]).dtype)
torch.set_default_dtype(torch.float64)
try:
    print(
        torch.zeros(2), torch.tensor(0.1), torch.randn(2).dtype, torch.nn.Linear(2, 2).weight.dtype
    )
    print(
        torch.arange(3.0).dtype, torch.linspace(0, 1, 2).dtype, torch.ones(2, dtype=torch.float32)
    )
    print(torch.tensor([1 + 1j]).dtype, (torch.arange(2) / 2).dtype, torch.eye(2).dtype)
finally:
    torch.set_default_dtype(torch.float32)
i, f, h = torch.arange(3), torch.ones(3), torch.ones(3).half()
print(
    (i + f).dtype,
    (i / 2).dtype,
    (i // 2).dtype,
    (i * 2.0).dtype,
    (h * 2.5).dtype,
    (h + f).dtype,
    (i + True).dtype,
)
print(
    (torch.tensor(1, dtype=torch.int8) + torch.tensor([1], dtype=torch.int16)).dtype, (f > 1).dtype
)
print(
    torch.result_type(i, 1.0),
    torch.promote_types(torch.int32, torch.float16),
    torch.can_cast(torch.float32, torch.int32),
)
print(
    torch.finfo(torch.float32).eps,
    torch.finfo(torch.float16).max,
    torch.iinfo(torch.int8).min,
    torch.finfo(torch.bfloat16),
)
print(
    f.double().dtype,
    f.int(),
    f.long().dtype,
    f.bool(),
    f.to(torch.int16).dtype,
    f.char().dtype,
    i.float().dtype,
    i.byte().dtype,
)
print(
    torch.float32.is_floating_point,
    torch.complex64.is_complex,
    torch.int8.is_signed,
    torch.float64.itemsize,
)
print(
    torch.tensor([1.7, -1.7]).int(),
    torch.tensor(300).to(torch.uint8),
    torch.tensor([0.0, 2.0]).bool(),
)
print(
    str(torch.float32), repr(torch.int64), torch.float is torch.float32, torch.long is torch.int64
)
try:
    i += 0.5
except RuntimeError as e:
    print("cannot be cast")
i.add_(True)
print(
    i,
    i.sum().dtype,
    torch.ones(2, dtype=torch.bool).sum(),
    torch.ones(2, dtype=torch.uint8).cumsum(0).dtype,
)
print(torch.tensor([1, 2, 3]).float().mean(), torch.tensor([True, False]).float().mean())
try:
    torch.tensor([1, 2]).mean()
except RuntimeError:
    print("mean of ints")
print(
    torch.set_default_device("cpu"),
    torch.get_default_device() if hasattr(torch, "get_default_device") else "cpu",
)
x = torch.tensor([1.0, float("nan"), float("inf")])
print(x, x.isnan(), torch.nan_to_num(x, nan=0.0, posinf=1.0), x.isfinite().all())
