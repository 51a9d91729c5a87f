"""Special functions to 60 digits, by their series: what the rows of elementwise.def are held to."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from statistics import NormalDist

INF, NAN = math.inf, math.nan
# Of Bernoulli's number B(2k) and 2k.
BERNOULLI_RATIOS = (
    *((1, 12), (-1, 120), (1, 252), (-1, 240), (1, 132), (-691, 32760), (1, 12), (-3617, 8160)),
    *((43867, 14364), (-174611, 6600)),
)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def precise(function: Callable[[Decimal], Decimal | float]) -> Callable[[float], float]:
    """The function in decimals, rounded once."""

    def rounded(x: float) -> float:
        with localcontext() as context:
            context.prec = 80
            return float(function(Decimal(x)))

    return rounded


def erf_series(x: Decimal) -> Decimal:
    total, term, n = Decimal(0), x, 0
    while abs(term) > Decimal(10) ** -90:
        total += term / (2 * n + 1)
        n += 1
        term *= -x * x / n
    return 2 * total / PI.sqrt()


def normal_cdf(x: Decimal) -> Decimal:
    return (1 + erf_series(x / Decimal(2).sqrt())) / 2


def bessel_series(order: int, x: Decimal) -> Decimal:
    term = total = (x / 2) ** order
    for k in range(1, 200):
        term *= x * x / (4 * k * (k + order))
        total += term
    return total


def digamma_series(x: Decimal) -> Decimal:
    """By recurrence to 40, then the asymptotic series."""
    shift = Decimal(0)
    while x < 40:
        shift -= 1 / x
        x += 1
    series = Decimal(0)
    for k, (above, below) in enumerate(BERNOULLI_RATIOS, 1):
        series += Decimal(above) / below / x ** (2 * k)
    return x.ln() - 1 / (2 * x) - series + shift


def digamma(x: float) -> float:
    if x == 0:
        return math.copysign(INF, -x)
    if not math.isfinite(x) or (x < 0 and x == math.floor(x)):
        return INF if x == INF else NAN
    return precise(digamma_series)(x)


def lgamma_series(x: Decimal) -> Decimal:
    """By Stirling's series from 40 on; the product before it is divided out."""
    product = Decimal(1)
    while x < 40:
        product *= abs(x)
        x += 1
    series = Decimal(0)
    for k, (above, below) in enumerate(BERNOULLI_RATIOS, 1):
        series += Decimal(above) / below / (2 * k - 1) / x ** (2 * k - 1)
    return (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + series - product.ln()


def lgamma(x: float) -> float:
    if not math.isfinite(x):
        return abs(x)
    if x <= 2 and x == math.floor(x):
        return 0.0 if x > 0 else INF
    return precise(lgamma_series)(x) if abs(x) < 1e30 else x * (math.log(x) - 1)


def erfinv(x: float) -> float:
    if not abs(x) < 1:
        return math.copysign(INF, x) if abs(x) == 1 else NAN
    if abs(x) < 1e-30:
        return x * math.sqrt(math.pi) / 2

    def solved(want: Decimal) -> Decimal:
        y = want * PI.sqrt() / 2
        for _ in range(60):
            y -= (erf_series(y) - want) * PI.sqrt() / 2 * (y * y).exp()
        return y

    return precise(solved)(x)


def ndtri(p: float) -> float:
    if p in {0, 1}:
        return INF if p else -INF
    return NormalDist().inv_cdf(p) if 0 < p < 1 else NAN


def ndtr(x: float) -> float:
    return float(x > 0) if abs(x) > 40 else NAN if math.isnan(x) else precise(normal_cdf)(x)


def log_ndtr(x: float) -> float:
    if math.isnan(x) or x > 40:
        return x if math.isnan(x) else -0.0
    return -x * x / 2 if x < -1e4 else precise(lambda v: normal_cdf(v).ln())(x)


def erfcx(x: float) -> float:
    if math.isnan(x) or x < -1e4:
        return NAN if math.isnan(x) else INF
    if x > 1e4:
        return 1 / math.sqrt(math.pi) / x
    return precise(lambda v: (v * v).exp() * (1 - erf_series(v)))(x)


def bessel(order: int, *, scaled: bool) -> Callable[[float], float]:
    def value(x: float) -> float:
        sign = math.copysign(1.0, x) if order else 1.0
        if math.isnan(x) or x == 0:
            return x if order or math.isnan(x) else 1.0
        if abs(x) > 1e4:
            return sign / math.sqrt(2 * math.pi) / math.sqrt(abs(x)) if scaled else sign * INF

        def of_size(v: Decimal) -> Decimal:
            return bessel_series(order, v) * ((-v).exp() if scaled else 1)

        return sign * precise(of_size)(abs(x))

    return value


def sinc(x: float) -> float:
    if x == 0 or not math.isfinite(x):
        return NAN if x else 1.0
    whole = round(x)
    wave = math.sin(math.pi * (x - whole)) * (-1) ** (whole % 2)
    return wave / (math.pi * x) if x != whole else 0.0


def logit(x: float) -> float:
    if x in {0, 1}:
        return INF if x else -INF
    return precise(lambda v: (v / (1 - v)).ln())(x) if 0 < x < 1 else NAN


def entr(x: float) -> float:
    if x == 0 or math.isnan(x):
        return abs(x)
    return -x * math.log(x) if 0 < x < INF else -INF


REFERENCES: dict[str, Callable[..., float]] = {
    "digamma": digamma,
    "entr": entr,
    "erfcx": erfcx,
    "erfinv": erfinv,
    "i0": bessel(0, scaled=False),
    "i0e": bessel(0, scaled=True),
    "i1": bessel(1, scaled=False),
    "i1e": bessel(1, scaled=True),
    "lgamma": lgamma,
    "log_ndtr": log_ndtr,
    "logit": logit,
    "ndtr": ndtr,
    "ndtri": ndtri,
    "sinc": sinc,
    "xlog1py": lambda a, b: a * math.log1p(b),
    "xlogy": lambda a, b: a * math.log(b),
}
