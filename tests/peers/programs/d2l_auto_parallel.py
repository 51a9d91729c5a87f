"""d2l 12.3: two devices at work, and copies that do not block."""

import torch


def try_all_gpus():
    devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())]
    return devices if devices else [torch.device("cpu")]


devices = try_all_gpus()
devices = [devices[0], devices[-1]]


def run(x):
    return [x.mm(x) for _ in range(5)]


def copy_to_cpu(x, non_blocking=False):
    return [y.to("cpu", non_blocking=non_blocking) for y in x]


x_gpu1 = torch.ones(size=(40, 40), device=devices[0])
x_gpu2 = torch.ones(size=(40, 40), device=devices[1])
run(x_gpu1)
run(x_gpu2)
for device in devices:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
y = run(x_gpu1)
y_cpu = copy_to_cpu(y, True)
if torch.cuda.is_available():
    torch.cuda.synchronize()
print(len(y_cpu), y_cpu[0][0, :3], y_cpu[-1].sum())
