"""Warnings before a load that the host's memory cannot hold."""

from __future__ import annotations

import io
import warnings

import pytest

import gpukit
from gpukit._system import host_memory
from gpukit._system.host_memory import memory_of, too_large
from gpukit._system.machine import Machine

GIB = 1 << 30
MEMINFO = "MemTotal: {} kB\nMemAvailable: {} kB\nSwapTotal: {} kB\nSwapFree: {} kB\n"


def machine(tmp_path, *, available=8, swap=0, limit=None, used=None):
    """Files of a machine with 16 GiB; sizes are GiB."""
    sizes = (16 << 20, available << 20, swap << 20, swap << 20)
    files = {"proc/meminfo": MEMINFO.format(*sizes)}
    if limit is not None:
        files["sys/fs/cgroup/memory.max"] = limit if limit == "max" else str(limit * GIB)
        files["sys/fs/cgroup/memory.current"] = str(used * GIB)
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Machine(root=tmp_path, environ={})


@pytest.mark.parametrize(
    ("settings", "gib", "words"),
    [
        ({}, 7, ""),
        ({}, 9, "8.00 GiB of memory are free, and there is no swap"),
        ({"swap": 4}, 9, ""),
        ({"swap": 4}, 13, "8.00 GiB of memory and 4.00 GiB of swap are free"),
        ({"limit": 4, "used": 3}, 2, "1.00 GiB are left of the limit of 4.00 GiB"),
        ({"limit": 2, "used": 3}, 1, "0 B are left of the limit of 2.00 GiB"),
        ({"limit": "max", "used": 3}, 2, ""),
    ],
)
def test_what_fits(tmp_path, settings, gib, words):
    found = too_large(gib * GIB, memory_of(machine(tmp_path, **settings)))
    assert found.startswith(words)
    assert bool(found) == bool(words)


def test_nothing_is_said_where_nothing_is_known(tmp_path):
    assert memory_of(Machine(root=tmp_path, environ={})) == {}
    assert too_large(1 << 60, {}) == ""


@pytest.fixture
def small_machine(tmp_path, monkeypatch):
    """A machine with 64 bytes left, on which every file is large."""
    monkeypatch.setattr(host_memory, "LARGE", 1)
    monkeypatch.setattr(host_memory, "memory_of", lambda _: {"available": 64, "swap": 0})
    path = tmp_path / "big.pth"
    gpukit.save({"w": gpukit.ones(1000)}, path)
    return path


def test_load_warns_before_it_reads(small_machine):
    with pytest.warns(
        gpukit.GpukitWarning, match="big.pth has .*and there is no swap: the"
    ) as seen:
        loaded = gpukit.load(small_machine)
    assert seen[0].filename == __file__
    assert loaded["w"].sum().item() == 1000


def test_load_warns_in_chinese(small_machine):
    gpukit.set_language("zh")
    try:
        with pytest.warns(gpukit.GpukitWarning, match="系统可能会不加提示地结束本进程"):
            gpukit.load(small_machine)
    finally:
        gpukit.set_language(None)


def test_a_mapped_file_needs_no_memory(small_machine):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpukit.load(small_machine, mmap=True)


def test_small_files_are_not_looked_into(monkeypatch):
    monkeypatch.setattr(host_memory, "memory_of", lambda _: pytest.fail("it was read"))
    file = io.BytesIO()
    gpukit.save([gpukit.ones(3)], file)
    gpukit.load(io.BytesIO(file.getvalue()))
