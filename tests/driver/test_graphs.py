"""Graphs: a step captured once and replayed, bit for bit what the same steps do eagerly."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpukit
from gpukit import _core, cuda, nn
from gpukit.errors import DeviceError
from gpukit.nn import functional as F

ROWS, STEPS = 16, 5
OPTIMIZERS = {
    "SGD": lambda params: gpukit.optim.SGD(params, lr=0.1),
    "momentum": lambda params: gpukit.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda params: gpukit.optim.Adam(params, lr=0.01),
    "AdamW": lambda params: gpukit.optim.AdamW(params, lr=0.01, weight_decay=0.1, amsgrad=True),
}


@pytest.fixture(autouse=True)
def nothing_left():
    """Whatever a test does, no capture is open after it and the device works."""
    yield
    assert not cuda.is_current_stream_capturing()
    assert gpukit.ones(2, device="cuda:0").sum().item() == 2


def batches() -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(3)
    return [
        (rng.standard_normal((ROWS, 6)).astype(np.float32), rng.integers(0, 4, ROWS))
        for _ in range(STEPS)
    ]


class Trainer:
    """An MLP with its optimizer; `step` works on the static tensors x and y."""

    def __init__(self, optimizer: str, dropout: float = 0.0):
        gpukit.manual_seed(11)
        self.net = nn.Sequential(
            nn.Linear(6, 32), nn.ReLU(), nn.Dropout(dropout), nn.Linear(32, 4)
        ).to("cuda:0")
        self.optimizer = OPTIMIZERS[optimizer](self.net.parameters())
        self.x = gpukit.zeros(ROWS, 6, device="cuda:0")
        self.y = gpukit.zeros(ROWS, dtype=gpukit.int64, device="cuda:0")
        self.step()  # kernels are loaded, states are made

    def step(self):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.net(self.x), self.y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fill(self, batch) -> None:
        self.x.copy_(gpukit.tensor(batch[0]))
        self.y.copy_(gpukit.tensor(batch[1]))

    def weights(self) -> list[list[float]]:
        return [p.detach().cpu().numpy().ravel().tolist() for p in self.net.parameters()]


def eager(optimizer: str, dropout: float = 0.0, rates=()) -> tuple[list, list[float], Trainer]:
    trainer, losses = Trainer(optimizer, dropout), []
    for number, batch in enumerate(batches()):
        if rates:
            trainer.optimizer.param_groups[0]["lr"] = rates[number]
        trainer.fill(batch)
        losses.append(trainer.step().item())
    return trainer.weights(), losses, trainer


def captured(optimizer: str, dropout: float = 0.0, rates=()) -> tuple[list, list[float], Trainer]:
    trainer, losses = Trainer(optimizer, dropout), []
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        loss = trainer.step()
    for number, batch in enumerate(batches()):
        if rates:
            trainer.optimizer.param_groups[0]["lr"] = rates[number]
        trainer.fill(batch)
        graph.replay()
        losses.append(loss.item())
    return trainer.weights(), losses, trainer


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_replayed_steps_are_the_eager_ones_bit_for_bit(optimizer):
    weights, losses, plain = eager(optimizer)
    again, seen, replayed = captured(optimizer)
    assert seen == losses
    assert again == weights
    states = [
        [{name: np.asarray(v.cpu()).tolist() for name, v in s.items()} for s in states.values()]
        for states in (plain.optimizer.state, replayed.optimizer.state)
    ]
    assert states[0] == states[1]  # the counts of Adam's steps too


def test_an_uninitialised_graph_is_a_type_error():
    base = next(c for c in cuda.CUDAGraph.__mro__ if c.__name__ == "pybind11_object")
    with pytest.raises(TypeError, match="never initialised"):
        cuda.graph(base.__new__(cuda.CUDAGraph)).__enter__()
    assert (gpukit.ones(2, device="cuda:0") + 1).tolist() == [2, 2]


@pytest.mark.parametrize("optimizer", ["SGD", "AdamW"])
def test_a_changed_learning_rate_is_the_next_replays(optimizer):
    rates = [0.1 / (n + 1) for n in range(STEPS)]
    assert captured(optimizer, rates=rates)[0] == eager(optimizer, rates=rates)[0]


def test_random_numbers_go_on_with_each_replay():
    gpukit.manual_seed(5)
    wanted = [gpukit.rand(7, device="cuda:0").tolist() for _ in range(6)]
    after = gpukit.rand(3).tolist()
    gpukit.manual_seed(5)
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        first, second = gpukit.rand(7, device="cuda:0"), gpukit.rand(7, device="cuda:0")
    seen = []
    for _ in range(3):
        graph.replay()
        seen += [first.tolist(), second.tolist()]
    assert seen == wanted
    assert gpukit.rand(3).tolist() == after
    gpukit.manual_seed(5)  # a new seed is the next replay's
    graph.replay()
    assert first.tolist() == wanted[0]


def test_dropout_draws_anew_in_each_replay_as_eager_steps_do():
    assert captured("Adam", dropout=0.5)[:2] == eager("Adam", dropout=0.5)[:2]


def test_normal_integers_and_permutations_in_a_graph():
    def drawn():
        return (
            gpukit.randn(5, device="cuda:0"),
            gpukit.randint(100, (5,), device="cuda:0"),
            gpukit.randperm(9, device="cuda:0"),
        )

    gpukit.manual_seed(1)
    drawn()
    gpukit.manual_seed(2)
    wanted = [[t.tolist() for t in drawn()] for _ in range(2)]
    gpukit.manual_seed(2)
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        out = drawn()
    for row in wanted:
        graph.replay()
        assert [t.tolist() for t in out] == row


def test_own_generators_are_refused_in_a_graph():
    generator = gpukit.Generator()
    with pytest.raises(ValueError, match="default generator"), cuda.graph(cuda.CUDAGraph()):
        gpukit.rand(3, device="cuda:0", generator=generator)


def test_the_memory_of_a_graph_is_its_own():
    x = gpukit.ones(1000, device="cuda:0")
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        inner = (x + 1) * 3
        y = inner * 2
        del inner
    del x  # the graph keeps what it reads
    noise = [gpukit.full((1000,), 9.0, device="cuda:0") for _ in range(20)]
    graph.replay()
    assert y.tolist() == [12.0] * 1000
    assert all(n.tolist() == [9.0] * 1000 for n in noise)
    held = cuda.memory_reserved()
    for _ in range(5):
        graph.replay()
    cuda.synchronize()
    assert cuda.memory_reserved() == held


def test_reset_gives_the_memory_back_and_the_graph_can_be_filled_again():
    graph = cuda.CUDAGraph()
    cuda.synchronize()
    cuda.empty_cache()
    before = cuda.memory_reserved()
    more_than_is_free = (before - cuda.memory_allocated()) // 4 + (1 << 20)
    with cuda.graph(graph):
        y = gpukit.ones(more_than_is_free, device="cuda:0") + 1
    graph.replay()
    del y
    cuda.empty_cache()
    assert cuda.memory_reserved() > before
    graph.reset()
    cuda.synchronize()
    cuda.empty_cache()
    assert cuda.memory_reserved() <= before
    with pytest.raises(DeviceError, match="nothing was captured"):
        graph.replay()
    with cuda.graph(graph):
        z = gpukit.full((3,), 5.0, device="cuda:0")
    graph.replay()
    assert z.tolist() == [5.0] * 3


def test_an_output_outlives_its_graph():
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        y = gpukit.full((100,), 7.0, device="cuda:0")
    graph.replay()
    del graph
    noise = gpukit.zeros(100, device="cuda:0")
    assert y.tolist() == [7.0] * 100
    assert noise.sum().item() == 0


FORBIDDEN = {
    "synchronize": (lambda x: cuda.synchronize(), "waited for"),
    "stream": (lambda x: cuda.current_stream().synchronize(), "waited for"),
    "query": (lambda x: cuda.current_stream().query(), "waited for"),
    "event": (
        lambda x: cuda.current_stream().record_event().synchronize(),
        "recorded into a graph",
    ),
    "item": (lambda x: x.sum().item(), "read"),
    "float": (lambda x: float(x.sum()), "read"),
    "tolist": (lambda x: x.tolist(), "graph is captured"),
    "print": (repr, "printed"),
    "bool": (lambda x: bool(x.sum() > 0), "truth"),
    "mask": (lambda x: x[x > 0], "mask"),
    "numpy": (lambda x: x.cpu().numpy(), "CPU"),
    "cpu": (lambda x: x.to("cpu", non_blocking=True), "CPU"),
    "upload": (lambda x: x.copy_(gpukit.ones(4)), "uploaded"),
    "tensor": (lambda x: gpukit.tensor([1.0, 2.0], device="cuda:0"), "uploaded"),
    "large upload": (lambda x: gpukit.ones(1 << 20).to("cuda:0", non_blocking=True), "uploaded"),
    "wait": (lambda x: x.wait(), "waited for"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_cannot_be_captured_says_so_and_the_stream_works_afterwards(name):
    call, words = FORBIDDEN[name]
    x = gpukit.ones(4, device="cuda:0")
    call(x)  # fine outside
    stream = cuda.Stream()
    graph = cuda.CUDAGraph()
    with pytest.raises(DeviceError, match=words), cuda.graph(graph, stream=stream):
        call(x + 1)
    with pytest.raises(DeviceError, match="nothing was captured"):
        graph.replay()
    with cuda.stream(stream):
        assert (x + 2).tolist() == [3.0] * 4
    stream.synchronize()
    with cuda.graph(graph, stream=stream):
        y = x + 5
    graph.replay()
    assert y.tolist() == [6.0] * 4


def test_an_error_that_is_caught_inside_does_not_spoil_the_graph():
    x = gpukit.ones(4, device="cuda:0")
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        y = x * 4
        with pytest.raises(DeviceError):
            y.sum().item()
        z = y + 1
    graph.replay()
    assert z.tolist() == [5.0] * 4


def test_pinned_memory_can_be_uploaded_in_a_graph():
    host = gpukit.ones(1000).pin_memory()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        y = host.to("cuda:0", non_blocking=True) * 2
    graph.replay()
    cuda.synchronize()
    host.fill_(4)
    graph.replay()
    assert y.tolist() == [8.0] * 1000


def test_the_first_step_of_an_optimizer_with_states_is_refused():
    p = nn.Parameter(gpukit.ones(3, device="cuda:0"))
    p.grad = gpukit.ones(3, device="cuda:0")
    for optimizer in (gpukit.optim.Adam([p]), gpukit.optim.SGD([p], momentum=0.5)):
        with pytest.raises(DeviceError, match="Take one step before"), cuda.graph(cuda.CUDAGraph()):
            optimizer.step()
        assert not optimizer.state_dict()["state"]
        optimizer.step()
    assert p.isfinite().all().item()


@pytest.mark.parametrize("make", [gpukit.optim.RMSprop, gpukit.optim.Adagrad, gpukit.optim.NAdam])
def test_a_step_whose_rate_would_stay_is_refused(make):
    p = nn.Parameter(gpukit.ones(3, device="cuda:0"))
    p.grad = gpukit.ones(3, device="cuda:0")
    optimizer = make([p])
    optimizer.step()
    before = p.tolist()
    with (
        pytest.raises(DeviceError, match=rf"{make.__name__}\.step: cannot be part of a graph"),
        cuda.graph(cuda.CUDAGraph()),
    ):
        optimizer.step()
    assert p.tolist() == before and optimizer.state[p]["step"].item() == 1
    optimizer.step()
    assert p.tolist() < before


def test_a_block_without_gpu_work_says_what_to_do():
    with pytest.raises(DeviceError, match=r"\.to\('cuda'\)"), cuda.graph(cuda.CUDAGraph()):
        gpukit.ones(3) + 1


def test_one_capture_at_a_time_on_a_thread_and_no_graph_inside_another():
    x = gpukit.ones(3, device="cuda:0")
    inner = cuda.CUDAGraph()
    with cuda.graph(inner):
        y = x + 1
    outer = cuda.CUDAGraph()
    with cuda.graph(outer):
        z = x + 2
        third = cuda.graph(cuda.CUDAGraph())
        with pytest.raises(DeviceError, match="captures a graph already"):
            third.__enter__()
        with pytest.raises(DeviceError, match="cannot be part of"):
            inner.replay()
    inner.replay()
    outer.replay()
    assert y.tolist() + z.tolist() == [2.0] * 3 + [3.0] * 3
    with pytest.raises(DeviceError, match="holds a capture"), cuda.graph(inner):
        pass
    with pytest.raises(DeviceError, match="without capture_begin"):
        cuda.CUDAGraph().capture_end()
    with pytest.raises(TypeError, match="CUDAGraph"):
        cuda.graph("g")


def test_two_streams_can_be_captured_together():
    x = gpukit.ones(1000, device="cuda:0")
    side = cuda.Stream()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        main = cuda.current_stream()
        a = x + 1
        side.wait_stream(main)
        with cuda.stream(side):
            b = a * 3
        c = a * 5
        main.wait_stream(side)
        d = b + c
    x.fill_(2)
    graph.replay()
    assert d.tolist() == [24.0] * 1000


def test_replays_on_several_streams_follow_each_other():
    x = gpukit.zeros(1 << 16, device="cuda:0")
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        x.add_(1)
    streams = [cuda.Stream() for _ in range(3)]
    cuda.synchronize()
    for number in range(12):
        with cuda.stream(streams[number % 3]):
            graph.replay()
    cuda.synchronize()
    assert x.min().item() == x.max().item() == 12


def test_other_threads_work_on_while_a_graph_is_captured():
    x = gpukit.ones(1000, device="cuda:0")
    seen: list[float] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                t = (gpukit.ones(1000, device="cuda:0") * 3).sum()
                seen.append(t.item())
        except BaseException as error:
            errors.append(error)

    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        y = x
        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(50):
            y = y + 1
        thread.join()
        del x
    assert not errors
    assert seen == [3000.0] * 20
    graph.replay()
    assert y.tolist() == [51.0] * 1000


class Capturing:
    """A thread that captures `x.add_(1)` and stays inside until it is signalled to end."""

    def __init__(self, graph, x, *, ended: bool) -> None:
        self.graphs = [graph]
        self.told, self.outcome = threading.Event(), None
        inside = threading.Event()

        def work() -> None:
            with cuda.stream(cuda.Stream()):
                self.graphs[0].capture_begin()
                x.add_(1)
                inside.set()
                self.told.wait(30)
                if ended:
                    cuda_graph = _core.current_graph()
                    cuda_graph.capture_end()
                    self.outcome = cuda_graph

        self.thread = threading.Thread(target=work)
        self.thread.start()
        assert inside.wait(30)

    def end(self):
        self.told.set()
        self.thread.join(30)
        return self.outcome


def test_a_graph_that_others_drop_lives_while_it_is_captured():
    x = gpukit.zeros(3, device="cuda:0")
    thread = Capturing(cuda.CUDAGraph(), x, ended=True)
    thread.graphs.clear()
    others = [cuda.CUDAGraph() for _ in range(100)]  # where a graph that is gone would have been
    thread.end().replay()
    assert x.tolist() == [1.0] * 3
    assert thread.outcome not in others


def test_another_thread_cannot_reset_a_graph_that_is_captured():
    x = gpukit.zeros(3, device="cuda:0")
    thread = Capturing(graph := cuda.CUDAGraph(), x, ended=True)
    with pytest.raises(DeviceError, match="another thread captures this graph"):
        graph.reset()
    with pytest.raises(DeviceError, match="without capture_begin"):
        graph.capture_end()
    assert thread.end() is graph
    graph.replay()
    assert x.tolist() == [1.0] * 3
    graph.reset()


def test_a_thread_that_ends_ends_its_capture():
    x = gpukit.zeros(3, device="cuda:0")
    Capturing(graph := cuda.CUDAGraph(), x, ended=False).end()
    with pytest.raises(DeviceError, match="nothing was captured"):
        graph.replay()
    with cuda.graph(graph):
        x.add_(2)
    graph.replay()
    assert x.tolist() == [2.0] * 3


def test_what_is_freed_while_its_stream_is_captured_waits_for_the_end():
    stream = cuda.Stream()
    x = gpukit.ones(1 << 16, device="cuda:0")
    with cuda.stream(stream):
        x * 2  # x is used on the stream that is captured next
    graph = cuda.CUDAGraph()
    with cuda.graph(graph, stream=stream):
        y = gpukit.full((4,), 3.0, device="cuda:0")
        del x
        y = y + 1
    graph.replay()
    assert y.tolist() == [4.0] * 4
    others = [gpukit.full((1 << 16,), float(n), device="cuda:0") for n in range(4)]
    assert [t.max().item() for t in others] == [0.0, 1.0, 2.0, 3.0]


def test_without_a_gpu_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr("gpukit._core.cuda_device_count", lambda: 0)
    context = cuda.graph(cuda.CUDAGraph())
    with pytest.raises(gpukit.DeviceNotFoundError, match="simulate"):
        context.__enter__()
