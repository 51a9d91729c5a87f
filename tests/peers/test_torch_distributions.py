"""gpukit.distributions beside torch's: densities, moments, divergences, gradients, texts."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

ours, theirs = gpukit.distributions, torch.distributions
RANDOM = np.random.default_rng(5)


def positive(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.3, 4.0, shape)


def real(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape)


def unit(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.05, 0.95, shape)


def simplex(*shape: int) -> np.ndarray:
    weights = RANDOM.uniform(0.1, 1.0, shape)
    return weights / weights.sum(-1, keepdims=True)


def covariances(*shape: int) -> np.ndarray:
    factors = RANDOM.normal(size=(*shape, shape[-1]))
    return factors @ np.swapaxes(factors, -1, -2) + np.eye(shape[-1])


# The parameters of each family, for two distributions of which the divergence is taken.
FAMILIES: dict[str, tuple[str, Any]] = {
    "bernoulli": ("Bernoulli", lambda: {"probs": unit(3)}),
    "bernoulli by logits": ("Bernoulli", lambda: {"logits": real(2, 3)}),
    "beta": ("Beta", lambda: {"concentration1": positive(3), "concentration0": positive(3)}),
    "binomial": ("Binomial", lambda: {"total_count": 6, "probs": unit(3)}),
    "binomial by logits": ("Binomial", lambda: {"total_count": 4, "logits": real(3)}),
    "categorical": ("Categorical", lambda: {"probs": simplex(2, 4)}),
    "categorical by logits": ("Categorical", lambda: {"logits": real(2, 4)}),
    "cauchy": ("Cauchy", lambda: {"loc": real(3), "scale": positive(3)}),
    "chi2": ("Chi2", lambda: {"df": positive(3)}),
    "continuous bernoulli": ("ContinuousBernoulli", lambda: {"probs": unit(3)}),
    "continuous bernoulli near a half": (
        "ContinuousBernoulli",
        lambda: {"probs": np.array([0.48, 0.4995, 0.5, 0.5005, 0.52]) + real(5) * 1e-5},
    ),
    "continuous bernoulli by logits": ("ContinuousBernoulli", lambda: {"logits": real(2, 3)}),
    "dirichlet": ("Dirichlet", lambda: {"concentration": positive(2, 3)}),
    "exponential": ("Exponential", lambda: {"rate": positive(3)}),
    "f": ("FisherSnedecor", lambda: {"df1": 2 * positive(5), "df2": 3 * positive(5)}),
    "gamma": ("Gamma", lambda: {"concentration": positive(3), "rate": positive(3)}),
    "geometric": ("Geometric", lambda: {"probs": unit(3)}),
    "gumbel": ("Gumbel", lambda: {"loc": real(3), "scale": positive(3)}),
    "half cauchy": ("HalfCauchy", lambda: {"scale": positive(3)}),
    "half normal": ("HalfNormal", lambda: {"scale": positive(3)}),
    "inverse gamma": (
        "InverseGamma",
        lambda: {"concentration": positive(5), "rate": positive(5)},
    ),
    "kumaraswamy": (
        "Kumaraswamy",
        lambda: {"concentration1": positive(3), "concentration0": positive(2, 1)},
    ),
    "laplace": ("Laplace", lambda: {"loc": real(3), "scale": positive(3)}),
    "lkj": ("LKJCholesky", lambda: {"dim": 4, "concentration": positive(3)}),
    "lkj of two": ("LKJCholesky", lambda: {"dim": 2, "concentration": positive(3)}),
    "log-normal": ("LogNormal", lambda: {"loc": real(3), "scale": positive(3)}),
    "logistic normal": ("LogisticNormal", lambda: {"loc": real(2, 3), "scale": positive(3)}),
    "multinomial": ("Multinomial", lambda: {"total_count": 5, "probs": simplex(2, 3)}),
    "negative binomial": (
        "NegativeBinomial",
        lambda: {"total_count": positive(2, 1), "probs": unit(3)},
    ),
    "negative binomial by logits": (
        "NegativeBinomial",
        lambda: {"total_count": 4, "logits": real(3)},
    ),
    "normal vectors": (
        "MultivariateNormal",
        lambda: {"loc": real(2, 3), "covariance_matrix": covariances(3)},
    ),
    "normal vectors of low rank": (
        "LowRankMultivariateNormal",
        lambda: {"loc": real(2, 5), "cov_factor": real(5, 2), "cov_diag": positive(2, 5)},
    ),
    "normal vectors of low rank, batches": (
        "LowRankMultivariateNormal",
        lambda: {"loc": real(4), "cov_factor": real(2, 1, 4, 1), "cov_diag": positive(3, 4)},
    ),
    "normal vectors by precision": (
        "MultivariateNormal",
        lambda: {"loc": real(3), "precision_matrix": covariances(2, 3)},
    ),
    "normal vectors by a triangle": (
        "MultivariateNormal",
        lambda: {"loc": real(2, 3), "scale_tril": np.linalg.cholesky(covariances(2, 3))},
    ),
    "normal": ("Normal", lambda: {"loc": real(2, 1), "scale": positive(3)}),
    "one-hot": ("OneHotCategorical", lambda: {"logits": real(2, 4)}),
    "pareto": ("Pareto", lambda: {"scale": positive(5), "alpha": positive(5)}),
    "poisson": ("Poisson", lambda: {"rate": positive(3)}),
    "relaxed bit": ("RelaxedBernoulli", lambda: {"temperature": positive(3), "probs": unit(3)}),
    "relaxed class": (
        "RelaxedOneHotCategorical",
        lambda: {"temperature": np.array(0.7), "logits": real(2, 4)},
    ),
    "student": ("StudentT", lambda: {"df": positive(3), "loc": real(3), "scale": positive(3)}),
    "von mises": ("VonMises", lambda: {"loc": real(2, 1), "concentration": 9 * positive(5)}),
    "von mises, small": ("VonMises", lambda: {"loc": real(2), "concentration": positive(2) / 9}),
    "weibull": ("Weibull", lambda: {"scale": positive(3), "concentration": positive(2, 1)}),
    "uniform": ("Uniform", lambda: {"low": real(3) - 9, "high": real(3) + 9}),
}
ROUGH = {"VonMises": 1e-6}  # torch's Bessel functions are polynomials of that accuracy
PROPERTIES = ["mean", "variance", "stddev", "mode"]
DATA = {name: (kind, make(), make()) for name, (kind, make) in FAMILIES.items()}


def tensors(library: Any, given: dict[str, Any], *, grad: bool = True) -> dict[str, Any]:
    return {
        key: library.tensor(value, dtype=library.float64, requires_grad=grad)
        if isinstance(value, np.ndarray)
        else value
        for key, value in given.items()
    }


def result(make: Any) -> Any:
    """What a call gives; the class of the error where it fails."""
    try:
        return make()
    except NotImplementedError:
        return NotImplementedError
    except (ValueError, RuntimeError):
        return ValueError


def agrees(got: Any, want: Any, **tolerance: float) -> None:
    if inspect.isclass(want):
        assert got is want
        return
    assert tuple(got.shape) == tuple(want.shape)
    assert str(got.dtype).split(".")[1] == str(want.dtype).split(".")[1]
    options = {"rtol": 1e-9, "atol": 1e-11, **tolerance}
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), **options)


def text_as_ours(distribution: Any) -> str:
    """torch's text, with shapes as tuples."""
    text = repr(distribution).replace("torch.Size([", "(").replace("])", ")")
    return re.sub(r"\((\d+)\)", r"(\1,)", text)


@pytest.mark.parametrize("name", FAMILIES)
def test_values_and_gradients(name):
    kind, given, _ = DATA[name]
    mine, other = tensors(gpukit, given), tensors(torch, given)
    p, q = getattr(ours, kind)(**mine), getattr(theirs, kind)(**other)
    assert p.batch_shape == tuple(q.batch_shape)
    assert p.event_shape == tuple(q.event_shape)
    assert repr(p) == text_as_ours(q)
    supports = [repr(p.support), repr(q.support).replace("torch", "gpukit")]
    assert supports[0].split() == supports[1].split()
    assert (p.has_rsample, p.has_enumerate_support) == (q.has_rsample, q.has_enumerate_support)
    torch.manual_seed(1)
    value = q.sample((4,)).numpy()
    x = gpukit.tensor(value, requires_grad=value.dtype == np.float64)
    y = torch.tensor(value, requires_grad=value.dtype == np.float64)
    for each in PROPERTIES:
        if each == "mode" and kind in {"Kumaraswamy", "Weibull"}:
            continue  # torch's is NaN for the first, and no mode of the second below 1
        got, want = (result(lambda at=each, of=d: getattr(of, at)) for d in (p, q))
        agrees(got, want, rtol=1e-9, atol=ROUGH.get(kind, 1e-11))
    total, wanted = gpukit.zeros((), dtype=gpukit.float64), 0
    for method, arguments in (("log_prob", (x, y)), ("entropy", ()), ("cdf", (x, y))):
        got = result(lambda m=method, a=arguments: getattr(p, m)(*a[:1]))
        want = result(lambda m=method, a=arguments: getattr(q, m)(*a[1:]))
        agrees(got, want, rtol=1e-7, atol=ROUGH.get(kind, 1e-11))
        if method == "cdf" and kind in {"Gamma", "Chi2", "InverseGamma"}:
            continue  # torch has no derivative of it
        if not inspect.isclass(want) and want.requires_grad:
            total, wanted = total + got.sum(), wanted + want.sum()
    total.backward()
    wanted.backward()
    for key, tensor in other.items():
        if isinstance(tensor, torch.Tensor):
            assert mine[key].grad is not None, key
            agrees(mine[key].grad, tensor.grad, rtol=1e-6, atol=ROUGH.get(kind, 1e-11))
    if y.requires_grad and y.grad is not None:
        agrees(x.grad, y.grad, rtol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_inverse_expand_and_enumeration(name):
    kind, given, _ = DATA[name]
    p = getattr(ours, kind)(**tensors(gpukit, given, grad=False))
    q = getattr(theirs, kind)(**tensors(torch, given, grad=False))
    u = unit(5, *q.batch_shape)
    agrees(result(lambda: p.icdf(gpukit.tensor(u))), result(lambda: q.icdf(torch.tensor(u))))
    for repeat in (True, False):
        agrees(
            result(lambda r=repeat: p.enumerate_support(r)),
            result(lambda r=repeat: q.enumerate_support(r)),
        )
    shape = (5, *q.batch_shape)
    wider, also = p.expand(shape), q.expand(shape)
    assert wider.batch_shape == shape
    assert wider.event_shape == tuple(also.event_shape)
    value = also.sample().numpy()
    agrees(
        wider.log_prob(gpukit.tensor(value)),
        also.log_prob(torch.tensor(value)),
        rtol=1e-7,
        atol=ROUGH.get(kind, 1e-11),
    )
    drawn = wider.sample((2,))
    assert drawn.shape == tuple(also.sample((2,)).shape)
    assert bool(wider.support.check(drawn).all())
    assert not drawn.requires_grad


@pytest.mark.parametrize("name", FAMILIES)
def test_divergences(name):
    kind, first, second = DATA[name]
    mine = [tensors(gpukit, each) for each in (first, second)]
    other = [tensors(torch, each) for each in (first, second)]
    p, q = (getattr(ours, kind)(**each) for each in mine)
    r, s = (getattr(theirs, kind)(**each) for each in other)
    got = result(lambda: ours.kl_divergence(p, q))
    want = result(lambda: theirs.kl_divergence(r, s))
    agrees(got, want, rtol=1e-7)
    if inspect.isclass(want) or not bool(want.isfinite().all()):
        return
    got.sum().backward()
    want.sum().backward()
    for ours_of, theirs_of in zip(mine, other, strict=True):
        for key, tensor in theirs_of.items():
            if isinstance(tensor, torch.Tensor):
                agrees(ours_of[key].grad, tensor.grad, rtol=1e-6)


def test_every_divergence_of_one_family_is_registered():
    kinds = [name for name in ours.__all__ if inspect.isclass(getattr(ours, name))]
    both = {getattr(theirs, name): name for name in kinds}
    for p, q in theirs.kl._KL_REGISTRY:
        if p is q and p in both and both[p] != "ExponentialFamily":
            kind = getattr(ours, both[p])
            assert (kind, kind) in ours.kl._FORMULAS, kind


def test_gamma_numbers_move_with_their_concentration_as_torch_says():
    a = np.repeat([0.02, 0.3, 1.0, 2.5, 7.9, 8.1, 30.0, 1000.0], 400)
    torch.manual_seed(0)
    x = torch._standard_gamma(torch.tensor(a)).numpy()
    x = np.concatenate([x, np.array([1e-3, 20.0, 25.0, 0.02])])
    a = np.concatenate([a, np.array([2.0, 1.5, 5.0, 8.5])])
    want = torch._standard_gamma_grad(torch.tensor(a), torch.tensor(x)).numpy()
    got = ours._gamma_slope.gamma_slope(gpukit.tensor(a), gpukit.tensor(x)).numpy()
    np.testing.assert_allclose(got, want, rtol=2e-3)


def composed(library: Any, dist: Any) -> list[Any]:
    """Distributions of distributions."""
    tensor, t = library.tensor, dist.transforms
    loc, scale = tensor([[0.5, -1.0], [0.0, 2.0]]), tensor([1.0, 0.5])
    normal = dist.Normal(loc, scale)
    parts = dist.Categorical(tensor([[0.3, 0.7], [0.5, 0.5]]))
    return [
        dist.Independent(normal, 1),
        dist.Independent(dist.Independent(normal, 1), 1),
        dist.MixtureSameFamily(parts, normal),
        dist.MixtureSameFamily(
            parts, dist.Independent(dist.Normal(tensor(np.ones((2, 2, 3))), tensor(2.0)), 1)
        ),
        dist.TransformedDistribution(normal, [t.AffineTransform(1.0, -2.0), t.SigmoidTransform()]),
        dist.TransformedDistribution(
            normal, t.AffineTransform(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        ),
        dist.TransformedDistribution(dist.Independent(normal, 1), [t.TanhTransform()]),
        dist.TransformedDistribution(normal, [t.AffineTransform(0.0, 2.0, event_dim=1)]),
        dist.TransformedDistribution(normal, [t.SoftplusTransform(), t.PowerTransform(2.0)]),
        dist.TransformedDistribution(normal, [t.ExpTransform().inv.inv]),
        dist.TransformedDistribution(
            dist.Uniform(tensor(0.0), tensor(1.0)), [t.SigmoidTransform().inv]
        ),
    ]


@pytest.mark.parametrize("number", range(11))
def test_composed_distributions(number):
    p, q = composed(gpukit, ours)[number], composed(torch, theirs)[number]
    assert (p.batch_shape, p.event_shape) == (tuple(q.batch_shape), tuple(q.event_shape))
    torch.manual_seed(2)
    value = q.sample((3,)).numpy()
    assert p.sample((3,)).shape == value.shape
    x, y = gpukit.tensor(value), torch.tensor(value)
    close = {"rtol": 2e-5, "atol": 1e-5}
    agrees(p.log_prob(x), q.log_prob(y), **close)
    for each in PROPERTIES[:2]:
        agrees(
            result(lambda at=each: getattr(p, at)), result(lambda at=each: getattr(q, at)), **close
        )
    agrees(result(p.entropy), result(q.entropy), **close)
    agrees(result(lambda: p.cdf(x)), result(lambda: q.cdf(y)), **close)
    wider, also = p.expand((4, *p.batch_shape)), q.expand((4, *q.batch_shape))
    value = also.sample().numpy()
    agrees(wider.log_prob(gpukit.tensor(value)), also.log_prob(torch.tensor(value)), **close)
    if p.has_rsample:
        assert q.has_rsample
        assert p.rsample().shape == tuple(q.rsample().shape)


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.ExpTransform(),
        lambda t: t.PowerTransform(3.0),
        lambda t: t.SigmoidTransform(),
        lambda t: t.SoftplusTransform(),
        lambda t: t.TanhTransform(cache_size=1),
        lambda t: t.AffineTransform(1.0, -0.5),
        lambda t: t.AbsTransform(),
        lambda t: t.ComposeTransform([t.AffineTransform(0.0, 2.0), t.TanhTransform()]),
        lambda t: t.ComposeTransform([t.AffineTransform(0.0, 2.0), t.ExpTransform()]).inv,
        lambda t: t.ExpTransform().inv,
        lambda t: t.identity_transform,
    ],
)
def test_transforms(make):
    mine, other = make(ours.transforms), make(theirs.transforms)
    assert mine.bijective == other.bijective
    assert mine == make(ours.transforms)
    assert mine != ours.transforms.ComposeTransform([ours.ExpTransform(), ours.ExpTransform()])
    values = np.array([0.1, 0.5, 1.5, 3.0])
    x, y = gpukit.tensor(values), torch.tensor(values)
    agrees(mine(x), other(y))
    agrees(mine.inv(mine(x)), other.inv(other(y)))
    agrees(
        result(lambda: mine.log_abs_det_jacobian(x, mine(x))),
        result(lambda: other.log_abs_det_jacobian(y, other(y))),
    )
    if other.bijective:
        assert int(mine.sign) == int(other.sign)
    assert repr(mine.codomain) == repr(other.codomain)


VALUES = [[0.2, 0.8], [1.0, 0.0], [-1.0, 2.0], [0.5, 0.7], [3.0, 4.0], [float("nan"), 1.0]]


@pytest.mark.parametrize(
    "name",
    [
        "boolean",
        "nonnegative_integer",
        "positive_integer",
        "real",
        "real_vector",
        "positive",
        "nonnegative",
        "simplex",
        "unit_interval",
        "one_hot",
    ],
)
def test_constraints(name):
    mine, other = getattr(ours.constraints, name), getattr(theirs.constraints, name)
    got, want = mine.check(gpukit.tensor(VALUES)), other.check(torch.tensor(VALUES))
    assert got.tolist() == want.tolist()
    assert repr(mine) == repr(other)
    assert (mine.is_discrete, mine.event_dim) == (other.is_discrete, other.event_dim)


WRONG = {
    "lkj of one": lambda m, d: d.LKJCholesky(1, 1.0),
    "lkj": lambda m, d: d.LKJCholesky(3, m.tensor(1.0)).log_prob(2 * m.eye(3)),
    "too few degrees of freedom": lambda m, d: d.Wishart(m.tensor(2.0), m.eye(3)),
    "pareto": lambda m, d: d.Pareto(m.tensor(-1.0), m.tensor(1.0)),
    "half cauchy": lambda m, d: d.HalfCauchy(-1.0),
    "inverse gamma": lambda m, d: d.InverseGamma(-1.0, 1.0),
    "negative binomial": lambda m, d: d.NegativeBinomial(-1.0, m.tensor(0.5)),
    "success for sure": lambda m, d: d.NegativeBinomial(1.0, m.tensor(1.0)),
    "no probability": lambda m, d: d.NegativeBinomial(1.0),
    "weibull": lambda m, d: d.Weibull(-1.0, 1.0),
    "kumaraswamy": lambda m, d: d.Kumaraswamy(m.tensor(-1.0), m.tensor(1.0)),
    "von mises": lambda m, d: d.VonMises(m.tensor(0.0), m.tensor(-1.0)),
    "logistic normal": lambda m, d: d.LogisticNormal(m.zeros(2), m.tensor([1.0, -1.0])),
    "f": lambda m, d: d.FisherSnedecor(-1.0, 1.0),
    "continuous bernoulli": lambda m, d: d.ContinuousBernoulli(),
    "below the scale": lambda m, d: d.Pareto(1.0, 1.0).log_prob(m.tensor(0.5)),
    "generalized pareto": lambda m, d: d.GeneralizedPareto(0.0, -1.0, 1.0),
    "beyond the end": lambda m, d: d.GeneralizedPareto(0.0, 1.0, -1.0).log_prob(m.tensor(2.0)),
    "low rank: a number": lambda m, d: d.LowRankMultivariateNormal(
        m.tensor(1.0), m.ones(1, 1), m.ones(1)
    ),
    "low rank: a vector": lambda m, d: d.LowRankMultivariateNormal(m.ones(1), m.ones(1), m.ones(1)),
    "low rank: sizes": lambda m, d: d.LowRankMultivariateNormal(m.ones(2), m.ones(1, 1), m.ones(2)),
    "low rank: diagonal": lambda m, d: d.LowRankMultivariateNormal(
        m.ones(2), m.ones(2, 1), m.ones(1)
    ),
    "low rank: below 0": lambda m, d: d.LowRankMultivariateNormal(
        m.ones(2), m.ones(2, 1), -m.ones(2)
    ),
    "scale below 0": lambda m, d: d.Normal(0.0, -1.0),
    "one scale of several": lambda m, d: d.Normal(m.zeros(2), m.tensor([1.0, -1.0])),
    "shapes": lambda m, d: d.Normal(m.zeros(2), m.ones(3)),
    "text": lambda m, d: d.Normal("a", 1.0),
    "no parameter": lambda m, d: d.Categorical(),
    "both parameters": lambda m, d: d.Bernoulli(probs=0.5, logits=0.0),
    "a number of classes": lambda m, d: d.Categorical(m.tensor(0.5)),
    "weights of 0 dimensions": lambda m, d: d.Dirichlet(m.tensor(1.0)),
    "low above high": lambda m, d: d.Uniform(2.0, 1.0),
    "no success": lambda m, d: d.Geometric(0.0),
    "value outside": lambda m, d: d.Bernoulli(0.5).log_prob(m.tensor(0.5)),
    "negative count": lambda m, d: d.Poisson(1.0).log_prob(m.tensor(-1.0)),
    "value of another shape": lambda m, d: d.Normal(m.zeros(3), 1.0).log_prob(m.zeros(2)),
    "event of another shape": lambda m, d: d.Dirichlet(m.ones(3)).log_prob(m.tensor([0.5, 0.5])),
    "value is a number": lambda m, d: d.Normal(0.0, 1.0).log_prob(0.0),
    "too many batch dimensions": lambda m, d: d.Independent(d.Normal(0.0, 1.0), 1),
    "no transform": lambda m, d: d.TransformedDistribution(d.Normal(0.0, 1.0), [1]),
    "cache size": lambda m, d: d.ExpTransform(cache_size=2),
    "parts": lambda m, d: d.MixtureSameFamily(
        d.Categorical(m.ones(2)), d.Normal(m.zeros(3), m.ones(3))
    ),
    "dependent": lambda m, d: d.constraints.dependent.check(m.ones(1)),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors(name):
    theirs.Distribution.set_default_validate_args(True)  # torch.compile switches it off for good
    with pytest.raises((ValueError, RuntimeError)) as other:
        WRONG[name](torch, theirs)
    with pytest.raises((ValueError, RuntimeError)) as mine:
        WRONG[name](gpukit, ours)
    if isinstance(other.value, ValueError):
        assert isinstance(mine.value, ValueError)
        start = str(other.value).split("(")[0].split(",")[0].split("torch")[0].strip()
        assert ("Expected parameter" if name == "f" else start) in str(mine.value)


def test_a_subclass_with_its_own_init_must_write_expand():
    for dist in (ours, theirs):

        class Mine(dist.Normal):
            def __init__(self, loc):
                super().__init__(loc, 1.0)

        with pytest.raises(NotImplementedError, match=r"must also define a custom .expand"):
            Mine(0.0).expand((2,))


def test_register_kl_prefers_the_nearest_class():
    class Mine(ours.Normal):
        pass

    p = Mine(0.0, 1.0)
    before = ours.kl_divergence(p, p)
    assert before.item() == 0
    ours.register_kl(Mine, ours.Normal)(lambda p, q: gpukit.tensor(7.0))
    assert ours.kl_divergence(p, p).item() == 7
    with pytest.raises(NotImplementedError, match="p type Normal and q type Poisson"):
        ours.kl_divergence(ours.Normal(0.0, 1.0), ours.Poisson(1.0))


@pytest.mark.parametrize("m", [gpukit, torch], ids=["gpukit", "torch"])
def test_sample_n_draws_as_many_and_warns(m):
    with pytest.warns(FutureWarning, match=r"Use `sample\(\(n,\)\)` instead"):
        assert tuple(m.distributions.Normal(m.zeros(3), 1.0).sample_n(2).shape) == (2, 3)


def test_checks_may_be_switched_off():
    ours.Distribution.set_default_validate_args(False)
    try:
        assert ours.Normal(0.0, -1.0).scale.item() == -1
    finally:
        ours.Distribution.set_default_validate_args(True)
    assert ours.Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    with pytest.raises(ValueError, match="value must be a bool"):
        ours.Distribution.set_default_validate_args(3)
