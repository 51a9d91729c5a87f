import time

import torch
import torch.utils.benchmark as benchmark


def batched_dot_mul_sum(a, b):
    return a.mul(b).sum(-1)


def batched_dot_bmm(a, b):
    a = a.reshape(-1, 1, a.shape[-1])
    b = b.reshape(-1, b.shape[-1], 1)
    return torch.bmm(a, b).flatten(-3)


x = torch.ones(100, 4)
assert batched_dot_mul_sum(x, x).allclose(batched_dot_bmm(x, x))
t0 = (
    benchmark.Timer(
        stmt="batched_dot_mul_sum(x, x)",
        setup="from __main__ import batched_dot_mul_sum",
        globals={"x": x, "batched_dot_mul_sum": batched_dot_mul_sum},
        label="dot",
        sub_label="[100, 4]",
        description="mul/sum",
    )
    if False
    else benchmark.Timer(
        stmt="f(x, x)",
        globals={"x": x, "f": batched_dot_mul_sum},
        label="dot",
        sub_label="100",
        description="mul/sum",
    )
)
m = t0.timeit(5)
print(m.mean > 0, m.median > 0, m.number_per_run, len(m.times))
r = t0.blocked_autorange(min_run_time=0.01)
print(r.median > 0, type(r).__name__)
start = time.perf_counter()
torch.mm(x, x.T)
print(time.perf_counter() - start >= 0)
compare = benchmark.Compare(
    [
        m,
        benchmark.Timer(
            stmt="f(x, x)",
            globals={"x": x, "f": batched_dot_bmm},
            label="dot",
            sub_label="100",
            description="bmm",
        ).timeit(5),
    ]
)
text = str(compare)
print("mul/sum" in text, "bmm" in text, "dot" in text)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
    with torch.profiler.record_function("model_inference"):
        torch.mm(x, x.T)
names = [e.key for e in prof.key_averages()]
print("model_inference" in names, any("mm" in n for n in names))
torch.set_num_threads(1)
print(torch.get_num_threads())
