"""d2l 15.2: a bidirectional LSTM for sentiment, with frozen embeddings."""

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


class BiRNN(nn.Module):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, **kwargs):
        super(BiRNN, self).__init__(**kwargs)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.encoder = nn.LSTM(embed_size, num_hiddens, num_layers=num_layers, bidirectional=True)
        self.decoder = nn.Linear(4 * num_hiddens, 2)

    def forward(self, inputs):
        embeddings = self.embedding(inputs.T)
        self.encoder.flatten_parameters()
        outputs, _ = self.encoder(embeddings)
        encoding = torch.cat((outputs[0], outputs[-1]), dim=1)
        return self.decoder(encoding)


net = BiRNN(15, 6, 5, 2)


def init_weights(m):
    if type(m) == nn.Linear:
        nn.init.xavier_uniform_(m.weight)
    if type(m) == nn.LSTM:
        for param in m._flat_weights_names:
            if "weight" in param:
                nn.init.xavier_uniform_(m._parameters[param])


net.apply(init_weights)
set_weights(net)
net.embedding.weight.data.copy_(wave(15, 6))
net.embedding.weight.requires_grad = False
tokens = (torch.arange(24).reshape(3, 8) * 5) % 15
trainer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.01)
for _ in range(3):
    l = nn.CrossEntropyLoss(reduction="none")(net(tokens), torch.tensor([0, 1, 1]))
    trainer.zero_grad()
    l.sum().backward()
    trainer.step()
    print(l.detach())
label = torch.argmax(net(tokens[0].reshape(1, -1)), dim=1)
print("positive" if label == 1 else "negative", net.embedding.weight.grad)
