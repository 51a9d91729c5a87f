import torch
import torch.nn as nn
import torch.nn.functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Decoder(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden, padding_idx=0)
        self.cell = nn.GRUCell(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, token, state):
        state = self.cell(self.embed(token), state)
        return F.log_softmax(self.out(state), dim=-1), state


def beam_search(model, start, eos, width, length):
    beams = [(0.0, [start], torch.zeros(1, 8))]
    done = []
    for _ in range(length):
        grown = []
        for score, tokens, state in beams:
            logp, after = model(torch.tensor([tokens[-1]]), state)
            values, indices = logp.squeeze(0).topk(width)
            for value, index in zip(values, indices):
                item = (score + value.item(), tokens + [index.item()], after)
                (done if index == eos else grown).append(item)
        beams = sorted(grown, key=lambda item: item[0], reverse=True)[:width]
    return sorted(done + beams, key=lambda b: b[0] / len(b[1]), reverse=True)


def batched_beam(model, batch, width, length, vocab):
    state = torch.zeros(batch * width, 8)
    scores = torch.full((batch, width), float("-inf"))
    scores[:, 0] = 0
    sequences = torch.ones(batch * width, 1, dtype=torch.long)
    for _ in range(length):
        logp, state = model(sequences[:, -1], state)
        total = scores.unsqueeze(-1) + logp.view(batch, width, vocab)
        scores, flat = total.view(batch, -1).topk(width, dim=-1)
        origin = torch.div(flat, vocab, rounding_mode="floor")
        token = flat % vocab
        offset = (torch.arange(batch) * width).unsqueeze(1)
        rows = (origin + offset).view(-1)
        sequences = torch.cat([sequences.index_select(0, rows), token.view(-1, 1)], dim=1)
        state = state.index_select(0, rows)
    return sequences.view(batch, width, -1), scores


model = fixed(Decoder(7, 8)).eval()
print(model)
with torch.no_grad():
    for score, tokens, state in beam_search(model, 1, 2, 3, 4)[:3]:
        print(f"{score:.3f}", tokens, state.shape)
    sequences, scores = batched_beam(model, 2, 3, 4, 7)
print(sequences)
print(scores)
print((sequences[0] == sequences[1]).all().item(), scores.dtype, sequences.stride())
lengths = (sequences == 2).float().argmax(-1)
print(lengths)
penalty = ((5.0 + torch.tensor([3, 4, 5])) / 6.0) ** 0.6
print(scores / penalty)
print(torch.multinomial(scores.exp(), 1).shape, scores.softmax(-1).sum(-1))
