import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

sentences = [[1, 2, 3], [4], [5, 6], [7, 8, 9, 10]]


def collate(batch):
    lengths = torch.tensor([len(s) for s in batch])
    padded = pad_sequence([torch.tensor(s) for s in batch], batch_first=True)
    return padded, lengths


for padded, lengths in DataLoader(sentences, batch_size=2, collate_fn=collate, num_workers=2):
    print(padded, lengths)
for x in DataLoader(range(5), batch_size=2, collate_fn=lambda b: sum(b), num_workers=1):
    print(x)
