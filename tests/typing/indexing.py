"""Parts of tensors."""

import gpukit

x = gpukit.arange(24).reshape(2, 3, 4)
first = x[0]
part = x[:, 1:, ...]
some = x[0, [0, 2]]
new = x[:, None]
x[0, 0, 0] = 5
x["first"]  # E: index
x[0.5]  # E: index
x[0, "a"]  # E: index
print(first, part, some, new, x.select(0, 1), x.narrow(0, 0, 1))
x.select(0)  # E: call-arg
