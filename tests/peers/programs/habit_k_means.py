import torch

points = torch.tensor([[0.0, 0.0], [0.2, 0.1], [5.0, 5.0], [5.1, 4.9], [10.0, 0.0]])
centers = points[[0, 2, 4]].clone()
for _ in range(3):
    dist = torch.cdist(points, centers)
    assign = dist.argmin(1)
    for k in range(centers.size(0)):
        centers[k] = points[assign == k].mean(0)
print(assign, centers)
diff = points[:, None, :] - centers[None, :, :]
print(diff.pow(2).sum(-1).sqrt())
print(torch.nn.functional.cosine_similarity(points[2], points[3], dim=0), torch.pdist(centers))
nearest = torch.cdist(points, points, p=1.0).fill_diagonal_(float("inf")).min(dim=1)
print(nearest.values, nearest.indices)
print(torch.nn.PairwiseDistance()(points[:2], points[2:4]), torch.bincount(assign))
