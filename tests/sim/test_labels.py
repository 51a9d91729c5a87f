"""Whatever shows something of a simulated GPU says that it is simulated."""

from __future__ import annotations

import pytest

import gpukit


def watched():
    x = gpukit.ones(9, device="cuda")
    with gpukit.watch() as seen:
        x.sum().item()
    return seen.report


def sampled():
    with gpukit.monitor(interval=0.05) as watch:
        gpukit.ones(9, device="cuda").sum().item()
    return watch


def profiled():
    with gpukit.profiler.profile() as profile:
        gpukit.ones(9, device="cuda").sum().item()
    return profile.key_averages().table()


def energy():
    with gpukit.monitor.energy("cuda:0") as used:
        gpukit.ones(9, device="cuda").sum().item()
    return used


SHOWN = {
    "info": gpukit.info,
    "doctor": gpukit.doctor,
    "smi": gpukit.smi,
    "topology": gpukit.monitor.topology,
    "snapshot": gpukit.monitor.snapshot,
    "sampler": lambda: sampled().summary(),
    "bars": lambda: sampled().plot_text(),
    "energy": energy,
    "memory": lambda: gpukit.memory("cuda:0"),
    "free": gpukit.free,
    "memory_summary": lambda: gpukit.cuda.memory_summary(0),
    "watch": watched,
    "profiler": profiled,
    "tensor": lambda: gpukit.ones(2, device="cuda"),
    "properties": lambda: gpukit.cuda.get_device_properties(0),
    "selftest": lambda: gpukit.selftest("cuda:0", verbose=False),
    "bench": lambda: gpukit.bench(gpukit.neg, gpukit.ones(9), max_time=0.1, verbose=False)[-1],
    "bandwidth": lambda: gpukit.bench.bandwidth(sizes=[4096]),
}


@pytest.mark.parametrize("name", SHOWN)
def test_it_says_simulated(name):
    shown = SHOWN[name]()
    assert "simulated" in str(shown).lower()
    for form in ("to_html", "to_markdown"):
        if hasattr(shown, form):
            assert "simulated" in getattr(shown, form)()


def test_in_chinese_too():
    gpukit.set_language("zh")
    try:
        for name in ("info", "doctor", "smi", "sampler", "bandwidth", "selftest", "free"):
            assert "模拟" in str(SHOWN[name]())
    finally:
        gpukit.set_language(None)
