"""What is counted of a function's work, and what follows from it."""

from __future__ import annotations

import pytest

import gpukit
from gpukit import bench
from gpukit.bench._peaks import attribute_peaks, card_row, table_names, table_peaks
from gpukit.bench.verdict import judge_bound, launch_seconds
from gpukit.bench.work import Work, count_work

QUICK = {"device": "cpu", "min_time": 0.02, "max_time": 0.2, "verbose": False}


@pytest.mark.parametrize(
    ("make", "flops", "moved", "longest"),
    [
        (lambda x: x + x, {"float32": 12}, 3 * 48, 1),
        (lambda x: x * 2, {"float32": 12}, 2 * 48, 1),
        (lambda x: x.exp(), {"float32": 12}, 2 * 48, 1),
        (lambda x: x.sum(), {"float32": 12}, 48 + 4, 12),
        (lambda x: x @ x.T, {"float32": 2 * 3 * 4 * 3}, 48 + 48 + 36, 4),
        (lambda x: x + gpukit.ones(4, device=x.device), {"float32": 12}, 16 + 2 * 48 + 16, 1),
        (lambda x: x.clone(), {}, 2 * 48, 1),
        (lambda x: gpukit.full((5,), 2.0, device=x.device), {}, 20, 1),
        (lambda x: x > 0, {"float32": 12}, 48 + 12, 1),
        (lambda x: gpukit.softmax(x, 1), {"float32": 60}, 2 * 48, 4),
        (lambda x: x.to(gpukit.int32), {}, 2 * 48, 1),
        (lambda x: x.T, {}, 0, 1),
    ],
)
def test_work_of_one_operation(device, make, flops, moved, longest):
    x = gpukit.rand(3, 4).to(device)
    work = count_work(device, lambda: make(x))
    assert work.flops == flops
    assert work.bytes == moved
    assert work.longest_sum == longest


def test_counting_ends_and_leaves_the_device_as_it_was(device):
    x = gpukit.ones(4, device=device)

    def fails():
        _ = x + 1
        raise OSError("stop")

    with pytest.raises(OSError, match="stop"):
        count_work(device, fails)
    _ = x + 1
    assert count_work(device, lambda: x + 1).operations == 1


def test_a_batch_that_shares_a_matrix_reads_it_once():
    a, b = gpukit.rand(5, 2, 3), gpukit.rand(3, 4)
    work = count_work("cpu", lambda: a @ b)
    assert work.total_flops == 2 * 5 * 2 * 3 * 4
    assert work.bytes == 4 * (5 * 2 * 3 + 3 * 4 + 5 * 2 * 4)


def test_result_has_rates_and_a_verdict():
    x = gpukit.rand(400, 400)
    result = gpukit.bench(lambda: x @ x, name="square", **QUICK)
    assert result.flops == 2 * 400**3
    assert result.bytes == 3 * 4 * 400**2
    assert result.gflops == pytest.approx(result.flops / result.median / 1e9)
    assert result.bound == "compute"
    assert "compute-bound" in result.explain()
    assert "measured here" in result.peak_source
    assert result.percent_of_peak is None, "a measured peak is no yardstick for a share"


def test_without_operations_nothing_is_said_of_the_work():
    result = gpukit.bench(lambda: sum(range(10)), name="sum", **QUICK)
    assert (result.flops, result.bytes, result.bound, result.verdict) == (None,) * 4


@pytest.mark.parametrize(
    ("work", "copies", "bound"),
    [
        (Work(1, 1e3, {"float32": 1e12}), 0.0, "compute"),
        (Work(1, 1e12, {"float32": 1e3}), 0.0, "memory"),
        (Work(100_000, 1e3, {"float32": 1e3}), 0.0, "launch"),
        (Work(1, 1e3, {"float32": 1e12}), 1e6, "copy"),
    ],
)
def test_the_largest_need_names_the_bound(work, copies, bound):
    verdict = judge_bound(work, gpukit.cpu(), 1.0, copies)
    assert verdict.bound == bound
    assert verdict.sentence.startswith(f"{bound}-bound: ")


def test_launch_cost_is_small_and_positive():
    assert 0 < launch_seconds(gpukit.cpu()) < 1e-3


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA L4", "L4"),
        ("Tesla T4", "T4"),
        ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
        ("NVIDIA A100-SXM4-40GB", "A100"),
        ("Tesla V100-PCIE-16GB", "V100-PCIE"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA GeForce RTX 3050 Laptop GPU", "RTX 3050 Laptop"),
    ],
)
def test_cards_are_found_by_whole_words(name, row):
    assert card_row(name)["name"] == row


def test_unknown_card_has_no_row():
    assert card_row("NVIDIA T400") is None
    assert table_peaks("GeForce 256") is None


class _Properties:
    """What a driver says of a card."""

    def __init__(self, name, capability, *figures):
        self.name, (self.major, self.minor) = name, capability
        self.multi_processor_count, self.clock_rate = figures[:2]
        self.memory_clock_rate, self.memory_bus_width = figures[2:]


@pytest.mark.parametrize(
    "properties",
    [
        _Properties("Tesla T4", (7, 5), 40, 1590000, 5001000, 256),
        _Properties("Tesla P100-PCIE-16GB", (6, 0), 56, 1329000, 715000, 4096),
        _Properties("NVIDIA A100-SXM4-40GB", (8, 0), 108, 1410000, 1215000, 5120),
        _Properties("NVIDIA GeForce RTX 3090", (8, 6), 82, 1695000, 9751000, 384),
        _Properties("NVIDIA H100 80GB HBM3", (9, 0), 132, 1980000, 2619000, 5120),
    ],
    ids=lambda p: p.name,
)
def test_attributes_agree_with_the_table(properties):
    computed, listed = attribute_peaks(properties), table_peaks(properties.name)
    assert computed.fp32 == pytest.approx(listed.fp32, rel=0.04)
    assert computed.bandwidth == pytest.approx(listed.bandwidth, rel=0.02)
    assert computed.fp16 == pytest.approx(listed.fp16, rel=0.1)


def test_attributes_of_an_unknown_capability_give_nothing():
    assert attribute_peaks(_Properties("New", (99, 0), 1, 1, 1, 1)) is None


def test_table_is_dated_and_whole():
    assert "2026" in table_peaks("Tesla T4").source
    assert len(table_names()) == len(set(table_names())) >= 35


def test_peaks_of_the_cpu_are_measured_once():
    assert bench.peaks("cpu") is bench.peaks("cpu")
    assert bench.peaks("cpu").link is None
