import torch
from torch import nn

x = torch.cat([torch.linspace(-2, -0.5, 10), torch.linspace(0.5, 2, 10)]).unsqueeze(1)
y = (x > 0).float()
net = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid())
for p in net.parameters():
    nn.init.constant_(p, 0.1)
criterion, optimizer = nn.BCELoss(), torch.optim.RMSprop(net.parameters(), lr=0.1)
for epoch in range(30):
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    if epoch % 10 == 9:
        print(epoch, f"{loss.item():.4f}")
with torch.no_grad():
    predicted = (net(x) > 0.5).float()
print((predicted == y).all(), (predicted.squeeze() == y.squeeze()).sum().item())
logits = torch.tensor([0.5, -1.0])
print(nn.BCEWithLogitsLoss()(logits, torch.ones(2)), nn.BCELoss()(logits.sigmoid(), torch.ones(2)))
