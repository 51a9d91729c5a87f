import collections
import csv
import io
import json
import math
from collections import defaultdict, deque

import torch


class SmoothedValue:
    def __init__(self, window_size=20, fmt="{median:.4f} ({global_avg:.4f})"):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()

    @property
    def avg(self):
        return torch.tensor(list(self.deque), dtype=torch.float32).mean().item()

    @property
    def global_avg(self):
        return self.total / self.count

    @property
    def max(self):
        return max(self.deque)

    def __str__(self):
        return self.fmt.format(
            median=self.median, avg=self.avg, global_avg=self.global_avg, max=self.max
        )


class MetricLogger:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            assert isinstance(v, (float, int))
            self.meters[k].update(v)

    def __getattr__(self, attr):
        if attr in self.__dict__["meters"]:
            return self.__dict__["meters"][attr]
        raise AttributeError(attr)

    def __str__(self):
        return self.delimiter.join(f"{name}: {m!s}" for name, m in self.meters.items())


log = MetricLogger()
for step in range(7):
    t = torch.tensor(float(step))
    log.update(loss=torch.exp(-t / 3), acc=torch.tanh(t), lr=0.1 / (step + 1))
print(log)
print(log.loss.avg, log.acc.max)
history = {"loss": torch.exp(-torch.arange(3.0)), "acc": torch.tensor(0.5), "epoch": 3}
out = {k: v.tolist() if torch.is_tensor(v) else v for k, v in history.items()}
print(
    json.dumps({k: [round(x, 4) for x in v] if isinstance(v, list) else v for k, v in out.items()})
)
buffer = io.StringIO()
writer = csv.writer(buffer)
writer.writerow(["step", "value"])
for i, v in enumerate(history["loss"]):
    writer.writerow([i, f"{v:.3f}"])
print(buffer.getvalue().replace("\r", ""))
try:
    json.dumps({"loss": torch.tensor(1.0)})
except TypeError as e:
    print("not JSON serializable" in str(e))
x = torch.tensor(3.14159)
print(
    f"{x:.2f} {x:8.3f} {x:e} {x:g} {x.item():>10.4f}",
    "%.3f" % x,
    "%d" % torch.tensor(7),
    "{:5.1f}%".format(x),
)
print(
    f"{torch.tensor(5)} {torch.tensor(5):04d} {torch.tensor(True)} {x}",
    str(x),
    repr(x),
    format(torch.ones(2)),
)
print(
    round(x, 2) if hasattr(x, "__round__") else x.round(decimals=2),
    math.floor(x),
    int(x),
    float(x),
    bool(x),
)
print(
    math.isnan(torch.tensor(float("nan"))),
    math.sqrt(torch.tensor(16.0)),
    sum([torch.tensor(1), torch.tensor(2)]),
)
print(max(torch.tensor([1, 5, 2])), min(torch.tensor([4.0, 2.0])), sorted(torch.tensor([3, 1, 2])))
counter = collections.Counter(torch.tensor([1, 2, 2, 3]).tolist())
print(
    counter.most_common(1),
    len({torch.tensor(1), torch.tensor(1)}),
    torch.tensor(1) in [torch.tensor(1)],
)
print([f"{a:.1f}" for a in torch.linspace(0, 1, 5)], *torch.arange(3), sep=" ")
