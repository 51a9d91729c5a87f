import torch

torch.set_printoptions(precision=2, sci_mode=False)
print(torch.tensor([1.23456, 1000.5, 1e-6]))
torch.set_printoptions(profile="default")
print(torch.arange(2000))
print(
    torch.zeros(2, 0),
    torch.tensor([]),
    torch.tensor(3),
    torch.tensor([1e10, 1.0]),
    torch.tensor([float("nan"), float("inf")]),
)
torch.set_printoptions(threshold=5, edgeitems=1, linewidth=40)
print(torch.arange(20.0).view(4, 5))
torch.set_printoptions(profile="default")
print(
    "loss: %.3f" % torch.tensor(0.12345),
    "{:.2f}".format(torch.tensor(2.0)),
    f"{torch.tensor(3):>4}",
    str(torch.tensor([1, 2])),
)
print(
    torch.ones(1, requires_grad=True) * 2, torch.tensor([True]), torch.ones(2, dtype=torch.float64)
)
print(
    repr(torch.device("cuda:0")),
    torch.device("cpu"),
    torch.device("cuda", 1).index,
    torch.float32,
    torch.strided,
)
print("%d items" % torch.tensor(5), [torch.tensor(1)], {"a": torch.tensor(1.5)})
