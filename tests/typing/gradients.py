"""Gradients of a line's error."""

import gpukit

x = gpukit.linspace(0, 1, 10)
w = gpukit.zeros(1, requires_grad=True)
loss = ((w * x - 2 * x) ** 2).mean()
loss.backward()
with gpukit.no_grad():
    if w.grad is not None:
        w -= 0.1 * w.grad
w.grad = None
w.grad.sum()  # E: attr-defined
w.requires_grad_("yes")  # E: arg-type
gpukit.zeros(1, requires_grad=1.0)  # E: call-overload
loss.backward(1)  # E: arg-type
