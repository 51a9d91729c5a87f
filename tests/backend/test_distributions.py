"""Samples of gpukit.distributions by their statistics, and their gradients, on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from gpukit import distributions as dist
from support.arrays import fetch, put

COUNT = 4000
NUMPY = np.random.default_rng(3)
# The largest distance of two samples' distribution functions that chance gives once in 10^5 times.
FAR = math.sqrt(-math.log(0.5e-5) * 2 / (2 * COUNT))


def tensor(value, device):
    return put(np.array(value, np.float32), device)


def truncated_exponential(generator, rate):
    """Exponential numbers below 1, by rejection."""
    drawn = generator.exponential(1 / rate, 20 * COUNT)
    return drawn[drawn < 1][:COUNT]


# What is drawn, and NumPy's draw of the same.
DRAWS = {
    "normal": (lambda t: dist.Normal(t(1.0), t(2.0)), lambda n: n.normal(1, 2, COUNT)),
    "uniform": (lambda t: dist.Uniform(t(-1.0), t(2.0)), lambda n: n.uniform(-1, 2, COUNT)),
    "laplace": (lambda t: dist.Laplace(t(1.0), t(2.0)), lambda n: n.laplace(1, 2, COUNT)),
    "gumbel": (lambda t: dist.Gumbel(t(1.0), t(2.0)), lambda n: n.gumbel(1, 2, COUNT)),
    "cauchy": (lambda t: dist.Cauchy(t(0.0), t(1.0)), lambda n: n.standard_cauchy(COUNT)),
    "half normal": (lambda t: dist.HalfNormal(t(2.0)), lambda n: abs(n.normal(0, 2, COUNT))),
    "log-normal": (
        lambda t: dist.LogNormal(t(0.5), t(0.7)),
        lambda n: n.lognormal(0.5, 0.7, COUNT),
    ),
    "exponential": (lambda t: dist.Exponential(t(2.0)), lambda n: n.exponential(0.5, COUNT)),
    "gamma below 1": (lambda t: dist.Gamma(t(0.4), t(2.0)), lambda n: n.gamma(0.4, 0.5, COUNT)),
    "gamma": (lambda t: dist.Gamma(t(7.0), t(0.5)), lambda n: n.gamma(7, 2, COUNT)),
    "chi2": (lambda t: dist.Chi2(t(3.0)), lambda n: n.chisquare(3, COUNT)),
    "student": (lambda t: dist.StudentT(t(3.0)), lambda n: n.standard_t(3, COUNT)),
    "beta": (lambda t: dist.Beta(t(2.0), t(0.7)), lambda n: n.beta(2, 0.7, COUNT)),
    "pareto": (lambda t: dist.Pareto(t(2.0), t(1.5)), lambda n: 2 * (n.pareto(1.5, COUNT) + 1)),
    "generalized pareto": (
        lambda t: dist.GeneralizedPareto(t(1.0), t(2.0), t(0.5)),
        lambda n: 1 + 4 * (n.random(COUNT) ** -0.5 - 1),
    ),
    "half cauchy": (
        lambda t: dist.HalfCauchy(t(2.0)),
        lambda n: abs(2 * n.standard_cauchy(COUNT)),
    ),
    "inverse gamma": (
        lambda t: dist.InverseGamma(t(1.5), t(2.0)),
        lambda n: 1 / n.gamma(1.5, 0.5, COUNT),
    ),
    "weibull": (lambda t: dist.Weibull(t(2.0), t(0.7)), lambda n: 2 * n.weibull(0.7, COUNT)),
    "kumaraswamy": (
        lambda t: dist.Kumaraswamy(t(0.5), t(3.0)),
        lambda n: (1 - (1 - n.random(COUNT)) ** (1 / 3)) ** 2,
    ),
    "f": (lambda t: dist.FisherSnedecor(t(3.0), t(5.0)), lambda n: n.f(3, 5, COUNT)),
    "continuous bernoulli": (
        lambda t: dist.ContinuousBernoulli(t(0.9)),
        lambda n: 1 - truncated_exponential(n, np.log(9.0)),
    ),
    "negative binomial": (
        lambda t: dist.NegativeBinomial(t(2.5), t(0.7)),
        lambda n: n.negative_binomial(2.5, 0.3, COUNT),
    ),
    "von mises": (lambda t: dist.VonMises(t(0.5), t(2.0)), lambda n: n.vonmises(0.5, 2, COUNT)),
    "von mises, nearly uniform": (
        lambda t: dist.VonMises(t(3.0), t(1e-7)),
        lambda n: n.uniform(-np.pi, np.pi, COUNT),
    ),
    "bernoulli": (lambda t: dist.Bernoulli(t(0.3)), lambda n: n.binomial(1, 0.3, COUNT)),
    "geometric": (lambda t: dist.Geometric(t(0.3)), lambda n: n.geometric(0.3, COUNT) - 1),
    "poisson of few": (lambda t: dist.Poisson(t(2.5)), lambda n: n.poisson(2.5, COUNT)),
    "poisson of many": (lambda t: dist.Poisson(t(300.0)), lambda n: n.poisson(300, COUNT)),
    "binomial of few": (lambda t: dist.Binomial(9, t(0.3)), lambda n: n.binomial(9, 0.3, COUNT)),
    "binomial of many": (
        lambda t: dist.Binomial(5000, t(0.3)),
        lambda n: n.binomial(5000, 0.3, COUNT),
    ),
}


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Of Kolmogorov and Smirnov: the largest one of two samples' distribution functions."""
    places = np.concatenate([a, b])
    below = [np.searchsorted(np.sort(x), places, side="right") / len(x) for x in (a, b)]
    return float(np.abs(below[0] - below[1]).max())


@pytest.mark.parametrize("name", DRAWS)
def test_samples_are_distributed_as_numpys(name, device):
    make, draw = DRAWS[name]
    gpukit.manual_seed(11)
    drawn = make(lambda value: tensor(value, device)).sample((COUNT,))
    assert drawn.device == gpukit.device(device)
    assert drawn.dtype is gpukit.float32
    assert distance(fetch(drawn).astype(np.float64), draw(NUMPY)) < FAR


def broken_stick(normal):
    """Probabilities: each number is the log-odds of a share of what is left, less a constant."""
    size, left = normal.shape[-1], 1.0
    pieces = []
    for place in range(size):
        share = 1 / (1 + (size - place) * np.exp(-normal[:, place]))
        pieces.append(left * share)
        left = left * (1 - share)
    return np.stack([*pieces, left], -1)


LOC, FACTOR = np.array([0.5, -1.0, 2.0]), np.array([[1.0, 0.5], [-2.0, 0.0], [0.5, 1.5]])
DIAGONAL = np.array([0.5, 1.0, 0.1])
COVARIANCES = FACTOR @ FACTOR.T + np.diag(DIAGONAL)

# Vectors that are drawn, and NumPy's draw of the same.
VECTORS = {
    "normal": (
        lambda t: dist.MultivariateNormal(t(LOC), t(COVARIANCES)),
        lambda n: n.multivariate_normal(LOC, COVARIANCES, COUNT),
    ),
    "normal by precision": (
        lambda t: dist.MultivariateNormal(t(LOC), precision_matrix=t(np.linalg.inv(COVARIANCES))),
        lambda n: n.multivariate_normal(LOC, COVARIANCES, COUNT),
    ),
    "normal of low rank": (
        lambda t: dist.LowRankMultivariateNormal(t(LOC), t(FACTOR), t(DIAGONAL)),
        lambda n: n.multivariate_normal(LOC, COVARIANCES, COUNT),
    ),
    "logistic normal": (
        lambda t: dist.LogisticNormal(t(LOC), t(DIAGONAL)),
        lambda n: broken_stick(n.normal(LOC, DIAGONAL, (COUNT, 3))),
    ),
    "dirichlet": (
        lambda t: dist.Dirichlet(t([0.5, 2.0, 3.0])),
        lambda n: n.dirichlet([0.5, 2.0, 3.0], COUNT),
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_are_distributed_as_numpys_in_every_direction(name, device):
    make, draw = VECTORS[name]
    gpukit.manual_seed(12)
    drawn = fetch(make(lambda value: tensor(value, device)).sample((COUNT,))).astype(np.float64)
    wanted = draw(NUMPY)
    assert drawn.shape == wanted.shape
    directions = np.random.default_rng(0).normal(size=(12, wanted.shape[-1]))
    for direction in [*np.eye(wanted.shape[-1]), *directions]:
        assert distance(drawn @ direction, wanted @ direction) < FAR, direction


def test_classes_are_drawn_by_their_weights(device):
    probs = tensor([[0.2, 0.3, 0.5], [0.0, 0.9, 0.1]], device)
    gpukit.manual_seed(2)
    numbers = fetch(dist.Categorical(probs).sample((COUNT,)))
    hot = fetch(dist.OneHotCategorical(probs).sample((COUNT,)))
    counts = fetch(dist.Multinomial(COUNT, probs).sample())
    for row in range(2):
        wanted = fetch(probs)[row]
        shares = np.bincount(numbers[:, row], minlength=3) / COUNT
        np.testing.assert_allclose(shares, wanted, atol=0.03)
        np.testing.assert_allclose(hot[:, row].mean(0), wanted, atol=0.03)
        np.testing.assert_allclose(counts[row] / COUNT, wanted, atol=0.03)
    assert (counts.sum(-1) == COUNT).all()


# The slope of the mean of f(samples), where it is known.
SLOPES = {
    "normal": (lambda a: dist.Normal(a, a), lambda x: x * x, 1.5, 4 * 1.5),
    "gamma": (lambda a: dist.Gamma(a, 2.0), lambda x: x, 1.5, 0.5),
    "gamma squared": (lambda a: dist.Gamma(a, 1.0), lambda x: x * x, 0.6, 2 * 0.6 + 1),
    "gamma of many": (lambda a: dist.Gamma(a, 1.0), lambda x: x.log(), 20.0, 0.0512708),
    "beta": (lambda a: dist.Beta(a, 2.0), lambda x: x, 1.5, 2 / 3.5**2),
    "dirichlet": (
        lambda a: dist.Dirichlet(gpukit.stack([a, a * 0 + 2, a * 0 + 3])),
        lambda x: x[..., 1],
        1.0,
        -2 / 36,
    ),
    "exponential": (dist.Exponential, lambda x: x, 2.0, -0.25),
    "student": (lambda a: dist.StudentT(6.0, 0.0, a), lambda x: x * x, 2.0, 2 * 2 * 1.5),
    "laplace": (lambda a: dist.Laplace(0.0, a), lambda x: x.abs(), 2.0, 1.0),
    "mean of a transformed": (lambda a: dist.LogNormal(a, 0.5), lambda x: x, 0.2, math.exp(0.325)),
    "f, above": (lambda a: dist.FisherSnedecor(a, 9.0), lambda x: x.log(), 3.0, 0.1340678),
    "f, below": (lambda a: dist.FisherSnedecor(9.0, a), lambda x: x.log(), 3.0, -0.1340678),
    "inverse gamma": (lambda a: dist.InverseGamma(a, 1.0), lambda x: x.log(), 2.0, -0.6449341),
    "low rank, factor": (
        lambda a: dist.LowRankMultivariateNormal(
            a.new_zeros(2), gpukit.stack([a, 2 * a]).unsqueeze(-1), a.new_ones(2)
        ),
        lambda x: x.sum(-1).square(),
        0.5,
        18 * 0.5,
    ),
    "low rank, diagonal": (
        lambda a: dist.LowRankMultivariateNormal(
            a.new_zeros(2), 0.1 * a.new_ones(2, 1), gpukit.stack([a, a * 0 + 1])
        ),
        lambda x: x[..., 0].square(),
        0.5,
        1.0,
    ),
    "wishart, freedom": (
        lambda a: dist.Wishart(a, gpukit.eye(2, device=a.device)),
        lambda x: gpukit.linalg.slogdet(x)[1],
        5.0,
        0.5676459,
    ),
    "wishart, scale": (
        lambda a: dist.Wishart(5.0, scale_tril=a * gpukit.eye(2, device=a.device)),
        lambda x: x[..., 0, 0] + x[..., 1, 1],
        1.5,
        20 * 1.5,
    ),
    "one-hot": (
        lambda a: dist.OneHotCategoricalStraightThrough(logits=gpukit.stack([a, a * 0])),
        lambda x: x[..., 0],
        0.0,
        0.25,
    ),
}


@pytest.mark.parametrize("name", SLOPES)
def test_samples_have_the_gradients_of_their_parameters(name, device):
    make, function, at, wanted = SLOPES[name]
    gpukit.manual_seed(4)
    parameter = tensor(at, device).requires_grad_()
    function(make(parameter).rsample((COUNT,))).mean().backward()
    assert parameter.grad.item() == pytest.approx(wanted, rel=0.12)


def test_gamma_numbers_have_no_second_derivative(device):
    a = tensor(2.0, device).requires_grad_()
    x = dist.Gamma(a, 1.0).rsample()
    (slope,) = gpukit.autograd.grad(x, a, create_graph=True)
    assert slope.item() > 0
    assert not slope.requires_grad


def test_edges_of_draws(device):
    a = tensor([0.0, 1e-3, 1.0, 1e6], device)
    drawn = fetch(dist.Poisson(a).sample())
    assert drawn[0] == 0
    assert abs(drawn[3] - 1e6) < 6e3
    assert (fetch(dist.Gamma(a[1:], 1.0).sample((50,))) > 0).all()
    none = dist.Binomial(tensor([0.0, 40.0, 40.0], device), tensor([0.5, 0.0, 1.0], device))
    assert fetch(none.sample()).tolist() == [0, 0, 40]
    assert dist.Categorical(gpukit.ones(0, 3, device=device)).sample().shape == (0,)
    assert dist.Normal(gpukit.zeros(0, device=device), 1.0).sample((2,)).shape == (2, 0)
    assert dist.Gamma(gpukit.zeros(0, device=device), 1.0).sample((2,)).shape == (2, 0)


def test_the_seed_repeats_samples(device):
    def draw():
        gpukit.manual_seed(9)
        return fetch(dist.Gamma(tensor([0.5, 3.0], device), 1.0).sample((5,))).tolist()

    assert draw() == draw()


def test_shares_of_gamma_numbers(device):
    x = put(np.array([0.0, 0.1, 1.0, 3.0, 100.0, np.inf]), device)
    found = fetch(dist.Gamma(put(np.array(1.0), device), 1.0).cdf(x))
    np.testing.assert_allclose(found, 1 - np.exp(-fetch(x)), rtol=1e-13)
    half = dist.Gamma(put(np.array([1e4, 1e5]), device), 1.0).cdf(put(np.array([1e4, 1e5]), device))
    np.testing.assert_allclose(fetch(half), [0.50132980, 0.50042052], rtol=1e-6)
