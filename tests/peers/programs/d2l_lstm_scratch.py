"""d2l 9.2: long short-term memory by hand."""

import torch
from torch import nn


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def lstm(inputs, state, params):
    [W_xi, W_hi, b_i, W_xf, W_hf, b_f, W_xo, W_ho, b_o, W_xc, W_hc, b_c, W_hq, b_q] = params
    (H, C) = state
    outputs = []
    for X in inputs:
        I = torch.sigmoid((X @ W_xi) + (H @ W_hi) + b_i)
        F = torch.sigmoid((X @ W_xf) + (H @ W_hf) + b_f)
        O = torch.sigmoid((X @ W_xo) + (H @ W_ho) + b_o)
        C_tilda = torch.tanh((X @ W_xc) + (H @ W_hc) + b_c)
        C = F * C + I * C_tilda
        H = O * torch.tanh(C)
        Y = (H @ W_hq) + b_q
        outputs.append(Y)
    return torch.cat(outputs, dim=0), (H, C)


params = []
for gate in range(4):
    params += [wave(6, 8, start=gate), wave(8, 8, start=gate + 5) * 0.4, torch.zeros(8)]
params += [wave(8, 6), torch.zeros(6)]
for param in params:
    param.requires_grad_(True)
X = torch.tensor([[0, 1, 2], [3, 4, 5]])
inputs = nn.functional.one_hot(X.T, 6).type(torch.float32)
state = (torch.zeros((2, 8)), torch.zeros((2, 8)))
trainer = torch.optim.Adam(params, lr=0.05)
for _ in range(4):
    Y, (H, C) = lstm(inputs, state, params)
    l = nn.CrossEntropyLoss()(Y, ((X + 1) % 6).T.reshape(-1))
    trainer.zero_grad()
    l.backward()
    trainer.step()
    print(f"{l:.4f}")
print(H.detach(), C.detach().shape)
