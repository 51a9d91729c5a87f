"""Divergences of different families beside torch's, for every pair that torch has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import torch

import gpukit

RANDOM = np.random.default_rng(9)
POSITIVE = ("scale", "alpha", "rate", "concentration", "concentration1", "concentration0")
NAMES = {
    "Bernoulli": ("probs",),
    "Beta": ("concentration1", "concentration0"),
    "Binomial": ("total_count", "probs"),
    "ContinuousBernoulli": ("probs",),
    "Exponential": ("rate",),
    "Gamma": ("concentration", "rate"),
    "Gumbel": ("loc", "scale"),
    "Laplace": ("loc", "scale"),
    "Normal": ("loc", "scale"),
    "Pareto": ("scale", "alpha"),
    "Poisson": ("rate",),
    "Uniform": ("low", "high"),
}
PAIRS = sorted(
    (p.__name__, q.__name__)
    for p, q in torch.distributions.kl._KL_REGISTRY
    if p is not q and p.__name__ in NAMES and q.__name__ in NAMES
)


def values(name: str) -> np.ndarray:
    if name in POSITIVE:
        return RANDOM.uniform(0.3, 4.0, 6)
    if name == "total_count":
        return np.full(6, 4.0)
    if name == "probs":
        return RANDOM.uniform(0.05, 0.95, 6)
    if name == "low":
        return np.array([0.0, 0.2, -0.5, -2.0, 0.4, 0.0])
    if name == "high":
        return np.array([1.0, 0.7, 0.5, 3.0, 1.5, 0.9])
    return RANDOM.normal(size=6)


def test_every_pair_of_torchs_is_registered():
    ours = gpukit.distributions
    for p, q in torch.distributions.kl._KL_REGISTRY:
        if p.__module__.startswith("torch.") and p.__name__ != "ExponentialFamily":
            pair = getattr(ours, p.__name__), getattr(ours, q.__name__)
            assert pair in ours.kl._FORMULAS, pair


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_divergences(pair):
    drawn = [{name: values(name) for name in NAMES[kind]} for kind in pair]
    results: list[Any] = []
    leaves: list[list[Any]] = []
    for library in (gpukit, torch):
        given = [
            {key: library.tensor(value, requires_grad=True) for key, value in each.items()}
            for each in drawn
        ]
        leaves.append([leaf for each in given for leaf in each.values()])
        p, q = (
            getattr(library.distributions, kind)(**each)
            for kind, each in zip(pair, given, strict=True)
        )
        found = library.distributions.kl_divergence(p, q)
        results.append(found.detach().numpy())
        finite = found.isfinite()
        if bool(finite.any()) and found.requires_grad:
            found[finite].sum().backward()
    if pair in {("ContinuousBernoulli", "Uniform"), ("Uniform", "ContinuousBernoulli")}:
        uniform = drawn[pair.index("Uniform")]
        whole = (uniform["low"] == 0) | (uniform["high"] == 1)  # torch says infinite there: below
        results = [np.where(whole, 0.0, found) for found in results]
        leaves = [[], []]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-6)
    for mine, other in zip(*leaves, strict=True):
        if mine.grad is not None and other.grad is not None:
            good = np.isfinite(other.grad.numpy())
            np.testing.assert_allclose(
                mine.grad.numpy()[good], other.grad.numpy()[good], rtol=1e-5, atol=1e-9
            )


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 0.9), (0.2, 1.0)])
def test_divergences_of_uniform_and_continuous_bernoulli_are_integrals(low, high):
    ours = gpukit.distributions
    uniform = ours.Uniform(gpukit.tensor(low, dtype=gpukit.float64), high)
    share = ours.ContinuousBernoulli(gpukit.tensor(0.8, dtype=gpukit.float64))

    def part(x: float, p: Any, q: Any) -> float:
        at = gpukit.tensor(x, dtype=gpukit.float64)
        return float(p.log_prob(at).exp() * (p.log_prob(at) - q.log_prob(at)))

    want, _ = scipy.integrate.quad(part, low, high, (uniform, share))
    assert ours.kl_divergence(uniform, share).item() == pytest.approx(want, rel=1e-9)
    whole = (low, high) == (0.0, 1.0)
    want = scipy.integrate.quad(part, low, high, (share, uniform))[0] if whole else np.inf
    assert ours.kl_divergence(share, uniform).item() == pytest.approx(want, rel=1e-9)
