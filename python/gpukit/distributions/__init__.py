"""Probability distributions: samples, densities, entropies, divergences, with gradients."""

from __future__ import annotations

import sys

from gpukit._names.suggest import module_getattr
from gpukit.distributions import (
    bounded,
    classes,
    constraints,
    counts,
    distribution,
    gammas,
    heavy_tails,
    joined,
    kl,
    location_scale,
    multivariate,
    relaxed,
    transforms,
)
from gpukit.distributions.bounded import ContinuousBernoulli, Kumaraswamy, Weibull
from gpukit.distributions.classes import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from gpukit.distributions.counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from gpukit.distributions.distribution import Distribution, ExponentialFamily
from gpukit.distributions.gammas import Beta, Chi2, Dirichlet, Exponential, Gamma, StudentT
from gpukit.distributions.heavy_tails import FisherSnedecor, HalfCauchy, InverseGamma, Pareto
from gpukit.distributions.joined import (
    Independent,
    LogNormal,
    MixtureSameFamily,
    TransformedDistribution,
)
from gpukit.distributions.kl import kl_divergence, register_kl
from gpukit.distributions.location_scale import (
    Cauchy,
    Gumbel,
    HalfNormal,
    Laplace,
    Normal,
    Uniform,
)
from gpukit.distributions.multivariate import MultivariateNormal
from gpukit.distributions.relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from gpukit.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "Kumaraswamy",
    "Laplace",
    "LogNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "SigmoidTransform",
    "SoftplusTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "Weibull",
    "constraints",
    "identity_transform",
    "kl",
    "kl_divergence",
    "register_kl",
    "transforms",
]

# torch has a module for each distribution: `from torch.distributions.normal import Normal`.
for _module, _paths in (
    (bounded, "continuous_bernoulli kumaraswamy weibull"),
    (classes, "categorical multinomial one_hot_categorical"),
    (counts, "bernoulli binomial geometric negative_binomial poisson"),
    (distribution, "exp_family"),
    (gammas, "beta chi2 dirichlet exponential gamma studentT"),
    (heavy_tails, "fishersnedecor half_cauchy inverse_gamma pareto"),
    (joined, "independent log_normal mixture_same_family transformed_distribution"),
    (location_scale, "cauchy gumbel half_normal laplace normal uniform"),
    (multivariate, "multivariate_normal"),
    (relaxed, "relaxed_bernoulli relaxed_categorical"),
):
    for _path in _paths.split():
        sys.modules[f"{__name__}.{_path}"] = globals()[_path] = _module

__getattr__ = module_getattr(__name__)
