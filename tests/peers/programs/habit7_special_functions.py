import math

import torch
from torch import special

x = torch.linspace(0.25, 2.5, 4, dtype=torch.float64)
print(special.gammaln(x), torch.lgamma(x), special.digamma(x))
print(special.polygamma(1, x), special.multigammaln(x + 2, 2))
print(special.erf(x), special.erfc(x), special.erfinv(x / 3), special.erfcx(x))
print(
    special.expit(x),
    special.logit(special.expit(x)),
    special.logit(torch.tensor([0.0, 1.0]), eps=1e-6),
)
print(
    special.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 3.0])),
    special.xlog1py(torch.tensor(2.0), torch.tensor(0.5)),
)
print(
    special.entr(torch.tensor([-1.0, 0.0, 0.5, 1.0])),
    special.exp2(x),
    special.expm1(x),
    special.log1p(x),
)
print(special.i0(x), special.i0e(x), special.i1(x), special.i1e(x))
print(
    special.ndtr(x),
    special.ndtri(torch.tensor([0.025, 0.5, 0.975])),
    special.log_ndtr(torch.tensor([-5.0, 0.0])),
)
print(special.sinc(torch.tensor([0.0, 0.5, 0.25])), special.zeta(torch.tensor([2.0, 4.0]), 1.0))
print(special.gammainc(x, torch.ones(4, dtype=torch.float64)), special.gammaincc(x, x))
print(special.logsumexp(x, 0), special.softmax(x, 0), special.log_softmax(x, dim=0))
print(
    special.round(torch.tensor([0.5, 1.5, -2.5])), special.psi(x), special.log1p(torch.tensor(-1.0))
)
print(torch.tensor(5.0).lgamma().exp(), math.gamma(5), torch.mvlgamma(torch.tensor([2.0, 3.0]), 1))
print(torch.igamma(torch.tensor(2.0), torch.tensor(3.0)), torch.sigmoid(torch.tensor(-800.0)))
y = torch.tensor([0.3, 1.2], requires_grad=True)
for name in ("gammaln", "erf", "expit", "i0", "entr", "ndtr", "sinc"):
    f = getattr(special, name)
    (g,) = torch.autograd.grad(f(y).sum(), y)
    print(name, g)
print(
    torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -float("inf")]), nan=0.5, posinf=9.0)
)
print(
    torch.logaddexp(torch.tensor([-1000.0]), torch.tensor([-1000.0])),
    torch.logaddexp2(x, x),
    torch.hypot(x, x),
)
print(
    torch.logcumsumexp(x, 0),
    torch.copysign(x, torch.tensor(-0.0)),
    torch.nextafter(torch.tensor(1.0), torch.tensor(2.0)) > 1,
)
print(
    torch.frexp(torch.tensor([1.0, 3.0, 0.1])), torch.ldexp(torch.tensor([1.0]), torch.tensor([3]))
)
print(
    torch.fmod(torch.tensor([-3.5, 3.5]), 2),
    torch.remainder(torch.tensor([-3.5, 3.5]), 2),
    torch.tensor(-7) // 2,
    -7 % torch.tensor(3),
)
print(
    torch.trunc(torch.tensor([-1.7, 1.7])),
    torch.frac(torch.tensor([-1.7, 1.7])),
    torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor(0.5)),
)
print(
    torch.deg2rad(torch.tensor([180.0, 90.0])),
    torch.rad2deg(torch.tensor(math.pi)),
    torch.atan2(torch.tensor(1.0), torch.tensor(-1.0)),
    torch.float_power(torch.tensor([2, 3]), 2),
)
