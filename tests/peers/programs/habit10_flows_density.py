import math

import torch
import torch.nn as nn
from torch.distributions import (
    Independent,
    MultivariateNormal,
    Normal,
    TransformedDistribution,
    constraints,
)
from torch.distributions.transforms import Transform


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_((torch.arange(p.numel()) * 0.7 + i).sin().view_as(p) * 0.4)
    return m


class Coupling(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", torch.tensor(mask, dtype=torch.float))
        self.s = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(), nn.Linear(4, 2), nn.Tanh())
        self.t = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(), nn.Linear(4, 2))

    def forward(self, z):
        z_ = z * self.mask
        s, t = self.s(z_) * (1 - self.mask), self.t(z_) * (1 - self.mask)
        return z_ + (1 - self.mask) * (z - t) * torch.exp(-s), -s.sum(dim=1)

    def inverse(self, x):
        x_ = x * self.mask
        s, t = self.s(x_) * (1 - self.mask), self.t(x_) * (1 - self.mask)
        return x_ + (1 - self.mask) * (x * torch.exp(s) + t)


class Flow(nn.Module):
    def __init__(self, masks):
        super().__init__()
        self.layers = nn.ModuleList(map(Coupling, masks))
        self.prior = MultivariateNormal(torch.zeros(2), torch.eye(2))

    def log_prob(self, x):
        ld = x.new_zeros(x.shape[0])
        for l in reversed(self.layers):
            x, d = l(x)
            ld += d
        return self.prior.log_prob(x) + ld

    def inverse(self, z):
        for l in self.layers:
            z = l.inverse(z)
        return z


flow = fill(Flow([[0, 1], [1, 0]] * 2))
th = torch.linspace(0, math.pi, 16)
x = torch.stack([th.cos(), th.sin()], -1)
opt = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad], lr=1e-2)
for i in range(21):
    loss = -flow.log_prob(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 10 == 0:
        print(f"iter {i}: {loss:.3f}")
z = x
for l in reversed(flow.layers):
    z, _ = l(z)
print(
    torch.allclose(flow.inverse(z), x, atol=1e-4),
    torch.slogdet(
        torch.autograd.functional.jacobian(lambda v: flow.layers[0](v[None])[0][0], x[0])
    )[1],
    flow.layers[0](x[:1])[1],
)


class Leaky(Transform):
    domain = constraints.real
    codomain = constraints.real
    bijective = True
    sign = +1

    def _call(self, x):
        return torch.where(x > 0, x, 0.5 * x)

    def _inverse(self, y):
        return torch.where(y > 0, y, 2 * y)

    def log_abs_det_jacobian(self, x, y):
        return torch.where(x > 0, torch.zeros_like(x), torch.full_like(x, math.log(0.5)))


td = TransformedDistribution(Normal(0.0, 1.0), [Leaky()])
print(
    td.log_prob(torch.tensor([-1.0, 1.0])), td.sample((3,)).shape, Leaky().inv(torch.tensor(-1.0))
)


class ZIP(torch.distributions.Distribution):
    arg_constraints = {"pi": constraints.unit_interval, "rate": constraints.positive}
    support = constraints.nonnegative_integer

    def __init__(self, pi, rate, validate_args=None):
        self.pi, self.rate = torch.distributions.utils.broadcast_all(pi, rate)
        super().__init__(self.pi.shape, validate_args=validate_args)

    def log_prob(self, v):
        lp = torch.distributions.Poisson(self.rate).log_prob(v)
        return torch.where(
            v == 0,
            torch.logaddexp(self.pi.log(), (1 - self.pi).log() + lp),
            (1 - self.pi).log() + lp,
        )

    @property
    def mean(self):
        return (1 - self.pi) * self.rate


d = ZIP(torch.tensor(0.3), torch.tensor([1.0, 2.0]))
print(d.log_prob(torch.tensor([0.0, 2.0])), d.mean, d.batch_shape, d)
k = torch.distributions.kl_divergence(
    Independent(Normal(torch.zeros(2), 1.0), 1), Independent(Normal(torch.ones(2), 2.0), 1)
)
print(k)


@torch.distributions.kl.register_kl(ZIP, ZIP)
def _kl(p, q):
    return torch.tensor(0.5)


print(torch.distributions.kl_divergence(d, d))


def log_prob(v):
    return -0.5 * (v**2).sum(-1) - 0.1 * v[..., 0] ** 4


q = torch.tensor([1.0, -1.0])
p = torch.tensor([0.3, 0.2])
for _ in range(10):
    q = q.detach().requires_grad_()
    (g,) = torch.autograd.grad(log_prob(q), q)
    p = p + 0.05 * g
    q = (q + 0.1 * p).detach()
    p = p + 0.05 * torch.autograd.grad(log_prob(q.requires_grad_()), q)[0]
print("hmc", q, p, log_prob(q) - 0.5 * p.pow(2).sum())
mu, rho = torch.zeros(2, requires_grad=True), torch.full((2,), -1.0, requires_grad=True)
eps = torch.arange(8.0).sin().view(4, 2)
o2 = torch.optim.Adam([mu, rho], 0.1)
for _ in range(25):
    sig = torch.nn.functional.softplus(rho)
    s = mu + sig * eps
    elbo = log_prob(s - 1).mean() + Normal(mu, sig).entropy().sum()
    o2.zero_grad()
    (-elbo).backward()
    o2.step()
print(mu, rho, elbo)
mdn_pi, mdn_s, mdn_m = (
    torch.softmax(torch.ones(3, 2), -1),
    torch.ones(3, 2),
    torch.arange(6.0).view(3, 2),
)
print(
    -torch.logsumexp(
        torch.log(mdn_pi) + Normal(mdn_m, mdn_s).log_prob(torch.ones(3, 1)), -1
    ).mean(),
    math.isclose(
        Normal(0, 1).log_prob(torch.tensor(0.0)).item(), -0.5 * math.log(2 * math.pi), rel_tol=1e-5
    ),
)
kde = lambda xs, pts, h: (
    torch.exp(-0.5 * ((xs[:, None] - pts) / h) ** 2).mean(1) / (h * math.sqrt(2 * math.pi))
)
print(kde(torch.linspace(-1, 1, 3), th, 0.3))
score = torch.autograd.grad(flow.log_prob(y := x.clone().requires_grad_()).sum(), y)[0]
print(score[:2])
bins = torch.cumsum(torch.softmax(torch.zeros(4), 0), 0)
print(
    torch.searchsorted(bins, torch.tensor([0.1, 0.6])),
    torch.nn.functional.pad(bins, (1, 0)),
    torch.erf(torch.tensor(1 / math.sqrt(2))),
)
