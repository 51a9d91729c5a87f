"""Rows by their class, and counts."""

import gpukit

labels = gpukit.tensor([0, 2, 1])
table = gpukit.zeros(3, 3).scatter_(1, labels.unsqueeze(1), 1.0)
counts = gpukit.bincount(labels, minlength=4)
rows = table.index_select(0, labels)
table.scatter_(1, [0], 1.0)  # E: arg-type
table.index_select(0, 1)  # E: arg-type
gpukit.bincount(labels, minlength="4")  # E: arg-type
table.masked_fill(table > 0, "x")  # E: arg-type
print(counts, rows, table.nonzero(), table.nonzero(as_tuple=True)[0])
