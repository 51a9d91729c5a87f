import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print(torch.device("cpu"), repr(torch.device("cuda:1")), torch.device("cuda", 1).index)
print(
    torch.device("cuda").type,
    str(torch.device("cuda:0")),
    torch.device("cuda:0") == torch.device("cuda", 0),
)
x = torch.ones(2, 3, device="cpu")
print(
    x.device,
    x.is_cuda,
    x.to("cpu") is x,
    x.cpu() is x,
    x.device == torch.device("cpu"),
    x.device.type,
)
y = x.to(device)
z = (y @ y.T).cpu()
print(z, z.numpy(), y.device.type == device.type)
print(isinstance(torch.cuda.is_available(), bool), torch.cuda.device_count() >= 0)
print(torch.cuda.memory_allocated() >= 0, torch.cuda.max_memory_allocated() >= 0)
torch.cuda.empty_cache()
torch.cuda.manual_seed(0)
torch.cuda.manual_seed_all(0)
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
for i in range(torch.cuda.device_count()):
    assert isinstance(torch.cuda.get_device_name(i), str)
    assert torch.cuda.get_device_properties(i).total_memory > 0
if torch.cuda.is_available():
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    y @ y.T
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
try:
    torch.device("cude:0")
except RuntimeError:
    print("no such device")
