# makemore part 4: becoming a backprop ninja (tiny corpus)
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import torch
import torch.nn.functional as F

words = "emma olivia ava isabella sophia charlotte mia amelia harper evelyn".split()
chars = sorted(list(set("".join(words))))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}
vocab_size = len(itos)
print(itos)

# bigram counts first
N = torch.zeros((vocab_size, vocab_size), dtype=torch.int32)
for w in words:
    chs = ["."] + list(w) + ["."]
    for ch1, ch2 in zip(chs, chs[1:]):
        N[stoi[ch1], stoi[ch2]] += 1
print(N[0])
P = (N + 1).float()
P /= P.sum(1, keepdims=True)
log_likelihood = sum(
    torch.log(P[stoi[a], stoi[b]]) for w in words for a, b in zip("." + w, w + ".")
)
print(f"{log_likelihood=:.4f}", P.shape)

block_size = 3


def build_dataset(words):
    X, Y = [], []
    for w in words:
        context = [0] * block_size
        for ch in w + ".":
            ix = stoi[ch]
            X.append(context)
            Y.append(ix)
            context = context[1:] + [ix]
    X = torch.tensor(X)
    Y = torch.tensor(Y)
    print(X.shape, Y.shape)
    return X, Y


Xtr, Ytr = build_dataset(words)
print("".join(itos[i] for i in Xtr[4].tolist()), "-->", itos[Ytr[4].item()])


def cmp(s, dt, t):
    ex = torch.all(dt == t.grad).item()
    app = torch.allclose(dt, t.grad, atol=1e-6)
    print(f"{s:15s} | approximate: {app!s:5s} | shape: {tuple(dt.shape)}")


def det(shape, k, scale):
    n = 1
    for s in shape:
        n *= s
    return torch.sin(torch.arange(n) * k).view(shape) * scale


n_embd, n_hidden = 4, 16
C = det((vocab_size, n_embd), 1.1, 1.0)
W1 = det((n_embd * block_size, n_hidden), 1.3, (5 / 3) / ((n_embd * block_size) ** 0.5))
b1 = det((n_hidden,), 1.7, 0.1)
W2 = det((n_hidden, vocab_size), 1.9, 0.1)
b2 = det((vocab_size,), 2.3, 0.1)
bngain = det((1, n_hidden), 2.9, 0.1) + 1.0
bnbias = det((1, n_hidden), 3.1, 0.1)
parameters = [C, W1, b1, W2, b2, bngain, bnbias]
print(sum(p.nelement() for p in parameters))
for p in parameters:
    p.requires_grad = True

n = batch_size = 16
Xb, Yb = Xtr[:n], Ytr[:n]
emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bndiff2 = bndiff**2
bnvar = 1 / (n - 1) * (bndiff2).sum(0, keepdim=True)  # Bessel's correction
bnvar_inv = (bnvar + 1e-5) ** -0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
probs = counts * counts.sum(1, keepdims=True) ** -1
logprobs = probs.log()
loss = -logprobs[range(n), Yb].mean()
for t in [
    logprobs,
    probs,
    counts,
    norm_logits,
    logits,
    h,
    hpreact,
    bnraw,
    bnvar_inv,
    bnvar,
    bndiff,
    hprebn,
    embcat,
    emb,
]:
    t.retain_grad()
loss.backward()
print(f"{loss.item():.4f}", f"{F.cross_entropy(logits, Yb).item():.4f}")

dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0 / n
cmp("logprobs", dlogprobs, logprobs)
cmp("probs", (1.0 / probs) * dlogprobs, probs)
dlogits = F.softmax(logits, 1)
dlogits[range(n), Yb] -= 1
dlogits /= n
cmp("logits", dlogits, logits)
dh = dlogits @ W2.T
cmp("h", dh, h)
cmp("W2", h.T @ dlogits, W2)
cmp("b2", dlogits.sum(0), b2)
dhpreact = (1.0 - h**2) * dh
cmp("hpreact", dhpreact, hpreact)
cmp("bngain", (bnraw * dhpreact).sum(0, keepdim=True), bngain)
cmp("bnbias", dhpreact.sum(0, keepdim=True), bnbias)
dhprebn = (
    bngain
    * bnvar_inv
    / n
    * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
)
cmp("hprebn", dhprebn, hprebn)
dembcat = dhprebn @ W1.T
cmp("W1", embcat.T @ dhprebn, W1)
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for k in range(Xb.shape[0]):
    for j in range(Xb.shape[1]):
        dC[Xb[k, j]] += demb[k, j]
cmp("C", dC, C)
print(
    (dC - torch.zeros_like(C).index_add_(0, Xb.view(-1), demb.view(-1, n_embd))).abs().max() < 1e-6
)
