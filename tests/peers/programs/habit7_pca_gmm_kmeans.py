import math

import torch


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


a = noise(60, 2) * 0.3 + torch.tensor([2.0, 0.0])
b = noise(60, 2) * 0.5 + torch.tensor([-2.0, 1.0])
x = torch.cat([a, b])


def pca(x, k):
    mean = x.mean(0, keepdim=True)
    u, s, vh = torch.linalg.svd(x - mean, full_matrices=False)
    v = vh[:k].T
    signs = torch.sign(v[v.abs().argmax(0), torch.arange(k)])
    return (x - mean) @ (v * signs), s[:k] ** 2 / (len(x) - 1), v * signs


z, variance, components = pca(x, 2)
print(variance, components)
print(
    torch.allclose(torch.cov(z.T), torch.diag(variance), atol=1e-5),
    torch.corrcoef(z.T).round(decimals=3),
)
cov = torch.cov(x.T)
values, vectors = torch.linalg.eigh(cov)
print(values.flip(0), torch.allclose(cov @ vectors, vectors * values, atol=1e-5))


def kmeans(x, k, iterations=10):
    centers = x[:: len(x) // k][:k].clone()
    for i in range(iterations):
        distance = ((x[:, None] - centers[None]) ** 2).sum(-1)
        nearest = distance.argmin(1)
        new = torch.stack([x[nearest == j].mean(0) for j in range(k)])
        if torch.equal(new, centers):
            break
        centers = new
    return nearest, centers, distance.min(1).values.sum()


nearest, centers, inertia = kmeans(x, 2)
print(centers, inertia, torch.bincount(nearest))
counts = torch.zeros(2).scatter_add_(0, nearest, torch.ones(len(x)))
sums = torch.zeros(2, 2).index_add_(0, nearest, x)
print(counts, sums / counts.unsqueeze(1))


def gmm(x, k, steps):
    n, d = x.shape
    pi = torch.full((k,), 1 / k)
    mu = torch.stack([x[0], x[-1]])
    sigma = torch.eye(d).repeat(k, 1, 1)
    for step in range(steps):
        diff = x.unsqueeze(1) - mu
        inv = torch.linalg.inv(sigma)
        m = torch.einsum("nkd,kde,nke->nk", diff, inv, diff)
        logp = -0.5 * (m + torch.logdet(sigma) + d * math.log(2 * math.pi)) + pi.log()
        ll = torch.logsumexp(logp, 1)
        r = (logp - ll[:, None]).exp()
        nk = r.sum(0)
        pi, mu = nk / n, (r.T @ x) / nk[:, None]
        diff = x.unsqueeze(1) - mu
        sigma = torch.einsum("nk,nkd,nke->kde", r, diff, diff) / nk[
            :, None, None
        ] + 1e-6 * torch.eye(d)
        print(step, f"{ll.mean():.4f}")
    return pi, mu, sigma


pi, mu, sigma = gmm(x, 2, 4)
print(pi, mu, sigma, sep="\n")
mvn = torch.distributions.MultivariateNormal(mu, sigma)
print(mvn.log_prob(torch.zeros(2)), mvn)
mixture = torch.distributions.MixtureSameFamily(torch.distributions.Categorical(pi), mvn)
print(mixture.log_prob(x[:3]), mixture.mean)
print(torch.cdist(centers, mu).diag() if torch.cdist(centers, mu).diag().max() < 1 else "swapped")
print(torch.pca_lowrank(x, q=2)[1].shape, torch.linalg.matrix_rank(x), torch.linalg.cond(cov))
whitened = (x - x.mean(0)) @ torch.linalg.cholesky(torch.linalg.inv(cov))
print(torch.cov(whitened.T).round(decimals=3))
print(torch.trapezoid(variance), torch.std_mean(x, dim=0), torch.var_mean(x))
