import torch

device = torch.device("cuda" if torch.cuda.is_available() and False else "cpu")
x = torch.ones(2, device=device).to(device, non_blocking=True)
print(x.device, x.is_cuda, x.device.type, x.cpu() is x, x.to("cpu") is x, x.to(torch.float64).dtype)
if x.is_cuda:
    x.record_stream(torch.cuda.current_stream())
print(torch.cuda.is_available() == (torch.cuda.device_count() > 0), device == torch.device("cpu"))
model = torch.nn.Linear(2, 2).to(device)
print(next(model.parameters()).device, next(model.parameters()).is_cuda, x.get_device())
print(
    x.new_tensor([1, 2]),
    x.new_ones(2, dtype=torch.int32),
    x.new_full((1,), 3),
    x.new_empty(0).shape,
    x.new([1, 2]),
)
print(
    torch.zeros_like(x, dtype=torch.long, device="cpu"), torch.full_like(x, 3), x.to(x.long()).dtype
)
with torch.device("cpu"):
    print(torch.zeros(1).device)
torch.cuda.empty_cache()
torch.set_num_threads(torch.get_num_threads())
print(
    torch.backends.cudnn.enabled in (True, False),
    torch.backends.mps.is_available() in (True, False),
)
torch.backends.cuda.matmul.allow_tf32 = False
torch.set_float32_matmul_precision("high")
print(
    torch.get_float32_matmul_precision(), torch.cuda.amp is not None, x.pin_memory if False else ""
)
