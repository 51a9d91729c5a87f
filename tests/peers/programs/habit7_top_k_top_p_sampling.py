import torch
import torch.nn.functional as F


def filter_logits(logits, top_k=0, top_p=0.0, value=-float("Inf")):
    assert logits.dim() == 1
    top_k = min(top_k, logits.size(-1))
    if top_k > 0:
        remove = logits < torch.topk(logits, top_k)[0][..., -1, None]
        logits[remove] = value
    if top_p > 0.0:
        ordered, indices = torch.sort(logits, descending=True)
        cumulative = torch.cumsum(F.softmax(ordered, dim=-1), dim=-1)
        remove = cumulative > top_p
        remove[..., 1:] = remove[..., :-1].clone()
        remove[..., 0] = 0
        logits[indices[remove]] = value
    return logits


logits = torch.tensor([1.0, 3.0, 0.5, 2.0, -1.0, 2.5])
print(filter_logits(logits.clone(), top_k=3))
print(filter_logits(logits.clone(), top_p=0.8))
print(filter_logits(logits.clone(), top_k=4, top_p=0.7))
for temperature in (0.5, 1.0, 2.0):
    p = F.softmax(logits / temperature, dim=-1)
    entropy = -(p * p.log()).sum()
    print(temperature, p, f"{entropy:.4f}", torch.special.entr(p).sum())

generator = torch.Generator().manual_seed(3)
p = F.softmax(filter_logits(logits.clone(), top_k=3), dim=-1)
draws = torch.multinomial(p, 1000, replacement=True, generator=generator)
counts = torch.bincount(draws, minlength=6)
print(counts > 0, (counts / 1000 - p).abs().max() < 0.06)
gumbel = -torch.log(-torch.log(torch.rand(6, generator=generator)))
print((logits + gumbel).argmax().dtype, gumbel.shape)


def repetition_penalty(logits, generated, penalty=1.2):
    score = torch.gather(logits, 0, generated)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(0, generated, score)


print(repetition_penalty(logits, torch.tensor([1, 4])))
mask = torch.zeros_like(logits, dtype=torch.bool).index_fill(0, torch.tensor([1]), True)
print(logits.masked_fill(mask, -1e9), mask)
print(torch.finfo(torch.float16).min, torch.finfo(torch.float32))
typical = (-F.log_softmax(logits, -1) - 1.0).abs()
print(typical.sort().indices.tolist(), typical.kthvalue(2))
try:
    torch.multinomial(torch.tensor([0.0, 0.0]), 1)
except RuntimeError as e:
    print("cannot sample")
