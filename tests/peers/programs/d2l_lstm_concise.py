"""d2l 9.2: nn.LSTM, and packed sequences."""

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


lstm_layer = nn.LSTM(7, 5)
set_weights(lstm_layer)
X = wave(4, 2, 7)
Y, (H, C) = lstm_layer(X)
print(Y.shape, H.shape, C.shape)
print(H, C)
lengths = torch.tensor([4, 2])
packed = nn.utils.rnn.pack_padded_sequence(X, lengths)
out, (h, c) = lstm_layer(packed)
unpacked, sizes = nn.utils.rnn.pad_packed_sequence(out)
print(unpacked[:, 1], sizes, h[0, 1])
for name, param in lstm_layer.named_parameters():
    print(name, param.shape)
lstm_layer.flatten_parameters()
cell = nn.LSTMCell(7, 5)
set_weights(cell)
h, c = cell(X[0])
h, c = cell(X[1], (h, c))
print(h, c)
