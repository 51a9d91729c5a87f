import torch
from torch import special

x = torch.linspace(0.25, 2.5, 4, dtype=torch.float64)
print(special.bessel_j0(x), special.bessel_j1(x), special.bessel_y0(x))
