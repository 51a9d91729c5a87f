"""Probability distributions: samples, densities, entropies, divergences, with gradients."""

from __future__ import annotations

import sys

from gpukit._names.suggest import module_getattr
from gpukit.distributions import (
    angles,
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
    matrices,
    multivariate,
    relaxed,
    transforms,
    utils,  # noqa: F401
)
from gpukit.distributions import kl_pairs as _kl_pairs  # noqa: F401 (registers the pairs)
from gpukit.distributions.angles import VonMises
from gpukit.distributions.bounded import (
    ContinuousBernoulli,
    Kumaraswamy,
    LogisticNormal,
    Weibull,
)
from gpukit.distributions.classes import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from gpukit.distributions.constraint_registry import biject_to, transform_to
from gpukit.distributions.counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from gpukit.distributions.distribution import Distribution, ExponentialFamily
from gpukit.distributions.gammas import Beta, Chi2, Dirichlet, Exponential, Gamma, StudentT
from gpukit.distributions.heavy_tails import (
    FisherSnedecor,
    GeneralizedPareto,
    HalfCauchy,
    InverseGamma,
    Pareto,
)
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
from gpukit.distributions.matrices import LKJCholesky, Wishart
from gpukit.distributions.multivariate import LowRankMultivariateNormal, MultivariateNormal
from gpukit.distributions.relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from gpukit.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
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
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
]

# torch has a module for each distribution: `from torch.distributions.normal import Normal`.
for _module, _paths in (
    (angles, "von_mises"),
    (bounded, "continuous_bernoulli kumaraswamy logistic_normal weibull"),
    (classes, "categorical multinomial one_hot_categorical"),
    (counts, "bernoulli binomial geometric negative_binomial poisson"),
    (distribution, "exp_family"),
    (gammas, "beta chi2 dirichlet exponential gamma studentT"),
    (heavy_tails, "fishersnedecor generalized_pareto half_cauchy inverse_gamma pareto"),
    (joined, "independent log_normal mixture_same_family transformed_distribution"),
    (location_scale, "cauchy gumbel half_normal laplace normal uniform"),
    (matrices, "lkj_cholesky wishart"),
    (multivariate, "lowrank_multivariate_normal multivariate_normal"),
    (relaxed, "relaxed_bernoulli relaxed_categorical"),
):
    for _path in _paths.split():
        sys.modules[f"{__name__}.{_path}"] = globals()[_path] = _module

__getattr__ = module_getattr(__name__)
