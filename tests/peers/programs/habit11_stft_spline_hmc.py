# Small numerical toolbox: STFT/mel features, cubic Hermite splines, HMC with autograd
import math

import numpy as np
import torch


class Spectrogram(torch.nn.Module):
    def __init__(self, n_fft=64, hop=32):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, x):
        return torch.stft(
            x, self.n_fft, self.hop, window=self.window, center=True, return_complex=True
        )

    def inverse(self, S, length):
        return torch.istft(S, self.n_fft, self.hop, window=self.window, length=length)


def mel_bank(n_mels, n_freq, sr):
    to_mel = lambda f: 2595 * math.log10(1 + f / 700)
    pts = 700 * (10 ** (torch.linspace(0, to_mel(sr / 2), n_mels + 2) / 2595) - 1)
    freqs = torch.linspace(0, sr / 2, n_freq)
    lower = (freqs[None] - pts[:-2, None]) / (pts[1:-1] - pts[:-2])[:, None]
    upper = (pts[2:, None] - freqs[None]) / (pts[2:] - pts[1:-1])[:, None]
    return torch.minimum(lower, upper).clamp(min=0)


sr = 1024
t = torch.arange(sr) / sr
wave = torch.sin(2 * math.pi * 128 * t)
spec = Spectrogram()
S = spec(wave)
print(S.shape, S.dtype, S.abs().mean(1).argmax().item() * sr / 64, "Hz")
print("roundtrip:", torch.allclose(spec.inverse(S, sr), wave, atol=1e-4), spec.window[:3])
mel = mel_bank(6, 33, sr) @ S.abs().pow(2)
print(
    mel.shape,
    torch.log(mel + 1e-6).mean(1).argmax(),
    (10 * torch.log10(mel.clamp(min=1e-10))).isfinite().all(),
)


def hermite(xs, ys, q):
    m = (ys[1:] - ys[:-1]) / (xs[1:] - xs[:-1])
    m = torch.cat([m[:1], (m[1:] + m[:-1]) / 2, m[-1:]])
    i = torch.searchsorted(xs[1:].contiguous(), q).clamp(max=len(xs) - 2)
    dx = xs[i + 1] - xs[i]
    u = (q - xs[i]) / dx
    h = torch.stack(
        [2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, -2 * u**3 + 3 * u**2, u**3 - u**2]
    )
    return h[0] * ys[i] + h[1] * m[i] * dx + h[2] * ys[i + 1] + h[3] * m[i + 1] * dx


xs = torch.linspace(0, 2 * math.pi, 9)
q = torch.tensor([0.0, 1.0, 2.5, 6.0])
print(hermite(xs, xs.sin(), q), (hermite(xs, xs.sin(), q) - q.sin()).abs().max() < 0.1)
print(hermite(xs, 2 * xs + 1, q))

cov = torch.tensor([[1.0, 0.6], [0.6, 1.0]], dtype=torch.float64)
prec = torch.linalg.inv(cov)
U = lambda x: 0.5 * x @ prec @ x
rng = np.random.default_rng(0)


def grad_U(x):
    x = x.detach().requires_grad_(True)
    return torch.autograd.grad(U(x), x)[0]


def hmc_step(x, eps=0.3, steps=5):
    p = p0 = torch.from_numpy(rng.standard_normal(2))
    new = x
    p = p - eps / 2 * grad_U(new)
    for i in range(steps):
        new = new + eps * p
        p = p - (eps if i < steps - 1 else eps / 2) * grad_U(new)
    dH = U(x) + p0 @ p0 / 2 - U(new) - p @ p / 2
    return (new, 1) if math.log(rng.random()) < dH.item() else (x, 0)


x, samples, acc = torch.zeros(2, dtype=torch.float64), [], 0
for _ in range(150):
    x, a = hmc_step(x)
    samples.append(x)
    acc += a
samples = torch.stack(samples)
print(samples.shape, samples.dtype, samples.requires_grad, "acceptance > 0.8:", acc / 150 > 0.8)
print(grad_U(torch.tensor([1.0, 0.0], dtype=torch.float64)).round(decimals=4))
print(prec.round(decimals=4))
print(
    "mean near 0:",
    samples.mean(0).abs().max().item() < 0.4,
    "correlated:",
    torch.corrcoef(samples.T)[0, 1].item() > 0.3,
)
