"""d2l 9.3: two layers of LSTM with dropout."""

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


vocab_size, num_hiddens, num_layers = 6, 8, 2
lstm_layer = nn.LSTM(vocab_size, num_hiddens, num_layers, dropout=0.0)
model = nn.ModuleDict({"rnn": lstm_layer, "out": nn.Linear(num_hiddens, vocab_size)})
set_weights(model)
print(model)
X = torch.tensor([[0, 1, 2], [3, 4, 5]])
inputs = nn.functional.one_hot(X.T, vocab_size).float()
state = (torch.zeros((num_layers, 2, num_hiddens)), torch.zeros((num_layers, 2, num_hiddens)))
trainer = torch.optim.SGD(model.parameters(), lr=2)
for _ in range(3):
    Y, _ = model["rnn"](inputs, state)
    l = nn.functional.cross_entropy(
        model["out"](Y.reshape(-1, num_hiddens)), (X.T.reshape(-1) + 1) % 6
    )
    trainer.zero_grad()
    l.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
    trainer.step()
    print(f"{l:.4f}")
lstm_layer.train()
deep = nn.GRU(4, 3, num_layers=3, batch_first=True, dropout=0.5)
out, h = deep(wave(2, 5, 4))
print(out.shape, h.shape, deep)
