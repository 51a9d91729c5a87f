import math

import torch

x = torch.tensor([0.1, 0.5, 0.9])
for name in "exp log sin cos tan asin acos atan sinh cosh tanh sigmoid erf erfc erfinv lgamma digamma rsqrt square log2 log10 log1p expm1 logit sinc exp2 reciprocal deg2rad rad2deg i0".split():
    print(name, getattr(torch, name)(x))
print(
    torch.atan2(x, x.flip(0)),
    torch.hypot(x, x),
    torch.logaddexp(x, x),
    torch.pow(2, x),
    torch.lerp(x, x * 2, 0.5),
    torch.xlogy(x, x),
)
print(
    torch.logsumexp(x, 0),
    torch.cumprod(x, 0),
    torch.prod(x),
    x.cummax(0),
    torch.diff(x),
    torch.trapz(x),
    torch.gradient(x),
)
print(
    torch.maximum(x, x.flip(0)),
    torch.fmax(x, torch.tensor(float("nan"))),
    torch.heaviside(x - 0.5, torch.tensor(1.0)),
)
print(
    torch.gcd(torch.tensor(12), torch.tensor(18)),
    torch.bitwise_and(torch.tensor(6), 3),
    torch.tensor(5) << 2,
    ~torch.tensor(5),
)
print(
    torch.allclose(x, x + 1e-9),
    torch.isclose(x, x + 0.1),
    torch.isfinite(x / 0),
    torch.pi == math.pi,
    torch.inf,
    torch.e == math.e,
)
print(
    torch.special.expit(x),
    torch.special.gammaln(x),
    torch.addcdiv(x, x, x, value=2.0),
    torch.nansum(x),
    torch.nanmean(x),
)
print(
    torch.vander(x),
    torch.logspace(0, 2, 3),
    torch.linspace(1, 2, steps=4),
    torch.arange(1, 2, 0.25),
    torch.range(1, 3),
)
print(
    torch.polygamma(1, x),
    torch.frexp(x),
    torch.ldexp(x, torch.tensor([1])),
    torch.copysign(x, torch.tensor(-1.0)),
)
