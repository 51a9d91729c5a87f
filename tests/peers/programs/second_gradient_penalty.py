import torch
from torch import nn

torch.manual_seed(0)


def weights(net):
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()).float() * (k + 1)).reshape(p.shape) * 0.5)


critic = nn.Sequential(
    nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)
)
weights(critic)
optimizer = torch.optim.Adam(critic.parameters(), lr=0.05)
real = torch.cos(torch.arange(24.0)).reshape(6, 4)
fake = torch.sin(torch.arange(24.0) * 0.7).reshape(6, 4)
mix = torch.linspace(0.1, 0.9, 6).reshape(6, 1)
for step in range(5):
    between = (mix * real + (1 - mix) * fake).requires_grad_(True)
    scores = critic(between)
    (slopes,) = torch.autograd.grad(
        outputs=scores,
        inputs=between,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
    )
    penalty = ((slopes.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f} {penalty.item():.4f}")
for name, p in critic.named_parameters():
    print(name, f"{p.grad.norm().item():.4f}")
