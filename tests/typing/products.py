"""Matrix products."""

import gpukit

a = gpukit.rand(2, 3)
b = gpukit.rand(3, 4)
c = a @ b
d = gpukit.einsum("ij,jk->ik", a, b)
e = gpukit.matmul(a, b)
a @ 2  # E: operator
gpukit.matmul(a, 2)  # E: arg-type
gpukit.einsum(2, b)  # E: call-overload
gpukit.mm(a, mat=b)  # E: call-arg
print(c, d, e, a.matmul(b), gpukit.outer(a[0], b[0]))
