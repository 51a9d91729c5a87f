"""torch.special's names: functions of statistics and physics, element by element."""

from __future__ import annotations

from gpukit._core import (
    digamma,
    entr,
    erf,
    erfc,
    erfcx,
    erfinv,
    exp2,
    expit,
    expm1,
    i0,
    i0e,
    i1,
    i1e,
    log1p,
    log_ndtr,
    log_softmax,
    logit,
    logsumexp,
    ndtr,
    ndtri,
    polygamma,
    round,  # noqa: A004
    sinc,
    softmax,
    xlog1py,
    xlogy,
    zeta,
)
from gpukit._core import digamma as psi
from gpukit._core import igamma as gammainc
from gpukit._core import igammac as gammaincc
from gpukit._core import lgamma as gammaln
from gpukit._core import mvlgamma as multigammaln
from gpukit._names.suggest import module_getattr

__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
    "zeta",
]

__getattr__ = module_getattr(__name__)
