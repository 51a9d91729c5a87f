"""d2l 12.2: asynchronous computation is timed with a benchmark and a synchronisation."""

import os
import subprocess
import time

import numpy
import torch
from torch import nn


class Timer:
    def __init__(self):
        self.times = []
        self.start()

    def start(self):
        self.tik = time.time()

    def stop(self):
        self.times.append(time.time() - self.tik)
        return self.times[-1]


class Benchmark:
    def __init__(self, description="Done"):
        self.description = description

    def __enter__(self):
        self.timer = Timer()
        return self

    def __exit__(self, *args):
        print(self.description, self.timer.stop() >= 0)


def try_gpu(i=0):
    if torch.cuda.device_count() >= i + 1:
        return torch.device(f"cuda:{i}")
    return torch.device("cpu")


device = try_gpu()
a = torch.randn(size=(100, 100), device=device)
b = torch.mm(a, a)
with Benchmark("numpy"):
    for _ in range(3):
        a = numpy.random.normal(size=(100, 100))
        b = numpy.dot(a, a)
with Benchmark("torch"):
    for _ in range(3):
        a = torch.randn(size=(100, 100), device=device)
        b = torch.mm(a, a)
    if device.type == "cuda":
        torch.cuda.synchronize(device)
x = torch.ones((1, 2), device=device)
y = torch.ones((1, 2), device=device)
z = x * y + 2
print(z.cpu(), z.device == device)
