"""gpukit.profiler on simulated devices: whose work is whose, on a clock that is marked."""

from __future__ import annotations

import pytest

import gpukit
from gpukit import nn
from gpukit.profiler import DeviceType, profile, record_function
from support import trace_format


def square():
    return gpukit.rand(64, 64, device="cuda:0")


def kernels(p):
    return {
        event.name: [each.name for each in event.kernels] for event in p.events() if event.kernels
    }


def test_each_operator_has_its_kernels():
    x = square()
    with profile() as p:
        y = x @ x
        y.relu()
        y.sum()
        y.cpu()
    assert kernels(p) == {
        "gpukit::matmul": ["product"],
        "gpukit::relu": ["gk_relu_f32"],
        "gpukit::sum": ["gk_reduce_f32"],
        "gpukit::cpu": ["copy to host"],
    }


def test_the_times_are_those_of_the_virtual_clock():
    x = square()
    gpukit.synchronize("cuda:0")
    with profile() as p:
        for _ in range(5):
            x.exp()
    events = p.events()
    work = [event for event in events if event.device_type is DeviceType.CUDA]
    assert len(work) == 5
    assert all(event.simulated and event.cpu_time_total == 0 for event in work)
    exp = [event for event in events if event.name == "gpukit::exp"]
    for event, kernel in zip(exp, work, strict=True):
        assert event.self_device_time_total == kernel.self_device_time_total > 0
        assert event.simulated
    ends = [event.time_range.end for event in work]
    assert [event.time_range.start for event in work][1:] == ends[:-1]  # the clock does not idle


def test_derivatives_have_theirs():
    x = square()
    w = gpukit.rand(64, 64, device="cuda:0", requires_grad=True)
    with profile() as p:
        (x @ w).sigmoid().sum().backward()
    found = kernels(p)
    assert found["SigmoidBackward0"]
    assert found["MmBackward0"] == ["product"]
    rows = {row.key: row for row in p.key_averages()}
    inside = sum(rows[key].device_time_total for key in found if key.endswith("Backward0"))
    own = rows["gpukit::backward"].self_device_time_total
    assert rows["gpukit::backward"].device_time_total == pytest.approx(inside + own)


def test_ranges_have_what_is_in_them():
    x = square()
    with profile() as p, record_function("both"):
        x.exp()
        x.relu()
    rows = {row.key: row for row in p.key_averages()}
    parts = rows["gpukit::exp"].device_time_total + rows["gpukit::relu"].device_time_total
    assert rows["both"].device_time_total == pytest.approx(parts)
    assert rows["both"].self_device_time_total == 0


def test_two_streams_and_two_devices():
    x = square()
    other = gpukit.cuda.Stream()
    z = gpukit.rand(64, 64, device="cuda:1")
    gpukit.synchronize("cuda:0")
    gpukit.synchronize("cuda:1")
    with profile() as p:
        x.exp()
        with gpukit.cuda.stream(other):
            x.relu()
        z.tanh()
        x.sigmoid()
    found = {
        event.name: [(k.name, k.device_index) for k in event.kernels]
        for event in p.events()
        if event.kernels
    }
    assert found == {
        "gpukit::exp": [("gk_exp_f32", 0)],
        "gpukit::relu": [("gk_relu_f32", 0)],
        "gpukit::tanh": [("gk_tanh_f32", 1)],
        "gpukit::sigmoid": [("gk_sigmoid_f32", 0)],
    }
    streams = {e.name: e.thread for e in p.events() if e.device_type is DeviceType.CUDA}
    assert streams["gk_exp_f32"] == streams["gk_sigmoid_f32"] != streams["gk_relu_f32"]


def test_waits_are_told():
    x = square()
    with profile() as p:
        y = x.sum()
        gpukit.cuda.synchronize()
        y.item()
    waits = [event for event in p.events() if event.kind == "wait"]
    assert [event.name for event in waits] == ["wait (sync)", "wait (item)"]
    assert waits[0].cpu_parent is None
    assert waits[1].cpu_parent.name == "gpukit::item"


def test_the_trace_is_in_the_format_and_marked(tmp_path):
    x = square()
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2)).to("cuda:0")
    optimizer = gpukit.optim.Adam(net.parameters())
    with profile(profile_memory=True, with_stack=True) as p:
        for _ in range(3):
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()
        gpukit.cuda.synchronize()
    path = tmp_path / "trace.json"
    p.export_chrome_trace(str(path))
    document = trace_format.read(path)
    trace_format.check(document)
    assert "no time of a GPU" in document["simulated"]
    events = document["traceEvents"]
    device = [e for e in events if e["ph"] == "X" and e["cat"] in {"kernel", "gpu_memcpy"}]
    host = [e for e in events if e["ph"] == "X" and e not in device]
    assert device
    assert all("no time of a GPU" in event["args"]["clock"] for event in device)
    last = max(event["ts"] + event["dur"] for event in host)
    assert min(event["ts"] for event in device) >= last - 0.001
    names = {e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert "simulated GPU 0" in names
    assert not any(name.startswith("GPU") for name in names)
    by_id = {e["args"]["External id"]: e["name"] for e in host if "External id" in e["args"]}
    linked = [(by_id[e["args"]["External id"]], e["name"]) for e in device]
    assert sorted(trace_format.flows(document, "ac2g")) == sorted(linked)
    assert ("gpukit::linear_relu", "product") in linked


def test_the_table_is_marked():
    x = square()
    with profile() as p:
        x.exp()
    table = p.key_averages().table(sort_by="cuda_time_total")
    assert "Self sim. CUDA" in table
    assert "Self sim. CUDA time total: " in table
    assert "they are not GPU times" in table
    assert " Self CUDA" not in table


def test_bytes_of_the_device():
    kept = square()
    with profile(profile_memory=True) as p:
        y = gpukit.ones(1024, device="cuda:0")
    (event,) = [event for event in p.events() if event.name == "gpukit::ones"]
    assert event.device_memory_usage == 4096
    assert event.cpu_memory_usage == 0
    assert "CUDA Mem" in p.key_averages().table()
    del y, kept


def test_without_the_activity_devices_are_not_asked():
    x = square()
    from gpukit.profiler import ProfilerActivity

    with profile(activities=[ProfilerActivity.CPU]) as p:
        x.exp()
    assert [event.name for event in p.events()] == ["gpukit::exp"]
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        x.exp()
    assert [event.name for event in p.events()] == ["gk_exp_f32"]


def test_work_of_a_captured_graph_has_no_time():
    x = square()
    static = gpukit.zeros(64, 64, device="cuda:0")
    graph = gpukit.cuda.CUDAGraph()
    static.copy_(x.exp())
    gpukit.synchronize("cuda:0")
    with profile() as p:
        with gpukit.cuda.graph(graph):
            static.copy_(x.exp())
        graph.replay()
    table = p.key_averages().table()
    assert "have no time" in table
    assert "gpukit::exp" in table


def test_copies_by_the_copy_thread_are_counted():
    square()
    host = gpukit.rand(1000, 1000)
    with profile() as p:
        host.to("cuda:0", non_blocking=True)
        gpukit.synchronize("cuda:0")
    assert "1 pieces of device work have no time" in p.key_averages().table()
    assert "copy to device" in {event.name for event in p.events()}
