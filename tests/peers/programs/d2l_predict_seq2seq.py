"""d2l 9.7: greedy search step by step, and BLEU."""

import collections
import math

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def truncate_pad(line, num_steps, padding_token):
    if len(line) > num_steps:
        return line[:num_steps]
    return line + [padding_token] * (num_steps - len(line))


def bleu(pred_seq, label_seq, k):
    pred_tokens, label_tokens = pred_seq.split(" "), label_seq.split(" ")
    len_pred, len_label = len(pred_tokens), len(label_tokens)
    score = math.exp(min(0, 1 - len_label / len_pred))
    for n in range(1, k + 1):
        num_matches, label_subs = 0, collections.defaultdict(int)
        for i in range(len_label - n + 1):
            label_subs[" ".join(label_tokens[i : i + n])] += 1
        for i in range(len_pred - n + 1):
            if label_subs[" ".join(pred_tokens[i : i + n])] > 0:
                num_matches += 1
                label_subs[" ".join(pred_tokens[i : i + n])] -= 1
        score *= math.pow(num_matches / (len_pred - n + 1), math.pow(0.5, n))
    return score


embedding, rnn, dense = nn.Embedding(9, 6), nn.GRU(6, 8), nn.Linear(8, 9)
for part in (embedding, rnn, dense):
    set_weights(part)
src = torch.tensor(truncate_pad([3, 1, 4, 1], 6, 0), dtype=torch.long)
enc_X = torch.unsqueeze(src, dim=0)
_, state = rnn(embedding(enc_X).permute(1, 0, 2))
dec_X = torch.unsqueeze(torch.tensor([8], dtype=torch.long), dim=0)
output_seq = []
for _ in range(5):
    Y, state = rnn(embedding(dec_X).permute(1, 0, 2), state)
    Y = dense(Y).permute(1, 0, 2)
    dec_X = Y.argmax(dim=2)
    pred = dec_X.squeeze(dim=0).type(torch.int32).item()
    if pred == 0:
        break
    output_seq.append(pred)
print(output_seq)
print(f"{bleu('il a calme', 'il est calme', k=2):.3f}")
lines = [truncate_pad(l, 4, 0) for l in ([1, 2], [3, 4, 5, 6, 7])]
array = torch.tensor(lines)
valid_len = (array != 0).type(torch.int32).sum(1)
print(array, valid_len)
scores, places = torch.topk(torch.log_softmax(Y[0, 0], -1), 2)
print(places.shape, scores.shape)
