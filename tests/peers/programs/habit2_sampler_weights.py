import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
labels = torch.tensor([0] * 90 + [1] * 10)
counts = torch.bincount(labels)
weights = 1.0 / counts[labels].float()
sampler = WeightedRandomSampler(weights, num_samples=1000, replacement=True)
loader = DataLoader(TensorDataset(labels), batch_size=100, sampler=sampler, num_workers=2)
seen = torch.cat([b[0] for b in loader])
print(len(seen), 400 < seen.sum().item() < 600, type(loader.sampler).__name__)
