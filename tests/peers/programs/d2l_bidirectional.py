"""d2l 9.4: bidirectional recurrent layers."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


lstm_layer = nn.LSTM(5, 4, num_layers=2, bidirectional=True)
set_weights(lstm_layer)
X = wave(3, 2, 5)
Y, (H, C) = lstm_layer(X)
print(Y.shape, H.shape, C.shape)
print(Y[0, 0], Y[-1, 0])
print(torch.equal(Y[-1, :, :4], H[2]), torch.equal(Y[0, :, 4:], H[3]))
H = H.reshape(2, 2, 2, 4)
print(torch.cat((H[-1, 0], H[-1, 1]), dim=1).shape)
Y.mean().backward()
print(sorted(name for name, _ in lstm_layer.named_parameters()))
print(f"{lstm_layer.weight_hh_l1_reverse.grad.abs().sum():.4f}")
rnn = nn.RNN(5, 4, bidirectional=True, nonlinearity="relu", batch_first=True)
set_weights(rnn)
print(rnn(X)[0][0, :2])
