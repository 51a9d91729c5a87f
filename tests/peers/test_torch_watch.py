"""gpukit.watch over torch's calls, on tensors of the device "meta", which have no values."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import gpukit
from gpukit._devices.torch_watch import TorchWatch

HERE = Path(__file__).name


@pytest.fixture
def x():
    """A tensor of another device than the CPU."""
    return torch.ones(8, 8, device="meta")


def refused():
    """Values of such a tensor cannot be read; that they were asked for is counted before."""
    return contextlib.suppress(RuntimeError, NotImplementedError)


def kinds(seen: Any) -> dict[str, tuple[int, int]]:
    return {row.kind: (row.count, row.bytes) for row in seen.report.rows}


def test_values_that_are_read(x):
    with gpukit.watch(foreign=True) as seen:
        for _ in range(3):
            with refused():
                x.sum().item()
        with refused():
            float(x.sum())
        with refused():
            bool(x.sum() > 0)
    found = kinds(seen)
    assert found["bool"] == (1, 1)
    items = [row for row in seen.report.rows if row.kind == "item"]
    assert sum(row.count for row in items) == 4
    assert {row.file for row in items} == {__file__}
    assert {row.library for row in items} == {"torch"}
    assert "x.sum().item()" in {row.source for row in items}


def test_copies_and_their_bytes(x):
    host = torch.ones(4, 4)
    with gpukit.watch(foreign=True) as seen:
        for _ in range(5):
            with refused():
                x.cpu()
        with refused():
            x.to("cpu", non_blocking=True)
        host.to("meta")
        x[:4, :4].copy_(host)
        with refused():
            torch.empty(8, 8).copy_(x)
        x.to("meta")
        x.to(torch.float64)
    copies = [row for row in seen.report.rows if row.kind == "copy"]
    assert sorted((row.count, row.bytes) for row in copies) == [(1, 256), (5, 1280)]
    uploads = [row for row in seen.report.rows if row.kind == "pageable"]
    assert [(row.count, row.bytes) for row in uploads] == [(1, 64), (1, 64)]


def test_masks_and_sizes(x):
    with gpukit.watch(foreign=True) as seen:
        with refused():
            x.nonzero()
        with refused():
            x[x > 0]
        with refused():
            torch.masked_select(x, x > 0)
        x[torch.zeros(3, dtype=torch.int64, device="meta")]
    assert sum(row.count for row in seen.report.rows if row.kind == "index") == 3


def test_what_stays_on_a_device_waits_for_nothing(x):
    layer = torch.nn.Linear(8, 8, device="meta")
    with gpukit.watch(foreign=True) as seen:
        layer(x).relu().sum()
    assert seen.report.rows == []
    assert "gpukit's and torch's calls" in str(seen.report)
    assert seen.report.not_seen == [n for n in ("cupy", "jax", "tensorflow") if n in sys.modules]


def test_tensors_of_the_cpu_are_nobodys_wait():
    host = torch.ones(3)
    with gpukit.watch(foreign=True) as seen:
        host.sum().item()
        host.numpy()
        np.asarray(host)
        host.clone().tolist()
        bool(host[0] > 0)
    assert seen.report.rows == []


def test_synchronisations(monkeypatch):
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device=None: None)
    real = torch.cuda.synchronize
    with gpukit.watch(foreign=True) as seen:
        for _ in range(4):
            torch.cuda.synchronize()
    assert kinds(seen) == {"sync": (4, 0)}
    assert torch.cuda.synchronize is real


def test_the_debug_modes_warnings_are_counted():
    watch = TorchWatch(["sync"], 0)
    shown: list[str] = []
    show = watch.take_warning(lambda message, *rest: shown.append(str(message)))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        warnings.warn("called a synchronizing CUDA operation (from ...)", stacklevel=1)
        warnings.warn("another", stacklevel=1)
    assert shown == ["another"]
    assert [(Path(row[0]).name, row[3], row[4]) for row in watch.rows()] == [(HERE, "sync", 1)]


def test_warned_of_refused_and_allowed(x):
    with gpukit.watch("error", foreign=True):
        with pytest.raises(gpukit.DeviceError, match="torch would wait here"):
            x.cpu()
        with gpukit.allow_sync(), refused():
            x.cpu()
    with (
        gpukit.watch("warn", foreign=True),
        pytest.warns(gpukit.GpukitWarning, match="copy, 256"),
        refused(),
    ):
        x.cpu()


def test_kinds_and_sizes_are_chosen(x):
    with gpukit.watch(foreign=True, include=["copy"], min_bytes=200) as seen:
        for call in (x.cpu, x[0].cpu, x.sum().item):
            with refused():
                call()
    assert kinds(seen) == {"copy": (1, 256)}


def test_the_watch_ends(x):
    with gpukit.watch(foreign=True) as seen:
        pass
    with refused():
        x.cpu()
    assert seen.report.rows == []


def test_without_torch(monkeypatch):
    from gpukit._devices import watch

    monkeypatch.setattr(watch, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="torch is not installed"):
        gpukit.watch(foreign=True)


PROGRAM = """
import torch

x = torch.ones(8, 8, device="meta")
for _ in range(6):
    try:
        x.cpu()
    except NotImplementedError:
        pass
print("done")
"""


def test_the_command(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "gpukit", "watch", str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "done\n"
    assert "6 waits" in done.stderr
    assert "train.py:7" in done.stderr
    assert "Calls of torch are not seen" not in done.stderr


@pytest.mark.parametrize("width", [60, 80])
def test_the_table_keeps_its_columns(x, width):
    with gpukit.watch(foreign=True) as seen, refused():
        x.cpu()
    text = seen.report.to_table().to_text(width=width)
    assert max(map(len, text.splitlines())) <= width
    for title in ("where", "kind", "library", "times", "bytes", "line", "instead"):
        assert title in text
