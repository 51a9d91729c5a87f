import torch

x = torch.sin(torch.arange(8.0))
X = torch.fft.rfft(x)
print(X.abs(), X.shape)
print(torch.allclose(torch.fft.irfft(X, n=8), x, atol=1e-6), torch.fft.fftfreq(4))
z = torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0]))
print(z.real, z.imag, z.abs(), z.conj(), torch.is_complex(z))
print(torch.view_as_real(z), torch.polar(torch.tensor([1.0]), torch.tensor([0.0])))
