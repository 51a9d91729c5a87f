import torch
from torch import distributions as D
from torch.distributions import (
    Beta,
    Categorical,
    Dirichlet,
    MixtureSameFamily,
    MultivariateNormal,
    Normal,
    Poisson,
    TransformedDistribution,
    constraints,
    kl_divergence,
)
from torch.distributions import (
    transforms as T,
)

torch.manual_seed(0)
x = torch.tensor([0.2, 0.5, 0.9])
for d in [
    Normal(0.0, 2.0),
    D.Laplace(0.0, 1.0),
    D.Beta(2.0, 3.0),
    D.Gamma(2.0, 1.0),
    D.Exponential(1.5),
    D.Uniform(0.0, 1.0),
    D.Cauchy(0.0, 1.0),
    D.StudentT(4.0),
    D.LogNormal(0.0, 1.0),
    D.HalfNormal(1.0),
    D.Gumbel(0.0, 1.0),
    D.Weibull(1.0, 2.0),
    D.Chi2(3.0),
    D.Pareto(0.1, 2.0),
    D.Kumaraswamy(2.0, 3.0),
    D.HalfCauchy(1.0),
    D.VonMises(0.0, 1.0),
    D.InverseGamma(2.0, 1.0),
]:
    print(d, d.log_prob(x), d.sample((2,)).shape, d.mean, d.variance)
for d in [
    D.Bernoulli(0.3),
    D.Geometric(0.3),
    D.Poisson(2.0),
    D.Binomial(5, 0.3),
    D.NegativeBinomial(3, torch.tensor(0.4)),
]:
    print(d, d.log_prob(torch.tensor([0.0, 1.0])), d.mean)
c = Categorical(logits=torch.tensor([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]))
print(
    c,
    c.probs,
    c.entropy(),
    c.log_prob(torch.tensor([2, 0])),
    c.enumerate_support().shape,
    c.param_shape,
)
print(
    D.OneHotCategorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor([0.0, 1.0])),
    D.Multinomial(4, torch.tensor([0.5, 0.5])).log_prob(torch.tensor([2.0, 2.0])),
)
mvn = MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
print(
    mvn,
    mvn.log_prob(torch.ones(3, 2)),
    mvn.entropy(),
    mvn.covariance_matrix,
    mvn.scale_tril,
    mvn.precision_matrix,
)
print(
    Dirichlet(torch.tensor([1.0, 2.0, 3.0])).log_prob(torch.tensor([0.2, 0.3, 0.5])),
    Dirichlet(torch.ones(3)).rsample().sum(),
)
mix = MixtureSameFamily(
    Categorical(torch.tensor([0.3, 0.7])),
    Normal(torch.tensor([-1.0, 1.0]), torch.tensor([0.5, 0.5])),
)
print(mix, mix.log_prob(x), mix.mean, mix.variance, mix.sample((5,)).shape)
gmm = MixtureSameFamily(
    Categorical(torch.ones(2)), D.Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)
)
print(gmm.log_prob(torch.zeros(3)), gmm.event_shape)
ln = TransformedDistribution(Normal(0.0, 1.0), [T.ExpTransform(), T.AffineTransform(1.0, 2.0)])
print(ln.log_prob(torch.tensor([2.0, 5.0])), ln, ln.icdf(torch.tensor(0.5)))
logistic = TransformedDistribution(
    D.Uniform(0, 1), [T.SigmoidTransform().inv, T.AffineTransform(loc=0.0, scale=1.0)]
)
print(
    logistic.log_prob(torch.tensor([0.0])),
    T.SigmoidTransform().log_abs_det_jacobian(x, x.sigmoid()),
    T.TanhTransform()(x),
    T.StickBreakingTransform()(x),
    T.SoftmaxTransform()(x),
)
print(
    kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)),
    kl_divergence(D.Bernoulli(0.3), D.Bernoulli(0.6)),
    kl_divergence(Beta(1.0, 2.0), Beta(2.0, 2.0)),
    kl_divergence(c, Categorical(torch.ones(2, 3))),
    kl_divergence(mvn, MultivariateNormal(torch.zeros(2), torch.eye(2))),
    kl_divergence(D.Gamma(2.0, 1.0), D.Gamma(1.0, 1.0)),
    kl_divergence(D.Poisson(2.0), D.Poisson(3.0)),
)
n = Normal(torch.zeros(2), torch.ones(2))
print(
    n.cdf(torch.tensor(1.96)),
    n.icdf(torch.tensor(0.975)),
    n.stddev,
    n.expand((3, 2)).batch_shape,
    n.has_rsample,
    n.support,
    n.arg_constraints,
    n.perplexity(),
    n.loc,
    n.scale,
)
try:
    Normal(0.0, -1.0)
except ValueError as e:
    print("ValueError")
try:
    Categorical(torch.tensor([-1.0, 2.0]))
except ValueError as e:
    print("ValueError")
try:
    D.Bernoulli(0.5).log_prob(torch.tensor(2.0))
except ValueError as e:
    print("ValueError")
try:
    D.Bernoulli(0.3, logits=1.0)
except ValueError as e:
    print(e)
try:
    kl_divergence(Normal(0.0, 1.0), D.Cauchy(0.0, 1.0))
except NotImplementedError:
    print("NotImplementedError")
try:
    D.Poisson(1.0).rsample()
except NotImplementedError as e:
    print("no rsample")
s = Normal(2.0, 3.0).sample((20000,))
print(
    abs(s.mean() - 2) < 0.1,
    abs(s.std() - 3) < 0.1,
    D.Bernoulli(torch.tensor(0.25)).sample((8000,)).mean().sub(0.25).abs() < 0.03,
)
print(
    constraints.positive.check(torch.tensor([-1.0, 1.0])),
    D.constraints.simplex.check(torch.tensor([0.5, 0.5])),
    D.biject_to(constraints.positive)(torch.tensor(0.0)),
    D.transform_to(constraints.interval(0.0, 2.0))(torch.tensor(0.0)),
)
mu = torch.tensor(0.5, requires_grad=True)
(-Normal(mu, 1.0).log_prob(x)).sum().backward()
print(
    mu.grad,
    D.LKJCholesky(3).sample().shape,
    D.RelaxedBernoulli(torch.tensor(0.5), 0.3).rsample().shape,
    D.ContinuousBernoulli(0.3).log_prob(x),
    D.LogisticNormal(torch.zeros(2), torch.ones(2)).sample().sum(),
    D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).log_prob(
        torch.zeros(2)
    ),
    D.Wishart(torch.tensor(3.0), torch.eye(2)).mean,
)
