"""Transforms of vectors, matrices and parts, constraints and their registries beside torch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

ours, theirs = gpukit.distributions, torch.distributions
RANDOM = np.random.default_rng(8)


def real(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape)


def result(make: Any) -> Any:
    """What a call gives; the class of the error where it fails."""
    try:
        return make()
    except NotImplementedError:
        return NotImplementedError
    except (ValueError, RuntimeError, AssertionError, IndexError):
        return ValueError


def agrees(got: Any, want: Any) -> None:
    if isinstance(want, torch.Tensor):
        assert tuple(got.shape) == tuple(want.shape)
        got, want = got.detach().numpy(), want.detach().numpy()
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-11)
    elif isinstance(want, torch.Size):
        assert got == tuple(want)
    else:
        assert got is want or got == want


# A transform, and arguments for it.
TRANSFORMS = {
    "independent": (lambda d, m: d.IndependentTransform(d.ExpTransform(), 1), real(2, 3)),
    "independent twice": (
        lambda d, m: d.IndependentTransform(d.IndependentTransform(d.TanhTransform(), 1), 2),
        real(5, 2, 3, 2),
    ),
    "independent of vectors": (
        lambda d, m: d.IndependentTransform(d.StickBreakingTransform(), 1),
        real(4, 2, 3),
    ),
    "reshape": (lambda d, m: d.ReshapeTransform((2, 3), (6,)), real(4, 2, 3)),
    "reshape nothing": (lambda d, m: d.ReshapeTransform((), (1, 1)), real(4)),
    "softmax": (lambda d, m: d.SoftmaxTransform(), real(2, 3)),
    "stack": (
        lambda d, m: d.StackTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)], 1),
        real(4, 2, 3),
    ),
    "stack from the end": (
        lambda d, m: d.StackTransform([d.TanhTransform(), d.ExpTransform()], -1),
        real(4, 2),
    ),
    "cat": (
        lambda d, m: d.CatTransform([d.ExpTransform(), d.TanhTransform()], 1, [1, 2]),
        real(4, 3),
    ),
    "cat without lengths": (
        lambda d, m: d.CatTransform([d.ExpTransform(), d.identity_transform], -1),
        real(4, 2),
    ),
    "cat of batches": (
        lambda d, m: d.CatTransform(
            [d.SoftplusTransform(), d.AffineTransform(0.5, 2.0, event_dim=1)], 0, [2, 1]
        ),
        real(3, 4),
    ),
    "cat of vectors": (
        lambda d, m: d.CatTransform(
            [d.AffineTransform(0.5, 2.0, event_dim=1), d.IndependentTransform(d.ExpTransform(), 1)],
            -1,
            [2, 1],
        ),
        real(4, 3),
    ),
    "stick breaking": (lambda d, m: d.StickBreakingTransform(), real(2, 4)),
    "stick breaking of one": (lambda d, m: d.StickBreakingTransform(), real(1)),
    "lower cholesky": (lambda d, m: d.LowerCholeskyTransform(), real(2, 3, 3)),
    "positive definite": (lambda d, m: d.PositiveDefiniteTransform(), real(2, 3, 3)),
    "correlations": (lambda d, m: d.CorrCholeskyTransform(), real(2, 6)),
    "correlations of two": (lambda d, m: d.CorrCholeskyTransform(cache_size=1), real(1)),
    "distribution function": (
        lambda d, m: d.CumulativeDistributionTransform(
            d.Normal(m.tensor([0.5], dtype=m.float64), m.tensor([2.0], dtype=m.float64))
        ),
        real(3),
    ),
    "composed": (
        lambda d, m: d.ComposeTransform([d.AffineTransform(0.0, 2.0), d.StickBreakingTransform()]),
        real(2, 3),
    ),
    "composed the other way": (
        lambda d, m: d.ComposeTransform(
            [d.StickBreakingTransform(), d.SigmoidTransform().inv, d.ReshapeTransform((4,), (2, 2))]
        ),
        real(2, 3),
    ),
    "moved by a tensor": (
        lambda d, m: d.AffineTransform(m.tensor([[1.0], [2.0]], dtype=m.float64), 3.0),
        real(3),
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    make, values = TRANSFORMS[name]
    mine, other = make(ours, gpukit), make(theirs, torch)
    x = gpukit.tensor(values, requires_grad=True)
    y = torch.tensor(values, requires_grad=True)
    for each in ("domain", "codomain"):
        region, wanted = getattr(mine, each), getattr(other, each)
        assert repr(region) == repr(wanted)
        assert (region.event_dim, region.is_discrete) == (wanted.event_dim, wanted.is_discrete)
    assert repr(mine) == repr(other)
    for each in ("bijective", "sign", "event_dim"):
        agrees(*(result(lambda at=each, of=t: getattr(of, at)) for t in (mine, other)))
    got, want = mine(x), other(y)
    agrees(got, want)
    agrees(mine.inv(got), other.inv(want))
    agrees(result(lambda: mine.codomain.check(got)), result(lambda: other.codomain.check(want)))
    slopes = [
        result(lambda: mine.log_abs_det_jacobian(x, got)),
        result(lambda: other.log_abs_det_jacobian(y, want)),
    ]
    agrees(*slopes)
    for shape in ((4, 6), (6,), (), (3, 3), (5, 4, 2), (4950,), tuple(values.shape)):
        agrees(
            result(lambda s=shape: mine.forward_shape(s)),
            result(lambda s=shape: other.forward_shape(s)),
        )
        agrees(
            result(lambda s=shape: mine.inverse_shape(s)),
            result(lambda s=shape: other.inverse_shape(s)),
        )
    total, wanted = (got * got).sum(), (want * want).sum()
    if isinstance(slopes[1], torch.Tensor):
        total, wanted = total + slopes[0].sum(), wanted + slopes[1].sum()
    total.backward()
    wanted.backward()
    agrees(x.grad, y.grad)
    assert repr(mine.with_cache(1)) == repr(other.with_cache(1))
    cached = mine.with_cache(1)
    assert cached.inv(cached(x)) is x or isinstance(mine, ours.ComposeTransform)
    assert mine == mine
    assert mine != ours.ExpTransform()


REGIONS = {
    "real": lambda c, m: c.real,
    "positive": lambda c, m: c.positive,
    "nonnegative": lambda c, m: c.nonnegative,
    "above a number": lambda c, m: c.greater_than(2.0),
    "above numbers": lambda c, m: c.greater_than_eq(m.tensor([1.0, 2.0, 3.0])),
    "below a number": lambda c, m: c.less_than(2.0),
    "unit interval": lambda c, m: c.unit_interval,
    "interval": lambda c, m: c.interval(1.0, 3.0),
    "half-open interval": lambda c, m: c.half_open_interval(m.tensor(-1.0), m.tensor(3.0)),
    "vector": lambda c, m: c.real_vector,
    "positive vector": lambda c, m: c.independent(c.positive, 1),
    "simplex": lambda c, m: c.simplex,
    "triangles": lambda c, m: c.lower_cholesky,
    "correlations": lambda c, m: c.corr_cholesky,
    "positive definite": lambda c, m: c.positive_definite,
    "positive semidefinite": lambda c, m: c.positive_semidefinite,
    "cat": lambda c, m: c.cat([c.real, c.positive], -1, [1, 2]),
    "stack": lambda c, m: c.stack([c.real, c.positive, c.unit_interval], -1),
    "boolean": lambda c, m: c.boolean,
    "lower triangular": lambda c, m: c.lower_triangular,
    "dependent": lambda c, m: c.dependent,
}


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
def test_registries(registry, name):
    region, also = REGIONS[name](ours.constraints, gpukit), REGIONS[name](theirs.constraints, torch)
    mine = result(lambda: getattr(ours, registry)(region))
    other = result(lambda: getattr(theirs, registry)(also))
    if other is NotImplementedError:
        assert mine is NotImplementedError
        return
    assert repr(mine) == repr(other)
    values = real(3, 3)
    got, want = mine(gpukit.tensor(values)), other(torch.tensor(values))
    agrees(got, want)
    assert bool(region.check(got).all())
    agrees(mine.inv(got), other.inv(want))


def test_registries_take_new_constraints():
    class Mine(type(ours.constraints.real)):
        pass

    registry = ours.constraint_registry.ConstraintRegistry()
    with pytest.raises(NotImplementedError, match="Cannot transform Mine constraints"):
        registry(Mine())

    @registry.register(Mine)
    def made(constraint):
        return ours.ExpTransform()

    assert registry(Mine()) == ours.ExpTransform()
    registry.register(Mine(), lambda constraint: ours.TanhTransform())
    assert registry(Mine()) == ours.TanhTransform()
    for wrong in (3, int):
        with pytest.raises(TypeError, match="Expected constraint to be either a Constraint"):
            registry.register(wrong, made)


MATRICES = [
    np.eye(2),
    np.array([[2.0, 0.0], [1.0, 3.0]]),
    np.array([[2.0, 1.0], [1.0, 3.0]]),
    np.array([[1.0, 0.0], [0.6, 0.8]]),
    np.array([[-1.0, 0.0], [0.6, 0.8]]),
    np.array([[1.0, 1.0], [1.0, 1.0]]),
    np.array([[1.0, 2.0], [2.0, 1.0]]),
    np.array([[1.0, 0.0], [np.inf, 1.0]]),
    np.array([[1.0, 0.0], [1.0, 0.0]]),
    np.array([[1.0, 0.0], [0.6, 0.8 + 1e-9]]),
    np.ones((3, 2)),
]


@pytest.mark.parametrize(
    "name",
    [
        "lower_triangular",
        "lower_cholesky",
        "corr_cholesky",
        "square",
        "symmetric",
        "positive_semidefinite",
        "positive_definite",
    ],
)
def test_constraints_of_matrices(name):
    mine, other = getattr(ours.constraints, name), getattr(theirs.constraints, name)
    assert repr(mine) == repr(other)
    assert (mine.is_discrete, mine.event_dim) == (other.is_discrete, other.event_dim)
    matrices = MATRICES if "square" in name or "symm" in name or "pos" in name else MATRICES[:-1]
    for matrix in matrices:
        agrees(mine.check(gpukit.tensor(matrix)), other.check(torch.tensor(matrix)))
        twice = np.stack([matrix, matrix])
        agrees(mine.check(gpukit.tensor(twice)), other.check(torch.tensor(twice)))


@pytest.mark.parametrize(
    "make",
    [
        lambda c: c.greater_than(1.0),
        lambda c: c.greater_than_eq(1.0),
        lambda c: c.less_than(1.0),
        lambda c: c.interval(0.0, 1.0),
        lambda c: c.half_open_interval(0.0, 1.0),
        lambda c: c.integer_interval(0, 1),
        lambda c: c.multinomial(3),
        lambda c: c.independent(c.less_than(1.0), 1),
    ],
)
def test_constraints_at_their_bounds(make):
    mine, other = make(ours.constraints), make(theirs.constraints)
    assert repr(mine) == repr(other)
    values = np.array([[0.0, 0.5, 1.0], [2.0, 1.0, 1.0], [-1.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    agrees(mine.check(gpukit.tensor(values)), other.check(torch.tensor(values)))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_constraints_by_parts(dim):
    values = np.array([[0.5, -1.0, 2.0], [1.0, 0.0, 0.3], [0.2, 0.9, 1.5]])
    for make in (
        lambda c: c.cat([c.positive, c.unit_interval], dim, [1, 2]),
        lambda c: c.cat([c.boolean, c.real, c.positive], dim),
        lambda c: c.stack([c.positive, c.real, c.unit_interval], dim),
        lambda c: c.stack([c.boolean, c.real, c.less_than(1.0)], dim),
    ):
        mine, other = make(ours.constraints), make(theirs.constraints)
        assert (mine.is_discrete, mine.event_dim) == (other.is_discrete, other.event_dim)
        agrees(mine.check(gpukit.tensor(values)), other.check(torch.tensor(values)))


def transformed(m: Any, d: Any) -> list[Any]:
    normal = d.Normal(m.tensor(LOC), m.tensor(SCALE))
    return [
        d.TransformedDistribution(normal, d.StickBreakingTransform()),
        d.TransformedDistribution(normal, [d.ReshapeTransform((2, 3), (6,))]),
        d.TransformedDistribution(normal, [d.ExpTransform(), d.ReshapeTransform((3,), (3, 1))]),
        d.TransformedDistribution(normal, d.CorrCholeskyTransform()),
        d.TransformedDistribution(
            d.Independent(normal, 2), [d.StickBreakingTransform(), d.SigmoidTransform().inv]
        ),
        d.TransformedDistribution(
            normal, d.AffineTransform(m.tensor(np.zeros((2, 4, 2, 3))), 2.0, event_dim=1)
        ),
        d.TransformedDistribution(
            d.Dirichlet(m.tensor(np.abs(LOC) + 0.5)), [d.StickBreakingTransform().inv]
        ),
        d.TransformedDistribution(
            normal, d.CumulativeDistributionTransform(d.Normal(m.tensor(0.0), m.tensor(1.0)))
        ),
    ]


LOC, SCALE = real(4, 2, 3), np.abs(real(2, 3)) + 0.5


@pytest.mark.parametrize("number", range(8))
def test_transformed_distributions(number):
    p, q = transformed(gpukit, ours)[number], transformed(torch, theirs)[number]
    assert (p.batch_shape, p.event_shape) == (tuple(q.batch_shape), tuple(q.event_shape))
    assert repr(p.support) == repr(q.support)
    torch.manual_seed(3)
    value = q.sample((3,)).numpy()
    assert p.sample((3,)).shape == value.shape
    agrees(p.log_prob(gpukit.tensor(value)), q.log_prob(torch.tensor(value)))
    shape = (5, *p.batch_shape)
    wider, also = p.expand(shape), q.expand(shape)
    value = also.sample().numpy()
    assert wider.sample((2,)).shape == tuple(also.sample((2,)).shape)
    agrees(wider.log_prob(gpukit.tensor(value)), also.log_prob(torch.tensor(value)))


WRONG = {
    "sizes": lambda m, d: d.ReshapeTransform((2, 3), (5,)),
    "another shape": lambda m, d: d.ReshapeTransform((2, 3), (6,)).forward_shape((3, 2)),
    "stack of numbers": lambda m, d: d.StackTransform([3]),
    "cat of numbers": lambda m, d: d.CatTransform([3]),
    "stack of another size": lambda m, d: d.StackTransform([d.ExpTransform()])(m.ones(2, 3)),
    "cat of another size": lambda m, d: d.CatTransform([d.ExpTransform()])(m.ones(2, 3)),
    "lengths": lambda m, d: d.CatTransform([d.ExpTransform()], 0, [1, 2]),
    "no dimension": lambda m, d: d.StickBreakingTransform().forward_shape(()),
    "no triangle": lambda m, d: d.CorrCholeskyTransform()(m.ones(5)),
    "not square": lambda m, d: d.CorrCholeskyTransform().inverse_shape((5, 4)),
    "no vectors": lambda m, d: d.TransformedDistribution(
        d.Normal(0.0, 1.0), d.StickBreakingTransform()
    ),
    "event_dim": lambda m, d: d.CorrCholeskyTransform().event_dim,
    "constraints": lambda m, d: d.constraints.cat([3]),
    "lengths of constraints": lambda m, d: d.constraints.cat([d.constraints.real], 0, [1, 2]),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors(name):
    with pytest.raises((ValueError, AssertionError)) as other:
        WRONG[name](torch, theirs)
    with pytest.raises(ValueError, match=r"\w") as mine:
        WRONG[name](gpukit, ours)
    if isinstance(other.value, ValueError) and "size of last" not in str(other.value):
        assert str(other.value).split("(")[0].split(":")[0].split("torch")[0].strip() in str(
            mine.value
        )


def test_transforms_of_ones_own_are_equal_to_themselves_only():
    for dist in (ours, theirs):

        class Scaled(dist.transforms.Transform):
            domain = codomain = dist.constraints.real
            bijective = True

            def __init__(self, by):
                super().__init__()
                self.by = by

        assert Scaled(2.0) != Scaled(3.0)
        p, q = (dist.TransformedDistribution(dist.Normal(0.0, 1.0), Scaled(by)) for by in (2, 3))
        with pytest.raises(NotImplementedError):
            dist.kl_divergence(p, q)
