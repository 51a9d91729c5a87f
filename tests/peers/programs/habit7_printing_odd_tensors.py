import torch

print(
    torch.tensor([]),
    torch.empty(0, 3),
    torch.zeros(2, 0, 4),
    torch.tensor([[]]),
    torch.empty(0, dtype=torch.int64),
)
print(
    torch.tensor(3),
    torch.tensor(2.5),
    torch.tensor(True),
    torch.tensor(1 + 2j),
    torch.tensor(1e10),
    torch.tensor(1e-10),
)
print(
    torch.tensor([1e-8, 1.0, 1e8]),
    torch.tensor([0.1, 100.0]),
    torch.tensor([1.0, 2.0, 3.0]),
    torch.tensor([1e5, 2.5]),
    torch.tensor([99999.0, 1.5]),
)
print(
    torch.tensor([float("inf"), 1.0, float("nan")]),
    torch.tensor([float("inf"), -float("inf")]),
    torch.tensor([1.5, float("nan"), -2e-5]),
)
print(
    torch.arange(6, dtype=torch.int8).view(2, 3),
    torch.arange(3, dtype=torch.uint8),
    torch.arange(3, dtype=torch.int16),
    torch.arange(3, dtype=torch.int32),
)
print(
    torch.ones(2, dtype=torch.float16),
    torch.ones(2, dtype=torch.bfloat16) / 3,
    torch.ones(2, dtype=torch.float64) / 3,
    torch.tensor([1 + 0.5j, -2j]),
)
print(torch.arange(2000))
print(torch.arange(2000.0).view(40, 50))
print(torch.arange(24).view(2, 3, 4), torch.arange(16.0).view(2, 2, 2, 2))
print(
    torch.zeros(3, 1),
    torch.zeros(1, 3),
    torch.zeros(1, 1, 1),
    torch.tensor([-1.0, 1.0]),
    torch.tensor([-0.0, 0.0]),
)
print(
    torch.tensor([[1, -20], [300, 4]]),
    torch.tensor([[True, False], [False, True]]),
    torch.tensor([123456789, 1]),
)
print(
    torch.ones(3, requires_grad=True),
    torch.ones(1, requires_grad=True) * 2,
    torch.nn.Parameter(torch.ones(2, 2)),
    torch.ones(2, requires_grad=True, dtype=torch.float64).sum(),
)
torch.set_printoptions(precision=2)
print(torch.tensor([3.14159, 2.71828]))
torch.set_printoptions(threshold=5, edgeitems=1)
print(torch.arange(10), torch.arange(36).view(6, 6))
torch.set_printoptions(profile="default")
torch.set_printoptions(sci_mode=True)
print(torch.tensor([1.0, 2.0]))
torch.set_printoptions(sci_mode=False)
print(torch.tensor([1e-8, 1e8, 0.5]))
torch.set_printoptions(profile="default", sci_mode=None)
torch.set_printoptions(linewidth=40)
print(torch.linspace(0, 1, 12))
torch.set_printoptions(profile="full")
print(torch.arange(1100)[-3:], torch.zeros(1, 5))
torch.set_printoptions(profile="short")
print(torch.tensor([3.14159]))
torch.set_printoptions(profile="default")
print([torch.tensor(1), torch.tensor([2.0])], {"a": torch.zeros(2)}, (torch.tensor(1.0),))
print(
    torch.arange(5).shape,
    torch.zeros(2, 3).size(),
    torch.Size([1, 2]),
    torch.zeros(2).size() == (2,),
    torch.zeros(2, 3).numel(),
)
print(
    repr(torch.float32),
    torch.float16,
    torch.device("cpu"),
    repr(torch.device("cuda:1")),
    torch.strided,
    torch.contiguous_format,
    torch.int64.itemsize,
)
print(
    torch.arange(3).type(),
    torch.zeros(1).type(),
    torch.BoolTensor([True]).type(),
    type(torch.zeros(1)),
    torch.zeros(1).dtype,
)
print(
    torch.tensor([0.00001, 0.5]),
    torch.tensor([1e-4, 1e-3]),
    torch.tensor([1000.5, 0.001]),
    torch.tensor([12345678.0]),
    torch.tensor([16777216.0, 0.5]),
)
print(
    torch.full((2, 2), 7),
    torch.full((2,), 1.5),
    torch.full((1,), True),
    torch.eye(2),
    torch.empty(2, 3).shape,
    torch.zeros(()).shape,
)
print(
    torch.iinfo(torch.int32),
    torch.finfo(torch.bfloat16),
    torch.iinfo(torch.uint8).max,
    torch.finfo(torch.float64).eps,
)
print(torch.Generator(), torch.Generator().device) if False else print("generator")
print(
    torch.randn(2, 2).new_zeros(2),
    torch.tensor([1, 2]).new_tensor([1.5]),
    torch.zeros(2).new_full((2,), 3.0),
)
