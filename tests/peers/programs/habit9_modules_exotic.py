import warnings

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

warnings.simplefilter("ignore")


def det(m):
    for i, p in enumerate(m.parameters()):
        p.data = torch.sin(torch.arange(float(p.numel())) * 0.7 + i).view(p.shape) * 0.5
    return m


x = torch.linspace(-1, 1, 12).view(3, 4)
seq = det(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)))
xi = x.clone().requires_grad_()
o1 = checkpoint(seq, xi, use_reentrant=False)
o1.sum().backward()
g1 = xi.grad.clone()
xi.grad = None
checkpoint_sequential(seq, 2, xi, use_reentrant=False).sum().backward()
print(o1, torch.allclose(g1, xi.grad), g1[0])
print(
    det(nn.Bilinear(4, 4, 2))(x, x),
    det(nn.MultiheadAttention(4, 2))(x[:, None], x[:, None], x[:, None])[0].shape,
    det(nn.PReLU(4))(x)[0],
    nn.GLU()(x)[0],
    nn.Softmin(1)(x)[0],
    nn.Threshold(0.0, 9.0)(x)[0],
    nn.Softplus()(x)[0],
    nn.CELU()(x)[0],
    nn.Hardshrink()(x)[0],
    nn.Tanhshrink()(x)[0],
    nn.LogSigmoid()(x)[0],
    nn.Mish()(x)[0],
    nn.Hardswish()(x)[0],
    nn.RReLU().eval()(x)[0],
    nn.Softsign()(x)[0],
    nn.SELU()(x)[0],
    sep="\n",
)
bn = nn.BatchNorm1d(4)
y = bn(x)
print(
    y.mean(0).abs().max() < 1e-06,
    bn.running_mean,
    bn.running_var,
    bn.num_batches_tracked,
    type(y.grad_fn).__name__,
    bn.eval()(x)[0],
    bn.momentum,
    bn.eps,
    bn.state_dict(),
    bn.reset_running_stats(),
    bn.running_mean,
)
print(
    nn.LayerNorm(4)(x),
    nn.RMSNorm(4)(x)[0],
    nn.GroupNorm(2, 4)(x)[0],
    nn.InstanceNorm1d(3)(x[None])[0, 0],
    nn.LocalResponseNorm(2)(x[None])[0, 0],
    nn.functional.normalize(x, dim=1)[0],
    nn.functional.layer_norm(x, [4])[0],
)
d = nn.Dropout(0.5)
t = d(torch.ones(1000))
print(
    sorted(set(t.tolist())),
    d.eval()(torch.ones(2)),
    nn.functional.dropout(torch.ones(2), training=False),
    nn.Dropout(0.0)(x).equal(x),
    nn.Dropout(1.0)(torch.ones(3)),
)
for u in (
    nn.Upsample(scale_factor=2),
    nn.UpsamplingBilinear2d(scale_factor=2),
    nn.PixelShuffle(2) if False else nn.ZeroPad2d((1, 0, 0, 1)),
    nn.ReflectionPad2d(1),
    nn.ReplicationPad2d((1, 0, 0, 0)),
    nn.ConstantPad2d(1, 2.0),
    nn.CircularPad2d(1),
    nn.AvgPool2d(2, stride=1),
    nn.LPPool2d(1, 2),
    nn.MaxPool2d(2, dilation=1, return_indices=True),
    nn.AdaptiveMaxPool2d(1),
    nn.Fold((2, 2), 1) if False else nn.Unfold(2),
    nn.Flatten(2),
    nn.ChannelShuffle(1),
):
    print(u, u(torch.arange(9.0).view(1, 1, 3, 3)))
al = nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4])
det(al)
r = al(x, torch.tensor([0, 3, 5]))
print(al, r.loss, type(r).__name__, al.log_prob(x).exp().sum(1), al.predict(x))
eb = nn.EmbeddingBag(5, 2, mode="max")
det(eb)
print(
    eb(torch.tensor([[0, 1], [2, 3]])),
    eb(torch.tensor([0, 1, 2]), torch.tensor([0, 2])),
    nn.functional.embedding_bag(
        torch.tensor([[1, 2]]), eb.weight, mode="sum", per_sample_weights=torch.tensor([[1.0, 0.5]])
    ),
    nn.Embedding(3, 2, padding_idx=-1).weight[-1],
    nn.functional.embedding(torch.tensor([[0, 1]]), eb.weight).shape,
)
print(
    nn.init.calculate_gain("relu"),
    nn.init.calculate_gain("leaky_relu", 0.2),
    nn.init.calculate_gain("tanh"),
    nn.init.xavier_uniform_(torch.empty(2, 3)).shape,
    nn.init.sparse_(torch.empty(4, 2), 0.5).eq(0).sum(),
    nn.init.uniform_(torch.empty(2), 1, 1),
    nn.init.normal_(torch.empty(2), 3, 0),
    nn.init.eye_(torch.empty(2, 3)),
    nn.init.dirac_(torch.empty(1, 1, 3)),
    nn.init.trunc_normal_(torch.empty(3), std=0.02).abs().max() < 2.1,
    nn.init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 2, 2)),
    nn.init.kaiming_uniform_(torch.empty(2, 2), nonlinearity="relu").shape,
)
for bad in (
    lambda: nn.init.xavier_uniform_(torch.empty(3)),
    lambda: nn.init.eye_(torch.empty(3)),
    lambda: nn.init.calculate_gain("foo"),
    lambda: nn.Upsample(scale_factor=2, mode="bilinear")(torch.ones(1, 3, 4)),
    lambda: nn.Softmax2d()(x),
    lambda: nn.MaxPool2d(2)(torch.ones(2)),
    lambda: nn.PixelShuffle(2)(torch.ones(1, 3, 2, 2)),
    lambda: nn.ReflectionPad2d(3)(torch.ones(1, 1, 2, 2)),
    lambda: nn.GroupNorm(3, 4),
    lambda: nn.functional.one_hot(torch.tensor([-1])),
    lambda: nn.functional.one_hot(torch.tensor([3]), 2),
    lambda: nn.functional.pad(x, (1,)),
    lambda: nn.functional.cross_entropy(x, torch.tensor([0, 1, 4])),
    lambda: nn.L1Loss(reduction="avg")(x, x),
    lambda: nn.GELU("x")(x),
    lambda: nn.ConvTranspose2d(1, 1, 2, padding_mode="reflect"),
    lambda: nn.Conv2d(1, 1, 3, padding_mode="foo"),
    lambda: nn.Conv2d(1, 1, 3, stride=2, padding="same"),
    lambda: nn.RNN(1, 1, nonlinearity="gelu"),
    lambda: nn.Unflatten(1, 3),
    lambda: nn.Unflatten(1, (3, 5))(x),
    lambda: nn.BatchNorm1d(3)(x),
    lambda: nn.CosineSimilarity()(x, torch.ones(2, 3)),
    lambda: nn.Linear(4, 2)(x.long()),
    lambda: nn.Linear(4, 2)(x.double()),
    lambda: nn.Linear(4, 2).cuda if False else nn.Linear("a", 2),
    lambda: nn.Sequential(nn.Linear(4, 2), 3),
    lambda: nn.LSTM(4, 3, proj_size=3),
    lambda: nn.functional.gumbel_softmax("x"),
    lambda: nn.functional.max_pool2d(torch.ones(1, 1, 2, 2), 3),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [4, 2]),
    lambda: nn.functional.softmax(x, 5),
    lambda: x.softmax("a"),
):
    try:
        print("ok", type(bad()).__name__)
    except Exception as e:
        print("refused")


class Net(nn.Module):
    __constants__ = ["k"]

    def __init__(self, *, k: int = 3, **kw):
        super().__init__()
        self.k = k
        self.f = nn.Linear(4, k)
        self.drop = nn.Dropout(kw.get("p", 0.1))
        self.cache = {}
        self.ln = nn.ModuleList()
        self.opt = None

    def __len__(self):
        return self.k

    def forward(self, x, *, scale=1.0, return_dict=False):
        y = self.f(x) * scale
        return {"logits": y} if return_dict else y

    @property
    def device(self):
        return next(self.parameters()).device

    @classmethod
    def build(cls, cfg):
        return cls(**cfg)

    @torch.no_grad()
    def predict(self, x):
        self.eval()
        return self(x).argmax(-1)


n = det(Net.build({"k": 2, "p": 0.5}))
print(
    n,
    len(n),
    n.device,
    n(x, return_dict=True),
    n(x, scale=2.0)[0],
    n.predict(x),
    n.training,
    n.train().training,
    n.float() is n,
    n.to("cpu") is n,
    n.double().f.weight.dtype,
    n.type(torch.float).f.bias.dtype,
    n.half().f.weight.dtype,
    n.f.extra_repr(),
    repr(n.f),
    n._modules.keys(),
    n._parameters,
    n._buffers,
    n.f._parameters.keys(),
)
print(
    hasattr(n, "f"),
    getattr(n, "zz", None),
    isinstance(n, nn.Module),
    callable(n),
    n.__class__.__mro__[1].__name__,
    list(n.named_modules(prefix="root"))[1][0],
    [k for k, _ in n.named_parameters(prefix="m", recurse=True)],
    [k for k, _ in n.named_parameters(recurse=False)],
    len(list(n.buffers())),
    n.apply(lambda m: None) is n,
    n.eval() is n,
    issubclass(nn.Conv2d, nn.Module),
    nn.Linear.__name__,
    nn.Linear.__module__.endswith("linear"),
)
