import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import math

import torch

torch.set_default_dtype(torch.float64)
torch.set_printoptions(precision=4, linewidth=120)


# ---- N-body, leapfrog, energy conserved
def accelerations(pos, mass, G=1.0, soft=0.05):
    dx = pos[None, :, :] - pos[:, None, :]
    inv_r3 = (dx.pow(2).sum(-1) + soft**2) ** -1.5
    return G * (dx * inv_r3.unsqueeze(-1) * mass[None, :, None]).sum(1)


def energy(pos, vel, mass, soft=0.05):
    ke = 0.5 * (mass * vel.square().sum(-1)).sum()
    r = torch.cdist(pos, pos).square().add(soft**2).sqrt()
    iu = torch.triu_indices(len(pos), len(pos), offset=1)
    return ke - (mass[iu[0]] * mass[iu[1]] / r[iu[0], iu[1]]).sum()


ang = torch.arange(4) * (2 * math.pi / 4)
pos = torch.stack([ang.cos(), ang.sin()], dim=-1)
vel = torch.stack([-ang.sin(), ang.cos()], dim=-1) * 0.8
mass = torch.full((4,), 1.0)
e0, dt = energy(pos, vel, mass), 0.01
acc = accelerations(pos, mass)
for step in range(100):
    vel += acc * dt / 2
    pos += vel * dt
    acc = accelerations(pos, mass)
    vel += acc * dt / 2
print(f"E0 {e0:.4f} drift {abs((energy(pos, vel, mass) - e0) / e0).item() < 1e-3}")
print(pos, pos.norm(dim=1).std() < 1e-9, sep="\n")
p = pos.clone().requires_grad_()
pot = energy(p, torch.zeros_like(vel), mass)
force = -torch.autograd.grad(pot, p)[0]
print("force = m a", torch.allclose(force, accelerations(pos, mass)))

# ---- Kalman filter, constant velocity
F = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
H = torch.tensor([[1.0, 0.0]])
Q, R = 0.01 * torch.eye(2), torch.tensor([[0.5]])
zs = torch.arange(1, 11) * 0.9 + torch.sin(torch.arange(10.0) * 3)
x, P, ll = torch.zeros(2, 1), torch.eye(2) * 10, 0.0
for k, z in enumerate(zs):
    x, P = F @ x, F @ P @ F.mT + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ torch.linalg.inv(S)
    innov = z.reshape(1, 1) - H @ x
    ll += (
        -0.5
        * (innov.T @ torch.linalg.solve(S, innov) + torch.logdet(S) + math.log(2 * math.pi)).item()
    )
    x = x + K @ innov
    P = (torch.eye(2) - K @ H) @ P
    if k % 3 == 0:
        print(
            f"k={k} z={z:.3f} x={x.flatten().tolist()[0]:.4f} v={x[1].item():.4f} trP={P.trace():.4f}"
        )
print(f"loglik {ll:.4f}", P)

# ---- HMM: forward, backward, viterbi in log space
pi = torch.tensor([0.6, 0.3, 0.1])
A = torch.tensor([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]])
B = torch.tensor([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]])
obs = [0, 1, 2, 2, 1, 0]
log_alpha = pi.log() + B[:, obs[0]].log()
delta, back = log_alpha.clone(), []
for o in obs[1:]:
    log_alpha = torch.logsumexp(log_alpha.unsqueeze(1) + A.log(), dim=0) + B[:, o].log()
    best = (delta.unsqueeze(1) + A.log()).max(dim=0)
    delta = best.values + B[:, o].log()
    back.append(best.indices)
path = [delta.argmax().item()]
for b in reversed(back):
    path.insert(0, b[path[0]].item())
print(f"log p(obs) = {log_alpha.logsumexp(0):.4f}", "viterbi", path, f"{delta.max():.4f}")
T = torch.linalg.matrix_power(A, 50)
print("stationary", T[0], (T[0] - T[2]).abs().max() < 1e-12)
logA = A.log().requires_grad_()
la = pi.log() + B[:, obs[0]].log()
for o in obs[1:]:
    la = (la[:, None] + logA).logsumexp(0) + B[:, o].log()
la.logsumexp(0).backward()
print("expected transitions", logA.grad, f"{logA.grad.sum():.4f}", sep="\n")


# ---- SIR fitted by gradient descent through Euler steps
def sir(beta, gamma, steps=40, dt=0.5):
    s, i, r = torch.tensor(0.99), torch.tensor(0.01), torch.tensor(0.0)
    out = []
    for _ in range(steps):
        inf, rec = beta * s * i * dt, gamma * i * dt
        s, i, r = s - inf, i + inf - rec, r + rec
        out.append(torch.stack((s, i, r)))
    return torch.stack(out)


truth = sir(torch.tensor(0.9), torch.tensor(0.3))
print(truth[::13], truth.sum(1).sub(1).abs().max() < 1e-12)
theta = torch.nn.Parameter(torch.log(torch.tensor([0.5, 0.2])))
opt = torch.optim.Adam([theta], lr=0.05)
for it in range(40):
    opt.zero_grad(set_to_none=True)
    loss = torch.mean((sir(*theta.exp()) - truth) ** 2)
    loss.backward()
    opt.step()
    if it % 13 == 0:
        print(it, f"{loss.item():.6f}", [round(v, 4) for v in theta.exp().tolist()])
print("R0 ~", (theta.exp()[0] / theta.exp()[1]).detach().numpy().round(2), theta)
torch.set_default_dtype(torch.float32)
torch.set_printoptions(profile="default")
