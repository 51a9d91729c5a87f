import torch

X = torch.cat(
    [
        torch.tensor([[0.0, 0.0], [0.1, 0.2], [0.2, 0.1]]),
        torch.tensor([[3.0, 3.0], [3.2, 2.9], [2.8, 3.1]]),
    ]
)
centroids = X[[0, 3]].clone()
for _ in range(5):
    dist = torch.cdist(X, centroids)
    labels = dist.argmin(dim=1)
    new = torch.stack([X[labels == k].mean(0) for k in range(2)])
    if torch.equal(new, centroids):
        break
    centroids = new
print(labels, centroids)
print(dist.min(dim=1).values, torch.bincount(labels))
print(torch.cdist(X[:2], X[3:5], p=1), torch.dist(X[0], X[3]), torch.nn.functional.pdist(X[:3]))
d2 = (X[:, None, :] - X[None, :, :]).pow(2).sum(-1)
knn = d2.topk(3, largest=False)
print(knn.indices, knn.values)
