import math

import torch
import torch.nn.functional as F

torch.set_printoptions(precision=4, sci_mode=False)
fs = 64
t = torch.arange(fs) / fs
sig = torch.sin(2 * math.pi * 5 * t) + 0.5 * torch.cos(2 * torch.pi * 12 * t)
spec = torch.fft.rfft(sig)
freqs = torch.fft.rfftfreq(fs, d=1 / fs)
mag = spec.abs() / (fs / 2)
print(
    freqs[mag.topk(2).indices],
    mag.topk(2).values,
    spec.dtype,
    spec.shape,
    torch.fft.fftfreq(5),
    torch.fft.fftshift(torch.arange(5)),
)
print(
    torch.allclose(torch.fft.irfft(spec, n=fs), sig, atol=1e-5),
    (spec.abs() ** 2).sum(),
    spec[5].imag,
    spec[12].real,
    torch.angle(spec[5]),
)
z = torch.tensor([1 + 2j, -3.0 + 0.5j, 1j])
print(
    z,
    z.real,
    z.imag,
    z.abs(),
    z.angle(),
    z.conj(),
    z * z.conj(),
    z.dtype,
    torch.view_as_real(z),
    z.is_complex(),
    z.sum(),
    z.mean(),
    z**2,
    z.exp(),
    1 / z,
)
print(
    torch.complex(torch.ones(2), torch.zeros(2)),
    torch.polar(torch.ones(2), torch.tensor([0.0, math.pi / 2])),
    torch.view_as_complex(torch.ones(2, 2)),
    z.resolve_conj(),
    torch.is_complex(z),
    z[0].item(),
    z.tolist(),
    complex(z[1]),
)
print(
    z @ z.conj(),
    torch.vdot(z, z),
    torch.dot(z, z),
    z.H if False else z.view(1, 3).mH,
    z.reshape(3, 1).adjoint(),
    z == z,
    torch.isreal(z),
    z.sgn(),
    z.sqrt(),
    z.log(),
    z.cumsum(0),
    z.to(torch.complex128).dtype,
)
M = torch.tensor([[2, 1j], [-1j, 3]])
print(
    M,
    M.det(),
    torch.linalg.eigvalsh(M),
    torch.linalg.inv(M),
    M @ M,
    torch.linalg.solve(M, torch.ones(2, dtype=torch.cfloat)),
    torch.linalg.svdvals(M),
    M.mH.equal(M),
    torch.trace(M),
)
win = torch.hann_window(16)
S = torch.stft(sig, n_fft=16, hop_length=4, window=win, return_complex=True)
print(
    S.shape,
    S.abs().mean(1),
    torch.istft(S, 16, 4, window=win, length=fs).sub(sig).abs().max() < 1e-5,
)
power = S.abs().pow(2)
db = 10 * torch.log10(power.clamp(min=1e-10))
print(
    db.shape,
    db.max(),
    torch.hamming_window(4),
    torch.blackman_window(5, periodic=False),
    torch.kaiser_window(4, False, beta=5.0),
    torch.bartlett_window(4),
)
k = torch.tensor([0.25, 0.5, 0.25])
print(
    F.conv1d(sig.view(1, 1, -1), k.view(1, 1, -1), padding=1).flatten()[:5],
    torch.fft.ifft(torch.fft.fft(sig, n=66) * torch.fft.fft(k, n=66)).real[:5],
)
img = torch.outer(torch.arange(4.0), torch.ones(4))
print(
    torch.fft.fft2(img),
    torch.fft.ifft2(torch.fft.fft2(img)).real.round(),
    torch.fft.rfft2(img).shape,
    torch.fft.fftn(img).abs()[0],
    torch.fft.ifftshift(torch.fft.fftshift(img)).equal(img),
    torch.fft.hfft(z),
    torch.fft.ihfft(torch.arange(4.0)),
)
w = torch.tensor([0.5 + 0.5j], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(20):
    loss = (w * (1 + 1j) - 2).abs().pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(w, loss, w.grad)
julia = torch.zeros(3, 5, dtype=torch.int)
y, x = torch.meshgrid(torch.linspace(-1, 1, 3), torch.linspace(-2, 1, 5), indexing="ij")
c = torch.complex(x, y)
zz = torch.zeros_like(c)
for i in range(12):
    zz = zz * zz + c
    julia += (zz.abs() < 2).int()
    zz = torch.where(zz.abs() < 4, zz, torch.full_like(zz, 4))
print(julia)
xc = sig - sig.mean()
ac = torch.fft.irfft(torch.fft.rfft(xc, n=2 * fs).abs() ** 2)[:fs]
print(
    (ac / ac[0])[:6],
    torch.sinc(torch.tensor([0.0, 0.5])),
    sig.unfold(0, 16, 8).shape,
    torch.linspace(0, 1, 3, dtype=torch.cdouble),
)
try:
    z > z
except RuntimeError as e:
    print("complex has no order")
try:
    z.to(torch.float).sort()
    torch.sort(z)
except RuntimeError as e:
    print("no sort")
try:
    float(z[0])
except RuntimeError as e:
    print("RuntimeError")
