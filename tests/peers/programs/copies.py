import copy
import pickle

import torch
from torch import nn

x = torch.arange(3.0)
y, z = x, x.clone()
y[0] = 9
print(x, z, copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)))
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
twin = copy.deepcopy(net)
with torch.no_grad():
    net[0].weight.fill_(1.0)
print(twin[0].weight is net[0].weight, torch.equal(twin[0].weight, net[0].weight))
best = copy.deepcopy(net.state_dict())
net[0].weight.data.zero_()
net.load_state_dict(best)
print(net[0].weight, pickle.loads(pickle.dumps(net))[0].weight.equal(net[0].weight))
