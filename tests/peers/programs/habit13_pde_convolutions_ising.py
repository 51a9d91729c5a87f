"""Small physics simulations: heat, wave, Gray-Scott, Ising (checkerboard, T=0)."""

import argparse
import math

import numpy as np
import torch
import torch.nn.functional as F

LAPLACE = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]], dtype=torch.float64)[
    None, None
]


def laplacian(u: torch.Tensor, mode: str = "circular") -> torch.Tensor:
    padded = F.pad(u[None, None], (1, 1, 1, 1), mode=mode)
    return F.conv2d(padded, LAPLACE).squeeze()


def heat(n: int, steps: int, alpha: float = 0.2):
    u = torch.zeros(n, n, dtype=torch.float64)
    u[n // 4 : n // 2, n // 4 : n // 2] = 1.0
    total0 = u.sum()
    for s in range(steps):
        u = u + alpha * laplacian(u)
        if s % (steps // 4) == 0:
            print(f"  step {s:3d} max {u.max():.4f} var {u.var():.5f}")
    print(
        "  conserved:",
        torch.isclose(u.sum(), total0).item(),
        "center",
        u[n // 3, n // 3 - 1 : n // 3 + 2],
    )
    rolled = sum(torch.roll(u, s, d) for s in (1, -1) for d in (0, 1)) - 4 * u
    print("  roll == conv", torch.allclose(rolled, laplacian(u)))
    r = laplacian(u, mode="replicate")
    print("  neumann sum", abs(r.sum().item()) < 1e-9, tuple(r.shape))


def wave(n=64, steps=60, c=0.5):
    x = torch.linspace(0, 1, n, dtype=torch.float64)
    u_prev = torch.sin(math.pi * x)
    u = u_prev.clone()
    for _ in range(steps):
        lap = F.pad(u[2:] - 2 * u[1:-1] + u[:-2], (1, 1))
        u, u_prev = 2 * u - u_prev + c**2 * lap, u
        u[0] = u[-1] = 0
    exact = torch.sin(math.pi * x) * math.cos(math.pi * c * steps / (n - 1))
    print(f"  max |u| {u.abs().max():.4f} err {(u - exact).abs().max() < 0.05}", u[::16])


def gray_scott(n=24, steps=50, Du=0.16, Dv=0.08, Fe=0.06, k=0.062):
    U = torch.ones((n, n), dtype=torch.float64)
    V = torch.zeros_like(U)
    r = slice(n // 2 - 3, n // 2 + 3)
    U[r, r], V[r, r] = 0.50, 0.25
    for t in range(steps):
        uvv = U * V * V
        dU = Du * laplacian(U) - uvv + Fe * (1 - U)
        dV = Dv * laplacian(V) + uvv - (Fe + k) * V
        U.add_(dU)
        V += dV
        if t in (0, 10, steps - 1):
            print(
                f"  t={t} mean U {U.mean().item():.4f} mean V {V.mean().item():.4f} max V {V.max():.4f}"
            )
    print(
        "  symmetric",
        torch.allclose(U, U.T),
        torch.allclose(V, V.flip(0).roll(0, 0)),
        (V > 0.1).sum(),
    )


def ising(n=16, sweeps=5, beta=0.8):
    rng = np.random.default_rng(0)
    spins = torch.from_numpy(rng.choice([-1, 1], size=(n, n)))
    ii, jj = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    parity = (ii + jj) % 2

    def energy(s):
        return -(s * torch.roll(s, 1, 0) + s * torch.roll(s, 1, 1)).sum()

    print("  start", energy(spins), spins.sum(), spins.dtype)
    for sweep in range(sweeps):
        for color in (0, 1):
            nb = sum(spins.roll(sh, d) for sh in (1, -1) for d in (0, 1))
            dE = 2 * spins * nb
            u = torch.from_numpy(rng.random((n, n)))
            flip = (u < torch.exp(-beta * dE.double()).clamp(max=1.0)) & (parity == color)
            spins = torch.where(flip, -spins, spins)
        print(
            f"  sweep {sweep}: E/N {energy(spins).item() / n**2:.4f} |m| {spins.double().mean().abs():.4f}"
        )
    corr = torch.fft.ifft2(torch.fft.fft2(spins.double()).abs() ** 2).real / n**2
    print("  C(0) C(1)", f"{corr[0, 0]:.4f} {corr[0, 1]:.4f}")


def life(n=8, gens=4):
    kernel = torch.ones(1, 1, 3, 3)
    kernel[..., 1, 1] = 0
    g = torch.zeros(n, n)
    g[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1.0
    g0 = g.clone()
    for _ in range(gens):
        nb = F.conv2d(F.pad(g.view(1, 1, n, n), [1] * 4, "circular"), kernel)[0, 0]
        g = ((nb == 3) | ((g == 1) & (nb == 2))).float()
    print("  glider moved", torch.equal(g, g0.roll((1, 1), (0, 1))), g.nonzero().tolist())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=24)
    p.add_argument("--steps", type=int, default=40)
    p.add_argument("--only", nargs="*", default=[])
    args = p.parse_args([])
    print(vars(args))
    for name, fn in dict(
        heat=lambda: heat(args.n, args.steps),
        wave=wave,
        gray_scott=gray_scott,
        ising=ising,
        life=life,
    ).items():
        if not args.only or name in args.only:
            print(name)
            fn()


if __name__ == "__main__":
    main()
