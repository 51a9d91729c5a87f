"""d2l 9.1: gated recurrent units by hand."""

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def get_params(vocab_size, num_hiddens):
    place = [0]

    def three():
        place[0] += 1
        return (
            nn.Parameter(wave(vocab_size, num_hiddens, start=place[0]) * 0.3),
            nn.Parameter(wave(num_hiddens, num_hiddens, start=-place[0]) * 0.3),
            nn.Parameter(torch.zeros(num_hiddens)),
        )

    W_xz, W_hz, b_z = three()
    W_xr, W_hr, b_r = three()
    W_xh, W_hh, b_h = three()
    W_hq = nn.Parameter(wave(num_hiddens, vocab_size))
    b_q = nn.Parameter(torch.zeros(vocab_size))
    return [W_xz, W_hz, b_z, W_xr, W_hr, b_r, W_xh, W_hh, b_h, W_hq, b_q]


def gru(inputs, state, params):
    W_xz, W_hz, b_z, W_xr, W_hr, b_r, W_xh, W_hh, b_h, W_hq, b_q = params
    (H,) = state
    outputs = []
    for X in inputs:
        Z = torch.sigmoid((X @ W_xz) + (H @ W_hz) + b_z)
        R = torch.sigmoid((X @ W_xr) + (H @ W_hr) + b_r)
        H_tilda = torch.tanh((X @ W_xh) + ((R * H) @ W_hh) + b_h)
        H = Z * H + (1 - Z) * H_tilda
        Y = H @ W_hq + b_q
        outputs.append(Y)
    return torch.cat(outputs, dim=0), (H,)


params = get_params(6, 8)
X = torch.tensor([[0, 1, 2], [3, 4, 5]])
inputs = nn.functional.one_hot(X.T, 6).float()
state = (torch.zeros((2, 8)),)
optimizer = torch.optim.SGD(params, lr=0.5)
for _ in range(4):
    Y, _ = gru(inputs, state, params)
    l = nn.functional.cross_entropy(Y, ((X + 1) % 6).T.reshape(-1))
    optimizer.zero_grad()
    l.backward()
    optimizer.step()
    print(f"{l.item():.4f}")
print(Y.shape, params[2].grad)
