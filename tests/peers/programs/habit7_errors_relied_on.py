import torch
import torch.nn as nn
import torch.nn.functional as F


def attempt(label, kind, f):
    try:
        f()
        print(label, "no error")
    except kind as e:
        print(label, kind.__name__, len(str(e)) > 10)


attempt("matmul", RuntimeError, lambda: torch.ones(2, 3) @ torch.ones(2, 3))
attempt("broadcast", RuntimeError, lambda: torch.ones(2, 3) + torch.ones(4))
attempt("linear", RuntimeError, lambda: nn.Linear(3, 2)(torch.ones(4, 5)))
attempt("conv", RuntimeError, lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 1, 8, 8)))
attempt("view", RuntimeError, lambda: torch.ones(2, 3).view(4))
attempt("view of transposed", RuntimeError, lambda: torch.ones(2, 3).t().view(6))
attempt("cat", RuntimeError, lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 2)]))
attempt("stack", RuntimeError, lambda: torch.stack([torch.ones(2), torch.ones(3)]))
attempt("stack empty", RuntimeError, lambda: torch.stack([]))
attempt("index", IndexError, lambda: torch.ones(3)[3])
attempt("too many indices", IndexError, lambda: torch.ones(3)[0, 0])
attempt("embedding", IndexError, lambda: nn.Embedding(3, 2)(torch.tensor([3])))
attempt("target", IndexError, lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3])))
attempt(
    "target dtype",
    RuntimeError,
    lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0])),
)
attempt("nll", ValueError, lambda: F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1, 2])))
attempt(
    "bce", RuntimeError, lambda: F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.0]))
)
attempt("bce sizes", ValueError, lambda: F.binary_cross_entropy(torch.ones(2), torch.ones(2, 1)))
attempt("item", RuntimeError, lambda: torch.ones(2).item())
attempt("bool", RuntimeError, lambda: bool(torch.ones(2)))
attempt("int", ValueError, lambda: int(torch.ones(2)))
attempt("numpy of grad", RuntimeError, lambda: torch.ones(2, requires_grad=True).numpy())
attempt(
    "backward of vector", RuntimeError, lambda: (torch.ones(2, requires_grad=True) * 2).backward()
)
attempt("backward without grad", RuntimeError, lambda: torch.ones(1).backward())
attempt("leaf in place", RuntimeError, lambda: torch.ones(2, requires_grad=True).add_(1))
attempt("integer grad", RuntimeError, lambda: torch.tensor([1, 2], requires_grad=True))
attempt("dim", IndexError, lambda: torch.ones(2, 3).sum(dim=2))
attempt("squeeze dim", IndexError, lambda: torch.ones(2).squeeze(3))
attempt("permute", RuntimeError, lambda: torch.ones(2, 3).permute(0, 0))
attempt("expand", RuntimeError, lambda: torch.ones(2, 3).expand(4, 3))
attempt("chunk", RuntimeError, lambda: torch.ones(4).chunk(0))
attempt("split", RuntimeError, lambda: torch.ones(4).split([1, 2]))
attempt("norm dim", RuntimeError, lambda: nn.LayerNorm(4)(torch.ones(2, 3)))
attempt("batch norm", ValueError, lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)))
attempt("batch norm dims", ValueError, lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)))
attempt(
    "state", RuntimeError, lambda: nn.Linear(2, 2).load_state_dict({"weight": torch.ones(2, 2)})
)
attempt("attribute", AttributeError, lambda: nn.Linear(2, 2).weights)
attempt("tensor attribute", AttributeError, lambda: torch.ones(2).foo)
attempt("module call", RuntimeError, lambda: nn.Module()(torch.ones(1)))
attempt("none", TypeError, lambda: torch.ones(2) + None)
attempt("string", TypeError, lambda: torch.tensor("abc"))
attempt("ragged", ValueError, lambda: torch.tensor([[1, 2], [3]]))
attempt("from list of tensors", ValueError, lambda: torch.tensor([torch.ones(2), torch.ones(2)]))
attempt("bad dtype", TypeError, lambda: torch.ones(2, dtype="float32"))
attempt("bad device", RuntimeError, lambda: torch.ones(2, device="tpuu"))
attempt("zeros negative", RuntimeError, lambda: torch.zeros(-1))
attempt("cholesky", RuntimeError, lambda: torch.linalg.cholesky(-torch.eye(2)))
attempt("inverse", RuntimeError, lambda: torch.linalg.inv(torch.zeros(2, 2)))
attempt("optimizer empty", ValueError, lambda: torch.optim.SGD([], lr=0.1))
attempt(
    "optimizer lr", ValueError, lambda: torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=-1)
)
attempt(
    "optimizer tensor",
    TypeError,
    lambda: torch.optim.SGD(torch.ones(1, requires_grad=True), lr=0.1),
)
attempt(
    "optimizer non-leaf",
    ValueError,
    lambda: torch.optim.SGD([torch.ones(1, requires_grad=True) * 2], lr=0.1),
)
attempt("dropout", ValueError, lambda: nn.Dropout(1.5))
attempt("padding", ValueError, lambda: nn.Conv2d(1, 1, 3, padding="same", stride=2))
attempt("groups", ValueError, lambda: nn.Conv2d(3, 4, 3, groups=2))
attempt("pool", RuntimeError, lambda: F.max_pool2d(torch.ones(1, 1, 2, 2), 3))
attempt("gather", RuntimeError, lambda: torch.gather(torch.ones(2, 2), 1, torch.tensor([[2], [0]])))
attempt(
    "gather dtype",
    RuntimeError,
    lambda: torch.gather(torch.ones(2, 2), 1, torch.tensor([[0.0], [1.0]])),
)
attempt("mask", IndexError, lambda: torch.ones(3)[torch.tensor([True, False])])
attempt(
    "einsum", RuntimeError, lambda: torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(2, 3))
)
attempt(
    "grad unused",
    RuntimeError,
    lambda: torch.autograd.grad(
        torch.ones(1, requires_grad=True).sum(), torch.ones(1, requires_grad=True)
    ),
)
attempt("register", KeyError, lambda: nn.Module().register_parameter("a.b", None))
attempt(
    "before init",
    AttributeError,
    lambda: type(
        "M", (nn.Module,), {"__init__": lambda self: setattr(self, "l", nn.Linear(1, 1))}
    )(),
)
attempt("module list", IndexError, lambda: nn.ModuleList([nn.ReLU()])[1])
attempt("module dict", KeyError, lambda: nn.ModuleDict()["x"])
attempt("load", FileNotFoundError, lambda: torch.load("/nonexistent/file.pt"))
attempt("int division in place", RuntimeError, lambda: torch.ones(2, dtype=torch.long).div_(2))
attempt("float to int in place", RuntimeError, lambda: torch.ones(2, dtype=torch.long).add_(0.5))
attempt(
    "dtype matmul", RuntimeError, lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)
)
attempt("overlap", RuntimeError, lambda: torch.ones(1, 3).expand(2, 3).add_(1))
try:
    y = torch.ones(2, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()
except RuntimeError as e:
    print("modified by an inplace operation" in str(e))
try:
    z = torch.ones(2, requires_grad=True).exp().sum()
    z.backward()
    z.backward()
except RuntimeError as e:
    print("second time" in str(e))
