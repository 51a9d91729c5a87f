"""Numbers and tensors."""

import gpukit

x = gpukit.ones(3)
y = 2 * x + 1 - x / 3
z = (x**2).sqrt()
x += 1
x + "1"  # E: operator
"2" - x  # E: operator
x - [1, 1, 1]  # E: operator
gpukit.add(x, "1")  # E: arg-type
gpukit.add(x, 1, beta=2)  # E: call-arg
print(y, z, gpukit.add(1, x, alpha=2), -x, abs(x))
