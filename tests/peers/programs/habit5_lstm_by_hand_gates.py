import torch
import torch.nn as nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class NaiveLSTM(nn.Module):
    def __init__(self, input_sz, hidden_sz):
        super().__init__()
        self.hidden_size = hidden_sz
        self.weight_ih = nn.Parameter(torch.Tensor(input_sz, hidden_sz * 4))
        self.weight_hh = nn.Parameter(torch.Tensor(hidden_sz, hidden_sz * 4))
        self.bias = nn.Parameter(torch.Tensor(hidden_sz * 4))

    def forward(self, x, init_states=None):
        bs, seq_sz, _ = x.size()
        outputs = x.new_zeros(bs, seq_sz, self.hidden_size)
        if init_states is None:
            h_t, c_t = torch.zeros(bs, self.hidden_size), torch.zeros(bs, self.hidden_size)
        else:
            h_t, c_t = init_states
        HS = self.hidden_size
        for t in range(seq_sz):
            gates = x[:, t, :] @ self.weight_ih + h_t @ self.weight_hh + self.bias
            i_t, f_t, g_t, o_t = (
                torch.sigmoid(gates[:, :HS]),
                torch.sigmoid(gates[:, HS : HS * 2]),
                torch.tanh(gates[:, HS * 2 : HS * 3]),
                torch.sigmoid(gates[:, HS * 3 :]),
            )
            c_t = f_t * c_t + i_t * g_t
            h_t = o_t * torch.tanh(c_t)
            outputs[:, t].copy_(h_t)
        return outputs, (h_t, c_t)


lstm = fixed(NaiveLSTM(3, 4))
x = torch.sin(torch.arange(30.0)).view(2, 5, 3)
out, (h, c) = lstm(x)
out[:, -1].sum().backward()
print(out.shape, torch.allclose(out[:, -1], h), out.grad_fn.name().split("::")[-1])
for name, p in lstm.named_parameters():
    print(name, tuple(p.shape), round(p.grad.norm().item(), 4))
padded = torch.zeros(2, 6, 4)
for i, n in enumerate([5, 3]):
    row = padded[i]
    row[:n] = out.detach()[i, :n] * 2
print(padded.sum(-1))
