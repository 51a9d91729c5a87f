"""d2l 14.8: BERT's inputs, encoder, masked language model, next sentence."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def get_tokens_and_segments(tokens_a, tokens_b=None):
    tokens = ["<cls>"] + tokens_a + ["<sep>"]
    segments = [0] * (len(tokens_a) + 2)
    if tokens_b is not None:
        tokens += tokens_b + ["<sep>"]
        segments += [1] * (len(tokens_b) + 1)
    return tokens, segments


class BERTEncoder(nn.Module):
    def __init__(self, vocab_size, num_hiddens, num_heads, num_layers, max_len=50):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, num_hiddens)
        self.segment_embedding = nn.Embedding(2, num_hiddens)
        layer = nn.TransformerEncoderLayer(
            num_hiddens, num_heads, 16, 0.0, activation="gelu", batch_first=True
        )
        self.blks = nn.TransformerEncoder(layer, num_layers)
        self.pos_embedding = nn.Parameter(torch.randn(1, max_len, num_hiddens))

    def forward(self, tokens, segments, mask=None):
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding.data[:, : X.shape[1], :]
        return self.blks(X, src_key_padding_mask=mask)


class MaskLM(nn.Module):
    def __init__(self, vocab_size, num_hiddens):
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Linear(num_hiddens, num_hiddens),
            nn.ReLU(),
            nn.LayerNorm(num_hiddens),
            nn.Linear(num_hiddens, vocab_size),
        )

    def forward(self, X, pred_positions):
        num_pred_positions = pred_positions.shape[1]
        pred_positions = pred_positions.reshape(-1)
        batch_size = X.shape[0]
        batch_idx = torch.arange(0, batch_size)
        batch_idx = torch.repeat_interleave(batch_idx, num_pred_positions)
        masked_X = X[batch_idx, pred_positions]
        masked_X = masked_X.reshape((batch_size, num_pred_positions, -1))
        return self.mlp(masked_X)


print(get_tokens_and_segments(["this", "movie"], ["i", "like"]))
encoder, mlm = BERTEncoder(30, 8, 2, 2), MaskLM(30, 8)
nsp = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 2))
for part in (encoder, mlm, nsp):
    set_weights(part)
tokens = (torch.arange(16).reshape(2, 8) * 7) % 30
segments = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]])
encoded_X = encoder(tokens, segments, None)
print(encoded_X.shape)
mlm_positions = torch.tensor([[1, 5, 2], [6, 1, 5]])
mlm_Y_hat = mlm(encoded_X, mlm_positions)
mlm_Y = torch.tensor([[7, 8, 9], [10, 20, 29]])
loss = nn.CrossEntropyLoss(reduction="none")
mlm_l = loss(mlm_Y_hat.reshape((-1, 30)), mlm_Y.reshape(-1))
print(mlm_l.shape, mlm_l)
nsp_l = loss(nsp(encoded_X[:, 0, :]), torch.tensor([0, 1]))
print(nsp_l)
(mlm_l.mean() + nsp_l.mean()).backward()
print(f"{encoder.segment_embedding.weight.grad.norm():.5f}")
