"""Distributions that need a test of their own: where torch is wrong, rough or has no float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats
import torch

import gpukit

ours, theirs = gpukit.distributions, torch.distributions
RANDOM = np.random.default_rng(6)
PROPERTIES = ["mean", "variance", "stddev", "mode"]


def positive(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.3, 4.0, shape)


def real(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape)


def unit(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.05, 0.95, shape)


def covariances(*shape: int) -> np.ndarray:
    factors = RANDOM.normal(size=(*shape, shape[-1]))
    return factors @ np.swapaxes(factors, -1, -2) + np.eye(shape[-1])


def tensors(library: Any, given: dict[str, np.ndarray]) -> dict[str, Any]:
    return {key: library.tensor(value) for key, value in given.items()}


def agrees(got: Any, want: Any, **tolerance: float) -> None:
    assert tuple(got.shape) == tuple(want.shape)
    options = {"rtol": 1e-9, "atol": 1e-11, **tolerance}
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), **options)


def test_the_mode_of_kumaraswamy_has_the_greatest_density():
    for a, b in ((1.0, 2.0), (2.0, 1.0), (2.5, 4.0), (3.0, 1.2)):
        p = ours.Kumaraswamy(gpukit.tensor(a, dtype=gpukit.float64), b)
        values = gpukit.linspace(1e-6, 1 - 1e-6, 100_001, dtype=gpukit.float64)
        best = values[p.log_prob(values).argmax()]
        np.testing.assert_allclose(p.mode.item(), best.item(), atol=2e-5)
    assert ours.Kumaraswamy(0.5, 2.0).mode.isnan().item()


def test_von_mises_beside_scipy():
    k = np.array([1e-6, 0.01, 1.0, 10.0, 700.0, 1e4])
    given = gpukit.tensor(k, requires_grad=True)
    p = ours.VonMises(gpukit.tensor(0.2, dtype=gpukit.float64), given)
    found = p.log_prob(gpukit.tensor(0.5, dtype=gpukit.float64))
    found.sum().backward()
    bessel = scipy.special.i0e(k), scipy.special.i1e(k)
    want = k * (np.cos(0.3) - 1) - np.log(2 * np.pi * bessel[0])
    np.testing.assert_allclose(found.detach().numpy(), want, rtol=1e-12)
    want = np.cos(0.3) - bessel[1] / bessel[0]
    np.testing.assert_allclose(given.grad.numpy(), want, atol=1e-12)


def test_the_mode_of_weibull_is_0_where_its_density_falls():
    p, q = (d.Weibull(m.tensor(2.0), m.tensor(1.5)) for m, d in ((gpukit, ours), (torch, theirs)))
    np.testing.assert_allclose(p.mode.item(), q.mode.item(), rtol=1e-6)
    assert ours.Weibull(2.0, gpukit.tensor([0.4, 0.5, 1.0])).mode.tolist() == [0, 0, 0]


def test_divergences_of_normal_vectors_of_low_rank_and_of_any():
    given = [
        {"loc": real(3), "cov_factor": real(2, 3, 2), "cov_diag": positive(3)},
        {"loc": real(2, 3), "covariance_matrix": covariances(3)},
    ]
    kinds = ["LowRankMultivariateNormal", "MultivariateNormal"]
    for first in (0, 1):
        both = []
        for library in (gpukit, torch):
            made = [
                getattr(library.distributions, kind)(**tensors(library, each))
                for kind, each in zip(kinds, given, strict=True)
            ]
            both.append(library.distributions.kl_divergence(made[first], made[1 - first]))
        agrees(both[0], both[1])


def test_matrices_of_normal_vectors_of_low_rank():
    given = {"loc": real(4), "cov_factor": real(2, 1, 4, 2), "cov_diag": positive(3, 4)}
    p, q = (
        library.distributions.LowRankMultivariateNormal(**tensors(library, given))
        for library in (gpukit, torch)
    )
    for each in ("covariance_matrix", "precision_matrix", "scale_tril"):
        agrees(getattr(p, each), getattr(q, each))
        agrees(getattr(p.expand((4, 2, 3)), each), getattr(q.expand((4, 2, 3)), each))


# torch's takes no float64.
SHAPES = np.array([-0.7, -1e-9, 0.0, 1e-9, 0.3, 0.7, 1.5], np.float32)


def test_generalized_pareto():
    given = [
        [library.tensor(each, requires_grad=True) for each in (LOWEST, SPREAD, SHAPES * ROWS)]
        for library in (gpukit, torch)
    ]
    p, q = ours.GeneralizedPareto(*given[0]), theirs.GeneralizedPareto(*given[1])
    assert repr(p) == repr(q).replace("torch.Size([", "(").replace("])", ")")
    assert p.batch_shape == tuple(q.batch_shape)
    assert repr(p.support).count("inf") == repr(q.support).count("inf") == 10
    close = {"rtol": 2e-5, "atol": 1e-6}
    for each in PROPERTIES:
        agrees(getattr(p, each), getattr(q, each), **close)
    u = unit(4, 1, 7).astype(np.float32)
    agrees(p.icdf(gpukit.tensor(u)), q.icdf(torch.tensor(u)), **close)
    values = q.icdf(torch.tensor(u)).detach().numpy()
    for each in ("log_prob", "cdf", "log_cdf", "log_survival_function"):
        got, want = getattr(p, each)(gpukit.tensor(values)), getattr(q, each)(torch.tensor(values))
        agrees(got, want, **close)
    agrees(p.entropy(), q.entropy(), **close)
    assert p.expand((3, 2, 7)).sample((2,)).shape == (2, 3, 2, 7)
    for of, library in ((p, gpukit), (q, torch)):
        (of.log_prob(library.tensor(values)).sum() + of.entropy().sum()).backward()
    for mine, other in zip(given[0][:2], given[1][:2], strict=True):
        agrees(mine.grad, other.grad, rtol=1e-4)


ROWS = np.ones((2, 1), np.float32)
LOWEST, SPREAD = real(2, 7).astype(np.float32), positive(2, 7).astype(np.float32)


def test_generalized_pareto_beside_scipy():
    shapes = SHAPES.astype(np.float64)
    p = ours.GeneralizedPareto(0.5, 2.0, gpukit.tensor(shapes))
    q = scipy.stats.genpareto(shapes, 0.5, 2.0)
    u = unit(4, 7)
    values = q.ppf(u)
    x = gpukit.tensor(values)
    np.testing.assert_allclose(p.icdf(gpukit.tensor(u)).numpy(), values, rtol=1e-7)
    np.testing.assert_allclose(p.log_prob(x).numpy(), q.logpdf(values), rtol=1e-7)
    np.testing.assert_allclose(p.cdf(x).numpy(), q.cdf(values), rtol=1e-7)
    np.testing.assert_allclose(p.log_survival_function(x).numpy(), q.logsf(values), rtol=1e-7)


@pytest.mark.parametrize("name", ["covariance_matrix", "precision_matrix", "scale_tril"])
def test_wishart(name):
    matrix = covariances(2, 3)
    matrix = np.linalg.cholesky(matrix) if name == "scale_tril" else matrix
    given = {"df": positive(2) + 4.5, name: matrix}
    mine, other = tensors(gpukit, given), tensors(torch, given)
    for each in (*mine.values(), *other.values()):
        each.requires_grad_()
    p, q = ours.Wishart(**mine), theirs.Wishart(**other)
    assert repr(p) == repr(q).replace("torch.Size([", "(").replace("])", ")").replace("(2)", "(2,)")
    assert repr(p.support) == repr(q.support)
    assert {k: repr(v) for k, v in p.arg_constraints.items()} == {
        k: repr(v) for k, v in q.arg_constraints.items()
    }
    for each in [*PROPERTIES, "covariance_matrix", "precision_matrix", "scale_tril"]:
        agrees(getattr(p, each), getattr(q, each))
    value = 5 * covariances(4, 2, 3)
    x, y = gpukit.tensor(value, requires_grad=True), torch.tensor(value, requires_grad=True)
    agrees(p.log_prob(x), q.log_prob(y))
    agrees(p.entropy(), q.entropy())
    (p.log_prob(x).sum() + p.entropy().sum() + p.mean.sum()).backward()
    (q.log_prob(y).sum() + q.entropy().sum() + q.mean.sum()).backward()
    agrees(x.grad, y.grad, rtol=1e-7)
    agrees(mine["df"].grad, other["df"].grad, rtol=1e-7)
    got, want = mine[name].grad.numpy(), other[name].grad.numpy()
    if name != "scale_tril":  # of a symmetric matrix: what matters is the symmetric part
        got, want = got + got.swapaxes(-1, -2), want + want.swapaxes(-1, -2)
    np.testing.assert_allclose(np.tril(got), np.tril(want), rtol=1e-7, atol=1e-9)
    agrees(p.expand((5, 2)).log_prob(x[:1]), q.expand((5, 2)).log_prob(y[:1]))


def test_samples_of_wishart_and_their_divergence():
    gpukit.manual_seed(4)
    first, second = covariances(3), covariances(3)
    p = ours.Wishart(gpukit.tensor(5.5, dtype=gpukit.float64), gpukit.tensor(first))
    q = ours.Wishart(gpukit.tensor(4.0, dtype=gpukit.float64), gpukit.tensor(second))
    drawn = p.sample((40_000,))
    assert bool(p.support.check(drawn).all())
    spread = drawn.numpy().std(0) / 200  # of the mean of that many
    assert (np.abs(drawn.mean(0).numpy() - p.mean.numpy()) < 5 * spread).all()
    np.testing.assert_allclose(drawn.numpy().var(0), p.variance.numpy(), rtol=0.1)
    found = (p.log_prob(drawn) - q.log_prob(drawn)).numpy()
    wanted = ours.kl_divergence(p, q).item()  # torch's differs, and may be negative
    assert abs(found.mean() - wanted) < 5 * found.std() / 200
    assert abs(ours.kl_divergence(p, p).item()) < 1e-12
    want = scipy.stats.wishart(5.5, first).logpdf(np.moveaxis(drawn[:9].numpy(), 0, -1))
    np.testing.assert_allclose(p.log_prob(drawn[:9]).numpy(), want, rtol=1e-9)


def test_samples_of_correlations():
    gpukit.manual_seed(7)
    for concentration in (0.5, 1.0, 4.0):
        p = ours.LKJCholesky(4, gpukit.tensor(concentration, dtype=gpukit.float64))
        drawn = p.sample((5000,))
        assert bool(p.support.check(drawn).all())
        matrices = (drawn @ drawn.mT).numpy()
        # Each correlation r has (r + 1) / 2 of a beta distribution.
        shape = concentration + 1
        for row, column in ((1, 0), (2, 0), (3, 1), (3, 2)):
            shares = (matrices[:, row, column] + 1) / 2
            assert scipy.stats.kstest(shares, scipy.stats.beta(shape, shape).cdf).pvalue > 1e-4


@pytest.mark.parametrize(
    "make",
    [
        lambda: ours.Wishart(gpukit.tensor(5.0)),
        lambda: ours.Wishart(gpukit.tensor(5.0), gpukit.eye(2), gpukit.eye(2)),
        lambda: ours.Wishart(gpukit.tensor(5.0), gpukit.ones(2)),
        lambda: ours.Wishart(gpukit.tensor(5.0), gpukit.ones(2, 3)),
        lambda: ours.Wishart(gpukit.tensor(1.0), gpukit.eye(3)),
        lambda: ours.Wishart(gpukit.tensor(5.0), -gpukit.eye(3)),
    ],
)
def test_errors_of_wishart(make):
    with pytest.raises(ValueError, match=r"Exactly one|at least two-dim|df=1|parameter covariance"):
        make()
