import math

import torch
import torch.nn.functional as F

board = torch.zeros(6, 6, dtype=torch.int)
board[torch.tensor([0, 1, 2, 2, 2]), torch.tensor([1, 2, 0, 1, 2])] = 1
k = torch.ones(1, 1, 3, 3)
k[..., 1, 1] = 0
for _ in range(4):
    nb = F.conv2d(F.pad(board[None, None].float(), (1,) * 4, mode="circular"), k)[0, 0].int()
    board = ((nb == 3) | ((board == 1) & (nb == 2))).int()
print(board, board.sum(), "\n".join("".join("#" if c else "." for c in row) for row in board))
u = torch.zeros(11)
u[5] = 1.0
for _ in range(20):
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
print(u, u.sum())
pos = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
vel = torch.zeros_like(pos)
mass = torch.tensor([1.0, 0.5, 0.5])
for _ in range(10):
    diff = pos[None] - pos[:, None]
    r3 = (diff.pow(2).sum(-1) + 0.1) ** 1.5
    acc = (diff * (mass / r3)[..., None]).sum(1)
    vel += 0.05 * acc
    pos += 0.05 * vel
print(pos, vel, (mass[:, None] * vel).sum(0).abs().max() < 1e-5)


def rk4(f, y, t, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


y = torch.tensor([1.0, 0.0], dtype=torch.double)
traj = [y]
for s in range(10):
    y = rk4(lambda t, v: torch.stack((v[1], -v[0])), y, s * 0.1, 0.1)
    traj.append(y)
traj = torch.stack(traj)
print(
    traj[-1],
    traj[:, 0].sub(torch.cos(torch.arange(11, dtype=torch.double) * 0.1)).abs().max() < 1e-5,
)
lor = lambda s: torch.stack(
    [
        10 * (s[..., 1] - s[..., 0]),
        s[..., 0] * (28 - s[..., 2]) - s[..., 1],
        s[..., 0] * s[..., 1] - 8 / 3 * s[..., 2],
    ],
    -1,
)
st = torch.tensor([[1.0, 1, 1], [1.0, 1, 1.1]])
for _ in range(50):
    st = st + 0.01 * lor(st)
print(st)
g = torch.Generator().manual_seed(7)
n = 20000
p = torch.rand(n, 2, generator=g) * 2 - 1
inside = (p.norm(dim=1) <= 1).sum()
print(abs(4 * inside.item() / n - math.pi) < 0.06, inside.dtype)
w = torch.cumsum(torch.randint(0, 2, (100, 50), generator=g) * 2 - 1, dim=1)
print(w.shape, w.dtype, (w.abs().max() <= 50).item(), w.float().var() > 1)
S = 100 * torch.exp(
    torch.cumsum(
        (0.05 - 0.5 * 0.2**2) / 10 + 0.2 * math.sqrt(0.1) * torch.randn(20000, 10, generator=g), 1
    )
)
print(abs((S[:, -1] - 100).clamp(min=0).mean() * math.exp(-0.05) - 10.45) < 0.6)
S0, sig = torch.tensor(100.0, requires_grad=True), torch.tensor(0.2, requires_grad=True)
N = torch.distributions.Normal(0, 1).cdf
d1 = (torch.log(S0 / 100) + (0.05 + sig**2 / 2)) / sig
price = S0 * N(d1) - 100 * math.exp(-0.05) * N(d1 - sig)
delta, vega = torch.autograd.grad(price, (S0, sig), create_graph=True)
(gamma,) = torch.autograd.grad(delta, S0)
print(price, delta, vega, gamma)
sieve = torch.ones(50, dtype=torch.bool)
sieve[:2] = False
for i in range(2, int(50**0.5) + 1):
    if sieve[i]:
        sieve[i * i :: i] = False
print(
    sieve.nonzero().flatten(),
    sieve.nonzero(as_tuple=False).squeeze().tolist()[-1],
    torch.arange(50)[sieve].sum(),
)
fib = torch.tensor([[1, 1], [1, 0]])
print(
    torch.linalg.matrix_power(fib.double(), 20)[0, 1].long(),
    torch.gcd(torch.tensor(12), torch.tensor(18)),
    torch.lcm(torch.tensor(4), torch.tensor(6)),
    torch.cumprod(torch.arange(1, 11), 0)[-1],
)
dist = torch.full((4, 4), float("inf"))
for a, b, c in [(0, 1, 1.0), (1, 2, 2.0), (0, 2, 5.0), (2, 3, 1.0)]:
    dist[a, b] = c
dist.fill_diagonal_(0)
for kk in range(4):
    dist = torch.minimum(dist, dist[:, kk, None] + dist[None, kk, :])
print(dist)
a, b = "kitten", "sitting"
dp = torch.zeros(len(a) + 1, len(b) + 1, dtype=torch.long)
dp[:, 0] = torch.arange(len(a) + 1)
dp[0] = torch.arange(len(b) + 1)
for i in range(1, len(a) + 1):
    for j in range(1, len(b) + 1):
        dp[i, j] = min(
            dp[i - 1, j] + 1, dp[i, j - 1] + 1, dp[i - 1, j - 1] + (a[i - 1] != b[j - 1])
        )
print(dp[-1, -1], dp[:3])
xs = torch.linspace(-1, 1, 16).view(-1, 1).requires_grad_()
net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
for i, q in enumerate(net.parameters()):
    q.data = (torch.arange(q.numel()) * 0.9 + i).sin().view_as(q)
uu = net(xs)
du = torch.autograd.grad(uu, xs, torch.ones_like(uu), create_graph=True)[0]
d2 = torch.autograd.grad(du.sum(), xs, create_graph=True)[0]
res = (d2 + uu).square().mean()
res.backward()
print(res, net[0].weight.grad.flatten()[:4])
