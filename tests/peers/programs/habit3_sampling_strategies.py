import torch
import torch.nn.functional as F

logits = torch.tensor([[2.0, 1.0, 0.5, -1.0, 0.0]])
print(F.softmax(logits / 0.7, dim=-1))
k = 2
v, _ = torch.topk(logits, k)
top_k = logits.clone()
top_k[top_k < v[:, [-1]]] = -float("Inf")
print(top_k, F.softmax(top_k, -1))
sorted_logits, sorted_indices = torch.sort(logits, descending=True)
cum = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
remove = cum > 0.8
remove[..., 1:] = remove[..., :-1].clone()
remove[..., 0] = 0
indices_to_remove = remove.scatter(1, sorted_indices, remove)
print(cum, logits.masked_fill(indices_to_remove, float("-inf")))
probs = F.softmax(logits.masked_fill(indices_to_remove, float("-inf")), -1)
print(set(torch.multinomial(probs.repeat(20, 1), 1).flatten().tolist()) <= {0, 1, 2})
beam = [([], 0.0)]
step = torch.log(torch.tensor([0.5, 0.3, 0.2]))
for _ in range(2):
    cand = [(s + [i], sc + step[i].item()) for s, sc in beam for i in range(3)]
    beam = sorted(cand, key=lambda c: -c[1])[:2]
print([(s, round(sc, 4)) for s, sc in beam])
g = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.9])
gumbel = -torch.log(-torch.log(g))
print(
    (logits + gumbel).argmax(-1),
    F.gumbel_softmax(logits, hard=True).sum(),
    -(F.softmax(logits, -1) * F.log_softmax(logits, -1)).sum(-1),
)
eps = 1e-10
print(
    torch.distributions.Categorical(logits=logits).entropy(),
    torch.distributions.Categorical(probs=probs).log_prob(torch.tensor([0])),
)
