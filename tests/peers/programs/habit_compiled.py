import torch


@torch.compile
def f(x):
    return torch.relu(x) * 2 + 1


class Net(torch.nn.Module):
    def forward(self, x):
        return f(x).sum()


@torch.jit.ignore
def helper(x):
    return x


print(torch.compile(lambda v: v + 1, backend="eager")(torch.ones(2)), helper(torch.ones(1)))
print(
    hasattr(torch, "__version__"),
    isinstance(torch.__version__, str),
    int(torch.__version__.split(".")[0]) >= 0,
)
