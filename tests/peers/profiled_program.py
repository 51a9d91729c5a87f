# ruff: noqa: SIM117
"""The calls of torch's profiler recipe and tutorial, for models that both libraries have."""

from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

FOLDER = Path()
model = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 5))
inputs = torch.randn(8, 20)
CPU = [ProfilerActivity.CPU]

# Times of operators, by name and by shape.
with profile(activities=CPU, record_shapes=True) as prof:
    with record_function("model_inference"):
        model(inputs)
print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))
print(prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=10))

# Memory.
with profile(activities=CPU, profile_memory=True, record_shapes=True) as prof:
    model(inputs)
print(prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=10))
print(prof.key_averages().table(sort_by="cpu_memory_usage", row_limit=10))

# Floating-point operations.
with profile(activities=CPU, with_flops=True) as prof:
    model(inputs)
print(prof.key_averages().table(sort_by="flops", row_limit=10))

# A trace, with the backward pass.
with profile(activities=CPU) as prof:
    with record_function("training"):
        model(inputs).sum().backward()
prof.export_chrome_trace(str(FOLDER / "trace.json"))


# A class of one's own, with named parts.
class Masked(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x, mask):
        with record_function("LINEAR PASS"):
            out = self.linear(x)
        with record_function("MASK INDICES"):
            threshold = out.sum(axis=1).mean().item()
            found = torch.argwhere(mask > threshold)
        return out, found


masked = Masked(20, 3)
with profile(activities=CPU, with_stack=True, profile_memory=True) as prof:
    masked(inputs, torch.rand(30, 30))
print(prof.key_averages(group_by_stack_n=5).table(sort_by="self_cpu_time_total", row_limit=5))

# A long job.
plan = schedule(wait=1, warmup=1, active=2, repeat=2)
SEEN = []


def trace_handler(p):
    SEEN.append(p.step_num)
    print(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))


with profile(activities=CPU, schedule=plan, on_trace_ready=trace_handler) as p:
    for _ in range(8):
        model(inputs)
        p.step()
print("recorded steps:", SEEN)

handler = torch.profiler.tensorboard_trace_handler(str(FOLDER / "log"))
with profile(activities=CPU, on_trace_ready=handler):
    model(inputs)
