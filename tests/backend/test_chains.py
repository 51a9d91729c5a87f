"""gpukit.compile computes what the function computes: bit for bit, on every device."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

import gpukit
from support.chains import drawn, same_bits
from support.long_job import repeat

CHAINS = repeat(60, long=10_000)


def agree(compiled, function, arguments):
    for args in arguments:
        try:
            expected = function(*args)
        except Exception as error:
            with pytest.raises(type(error)):
                compiled(*args)
            continue
        for got, wanted in zip(compiled(*args), expected, strict=True):
            assert same_bits(got, wanted)


@pytest.mark.timeout(repeat(120, long=7200))
@pytest.mark.parametrize("backend", ["tiles", "python"])
def test_random_chains_give_the_bits_of_the_operators(backend, device):
    steps = 0
    for seed in range(CHAINS if device.type == "cpu" else CHAINS // 4):
        chain = drawn(seed, device)
        function = chain.function()
        compiled = gpukit.compile(function, fullgraph=True, backend=backend)
        agree(compiled, function, chain.arguments)
        steps += sum(group.steps for group in compiled.explain().groups)
    assert steps > 30  # they did join groups


@pytest.mark.timeout(repeat(120, long=7200))
def test_random_chains_over_long_rows(device):
    # On the CPU tiles end where such rows do, and a number of each row is not repeated in memory.
    for seed in range(repeat(25, long=1000) if device.type == "cpu" else 6):
        chain = drawn(seed, device, longest=12, size=6, columns=2500)
        function = chain.function()
        compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
        agree(compiled, function, chain.arguments)


def test_numbers_of_rows_beside_what_reads_them(device):
    def chain(x, r, c):
        return (
            (x - r) * c / r,
            gpukit.where(x > r, r * x, c) + gpukit.tanh(r),
            gpukit.maximum(r, x).half() - r.half() * c,
            (r - r * x).clamp(-1, 1) + gpukit.atan2(r, c),
        )

    compiled = gpukit.compile(chain, fullgraph=True, backend="tiles")
    for rows, columns in ((3, 255), (3, 256), (40, 1000), (2, 4097), (1, 9000), (5, 1300)):
        for dtype in (gpukit.float32, gpukit.float64, gpukit.float16):
            x, r, c = (
                gpukit.randn(*shape, device=device).to(dtype)
                for shape in ((rows, columns), (rows, 1), (columns,))
            )
            agree(compiled, chain, [(x, r, c), (x, r[:1], c), (x[:, ::2], r, c[::2])])


def test_long_chains_on_all_threads(device):
    count = 300_000 if device.type == "cpu" else 3_000
    x, y = gpukit.randn(count, device=device), gpukit.randn(count, device=device)

    def long(a, b):
        total = a
        for number in range(60):
            total = gpukit.tanh(total * 0.5 + b) - number * 0.01
        return (total, gpukit.where(total > 0, total.half(), 0.5))

    compiled = gpukit.compile(long, fullgraph=True, backend="tiles")
    agree(compiled, long, [(x, y), (x, y), (x[1:], y[1:]), (x[::3], y[::3])])
    groups = compiled.explain().groups
    assert len(groups) > 1
    assert all(group.steps <= 48 and group.inputs <= 8 and group.results <= 4 for group in groups)


def test_results_beyond_the_caches(device):
    count = 2_200_003 if device.type == "cpu" else 1_003  # above 16 MiB on the CPU

    def chain(x):
        doubled = x * 2 - 1
        kept = doubled * x
        return (kept + 0.5, kept, kept > 0, (kept - doubled).float())

    compiled = gpukit.compile(chain, fullgraph=True, backend="tiles")
    x = gpukit.rand(count, dtype=gpukit.float64, device=device)
    agree(compiled, chain, [(x[:100],), (x,), (x[1:],), (x[::2],)])


def test_more_inputs_and_results_than_a_group_takes(device):
    tensors = [gpukit.randn(50, device=device) for _ in range(20)]

    def many(*each):
        products = [gpukit.exp(-a) * b for a, b in pairwise(each)]
        return (sum(products), *products)

    compiled = gpukit.compile(many, fullgraph=True, backend="tiles")
    agree(compiled, many, [tensors, tensors, [tensor[:7] for tensor in tensors]])


def test_shapes_change_without_a_new_trace(device):
    def smooth(a, b):
        return (gpukit.sigmoid(a * 1.5 + b) * gpukit.tanh(b),)

    compiled = gpukit.compile(smooth, fullgraph=True, backend="tiles")
    shapes = [((4, 5), (5,)), ((1, 5), (5,)), ((4, 5), (1,)), ((0, 5), (5,)), ((300, 7), (7,))]
    arguments = [
        (gpukit.randn(*a, device=device), gpukit.randn(*b, device=device)) for a, b in shapes
    ]
    agree(compiled, smooth, arguments)
    assert compiled.explain().traces == 1


def test_what_stands_between_groups(device):
    def layers(x, weight):
        hidden = gpukit.tanh(x * 2 + 1) @ weight
        turned = (gpukit.exp(-hidden) + 1).T
        return (gpukit.sqrt(turned.abs() + 0.5).sum(0), turned[1:] * 3 - 1)

    compiled = gpukit.compile(layers, fullgraph=True, backend="tiles")
    make = lambda rows: (gpukit.randn(rows, 6, device=device), gpukit.randn(6, 4, device=device))  # noqa: E731
    agree(compiled, layers, [make(5), make(9)])
    report = compiled.explain()
    assert len(report.groups) == 4
    assert "matmul" in report.alone


def test_in_place_on_inputs_and_out(device):
    def step(p, m, g, out):
        m.mul_(0.9).add_(g * 0.1 + 0.01)
        p -= m * 0.5 + g * 0.25
        gpukit.add(p, m, out=out)
        return p * 2 + 1

    compiled = gpukit.compile(step, fullgraph=True, backend="tiles")
    mine = [gpukit.randn(40, device=device) for _ in range(4)]
    theirs = [tensor.clone() for tensor in mine]
    for _ in range(3):
        assert same_bits(compiled(*mine), step(*theirs))
        assert all(same_bits(a, b) for a, b in zip(mine, theirs, strict=True))


def test_one_tensor_twice_and_views_of_it(device):
    def twice(a, b):
        a += b * 2 + 1
        return (a * b - 1,)

    compiled = gpukit.compile(twice, fullgraph=True, backend="tiles")
    for same in (False, True, False):
        x = gpukit.arange(8.0, device=device)
        y = x.clone()
        args, others = ((x, x), (y, y)) if same else ((x[1:], x[:-1]), (y[1:], y[:-1]))
        if not same:
            args, others = (x, x * 3), (y, y * 3)
        assert same_bits(compiled(*args)[0], twice(*others)[0])
        assert same_bits(x, y)


def test_gradients_are_those_of_the_function(device):
    def loss(x, w):
        return (gpukit.tanh(x * w + 1) * gpukit.sigmoid(w)).sum()

    compiled = gpukit.compile(loss, fullgraph=True, backend="tiles")
    found = []
    for function in (loss, compiled, compiled):
        x = gpukit.linspace(-1, 1, 30, device=device)
        w = gpukit.linspace(0, 2, 30, device=device).requires_grad_()
        function(x, w).backward()
        found.append(w.grad)
    assert same_bits(found[0], found[1])
    assert same_bits(found[0], found[2])
    with gpukit.no_grad():
        assert not compiled(x, w).requires_grad
        assert same_bits(compiled(x, w), loss(x, w))
    assert compiled.explain().groups


def test_random_numbers_are_drawn_anew(device):
    def noisy(x):
        return x * 2 + gpukit.rand(100, device=device) * 3

    compiled = gpukit.compile(noisy, fullgraph=True, backend="tiles")
    x = gpukit.zeros(100, device=device)
    gpukit.manual_seed(5)
    expected = [noisy(x) for _ in range(3)]
    gpukit.manual_seed(5)
    got = [compiled(x) for _ in range(3)]
    assert all(same_bits(a, b) for a, b in zip(got, expected, strict=True))
    assert not gpukit.equal(got[1], got[2])


def test_from_several_threads(device):
    def chain(x, number):
        return gpukit.exp(-(x * number)) + x

    compiled = gpukit.compile(chain, fullgraph=True, backend="tiles")
    faults = []

    def work(number):
        x = gpukit.full((1000,), 0.5, device=device)
        for _ in range(20):
            if same_bits(compiled(x, number), chain(x, number)):
                continue
            faults.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_chain_says_what_it_moves(device):
    class Work:
        def __init__(self):
            self.bytes = 0

        def after_operator(self, call):
            if call.depth == 0:
                self.bytes += call.work["bytes"]

    def chain(x):
        return gpukit.tanh(x * 2 + 1) * x

    compiled = gpukit.compile(chain, fullgraph=True, backend="tiles")
    x = gpukit.ones(1000, device=device)
    for _ in range(2):  # groups are made, and their programs uploaded, at the second call
        compiled(x)
    observer = Work()
    with gpukit._core.observe(observer, work=True):
        compiled(x)
    report = compiled.explain()
    assert (report.bytes_before, report.bytes_after) == (36_000, 8_000)
    assert observer.bytes == 8_000
