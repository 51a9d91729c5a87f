"""Sorted values and the best few."""

import gpukit

x = gpukit.tensor([3.0, 1.0, 2.0])
ordered = x.sort(descending=True)
few = x.topk(2)
print(ordered.values[0].item(), few.indices.tolist(), x.argsort())
x.topk("2")  # E: arg-type
x.sort(down=True)  # E: call-arg
ordered.sum()  # E: attr-defined
