"""Type promotion, default dtypes, scalars: snippets from several answers."""

import torch

i = torch.tensor([1, 2, 3])
f = torch.tensor([1.0, 2.0])
print(i.dtype, f.dtype, torch.tensor(True).dtype, torch.tensor(1j).dtype, torch.tensor([]).dtype)

# int / int, int // int, int % int
print((i / 2), (i / 2).dtype, (i // 2).dtype, i % 2)
print(
    -7 // torch.tensor(2),
    torch.div(torch.tensor(-7), 2, rounding_mode="trunc"),
    torch.tensor(-7) % 3,
    torch.fmod(torch.tensor(-7), 3),
)

# tensor (dim > 0) with python scalars
i8 = torch.tensor([100, 100], dtype=torch.int8)
print((i8 + 1).dtype, (i8 + 1.0).dtype, (i8 + True).dtype, (i8 * 2).tolist())
print((i + 1.5).dtype, (f.half() * 2.5).dtype, (f.double() + 1).dtype, (i + 1j).dtype)

# zero-dim tensors behave like scalars of their category
z = torch.tensor(1.5, dtype=torch.float64)
print((f + z).dtype, (i + z).dtype, (z + z).dtype, (f[0] + z).dtype, (f[:1] + z.reshape(1)).dtype)

# result_type, promote_types, can_cast
pairs = [
    (torch.uint8, torch.int8),
    (torch.int32, torch.float16),
    (torch.float16, torch.bfloat16),
    (torch.bool, torch.uint8),
    (torch.int64, torch.complex64),
    (torch.float64, torch.complex64),
]
for a, b in pairs:
    print(f"{a} + {b} -> {torch.promote_types(a, b)}")
print(torch.result_type(i, 1.0), torch.result_type(torch.tensor(1), f), torch.result_type(1, 2.0))
print(
    torch.can_cast(torch.double, torch.int),
    torch.can_cast(torch.float, torch.half),
    torch.can_cast(torch.int, torch.bool),
)

# in-place cannot change the dtype category
try:
    i += 0.5
except Exception as e:
    print("int += float: RuntimeError", isinstance(e, RuntimeError))
g = torch.ones(2)
g += torch.tensor([1, 2])
print(g, g.dtype)

# reductions
b = torch.tensor([True, False, True])
u = torch.tensor([200, 100], dtype=torch.uint8)
print(b.sum(), u.sum(), u.sum().dtype, u.sum(dtype=torch.uint8), i.prod().dtype, i.cumsum(0).dtype)
try:
    i.mean()
except Exception as e:
    print("mean of int: RuntimeError", isinstance(e, RuntimeError))
print(i.float().mean(), i.mean(dtype=torch.float64))

# conversions
print(
    torch.tensor([1.9, -1.9]).int(),
    torch.tensor([0.0, 0.1]).bool(),
    torch.tensor(300).to(torch.uint8),
)
print(i.type(), i.type(torch.float16).type(), i.type_as(f).dtype, i.to(f).dtype, i.long() is i)

# default dtype
torch.set_default_dtype(torch.float64)
print(
    torch.tensor(1.0).dtype,
    torch.get_default_dtype(),
    torch.zeros(1).dtype,
    torch.tensor([1]) / 2,
    torch.tensor(1j).dtype,
)
torch.set_default_dtype(torch.float32)
print(
    torch.arange(3).dtype,
    torch.arange(3.0).dtype,
    torch.linspace(0, 1, 3).dtype,
    torch.full((1,), 2).dtype,
)

# matmul is strict
try:
    f @ f.double()
except Exception as e:
    print("float @ double: RuntimeError", isinstance(e, RuntimeError))
print(torch.where(torch.tensor([True, False]), 1, 2.5), torch.cat([i, f]).dtype)
print(
    torch.float32.is_floating_point,
    torch.complex64.is_complex,
    torch.int8.is_signed,
    torch.float32.itemsize,
    torch.float64.to_complex(),
)
