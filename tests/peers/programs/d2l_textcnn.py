"""d2l 15.3: textCNN over two embeddings, max-over-time pooling."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


class TextCNN(nn.Module):
    def __init__(self, vocab_size, embed_size, kernel_sizes, num_channels, **kwargs):
        super(TextCNN, self).__init__(**kwargs)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.constant_embedding = nn.Embedding(vocab_size, embed_size)
        self.dropout = nn.Dropout(0.5)
        self.decoder = nn.Linear(sum(num_channels), 2)
        self.pool = nn.AdaptiveMaxPool1d(1)
        self.relu = nn.ReLU()
        self.convs = nn.ModuleList()
        for c, k in zip(num_channels, kernel_sizes):
            self.convs.append(nn.Conv1d(2 * embed_size, c, k))

    def forward(self, inputs):
        embeddings = torch.cat((self.embedding(inputs), self.constant_embedding(inputs)), dim=2)
        embeddings = embeddings.permute(0, 2, 1)
        encoding = torch.cat(
            [torch.squeeze(self.relu(self.pool(conv(embeddings))), dim=-1) for conv in self.convs],
            dim=1,
        )
        return self.decoder(self.dropout(encoding))


net = TextCNN(15, 6, [3, 4, 5], [4, 4, 4])


def init_weights(m):
    if type(m) in (nn.Linear, nn.Conv1d):
        nn.init.xavier_uniform_(m.weight)


net.apply(init_weights)
set_weights(net)
net.constant_embedding.weight.requires_grad = False
print(net)
net.eval()
tokens = (torch.arange(24).reshape(3, 8) * 5) % 15
trainer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(3):
    l = nn.CrossEntropyLoss(reduction="none")(net(tokens), torch.tensor([0, 1, 1]))
    trainer.zero_grad()
    l.sum().backward()
    trainer.step()
    print(l.detach())
print(torch.argmax(net(tokens), dim=1))
