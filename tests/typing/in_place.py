"""Changes in place."""

import gpukit

x = gpukit.zeros(3)
x.fill_(2).add_(1).mul_(0.5)
x.clamp_(0, 1)
x.copy_(gpukit.ones(3))
x.fill_("two")  # E: arg-type
x.add_([1])  # E: arg-type
x.clamp_(low=0)  # E: call-arg
x.zero_(1)  # E: call-arg
print(x.uniform_(0, 1), x.normal_())
