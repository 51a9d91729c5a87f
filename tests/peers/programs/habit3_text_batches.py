from collections import Counter

import torch
from torch import nn

docs = ["the cat sat", "the dog", "a cat and a dog sat down"]
counter = Counter(w for d in docs for w in d.split())
itos = ["<pad>", "<unk>"] + [w for w, _ in sorted(counter.items(), key=lambda kv: (-kv[1], kv[0]))]
stoi = {w: i for i, w in enumerate(itos)}
ids = [torch.tensor([stoi.get(w, 1) for w in d.split()]) for d in docs]
offsets = torch.tensor([0] + [len(i) for i in ids[:-1]]).cumsum(0)
print(ids, offsets)
bag = nn.EmbeddingBag(len(itos), 3, mode="mean")
bag.weight.data = torch.arange(len(itos) * 3.0).view(-1, 3)
print(bag(torch.cat(ids), offsets))
padded = nn.utils.rnn.pad_sequence(ids, batch_first=True)
emb = nn.Embedding(len(itos), 3, padding_idx=0)
emb.weight.data.copy_(bag.weight.data)
mask = (padded != 0).unsqueeze(-1)
e = emb(padded)
print((e * mask).sum(1) / mask.sum(1), mask.squeeze(-1).sum(1))
tf = torch.stack([torch.bincount(i, minlength=len(itos)) for i in ids]).float()
df = (tf > 0).sum(0)
idf = torch.log((1 + len(docs)) / (1 + df.float())) + 1
tfidf = nn.functional.normalize(tf * idf, dim=1)
print(tfidf @ tfidf.T)
pre = nn.Embedding.from_pretrained(torch.eye(3), freeze=True)
print(pre(torch.tensor([2, 0])), pre.weight.requires_grad)
text = "hello"
chars = sorted(set(text))
enc = torch.tensor([chars.index(c) for c in text])
block = torch.stack([enc[i : i + 3] for i in range(len(enc) - 3)])
print(block, enc[1:4], "".join(chars[i] for i in enc.tolist()))
