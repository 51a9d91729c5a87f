import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

REVIEWS = [
    ("pos", "a great and moving film with a great cast"),
    ("neg", "dull plot and terrible acting"),
    ("pos", "wonderful story , loved it"),
    ("neg", "i hated it , boring and dull"),
    ("pos", "great fun , great music"),
    ("neg", "terrible , just terrible"),
    ("pos", "loved the cast and the story"),
    ("neg", "a boring film with a terrible plot"),
]


class ReviewStream(IterableDataset):
    def __init__(self, rows, repeat=1):
        self.rows, self.repeat = rows, repeat

    def __iter__(self):
        for _ in range(self.repeat):
            yield from self.rows


def tokenizer(s):
    return s.lower().split()


counter = Counter(t for _, s in REVIEWS for t in tokenizer(s))
itos = ["<unk>"] + [w for w, _ in sorted(counter.items(), key=lambda kv: (-kv[1], kv[0]))]
vocab = {w: i for i, w in enumerate(itos)}
text_pipeline = lambda x: [vocab.get(t, 0) for t in tokenizer(x)]
label_pipeline = lambda x: int(x == "pos")
print(len(vocab), itos[:6], text_pipeline("a great unknown film"))


def collate_batch(batch):
    label_list, text_list, offsets = [], [], [0]
    for _label, _text in batch:
        label_list.append(label_pipeline(_label))
        processed_text = torch.tensor(text_pipeline(_text), dtype=torch.int64)
        text_list.append(processed_text)
        offsets.append(processed_text.size(0))
    label_list = torch.tensor(label_list, dtype=torch.int64)
    offsets = torch.tensor(offsets[:-1]).cumsum(dim=0)
    text_list = torch.cat(text_list)
    return label_list, text_list, offsets


dataloader = DataLoader(ReviewStream(REVIEWS), batch_size=4, collate_fn=collate_batch)
for label, text, offsets in dataloader:
    print(label, text.shape, offsets)


class TextClassificationModel(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class):
        super(TextClassificationModel, self).__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, sparse=False)
        self.fc = nn.Linear(embed_dim, num_class)
        self.init_weights()

    def init_weights(self):
        n = self.embedding.weight.numel()
        self.embedding.weight.data.copy_(
            torch.linspace(-30, 30, n).sin().mul(0.5).view_as(self.embedding.weight)
        )
        self.fc.weight.data.copy_(
            torch.linspace(-0.5, 0.5, self.fc.weight.numel()).view_as(self.fc.weight)
        )
        self.fc.bias.data.zero_()

    def forward(self, text, offsets):
        embedded = self.embedding(text, offsets)
        return self.fc(embedded)


model = TextClassificationModel(len(vocab), 8, 2)
print(model)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.7)


def train(dataloader):
    model.train()
    total_acc, total_count = 0, 0
    for idx, (label, text, offsets) in enumerate(dataloader):
        optimizer.zero_grad()
        predicted_label = model(text, offsets)
        loss = criterion(predicted_label, label)
        loss.backward()
        gn = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        total_acc += (predicted_label.argmax(1) == label).sum().item()
        total_count += label.size(0)
    return total_acc / total_count, loss, gn


for epoch in range(1, 7):
    acc, loss, gn = train(dataloader)
    print(
        f"| epoch {epoch:3d} | accuracy {acc:8.3f} | loss {loss:.4f} | grad norm {gn:.3f} | lr {scheduler.get_last_lr()[0]:.4f}"
    )
    scheduler.step()

for mode in ("sum", "mean", "max"):
    bag = nn.EmbeddingBag.from_pretrained(torch.arange(12.0).view(6, 2), mode=mode)
    print(
        mode,
        bag(torch.tensor([0, 2, 5, 1, 1]), torch.tensor([0, 3])).tolist(),
        bag.weight.requires_grad,
    )
weighted = nn.functional.embedding_bag(
    torch.tensor([[1, 2], [3, 4]]),
    torch.arange(10.0).view(5, 2),
    mode="sum",
    per_sample_weights=torch.tensor([[0.5, 0.5], [1.0, 0.0]]),
)
print(weighted)
emb = nn.Embedding(5, 3, padding_idx=0, max_norm=1.0)
print(emb, emb.weight[0])
with torch.no_grad():
    emb.weight.copy_(torch.arange(15.0).view(5, 3))
print(
    emb(torch.tensor([[0, 4]])).norm(dim=-1).data.sub_(1).abs() < 1e-4,
    model.embedding.weight.grad.shape,
)
