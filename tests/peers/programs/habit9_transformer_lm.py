import math

import torch
from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(x + self.pe[: x.size(0)])


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.0):
        super().__init__()
        self.model_type = "Transformer"
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        self.transformer_encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout), nlayers
        )
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self) -> None:
        self.embedding.weight.data.uniform_(-0.1, 0.1)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-0.1, 0.1)

    def forward(self, src, src_mask=None):
        src = self.embedding(src) * math.sqrt(self.d_model)
        src = self.pos_encoder(src)
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.transformer_encoder(src, src_mask))


import warnings

warnings.simplefilter("ignore")
m = TransformerModel(12, 8, 2, 16, 2)
print(m)
print(
    nn.Transformer.generate_square_subsequent_mask(4),
    torch.triu(torch.ones(3, 3) * float("-inf"), diagonal=1),
    torch.triu(torch.full((3, 3), True), 1),
)
for i, p in enumerate(m.parameters()):
    p.data = torch.sin(torch.arange(float(p.numel())) * 1.7 + i).view(p.shape) * 0.3


def batchify(data, bsz):
    n = data.size(0) // bsz
    return data[: n * bsz].view(bsz, n).t().contiguous()


data = batchify(torch.arange(50) * 5 % 12, 3)
print(data.shape, data[:3])
opt = torch.optim.SGD(m.parameters(), lr=0.5)
sch = torch.optim.lr_scheduler.StepLR(opt, 1.0, gamma=0.95)
crit = nn.CrossEntropyLoss()
for i in range(0, 15, 5):
    x, y = (data[i : i + 5], data[i + 1 : i + 6].reshape(-1))
    out = m(x)
    loss = crit(out.view(-1, 12), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(m.parameters(), 0.5)
    opt.step()
    sch.step()
    print(
        f"| {i:3d} | lr {sch.get_last_lr()[0]:02.2f} | loss {loss.item():5.2f} | ppl {math.exp(loss):8.2f}"
    )


class MHA(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        assert d % h == 0
        self.d_k, self.h = (d // h, h)
        self.linears = nn.ModuleList([nn.Linear(d, d) for _ in range(4)])
        self.attn = None

    def forward(self, q, k, v, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        q, k, v = [
            l(x).view(x.size(0), -1, self.h, self.d_k).transpose(1, 2)
            for l, x in zip(self.linears, (q, k, v))
        ]
        s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        s = s.masked_fill(mask == 0, -1000000000.0) if mask is not None else s
        self.attn = s.softmax(dim=-1)
        return self.linears[-1](
            (self.attn @ v).transpose(1, 2).contiguous().view(q.size(0), -1, self.h * self.d_k)
        )


mh = MHA(4, 2)
for p in mh.parameters():
    nn.init.constant_(p, 0.1) if p.dim() == 1 else nn.init.eye_(p)
src = torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0]])
mask = (src != 0).unsqueeze(-2)
sub = torch.triu(torch.ones(1, 4, 4), diagonal=1).type(torch.uint8) == 0
print(mask, sub, mask & sub)
x = torch.arange(32.0).view(2, 4, 4) / 32
print(mh(x, x, x, mask & sub)[0], mh.attn[1, 0], mh)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
mha.in_proj_weight.data = torch.eye(4).repeat(3, 1)
mha.in_proj_bias.data.zero_()
mha.out_proj.weight.data = torch.eye(4)
mha.out_proj.bias.data.zero_()
o, w = mha(x, x, x, key_padding_mask=src == 0)
print(
    o[1],
    w,
    w.shape,
    mha(x, x, x, need_weights=False)[1],
    mha(x, x, x, average_attn_weights=False)[1].shape,
    mha(x, x, x, attn_mask=torch.triu(torch.ones(4, 4, dtype=torch.bool), 1), is_causal=True)[1][0],
)
dec = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
print(
    dec(
        x,
        x,
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(4),
        memory_key_padding_mask=src == 0,
    ).shape,
    dec,
)
enc = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=0.0, batch_first=True).eval()
print(
    enc(x, src_key_padding_mask=src == 0).shape,
    sum((p.numel() for p in enc.parameters())),
    enc.self_attn.head_dim,
    enc.norm_first,
)


class LS(nn.Module):
    def __init__(self, size, pad, s):
        super().__init__()
        self.criterion = nn.KLDivLoss(reduction="sum")
        self.pad, self.conf, self.s, self.size = (pad, 1.0 - s, s, size)

    def forward(self, x, t):
        d = x.data.clone()
        d.fill_(self.s / (self.size - 2))
        d.scatter_(1, t.data.unsqueeze(1), self.conf)
        d[:, self.pad] = 0
        mk = torch.nonzero(t.data == self.pad)
        d.index_fill_(0, mk.squeeze(), 0.0) if mk.dim() > 0 else 0
        self.d = d
        return self.criterion(x, d.clone().detach())


ls = LS(5, 0, 0.4)
print(ls(torch.full((3, 5), 0.2).log(), torch.tensor([2, 1, 0])), ls.d)
for bad in (
    lambda: m(torch.tensor([[99]])),
    lambda: nn.Embedding(3, 2)(torch.tensor([1.0])),
    lambda: nn.Embedding(3, 2)(torch.tensor([3])),
    lambda: nn.LayerNorm(3)(torch.ones(2, 4)),
    lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)),
    lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)),
    lambda: nn.Conv2d(1, 1, 3)(torch.ones(1, 1, 2, 2)),
    lambda: nn.Conv2d(3, 1, 1)(torch.ones(1, 1, 2, 2)),
    lambda: crit(torch.ones(2, 3), torch.tensor([0, 5])),
    lambda: crit(torch.ones(2, 3), torch.tensor([0])),
    lambda: crit(torch.ones(2, 3), torch.ones(2)),
    lambda: nn.BCELoss()(torch.tensor([2.0]), torch.tensor([1.0])),
    lambda: nn.NLLLoss()(torch.ones(2, 3), torch.ones(2)),
    lambda: nn.Dropout(2.0),
    lambda: nn.MSELoss()(torch.ones(2), torch.ones(3, 2, 1)),
):
    try:
        print("ok", type(bad()))
    except Exception as e:
        print("refused")
