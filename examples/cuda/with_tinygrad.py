"""A line fitted by tinygrad on its CUDA devices; the same numbers as NumPy's.

gpukit sim 2xT4 -- python examples/cuda/with_tinygrad.py
"""

import numpy as np
from tinygrad import Tensor


def fit(device: str) -> np.ndarray:
    """Slope and offset of a line by gradient descent."""
    x = Tensor(np.linspace(-1, 1, 64, dtype=np.float32), device=device)
    y = x * 3 + 0.5
    weights = Tensor(np.zeros(2, np.float32), device=device)
    for _ in range(40):
        loss = ((x * weights[0] + weights[1] - y) ** 2).mean()
        (slope,) = loss.gradient(weights)
        weights = Tensor((weights - 0.5 * slope).numpy(), device=device)
    return weights.numpy()


def main() -> None:
    """Fit on every device, and multiply matrices."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (2, 32, 32)).astype(np.float32)
    for device in ("CUDA:0", "CUDA:1"):
        product = (Tensor(a, device=device) @ Tensor(b, device=device)).numpy()
        np.testing.assert_array_equal(product, a @ b)
        weights = fit(device)
        np.testing.assert_allclose(weights, [3, 0.5], atol=1e-2)
        print(f"{device}: the product is right, the line is {weights[0]:.3f} x + {weights[1]:.3f}")


main()
