import torch
import torch.nn.functional as F

V, EOS, BOS = 6, 5, 0
torch.set_printoptions(precision=4)
table = torch.sin(torch.arange(V * V).float() * 1.7).view(V, V) * 2


def step(tok):
    return F.log_softmax(table[tok], dim=-1)


@torch.no_grad()
def beam(k=3, maxlen=6, alpha=0.6):
    seqs = torch.full((1, 1), BOS, dtype=torch.long)
    scores = torch.zeros(1)
    done = []
    for _ in range(maxlen):
        logp = step(seqs[:, -1])
        cand = (scores[:, None] + logp).view(-1)
        top, idx = cand.topk(min(k, cand.numel()))
        beam_idx = torch.div(idx, V, rounding_mode="floor")
        tok = idx % V
        seqs = torch.cat([seqs[beam_idx], tok.unsqueeze(1)], dim=-1)
        scores = top
        end = tok.eq(EOS)
        for s, sc in zip(seqs[end], scores[end]):
            done.append((sc.item() / ((5 + s.size(0)) / 6) ** alpha, s.tolist()))
        seqs, scores = seqs[~end], scores[~end]
        if seqs.nelement() == 0:
            break
    return sorted(done, reverse=True), seqs, scores


done, seqs, scores = beam()
for sc, s in done[:4]:
    print(f"{sc:.4f}", s)
print(seqs, scores)


def top_k_top_p(logits, top_k=0, top_p=0.0, filter_value=-float("Inf")):
    top_k = min(top_k, logits.size(-1))
    if top_k > 0:
        remove = logits < torch.topk(logits, top_k)[0][..., -1, None]
        logits[remove] = filter_value
    if top_p > 0.0:
        s, i = torch.sort(logits, descending=True)
        cum = torch.cumsum(F.softmax(s, dim=-1), dim=-1)
        rm = cum > top_p
        rm[..., 1:] = rm[..., :-1].clone()
        rm[..., 0] = 0
        logits = logits.masked_fill(rm.scatter(-1, i, rm), filter_value)
    return logits


print(top_k_top_p(table[1:3].clone(), top_k=3))
print(top_k_top_p(table[1:3].clone(), top_p=0.8).softmax(-1))
g = torch.Generator().manual_seed(0)
t = torch.multinomial(
    top_k_top_p(table[2].clone(), top_k=1).softmax(-1), num_samples=1, generator=g
)
print(t, table[2].argmax())
prev = torch.tensor([[1, 2, 2]])
logit = table[:1].clone()
pen = torch.gather(logit, 1, prev)
pen = torch.where(pen < 0, pen * 1.3, pen / 1.3)
print(logit.scatter_(1, prev, pen))
ids = torch.tensor([[0]])
while ids.shape[1] < 8 and ids[0, -1] != EOS:
    nxt = step(ids[:, -1]).argmax(-1, keepdim=True)
    ids = torch.cat((ids, nxt), 1)
print(ids, "".join("abcdef"[i] for i in ids[0]))
path = torch.zeros(4, dtype=torch.int64)
em = table[:4, :3]
tr = table[:3, 3:]
v = em[0]
back = []
for t in range(1, 4):
    m, b = (v.unsqueeze(1) + tr).max(0)
    v = m + em[t]
    back.append(b)
best = [int(v.argmax())]
for b in reversed(back):
    best.insert(0, b[best[0]].item())
print("viterbi", best, v.max(), torch.logsumexp(v, 0))
