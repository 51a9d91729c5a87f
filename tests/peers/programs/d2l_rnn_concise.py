"""d2l 8.6: nn.RNN in a model with a linear layer on top."""

import torch
from torch import nn
from torch.nn import functional as F


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


class RNNModel(nn.Module):
    def __init__(self, rnn_layer, vocab_size, **kwargs):
        super(RNNModel, self).__init__(**kwargs)
        self.rnn = rnn_layer
        self.vocab_size = vocab_size
        self.num_hiddens = self.rnn.hidden_size
        if not self.rnn.bidirectional:
            self.num_directions = 1
            self.linear = nn.Linear(self.num_hiddens, self.vocab_size)
        else:
            self.num_directions = 2
            self.linear = nn.Linear(self.num_hiddens * 2, self.vocab_size)

    def forward(self, inputs, state):
        X = F.one_hot(inputs.T.long(), self.vocab_size)
        X = X.to(torch.float32)
        Y, state = self.rnn(X, state)
        output = self.linear(Y.reshape((-1, Y.shape[-1])))
        return output, state

    def begin_state(self, device, batch_size=1):
        if not isinstance(self.rnn, nn.LSTM):
            return torch.zeros(
                (self.num_directions * self.rnn.num_layers, batch_size, self.num_hiddens),
                device=device,
            )
        return (
            torch.zeros(
                (self.num_directions * self.rnn.num_layers, batch_size, self.num_hiddens),
                device=device,
            ),
            torch.zeros(
                (self.num_directions * self.rnn.num_layers, batch_size, self.num_hiddens),
                device=device,
            ),
        )


rnn_layer = nn.RNN(14, 16)
net = RNNModel(rnn_layer, vocab_size=14)
print(net)
set_weights(net)
X = torch.arange(12).reshape(3, 4)
state = net.begin_state(batch_size=3, device="cpu")
print(state.shape)
updater = torch.optim.SGD(net.parameters(), lr=0.5)
loss = nn.CrossEntropyLoss()
for _ in range(4):
    y_hat, state = net(X, state)
    state.detach_()
    l = loss(y_hat, (X + 1).T.reshape(-1)).mean()
    updater.zero_grad()
    l.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    updater.step()
    print(f"{l:.4f}")
print(state[0, 0], y_hat.argmax(1))
