import torch

if torch.cuda.is_available():
    s = torch.cuda.Stream()
    x = torch.ones(4, device="cuda")
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        y = x * 2
        y.record_stream(s)
    torch.cuda.current_stream().wait_stream(s)
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    z = y + 1
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    assert z.sum().item() == 12.0
    assert isinstance(y, torch.cuda.FloatTensor)
    assert torch.cuda.memory_allocated() > 0
    torch.cuda.reset_peak_memory_stats()
    del x, y, z
    torch.cuda.empty_cache()
print(
    "done",
    torch.cuda.is_initialized() in (True, False),
    torch.version.cuda is None or isinstance(torch.version.cuda, str),
)
