import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    def __init__(
        self, num_embeddings, embedding_dim, commitment_cost=0.25, decay=0.9, epsilon=1e-5
    ):
        super().__init__()
        self._k, self._d = num_embeddings, embedding_dim
        w = torch.sin(torch.arange(num_embeddings * embedding_dim).float()).view(
            num_embeddings, embedding_dim
        )
        self._embedding = nn.Embedding(num_embeddings, embedding_dim)
        self._embedding.weight.data.copy_(w)
        self._commitment_cost = commitment_cost
        self.register_buffer("_ema_cluster_size", torch.zeros(num_embeddings))
        self._ema_w = nn.Parameter(w.clone(), requires_grad=False)
        self._decay, self._epsilon = decay, epsilon

    def forward(self, inputs):
        inputs = inputs.permute(0, 2, 3, 1).contiguous()
        shape = inputs.shape
        flat = inputs.view(-1, self._d)
        distances = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self._embedding.weight**2, dim=1)
            - 2 * torch.matmul(flat, self._embedding.weight.t())
        )
        idx = torch.argmin(distances, dim=1).unsqueeze(1)
        enc = torch.zeros(idx.shape[0], self._k, device=inputs.device)
        enc.scatter_(1, idx, 1)
        quantized = torch.matmul(enc, self._embedding.weight).view(shape)
        if self.training:
            with torch.no_grad():
                self._ema_cluster_size.mul_(self._decay).add_(enc.sum(0), alpha=1 - self._decay)
                n = torch.sum(self._ema_cluster_size)
                self._ema_cluster_size = (
                    (self._ema_cluster_size + self._epsilon) / (n + self._k * self._epsilon) * n
                )
                self._ema_w.mul_(self._decay).add_(enc.t() @ flat, alpha=1 - self._decay)
                self._embedding.weight.data = self._ema_w / self._ema_cluster_size.unsqueeze(1)
        e_latent = F.mse_loss(quantized.detach(), inputs)
        loss = self._commitment_cost * e_latent
        quantized = inputs + (quantized - inputs).detach()
        avg = torch.mean(enc, dim=0)
        perplexity = torch.exp(-torch.sum(avg * torch.log(avg + 1e-10)))
        return loss, quantized.permute(0, 3, 1, 2).contiguous(), perplexity, idx


def gumbel_softmax(logits, u, tau=1.0, hard=False):
    g = -torch.log(-torch.log(u + 1e-20) + 1e-20)
    y = F.softmax((logits + g) / tau, dim=-1)
    if not hard:
        return y
    index = y.max(-1, keepdim=True)[1]
    y_hard = torch.zeros_like(logits).scatter_(-1, index, 1.0)
    return y_hard - y.detach() + y


vq = VectorQuantizerEMA(6, 3)
x = torch.cos(torch.arange(2 * 3 * 4 * 4).float() * 0.4).view(2, 3, 4, 4).requires_grad_()
loss, q, ppl, idx = vq(x)
print(loss, q.shape, ppl)
print(torch.bincount(idx.flatten(), minlength=6))
(q.sum() + loss).backward()
print(
    "straight through",
    torch.allclose(x.grad.mean(), torch.tensor(1.0), atol=0.05),
    vq._embedding.weight.grad,
)
print(vq._ema_cluster_size)
print(vq._embedding.weight[0])
print({k: tuple(v.shape) for k, v in vq.state_dict().items()})
before = vq._ema_w.clone()
vq.eval()
vq(x)
print("eval frozen", torch.equal(before, vq._ema_w))
lookup = F.embedding(idx.view(2, 4, 4), vq._embedding.weight)
print(lookup.shape)

logits = torch.tensor([[1.0, 0.5, -0.5, 0.0], [0.1, 0.2, 0.3, 0.4]], requires_grad=True)
u = torch.tensor([[0.2, 0.9, 0.5, 0.4], [0.6, 0.1, 0.3, 0.8]])
for tau in (2.0, 1.0, 0.1):
    print(tau, gumbel_softmax(logits, u, tau))
h = gumbel_softmax(logits, u, 0.5, hard=True)
print(h)
(h * torch.arange(4.0)).sum().backward()
print(logits.grad)
hh = F.gumbel_softmax(logits.detach(), tau=1.0, hard=True)
print(hh.sum(-1), hh.shape)


class STERound(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return torch.round(t)

    @staticmethod
    def backward(ctx, g):
        return g


z = torch.tensor([0.2, 0.7, -1.6], requires_grad=True)
(STERound.apply(z) ** 2).sum().backward()
print(z.grad)
