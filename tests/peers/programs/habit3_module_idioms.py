import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, depth=2):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
        self.acts = nn.ModuleDict({"relu": nn.ReLU(), "gelu": nn.GELU()})
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("running", torch.zeros(dim))
        self.register_buffer("temp", torch.zeros(1), persistent=False)
        self.register_parameter("maybe", None)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, nn.Linear):
            nn.init.constant_(m.weight, 0.1)
            if m.bias is not None:
                m.bias.data.zero_()

    def forward(self, x, act="relu"):
        for i, layer in enumerate(self.layers):
            x = x + self.acts[act](layer(x))
        self.running += x.detach().mean(0)
        return x * self.scale

    def extra_repr(self):
        return "depth={}".format(len(self.layers))


b = Block(2)
print(b)
print(b(torch.ones(1, 2)), b(torch.ones(1, 2), act="gelu"), b.running)
print(list(b.state_dict()), [n for n, _ in b.named_children()], len(list(b.modules())))
print(
    b.training,
    b.eval().training,
    b.train().layers[0].training,
    b.layers[0].in_features,
    next(b.parameters()).device,
)
for p in b.layers.parameters():
    p.requires_grad = False
print(
    [n for n, p in b.named_parameters() if p.requires_grad],
    b.get_submodule("layers.0"),
    b.get_parameter("scale"),
)
b.layers.append(nn.Linear(2, 2))
b.layers[1] = nn.Identity()
del b.acts["gelu"]
print(len(b.layers), "relu" in b.acts, b.double().scale.dtype, b.float().running.dtype)
seq = nn.Sequential()
seq.add_module("fc", nn.Linear(1, 1))
seq.add_module("act", nn.Sigmoid())
print(seq, seq.fc, len(seq), seq[-1], [type(m).__name__ for m in seq.children()])
b.requires_grad_(False)
print(
    any(p.requires_grad for p in b.parameters()),
    hasattr(b, "maybe"),
    isinstance(b.scale, nn.Parameter),
    isinstance(b.scale, torch.Tensor),
)
b.zero_grad(set_to_none=True)
print(
    F.relu(torch.tensor([-1.0, 1.0])),
    nn.Softmax(dim=0)(torch.zeros(2)),
    nn.Flatten()(torch.zeros(2, 3, 4)).shape,
)
