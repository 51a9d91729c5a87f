import math

import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)

z = torch.tensor([1 + 2j, 3 - 4j])
print(z, z.dtype, z.real, z.imag)
print(z.abs(), z.conj().resolve_conj(), z.angle(), torch.view_as_real(z).tolist())
print(z * z, z / (1 + 1j), (z * z.conj()).real, z.sum().item())
print(
    torch.complex(torch.tensor([1.0]), torch.tensor([-1.0])),
    torch.polar(torch.tensor(2.0), torch.tensor(math.pi / 2)).imag,
    torch.is_complex(z),
    z.is_conj(),
)
print(
    torch.exp(1j * torch.tensor(math.pi)).real,
    torch.view_as_complex(torch.arange(4.0).view(2, 2)),
    z.to(torch.complex128).dtype,
)

# a noisy two-tone signal, low-passed
fs, n = 128, 128
t = torch.arange(n) / fs
sig = torch.sin(2 * math.pi * 5 * t) + 0.5 * torch.cos(2 * math.pi * 40 * t)
spec = torch.fft.rfft(sig)
freqs = torch.fft.rfftfreq(n, d=1 / fs)
print(spec.shape, spec.dtype, freqs[:4], freqs[-1])
top = spec.abs().topk(2)
print(["%.3f" % v for v in top.values], freqs[top.indices])
spec[freqs > 20] = 0
clean = torch.fft.irfft(spec, n=n)
print((clean - torch.sin(2 * math.pi * 5 * t)).abs().max() < 1e-5)
print(torch.fft.fftfreq(6), torch.fft.fftshift(torch.fft.fftfreq(6, 0.5)))
full = torch.fft.fft(sig)
print(
    (full[1:].flip(0).conj() - full[1:]).abs().max() < 1e-4,
    torch.allclose(torch.fft.ifft(full).real, sig, atol=1e-6),
)
print("parseval", torch.isclose((sig**2).sum(), full.abs().pow(2).sum() / n))
print(
    torch.fft.fft(torch.eye(4)[1]).real.round().int(),
    torch.fft.fft(torch.arange(3.0), n=4, norm="ortho").abs(),
)

# convolution theorem
a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, 0.5])
L = a.numel() + b.numel() - 1
lin = torch.fft.irfft(torch.fft.rfft(a, L) * torch.fft.rfft(b, L), L)
print(lin + 0.0001, F.conv1d(a.view(1, 1, -1), b.flip(0).view(1, 1, -1), padding=2).flatten())

# 2d filtering
img = torch.zeros(8, 8)
img[2:6, 2:6] = 1.0
F2 = torch.fft.fftshift(torch.fft.fft2(img))
yy, xx = torch.meshgrid(torch.arange(-4, 4), torch.arange(-4, 4), indexing="ij")
mask = (xx**2 + yy**2) <= 4
low = torch.fft.ifft2(torch.fft.ifftshift(F2 * mask)).real
print(mask.sum(), low[3], f"{low.sum():.3f}", img.sum())
print(
    torch.fft.rfft2(img).shape,
    torch.fft.fftn(torch.ones(2, 2, 2)).real[0, 0],
    torch.fft.irfft2(torch.fft.rfft2(img), s=img.shape).round().equal(img),
)

# spectral derivative, poisson solve on a periodic line
N = 32
x = torch.arange(N, dtype=torch.float64) * 2 * math.pi / N
k = torch.fft.fftfreq(N, d=1.0 / N).double()
u = torch.exp(torch.sin(x))
du = torch.fft.ifft(1j * k * torch.fft.fft(u)).real
print("derivative ok:", (du - torch.cos(x) * u).abs().max().item() < 1e-9, du.dtype)
rhs = torch.sin(3 * x)
k2 = k**2
k2[0] = 1
sol = torch.fft.ifft(torch.fft.fft(rhs) / k2).real
print(torch.allclose(sol, rhs / 9))

# stft roundtrip and windows
win = torch.hann_window(32)
st = torch.stft(sig, n_fft=32, hop_length=8, window=win, return_complex=True)
print(
    st.shape, st.dtype, st.abs().mean(1).argmax(), win[:4], torch.hamming_window(4, periodic=False)
)
back = torch.istft(st, n_fft=32, hop_length=8, window=win, length=n)
print(back.shape, torch.allclose(back, sig, atol=1e-5))

# autograd through complex numbers
w = torch.tensor([0.3 + 0.4j, 1 - 1j], requires_grad=True)
loss = (w * (2 - 1j)).abs().pow(2).sum()
loss.backward()
print(f"{loss:.4f}", [f"{v:.3f}" for v in w.grad.tolist()], w.grad.dtype)
p = torch.linspace(0, 1, 8, requires_grad=True)
torch.fft.rfft(p).abs().pow(2).sum().backward()
print(p.grad)
roots = torch.linalg.eigvals(torch.tensor([[0.0, -6.0], [1.0, 5.0]]))
print(["%.3f" % v for v in roots.real.sort().values], roots.imag.abs().max() < 1e-6)
torch.set_printoptions(profile="default")
