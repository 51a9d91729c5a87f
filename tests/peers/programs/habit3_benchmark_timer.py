import torch
import torch.utils.benchmark as benchmark


def batched_dot_mul_sum(a, b):
    return a.mul(b).sum(-1)


def batched_dot_bmm(a, b):
    a = a.reshape(-1, 1, a.shape[-1])
    b = b.reshape(-1, b.shape[-1], 1)
    return torch.bmm(a, b).flatten(-3)


x = torch.randn(100, 16)
assert batched_dot_mul_sum(x, x).allclose(batched_dot_bmm(x, x), atol=1e-4)
t0 = benchmark.Timer(
    stmt="batched_dot_mul_sum(x, x)",
    setup="from __main__ import batched_dot_mul_sum" if False else "y = 1",
    globals={"x": x, "batched_dot_mul_sum": batched_dot_mul_sum},
)
m = t0.timeit(10)
print(m.number_per_run, len(m.times), m.mean > 0, m.median > 0, m.iqr >= 0, type(m).__name__)
t1 = benchmark.Timer(
    stmt="batched_dot_bmm(x, x)",
    globals={"x": x, "batched_dot_bmm": batched_dot_bmm},
    label="dot",
    sub_label="bmm",
    num_threads=1,
)
m1 = t1.blocked_autorange(min_run_time=0.01)
print(m1.median > 0, m1.mean * 1e6 > 0, "bmm" in str(m1), len(m1.times) >= 1)
