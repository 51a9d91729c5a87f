import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.1)
        m.bias.data.fill_(0.01)


net = nn.Sequential(
    Residual(nn.Linear(3, 3)), nn.Dropout(0.5), nn.ModuleDict({"a": nn.Identity()})["a"]
)
net.apply(init_weights)
print(net)
net.eval()
print(net(torch.ones(1, 3)), net.training, net[0].fn.training)
print(
    dict(net.named_children()).keys(),
    [n for n, _ in net.named_modules()],
    [n for n, _ in net.named_parameters()],
)
d = nn.ModuleDict([["lrelu", nn.LeakyReLU()], ["prelu", nn.PReLU()]])
d["extra"] = nn.GELU()
print(list(d.keys()), "lrelu" in d, len(d), d.pop("extra"))
pl = nn.ParameterList([nn.Parameter(torch.ones(2) * i) for i in range(3)])
pd = nn.ParameterDict({"w": nn.Parameter(torch.zeros(1))})
print(len(pl), pl[1], list(pd), [tuple(p.shape) for p in pl.parameters()])
ml = nn.ModuleList()
for i in range(3):
    ml.append(nn.Linear(2, 2))
ml.insert(1, nn.ReLU())
ml.extend([nn.Tanh()])
print(len(ml), ml[-1], [type(m).__name__ for m in ml[1:3]], isinstance(ml[1:3], nn.ModuleList))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Embedding(4, 3)
        self.dec = nn.Linear(3, 4, bias=False)
        self.dec.weight = self.enc.weight
        self.alpha = nn.Parameter(torch.tensor(1.0))
        self.beta = None
        self.register_parameter("gamma", None)
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.count += 1
        return self.dec(self.enc(x)) * self.alpha

    def extra_repr(self):
        return "tied=True"


t = Tied()
print(t, len(list(t.parameters())), sorted(t.state_dict()))
t(torch.tensor([1, 2]))
print(t.count, t.double().enc.weight.dtype, t.count.dtype, t.half().alpha.dtype, t.float().alpha)
t.requires_grad_(False)
print(
    any(p.requires_grad for p in t.parameters()),
    t.get_parameter("enc.weight").shape,
    t.get_submodule("dec"),
)
for fn in (
    nn.init.xavier_uniform_,
    nn.init.kaiming_normal_,
    nn.init.orthogonal_,
    nn.init.normal_,
    nn.init.trunc_normal_,
):
    w = torch.empty(16, 8)
    fn(w)
    print(fn.__name__, w.shape, bool(w.std() > 0))
print(
    nn.init.eye_(torch.empty(2, 2)),
    nn.init.dirac_(torch.empty(1, 1, 3)),
    nn.init.calculate_gain("relu"),
)
try:
    t.nothing
except AttributeError as e:
    print(e)
try:
    nn.Linear(2, 2)(torch.ones(1, 3))
except RuntimeError as e:
    print("shapes cannot be multiplied")
setattr(t, "dyn", nn.Linear(1, 1))
delattr(t, "dyn")
print(hasattr(t, "dyn"), t.zero_grad(), t._get_name(), nn.Sequential(*list(net.children())[:-1]))
print(
    nn.Flatten()(torch.ones(2, 3, 4)).shape,
    nn.Unflatten(1, (3, 4))(torch.ones(2, 12)).shape,
    nn.Sequential(nn.Linear(1, 2), nn.ReLU()).append(nn.Linear(2, 1))[-1],
)
lazy = nn.LazyLinear(3)
print(
    lazy.weight if False else type(lazy).__name__, lazy(torch.ones(2, 5)).shape, type(lazy).__name__
)
