"""gpukit.profiler: what is recorded, summed, shown and exported on the CPU."""

from __future__ import annotations

import gzip
import json
import threading
import time
import tracemalloc

import pytest

import gpukit
from gpukit import _core, nn
from gpukit.errors import ArgumentError, GpukitError, GpukitWarning
from gpukit.profiler import (
    DeviceType,
    ProfilerActivity,
    profile,
    record_function,
    supported_activities,
    tensorboard_trace_handler,
)
from support import trace_format

CPU = [ProfilerActivity.CPU]


def training_step():
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = gpukit.optim.SGD(net.parameters(), lr=0.1)
    x, y = gpukit.rand(5, 4), gpukit.zeros(5, dtype=gpukit.int64)

    def step():
        with record_function("step"):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
        return loss

    return step


def counts(p):
    return {row.key: row.count for row in p.key_averages()}


def test_a_training_step_is_recorded():
    step = training_step()
    with profile(activities=CPU) as p:
        step()
        step()
    assert counts(p) == {
        "step": 2,
        "Optimizer.zero_grad#SGD.zero_grad": 2,
        "gpukit::clear_gradients": 2,
        "gpukit::linear_relu": 2,
        "gpukit::linear": 2,
        "gpukit::cross_entropy": 2,
        "gpukit::backward": 2,
        "NllLossBackward0": 2,
        "AddmmBackward0": 4,
        "ReluBackward0": 2,
        "Optimizer.step#SGD.step": 2,
        "gpukit::sgd_step": 2,
    }


def test_zero_grad_is_a_range_of_the_optimizer_s_class_and_of_the_program_s_line(tmp_path):
    weight = gpukit.ones(3, requires_grad=True)
    optimizer = gpukit.optim.Adam([weight])
    with profile(activities=CPU) as p:
        optimizer.zero_grad()
        weight.sum().backward()
        optimizer.zero_grad(set_to_none=False)
    ranges = [each for each in p.events() if each.name == "Optimizer.zero_grad#Adam.zero_grad"]
    inside = [[child.name for child in each.cpu_children] for each in ranges]
    assert inside == [["gpukit::clear_gradients"], ["gpukit::zeros_like"]]
    p.export_chrome_trace(str(tmp_path / "trace.json"))
    slices = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    lines = [each["args"]["Line"] for each in slices if each["name"] == ranges[0].name]
    assert len(lines) == 2
    assert all(line.startswith("test_profiler.py:") for line in lines), lines


def test_inner_calls_lie_inside_and_own_time_is_what_is_left():
    step = training_step()
    with profile(activities=CPU) as p:
        step()
    events = p.events()
    assert [event.time_range.start for event in events] == sorted(
        event.time_range.start for event in events
    )
    outer = next(event for event in events if event.name == "step")
    assert {event.name for event in outer.cpu_children} >= {"gpukit::linear", "gpukit::backward"}
    for event in events:
        inside = sum(child.cpu_time_total for child in event.cpu_children)
        assert event.self_cpu_time_total == pytest.approx(event.cpu_time_total - inside)
        assert event.self_cpu_time_total >= 0
        for child in event.cpu_children:
            assert child.cpu_parent is event
            assert event.time_range.start <= child.time_range.start
            assert child.time_range.end <= event.time_range.end
    top = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    assert events.self_cpu_time_total == pytest.approx(top)


def test_times_are_those_of_the_clock():
    with profile(activities=CPU) as p, record_function("nap"):
        time.sleep(0.02)
    (nap,) = p.events()
    assert 20_000 <= nap.cpu_time_total < 2_000_000  # microseconds
    assert nap.is_user_annotation
    assert nap.device_type is DeviceType.CPU


def test_shapes():
    x = gpukit.ones(3, 4)
    with profile(activities=CPU, record_shapes=True) as p:
        x @ x.T
        x + 1
    shapes = {event.name: event.input_shapes for event in p.events()}
    assert shapes["gpukit::matmul"] == [[3, 4], [4, 3]]
    assert shapes["gpukit::add"] == [[3, 4], []]
    assert "Input Shapes" in p.key_averages(group_by_input_shape=True).table()


def test_rows_by_shape():
    with profile(activities=CPU, record_shapes=True) as p:
        for size in (2, 3, 3):
            gpukit.ones(size).exp()
    rows = p.key_averages(group_by_input_shape=True)
    found = {str(row.input_shapes): row.count for row in rows if row.key == "gpukit::exp"}
    assert found == {"[[2]]": 1, "[[3]]": 2}
    assert counts(p)["gpukit::exp"] == 3


def test_bytes():
    with profile(activities=CPU, profile_memory=True) as p:
        with record_function("kept"):
            x = gpukit.ones(1024)
        with record_function("dropped"):
            gpukit.ones(1024)
    by_name = {event.name: event for event in p.events()}
    assert by_name["kept"].cpu_memory_usage >= 4096
    assert by_name["kept"].self_cpu_memory_usage == 0
    assert by_name["dropped"].cpu_memory_usage == 0
    table = p.key_averages().table(sort_by="self_cpu_memory_usage")
    assert "Self CPU Mem" in table
    del x


def test_flops_are_those_of_bench():
    x = gpukit.ones(10, 20)
    with profile(activities=CPU, with_flops=True) as p, record_function("outer"):
        x @ x.T
    by_name = {event.name: event.flops for event in p.events()}
    assert by_name == {"outer": 0, "gpukit::T": 0, "gpukit::matmul": 2 * 10 * 20 * 10}
    assert "Total KFLOPs" in p.key_averages().table()


def test_stacks(tmp_path):
    def inner():
        return gpukit.ones(500, 500).exp()

    with profile(activities=CPU, with_stack=True) as p:
        inner()
    exp = next(event for event in p.events() if event.name == "gpukit::exp")
    assert "inner" in exp.stack[0]
    assert __file__ in exp.stack[0]
    assert "test_stacks" in exp.stack[1]
    table = p.key_averages(group_by_stack_n=2).table(row_limit=2)
    assert "Source Location" in table
    assert "inner" in table
    p.export_stacks(str(tmp_path / "stacks.txt"))
    for line in (tmp_path / "stacks.txt").read_text().splitlines():
        frames, _, microseconds = line.rpartition(" ")
        assert " " not in frames
        assert int(microseconds) > 0


def test_modules_are_in_the_trace_alone():
    net = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid())
    with profile(activities=CPU, with_modules=True) as p:
        net(gpukit.ones(2, 4))
    assert [e.name for e in p.events() if e.kind == "module"] == [
        "nn.Module: Sequential",
        "nn.Module: Linear",
        "nn.Module: Sigmoid",
    ]
    assert not any("Module" in key for key in counts(p))


def test_what_only_describes_is_no_operator():
    x = gpukit.ones(3, requires_grad=True)
    with profile(activities=CPU) as p:
        x.numel(), x.stride(), x.grad, x.size(), x.is_contiguous()
    assert p.events() == []
    assert p.key_averages().table() == ""


# Of torch 2.13's FunctionEvent and FunctionEventAvg, what their reprs, tables and users read.
SHARED = """
    count cpu_memory_usage cpu_parent cpu_time cpu_time_total cpu_time_total_str device_memory_usage
    device_time device_time_total device_type flops input_shapes is_async is_legacy is_remote
    is_user_annotation key node_id scope self_cpu_memory_usage self_cpu_time_total
    self_cpu_time_total_str self_device_memory_usage self_device_time_total stack
""".split()  # noqa: SIM905
OF_EVENTS = """
    cpu_children device_index fwd_thread id kernels name sequence_nr thread time_range trace_name
""".split()  # noqa: SIM905


def test_events_have_torchs_attributes():
    x = gpukit.rand(10, 20)
    with profile(with_flops=True) as p:
        (x @ gpukit.rand(20, 30, requires_grad=True)).sum().backward()
    for event in p.events():
        assert [name for name in [*SHARED, *OF_EVENTS] if not hasattr(event, name)] == []
    for row in p.key_averages():
        assert [name for name in SHARED if not hasattr(row, name)] == []
        assert type(row.flops) is int
    threads = {e.name: e.fwd_thread for e in p.events()}
    assert threads["gpukit::matmul"] is None
    assert p.events()[0].thread in {threads[name] for name in threads if "Backward" in name}


def test_the_trace_is_in_the_format(tmp_path):
    step = training_step()
    with profile(activities=CPU, record_shapes=True, with_stack=True, profile_memory=True) as p:
        for _ in range(3):
            step()
    path = tmp_path / "trace.json"
    p.export_chrome_trace(str(path))
    document = trace_format.read(path)
    trace_format.check(document)
    slices = [event for event in document["traceEvents"] if event["ph"] == "X"]
    host = [event for event in slices if event["cat"] != "python_line"]
    assert sorted(event["name"] for event in host) == sorted(event.name for event in p.events())
    lines = [event for event in slices if event["cat"] == "python_line"]
    assert {event["args"]["file"] for event in lines} == {__file__}
    found = trace_format.flows(document, "fwdbwd")
    assert sorted(set(found)) == [
        ("gpukit::cross_entropy", "NllLossBackward0"),
        ("gpukit::linear", "AddmmBackward0"),
        ("gpukit::linear_relu", "AddmmBackward0"),
        ("gpukit::linear_relu", "ReluBackward0"),
    ]
    assert len(found) == 12
    counters = [event["args"]["bytes"] for event in document["traceEvents"] if event["ph"] == "C"]
    assert len(set(counters)) > 1


def test_the_checks_of_the_format_find_faults():
    slice_ = {"ph": "X", "name": "a", "cat": "c", "pid": 1, "tid": 1, "ts": 0, "dur": 10}
    names = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "t"}}
    good = {"displayTimeUnit": "ms", "traceEvents": [names, slice_]}
    trace_format.check(good)
    for extra in (
        {**slice_, "ts": 5},
        {**slice_, "dur": -1},
        {**slice_, "tid": 2},
        {"ph": "s", "name": "a", "cat": "c", "id": 1, "pid": 1, "tid": 1, "ts": 0},
        {"ph": "Z", "name": "a"},
    ):
        with pytest.raises(AssertionError):
            trace_format.check({**good, "traceEvents": [names, slice_, extra]})


def test_compressed_traces_and_metadata(tmp_path):
    with profile(activities=CPU) as p:
        gpukit.ones(2)
    p.add_metadata("run", "seven")
    p.add_metadata_json("sizes", "[1, 2]")
    p.export_chrome_trace(str(tmp_path / "t.json.gz"))
    with gzip.open(tmp_path / "t.json.gz", "rt") as file:
        document = json.load(file)
    assert document["run"] == "seven"
    assert document["sizes"] == [1, 2]
    with pytest.raises(ValueError, match="Expecting"):
        p.add_metadata_json("bad", "{")


def test_the_table_is_sorted_and_limited():
    with profile(activities=CPU) as p:
        for _ in range(3):
            gpukit.ones(2).exp()
        gpukit.ones(2).log()
    rows = p.key_averages().table(sort_by="count", row_limit=2).splitlines()
    assert rows[1].split()[0] == "Name"
    assert [row.split()[0] for row in rows[3:5]] == ["gpukit::ones", "gpukit::exp"]
    assert rows[5].startswith("---")
    assert rows[6].startswith("Self CPU time total: ")
    assert "header" in p.key_averages().table(header="header")
    assert "us" not in p.key_averages().table(time_unit="ms").partition("\n")[2]
    assert str(p.key_averages()) == p.key_averages().table()


def test_top_level_events():
    with profile(activities=CPU) as p, record_function("outer"):
        gpukit.ones(2)
    table = p.events().table(top_level_events_only=True)
    assert "outer" in table
    assert "gpukit::ones" not in table


@pytest.mark.parametrize("name", ["cuda_time_total", "self_cuda_time_total", "cpu_time_total"])
def test_torchs_words_for_sorting(name):
    with profile(activities=CPU) as p:
        gpukit.ones(2)
    assert "gpukit::ones" in p.key_averages().table(sort_by=name)
    assert hasattr(p.key_averages()[0], name)


def test_total():
    with profile(activities=CPU) as p:
        gpukit.ones(2).exp()
    total = p.events().total_average()
    assert (total.key, total.count) == ("Total", 2)


def test_tensorboards_folder(tmp_path):
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "log"), "me")):
        gpukit.ones(2)
    (path,) = (tmp_path / "log").iterdir()
    assert path.name.startswith("me.")
    assert path.name.endswith(".pt.trace.json")
    trace_format.check(trace_format.read(path))
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="is a file"):
        tensorboard_trace_handler(str(tmp_path / "file"))(None)


def test_nothing_is_left_when_the_program_fails():
    def fail():
        with record_function("part"):
            gpukit.ones(2) @ gpukit.ones(3)

    p = profile(activities=CPU)
    with pytest.raises(gpukit.ShapeError), p:
        fail()
    assert not _core.is_observed()
    by_name = {event.name: event for event in p.events()}
    assert by_name["gpukit::matmul"].cpu_parent is by_name["part"]
    gpukit.ones(2)
    assert len(p.events()) == 4


def test_outside_of_a_profile_nothing_happens():
    with profile(activities=CPU):
        gpukit.ones(2)
    assert not _core.is_observed()
    with record_function("nobody") as range_:
        gpukit.ones(2)
    assert range_._opened == []
    tracemalloc.start()
    try:
        before = tracemalloc.take_snapshot()
        for _ in range(100):
            gpukit.ones(2) + 1
        after = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    mine = [s for s in after.compare_to(before, "filename") if "profiler" in str(s.traceback)]
    assert mine == []


def test_a_range_as_decorator_and_again():
    @record_function("mine", "now")
    def mine(n):
        return gpukit.ones(n) if n == 1 else mine(n - 1)

    with profile(activities=CPU) as p:
        mine(3)
    assert counts(p) == {"mine: now": 3, "gpukit::ones": 1}
    assert mine.__name__ == "mine"


def test_other_threads_are_not_recorded():
    def work():
        with record_function("theirs"):
            gpukit.ones(2).exp()

    with profile(activities=CPU) as p:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        gpukit.ones(2)
    assert counts(p) == {"gpukit::ones": 1}


def test_a_profile_may_end_in_another_thread():
    p = profile(activities=CPU)
    p.start()
    gpukit.ones(2)
    thread = threading.Thread(target=p.stop)
    thread.start()
    thread.join()
    assert counts(p) == {"gpukit::ones": 1}
    assert not _core.is_observed()


def test_two_at_once_are_refused():
    with profile(activities=CPU), pytest.raises(GpukitError, match="is being profiled"):
        profile(activities=CPU).start()


def test_hooks_and_second_derivatives():
    x = gpukit.ones(3, requires_grad=True)
    with profile(activities=CPU) as p:
        (g,) = gpukit.autograd.grad((x * x * x).sum(), x, create_graph=True)
        g.sum().backward()
    names = counts(p)
    assert names["MulBackward0"] >= 4
    assert names["gpukit::autograd_grad"] == 1


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"activities": [ProfilerActivity.XPU]}, ArgumentError, "XPU cannot be recorded"),
        ({"activities": []}, ArgumentError, "activities is empty"),
        ({"activities": ["cpu"]}, TypeError, "'cpu', which is not a ProfilerActivity"),
        ({"activities": ProfilerActivity.CPU}, TypeError, "must be a list"),
        ({"schedule": 3}, TypeError, "schedule must be a function"),
        ({"on_trace_ready": 3}, TypeError, "on_trace_ready must be a function"),
    ],
)
def test_wrong_arguments(given, error, text):
    with pytest.raises(error, match=text):
        profile(**given)


@pytest.mark.parametrize(
    "name", ["experimental_config", "execution_trace_observer", "post_processing_timeout_s"]
)
def test_what_is_ignored_says_so(name):
    with pytest.warns(GpukitWarning, match=f"{name} is accepted .* and ignored"):
        profile(**{name: 1})


def test_wrong_tables():
    with profile(activities=CPU) as p:
        gpukit.ones(2)
    rows = p.key_averages()
    with pytest.raises(ArgumentError, match="Did you mean 'cpu_time_total'"):
        rows.table(sort_by="cpu_time_totl")
    with pytest.raises(ArgumentError, match="time_unit must be"):
        rows.table(time_unit="h")
    with pytest.raises(ArgumentError, match="with_stack=True"):
        p.export_stacks("never")
    with pytest.raises(GpukitError, match="export_chrome_trace"):
        p.export_memory_timeline("never.html")


def test_before_the_end_there_is_nothing():
    p = profile(activities=CPU)
    with pytest.raises(GpukitError, match="nothing is recorded yet"):
        p.key_averages()


def test_what_is_supported():
    found = supported_activities()
    assert ProfilerActivity.CPU in found
    assert (ProfilerActivity.CUDA in found) == (gpukit.cuda.device_count() > 0)
    assert profile(use_cuda=True).activities >= {ProfilerActivity.CUDA}
    assert profile(use_cuda=False).activities == {ProfilerActivity.CPU}


def test_ids_of_traces():
    p = profile(activities=CPU, custom_trace_id_callback=lambda: "mine")
    assert p.get_trace_id() == ""
    with p:
        pass
    assert p.get_trace_id() == "mine"


def test_the_older_name():
    from gpukit.autograd import profiler

    with profiler.profile(use_cuda=False) as p, profiler.record_function("part"):
        gpukit.ones(2).exp()
    assert [event.name for event in p.function_events] == ["part", "gpukit::ones", "gpukit::exp"]
    assert "gpukit::exp" in p.key_averages().table(sort_by="cpu_time_total")
    assert "gpukit::exp" in str(p)
    assert p.total_average().count == 3
    assert gpukit.autograd.profiler is profiler
    with profiler.profile(enabled=False) as off:
        gpukit.ones(2)
    with pytest.raises(GpukitError, match="nothing is recorded"):
        off.table()
