import torch

z = torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0]))
print(z, z.real, z.imag, z.abs(), z.conj() * z, z.angle(), torch.is_complex(z))
print(
    torch.view_as_real(z),
    torch.polar(torch.tensor([1.0]), torch.tensor([0.5])),
    z * 2j,
    z.dtype,
    torch.tensor([1 + 2j]),
)
print(
    torch.exp(1j * torch.tensor([0.0, torch.pi])).real,
    (z @ z),
    z.sum(),
    torch.view_as_complex(torch.ones(2, 2)),
)
w = torch.tensor([1.0 + 1.0j], requires_grad=True)
(w * w.conj()).real.sum().backward()
print(w.grad)
