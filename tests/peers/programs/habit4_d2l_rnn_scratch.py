import torch
from torch import nn
from torch.nn import functional as F

print(F.one_hot(torch.tensor([0, 2]), 5))
X = torch.arange(10).reshape((2, 5))
print(F.one_hot(X.T, 28).shape)


def get_params(vocab_size, num_hiddens, device):
    def normal(shape):
        n = shape[0] * shape[1]
        return torch.linspace(-0.1, 0.1, n, device=device).reshape(shape)

    W_xh = normal((vocab_size, num_hiddens))
    W_hh = normal((num_hiddens, num_hiddens))
    b_h = torch.zeros(num_hiddens, device=device)
    W_hq = normal((num_hiddens, vocab_size))
    b_q = torch.zeros(vocab_size, device=device)
    params = [W_xh, W_hh, b_h, W_hq, b_q]
    for param in params:
        param.requires_grad_(True)
    return params


def rnn(inputs, state, params):
    W_xh, W_hh, b_h, W_hq, b_q = params
    (H,) = state
    outputs = []
    for X in inputs:
        H = torch.tanh(torch.mm(X, W_xh) + torch.mm(H, W_hh) + b_h)
        Y = torch.mm(H, W_hq) + b_q
        outputs.append(Y)
    return torch.cat(outputs, dim=0), (H,)


params = get_params(28, 16, torch.device("cpu"))
Y, new_state = rnn(F.one_hot(X.T, 28).type(torch.float32), (torch.zeros(2, 16),), params)
print(Y.shape, len(new_state), new_state[0].shape)
loss = nn.CrossEntropyLoss()
y = X.T.reshape(-1)
l = loss(Y, y.long()).mean()
print(l)
l.backward()


def grad_clipping(params, theta):
    norm = torch.sqrt(sum(torch.sum((p.grad**2)) for p in params))
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm
    return norm


print(grad_clipping(params, 0.1))
print(sum((p.grad**2).sum() for p in params).sqrt())
rnn_layer = nn.RNN(28, 16)
state = torch.zeros((1, 2, 16))
Y, state_new = rnn_layer(F.one_hot(X.T, 28).float(), state)
print(Y.shape, state_new.shape)
lstm = nn.LSTM(28, 16, 2, bidirectional=True, dropout=0.2)
print(lstm, [n for n, _ in lstm.named_parameters()][:4])
