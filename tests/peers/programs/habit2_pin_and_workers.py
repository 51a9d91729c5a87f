import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.linspace(-1, 1, 64).unsqueeze(1)
    data = TensorDataset(x, 3 * x + 1)
    train, val = random_split(data, [48, 16])
    loader = DataLoader(
        train,
        batch_size=8,
        shuffle=True,
        num_workers=2,
        persistent_workers=True,
        pin_memory=torch.cuda.is_available(),
        drop_last=True,
    )
    model = nn.Linear(1, 1).to(device)
    optimizer = optim.SGD(model.parameters(), lr=0.3)
    for epoch in range(20):
        for xb, yb in loader:
            xb, yb = xb.to(device, non_blocking=True), yb.to(device, non_blocking=True)
            loss = nn.functional.mse_loss(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("%.2f %.2f" % (model.weight.item(), model.bias.item()))
