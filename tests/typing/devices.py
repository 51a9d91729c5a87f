"""Where tensors are."""

import gpukit

device = gpukit.try_gpu(quiet=True)
x = gpukit.ones(2, device=device)
y = x.to("cpu")
z = x.to(gpukit.float64).cpu()
w = gpukit.zeros(2, device="cpu")
gpukit.zeros(2, device=0.5)  # E: call-overload
x.cpu("now")  # E: arg-type
x.gpu()  # E: attr-defined
print(x.device.kind)  # E: attr-defined
print(y, z, w, x.device.type, x.is_cuda)
