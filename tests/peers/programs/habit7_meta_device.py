import torch
import torch.nn as nn

full = nn.Linear(2, 3)
with torch.device("meta"):
    empty = nn.Linear(2, 3)
print(empty.weight.device, empty.weight.shape)
print(empty.load_state_dict(full.state_dict(), assign=True), empty.weight.device)
print(torch.equal(empty(torch.ones(1, 2)), full(torch.ones(1, 2))))
