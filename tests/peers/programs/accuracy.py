import torch

logits = torch.tensor([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3], [1.0, 0.2, 3.0], [2.0, 1.0, 0.0]])
labels = torch.tensor([0, 1, 2, 1])
predicted = logits.argmax(dim=1)
print(
    predicted, (predicted == labels).sum().item() / len(labels), predicted.eq(labels).float().mean()
)
_, by_max = torch.max(logits, 1)
print(by_max.equal(predicted), torch.softmax(logits, dim=1).max(dim=1).values)
confusion = torch.zeros(3, 3, dtype=torch.int64)
for t, p in zip(labels, predicted):
    confusion[t, p] += 1
print(confusion, confusion.diag().sum().item(), logits.topk(2, dim=1).indices)
print(
    torch.nn.functional.cross_entropy(logits, labels),
    torch.nn.functional.nll_loss(logits.log_softmax(1), labels),
)
