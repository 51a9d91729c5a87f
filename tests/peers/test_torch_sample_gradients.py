"""Gradients of samples beside those that torch's distribution functions and transforms imply."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

ours, theirs = gpukit.distributions, torch.distributions
RANDOM = np.random.default_rng(10)
COUNT = 200


def positive() -> np.ndarray:
    return RANDOM.uniform(0.3, 4.0, COUNT)


def real() -> np.ndarray:
    return RANDOM.normal(size=COUNT)


def leaves(library: Any, given: dict[str, np.ndarray]) -> dict[str, Any]:
    return {key: library.tensor(value, requires_grad=True) for key, value in given.items()}


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6, atol=1e-9)


LOCATED = {"loc": real, "scale": positive}
# Distributions with one noise number for each value: the distribution function keeps its value.
BY_CDF = {
    "Cauchy": LOCATED,
    "ContinuousBernoulli": {"probs": lambda: RANDOM.uniform(0.05, 0.95, COUNT)},
    "Exponential": {"rate": positive},
    "Gumbel": LOCATED,
    "HalfCauchy": {"scale": positive},
    "HalfNormal": {"scale": positive},
    "Kumaraswamy": {"concentration1": positive, "concentration0": positive},
    "Laplace": LOCATED,
    "LogNormal": LOCATED,
    "Normal": LOCATED,
    "Pareto": {"scale": positive, "alpha": positive},
    "Uniform": {"low": lambda: real() - 9, "high": lambda: real() + 9},
    "Weibull": {"scale": positive, "concentration": positive},
}


@pytest.mark.parametrize("kind", BY_CDF)
def test_gradients_keep_the_share_below(kind):
    given = {name: make() for name, make in BY_CDF[kind].items()}
    mine, other = leaves(gpukit, given), leaves(torch, given)
    gpukit.manual_seed(5)
    drawn = getattr(ours, kind)(**mine).rsample()
    drawn.sum().backward()
    value = torch.tensor(drawn.detach().numpy())
    q = getattr(theirs, kind)(**other)
    q.cdf(value).sum().backward()
    density = q.log_prob(value).detach().exp()
    for name, leaf in other.items():
        close(mine[name].grad, -leaf.grad / density)


# The derivative of a sample x by a parameter, where x is a factor or a sum of something drawn.
SCALED = {
    "gamma": ("Gamma", "rate", lambda x, p: -x / p["rate"]),
    "inverse gamma": ("InverseGamma", "rate", lambda x, p: x / p["rate"]),
    "student": ("StudentT", "scale", lambda x, p: (x - p["loc"]) / p["scale"]),
    "student, location": ("StudentT", "loc", lambda x, p: np.ones(COUNT)),
    "generalized pareto": ("GeneralizedPareto", "scale", lambda x, p: (x - p["loc"]) / p["scale"]),
    "generalized pareto, location": ("GeneralizedPareto", "loc", lambda x, p: np.ones(COUNT)),
}
PARAMETERS = {
    "Gamma": ("concentration", "rate"),
    "InverseGamma": ("concentration", "rate"),
    "StudentT": ("df", "loc", "scale"),
    "GeneralizedPareto": ("loc", "scale", "concentration"),
}


@pytest.mark.parametrize("name", SCALED)
def test_gradients_of_locations_and_scales(name):
    kind, parameter, slope = SCALED[name]
    given = {each: real() if each == "loc" else positive() for each in PARAMETERS[kind]}
    mine = leaves(gpukit, given)
    gpukit.manual_seed(6)
    drawn = getattr(ours, kind)(**mine).rsample()
    drawn.sum().backward()
    want = slope(drawn.detach().numpy(), given)
    np.testing.assert_allclose(mine[parameter].grad.numpy(), want, rtol=1e-9)


def test_gradients_of_the_shape_of_generalized_pareto():
    for shape in (-0.7, 0.0, 1e-9, 0.3, 1.5):
        at = gpukit.tensor(np.full(COUNT, shape), requires_grad=True)
        p = ours.GeneralizedPareto(0.5, 2.0, at)
        gpukit.manual_seed(7)
        p.rsample().sum().backward()
        gpukit.manual_seed(7)
        x = p.sample()
        log_above = p.log_survival_function(x).detach().numpy()
        step = 1e-4
        above, below = (-np.expm1(-c * log_above) / c for c in (shape + step, shape - step))
        want = 0.0 if abs(shape) < 1e-8 else -2 * (above - below) / (2 * step)
        np.testing.assert_allclose(at.grad.numpy(), want, rtol=1e-5)


@pytest.mark.parametrize("name", ["scale_tril", "covariance_matrix", "precision_matrix"])
def test_gradients_of_normal_vectors(name):
    factor = np.tril(RANDOM.normal(size=(3, 3)), -1) + np.diag([1.0, 0.5, 2.0])
    matrix = factor if name == "scale_tril" else factor @ factor.T
    given = {"loc": RANDOM.normal(size=(2, 3)), name: matrix}
    weights = RANDOM.normal(size=(5, 2, 3))
    mine, other = leaves(gpukit, given), leaves(torch, given)
    gpukit.manual_seed(8)
    drawn = ours.MultivariateNormal(**mine).rsample((5,))
    (drawn * gpukit.tensor(weights)).sum().backward()
    q = theirs.MultivariateNormal(**other)
    far = (torch.tensor(drawn.detach().numpy()) - q.loc).unsqueeze(-1)
    noise = torch.linalg.solve_triangular(q.scale_tril, far, upper=False).detach()
    again = q.loc + (q.scale_tril @ noise).squeeze(-1)
    (again * torch.tensor(weights)).sum().backward()
    close(mine["loc"].grad, other["loc"].grad)
    got, want = mine[name].grad.numpy(), other[name].grad.numpy()
    if name != "scale_tril":  # of a symmetric matrix: what matters is the symmetric part
        got, want = got + got.T, want + want.T
    np.testing.assert_allclose(np.tril(got), np.tril(want), rtol=1e-6, atol=1e-9)


def test_gradients_of_logistic_normal_vectors():
    given = {"loc": RANDOM.normal(size=(4, 3)), "scale": RANDOM.uniform(0.3, 2.0, (4, 3))}
    weights = RANDOM.normal(size=(4, 4))
    mine, other = leaves(gpukit, given), leaves(torch, given)
    gpukit.manual_seed(9)
    drawn = ours.LogisticNormal(**mine).rsample()
    (drawn * gpukit.tensor(weights)).sum().backward()
    transform = theirs.StickBreakingTransform()
    normal = transform.inv(torch.tensor(drawn.detach().numpy()))
    noise = ((normal - other["loc"]) / other["scale"]).detach()
    again = transform(other["loc"] + other["scale"] * noise)
    (again * torch.tensor(weights)).sum().backward()
    for name, leaf in other.items():
        close(mine[name].grad, leaf.grad)
