import torch
from torch import distributions as D
from torch.distributions import constraints
from torch.distributions import transforms as T

t = torch.tensor
ds = [
    D.Normal(t([0.0, 1.0]), t([1.0, 2.0])),
    D.Uniform(0.0, 2.0),
    D.Exponential(t(2.0)),
    D.Beta(t(2.0), t(3.0)),
    D.Gamma(t(2.0), t(1.0)),
    D.Dirichlet(t([1.0, 2.0, 3.0])),
    D.Bernoulli(probs=t(0.3)),
    D.Binomial(10, t(0.4)),
    D.Poisson(t(3.0)),
    D.Geometric(t(0.25)),
    D.Categorical(t([0.2, 0.8])),
    D.OneHotCategorical(t([0.2, 0.3, 0.5])),
    D.Multinomial(4, t([0.5, 0.5])),
    D.Laplace(0.0, 1.0),
    D.Cauchy(0.0, 1.0),
    D.StudentT(3.0),
    D.LogNormal(0.0, 1.0),
    D.HalfNormal(1.0),
    D.HalfCauchy(1.0),
    D.Gumbel(0.0, 1.0),
    D.Pareto(1.0, 3.0),
    D.Weibull(1.0, 2.0),
    D.Chi2(t(3.0)),
    D.FisherSnedecor(t(3.0), t(5.0)),
    D.VonMises(0.0, 1.0),
    D.NegativeBinomial(5.0, 0.5),
    D.MultivariateNormal(torch.zeros(2), torch.eye(2)),
    D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)),
    D.Kumaraswamy(1.0, 2.0),
    D.ContinuousBernoulli(t(0.3)),
    D.RelaxedBernoulli(t(1.0), probs=t(0.4)),
    D.LogisticNormal(torch.zeros(2), torch.ones(2)),
    D.InverseGamma(t(3.0), t(2.0)),
    D.Wishart(t(3.0), torch.eye(2)),
]
for d in ds:
    try:
        print(d)
    except Exception as e:
        print("refused")
    try:
        mean = d.mean
    except NotImplementedError:
        mean = None
    try:
        ent = d.entropy()
    except NotImplementedError:
        ent = "no entropy"
    print("  ", mean, ent, d.batch_shape, d.event_shape, d.has_rsample, d.support)
print(
    ds[0].log_prob(t([0.0, 1.0])),
    ds[4].log_prob(t(2.0)),
    ds[5].log_prob(t([0.2, 0.3, 0.5])),
    ds[7].log_prob(t(3.0)),
    ds[8].log_prob(t(2.0)),
    ds[26].log_prob(torch.ones(2)),
    ds[11].log_prob(t([0.0, 1.0, 0.0])),
    ds[15].log_prob(t(1.0)),
    ds[9].log_prob(t(2.0)),
)
print(
    ds[0].cdf(t([0.0, 0.0])),
    ds[2].icdf(t(0.5)),
    ds[1].variance,
    ds[3].stddev,
    ds[26].covariance_matrix,
    ds[26].precision_matrix,
    ds[26].scale_tril,
    ds[6].mode,
)
for p, q in [
    (D.Normal(0.0, 1.0), D.Normal(1.0, 2.0)),
    (D.Beta(1.0, 2.0), D.Beta(2.0, 1.0)),
    (D.Categorical(t([0.5, 0.5])), D.Categorical(t([0.9, 0.1]))),
    (ds[26], D.MultivariateNormal(torch.ones(2), 2 * torch.eye(2))),
    (D.Uniform(0.0, 1.0), D.Uniform(0.0, 2.0)),
    (D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0)),
    (D.Exponential(1.0), D.Gamma(2.0, 1.0)),
]:
    try:
        print(type(p).__name__, D.kl_divergence(p, q))
    except NotImplementedError as e:
        print("refused")
mix = D.MixtureSameFamily(D.Categorical(t([0.3, 0.7])), D.Normal(t([-1.0, 1.0]), t([0.5, 0.5])))
print(mix, mix.mean, mix.variance, mix.log_prob(t(0.0)), mix.cdf(t(0.0)))
td = D.TransformedDistribution(D.Normal(0.0, 1.0), [T.AffineTransform(1.0, 2.0), T.ExpTransform()])
print(td, td.log_prob(t(1.5)), td.transforms, td.support, td.sample((2,)).shape)
print(
    T.SigmoidTransform()(t(0.0)),
    T.TanhTransform().inv,
    T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0.0, 2.0)]),
    T.SoftmaxTransform()(t([1.0, 2.0])),
    T.ExpTransform().log_abs_det_jacobian(t(1.0), t(2.0)),
    T.StickBreakingTransform()(t([0.0, 0.0])),
    T.AffineTransform(loc=1, scale=3).inv(t(7.0)),
)
print(
    constraints.positive,
    constraints.interval(0, 1),
    constraints.simplex,
    constraints.real,
    constraints.greater_than(2),
    constraints.positive.check(t([1.0, -1.0])),
    D.biject_to(constraints.positive),
    D.transform_to(constraints.simplex),
    constraints.nonnegative_integer,
    constraints.boolean,
)
print(
    D.Normal.arg_constraints,
    ds[0].expand([3, 2]),
    D.Independent(ds[0], 1).entropy(),
    ds[0].perplexity(),
)
for bad in (
    lambda: D.Normal(0.0, t([-1.0])),
    lambda: D.Bernoulli(1.5),
    lambda: D.Bernoulli(),
    lambda: D.Beta(t(-1.0), t(1.0)),
    lambda: ds[0].log_prob(t([1.0, 2.0, 3.0])),
    lambda: ds[6].log_prob(t(0.5)),
    lambda: D.MultivariateNormal(torch.zeros(2), -torch.eye(2)),
    lambda: D.Categorical(),
    lambda: ds[8].rsample(),
    lambda: D.Uniform(2.0, 1.0),
):
    try:
        print(bad())
    except Exception as e:
        print("refused")
print(
    D.Normal(0, 1, validate_args=False).scale,
    D.Normal(0, 1).sample().dtype,
    D.Normal(0.0, 1.0).sample(torch.Size([2])).shape,
    ds[5].sample((3,)).sum(-1),
    ds[10].sample((2, 2)).shape,
    ds[12].sample().sum(),
)
