"""d2l 8.5: a recurrent network by hand, with clipped gradients."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def get_params(vocab_size, num_hiddens, device):
    num_inputs = num_outputs = vocab_size

    def normal(shape, start):
        return wave(*shape, start=start).to(device) * 0.3

    W_xh = normal((num_inputs, num_hiddens), 0.0)
    W_hh = normal((num_hiddens, num_hiddens), 1.0)
    b_h = torch.zeros(num_hiddens, device=device)
    W_hq = normal((num_hiddens, num_outputs), 2.0)
    b_q = torch.zeros(num_outputs, device=device)
    params = [W_xh, W_hh, b_h, W_hq, b_q]
    for param in params:
        param.requires_grad_(True)
    return params


def init_rnn_state(batch_size, num_hiddens, device):
    return (torch.zeros((batch_size, num_hiddens), device=device),)


def rnn(inputs, state, params):
    W_xh, W_hh, b_h, W_hq, b_q = params
    (H,) = state
    outputs = []
    for X in inputs:
        H = torch.tanh(torch.mm(X, W_xh) + torch.mm(H, W_hh) + b_h)
        Y = torch.mm(H, W_hq) + b_q
        outputs.append(Y)
    return torch.cat(outputs, dim=0), (H,)


class RNNModelScratch:
    def __init__(self, vocab_size, num_hiddens, device, get_params, init_state, forward_fn):
        self.vocab_size, self.num_hiddens = vocab_size, num_hiddens
        self.params = get_params(vocab_size, num_hiddens, device)
        self.init_state, self.forward_fn = init_state, forward_fn

    def __call__(self, X, state):
        X = F.one_hot(X.T, self.vocab_size).type(torch.float32)
        return self.forward_fn(X, state, self.params)

    def begin_state(self, batch_size, device):
        return self.init_state(batch_size, self.num_hiddens, device)


def grad_clipping(net, theta):
    if isinstance(net, nn.Module):
        params = [p for p in net.parameters() if p.requires_grad]
    else:
        params = net.params
    norm = torch.sqrt(sum(torch.sum((p.grad**2)) for p in params))
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


device = torch.device("cpu")
net = RNNModelScratch(12, 16, device, get_params, init_rnn_state, rnn)
X = torch.arange(10).reshape((2, 5))
state = net.begin_state(X.shape[0], device)
Y, new_state = net(X, state)
print(Y.shape, len(new_state), new_state[0].shape)
loss = nn.CrossEntropyLoss()
state = None
for step in range(5):
    if state is None:
        state = net.begin_state(batch_size=X.shape[0], device=device)
    else:
        for s in state:
            s.detach_()
    y = (X + 1).T.reshape(-1)
    y_hat, state = net(X, state)
    l = loss(y_hat, y.long()).mean()
    l.backward()
    grad_clipping(net, 1)
    sgd(net.params, lr=1, batch_size=1)
    print(f"perplexity {math.exp(l.item()):.3f}")
print(y_hat.argmax(dim=1).reshape(1, -1), [int(i) for i in y_hat.argmax(axis=1)[:3]])
