"""Warnings before a load that the host's memory cannot hold."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import gpukit
from gpukit._system import host_memory
from gpukit._system.host_memory import memory_of, shortage
from gpukit._system.machine import Machine
from support.patience import EMULATED

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
    short = shortage(gib * GIB, memory_of(machine(tmp_path, **settings)))
    found = "" if short is None else short.reason
    assert found.startswith(words)
    assert bool(found) == bool(words)


def test_nothing_is_said_where_nothing_is_known(tmp_path):
    assert memory_of(Machine(root=tmp_path, environ={})) == {}
    assert shortage(1 << 60, {}) is None


@pytest.fixture
def small_machine(tmp_path, monkeypatch):
    """A machine with 64 bytes left, on which every file is large."""
    monkeypatch.setattr(host_memory, "LARGE", 1)
    monkeypatch.setattr(host_memory, "memory_of", lambda _: {"available": 64, "swap": 0})
    monkeypatch.setattr(host_memory, "kept_by_gpukit", lambda: 0)
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


def test_a_limited_address_space_is_told_in_chinese(monkeypatch):
    limited = {"space": 1 << 30, "space_used": 1 << 29}
    monkeypatch.setattr(host_memory, "memory_of", lambda _: limited)
    monkeypatch.setattr(host_memory, "kept_by_gpukit", lambda: 0)
    gpukit.set_language("zh")
    try:
        with pytest.warns(gpukit.GpukitWarning, match="是 1.00 GiB，只剩 512 MiB：.*MemoryError"):
            host_memory.warn_before("load", "big.pth", 1 << 40)
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


# ---- a job's control group stands below the root of the hierarchy


def files_of(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Machine(root=tmp_path, environ={})


SLURM = "system.slice/slurmstepd.scope/job_7/step_0"


@pytest.mark.parametrize(
    ("files", "limit", "used"),
    [
        (  # version 2: the job has the limit, its step has none
            {
                "proc/self/cgroup": f"0::/{SLURM}\n",
                f"sys/fs/cgroup/{SLURM}/memory.max": "max",
                f"sys/fs/cgroup/{SLURM}/memory.current": "5000",
                "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max": "9000",
                "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.current": "6000",
            },
            9000,
            6000,
        ),
        (  # version 1, beside an empty hierarchy of version 2
            {
                "proc/self/cgroup": "9:cpu,cpuacct:/other\n4:memory:/slurm/uid_0/job_7\n0::/\n",
                "sys/fs/cgroup/memory/slurm/uid_0/job_7/memory.limit_in_bytes": "8000",
                "sys/fs/cgroup/memory/slurm/uid_0/job_7/memory.usage_in_bytes": "7000",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": str((1 << 63) - 4096),
                "sys/fs/cgroup/memory/memory.usage_in_bytes": "90000",
            },
            8000,
            7000,
        ),
        (  # the outer group has less left
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/b/memory.max": "800",
                "sys/fs/cgroup/a/b/memory.current": "100",
                "sys/fs/cgroup/a/memory.max": "1000",
                "sys/fs/cgroup/a/memory.current": "900",
            },
            1000,
            900,
        ),
        (  # a container that sees the host's name of its group
            {
                "proc/self/cgroup": "0::/docker/0123abcd\n",
                "sys/fs/cgroup/memory.max": "700",
                "sys/fs/cgroup/memory.current": "600",
            },
            700,
            600,
        ),
        (  # files that were read and can be dropped are not in use
            {
                "proc/self/cgroup": "0::/\n",
                "sys/fs/cgroup/memory.max": "1000",
                "sys/fs/cgroup/memory.current": "900",
                "sys/fs/cgroup/memory.stat": "anon 200\nfile 700\ninactive_file 650\n",
            },
            1000,
            250,
        ),
        (  # also those that were read twice
            {
                "proc/self/cgroup": "0::/\n",
                "sys/fs/cgroup/memory.max": "1000",
                "sys/fs/cgroup/memory.current": "900",
                "sys/fs/cgroup/memory.stat": "anon 200\ninactive_file 50\nactive_file 600\n",
            },
            1000,
            250,
        ),
        (  # version 1, whose totals count the groups inside
            {
                "proc/self/cgroup": "4:memory:/job\n",
                "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1000",
                "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "900",
                "sys/fs/cgroup/memory/job/memory.stat": "inactive_file 1\nactive_file 2\n"
                "total_inactive_file 50\ntotal_active_file 600\n",
            },
            1000,
            250,
        ),
    ],
)
def test_the_group_that_limits(tmp_path, files, limit, used):
    assert memory_of(files_of(tmp_path, files)) == {"limit": limit, "used": used}


def test_version_1_without_a_limit_has_none(tmp_path):
    files = {"limit_in_bytes": str((1 << 63) - 4096), "usage_in_bytes": "90000"}
    root = "sys/fs/cgroup/memory/memory"
    assert memory_of(files_of(tmp_path, {f"{root}.{k}": v for k, v in files.items()})) == {}


def test_an_endless_path_of_groups_is_bounded(tmp_path):
    deep = "/a" * 100_000
    assert memory_of(files_of(tmp_path, {"proc/self/cgroup": f"0::{deep}\n"})) == {}


def test_the_address_space_of_a_process(tmp_path):
    limits = "Limit Soft Hard Units\nMax address space         1000000   unlimited   bytes\n"
    found = memory_of(
        files_of(
            tmp_path,
            {"proc/self/limits": limits, "proc/self/status": "Name: x\nVmSize:\t  500 kB\n"},
        )
    )
    assert found == {"space": 1_000_000, "space_used": 512_000}
    assert shortage(400_000, found) is None
    short = shortage(500_000, found)
    assert short is not None and short.raises
    assert short.reason.endswith("of this process (ulimit -v)")


# ---- under real pressure, in a process of its own

LOADS = """
import pathlib, resource, sys
import gpukit
path, space, group, kept = sys.argv[1:]
if kept:
    gpukit.ones(int(kept))
if space:
    in_use = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + int(space), resource.RLIM_INFINITY))
if group:
    pathlib.Path(group, "cgroup.procs").write_text("0")
try:
    gpukit.load(path)
    print("loaded")
except MemoryError as error:
    print("MemoryError", error)
"""
MIB = 1 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A file of 288 MiB."""
    path = tmp_path_factory.mktemp("large") / "large.pth"
    gpukit.save(gpukit.zeros(72 * MIB), path)
    yield path
    path.unlink()


def load_under(path, *, space="", group="", kept=""):
    return subprocess.run(
        [sys.executable, "-c", LOADS, str(path), str(space), str(group), str(kept)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "GPUKIT_NUM_THREADS": "1"},
    )


@linux
@pytest.mark.skipif(EMULATED, reason="qemu-user does not limit the address space of its programs")
def test_a_process_with_too_little_address_space_is_warned_and_goes_on(checkpoint):
    done = load_under(checkpoint, space=128 * MIB)
    assert done.stdout.startswith("MemoryError"), done
    assert done.returncode == 0
    assert "large.pth has 288 MiB, but " in done.stderr
    assert "of this process (ulimit -v): this ends in a MemoryError" in done.stderr


@linux
def test_a_process_with_enough_is_not_warned(checkpoint):
    done = load_under(checkpoint, space=1024 * MIB)
    assert (done.stdout, done.stderr, done.returncode) == ("loaded\n", "", 0)


@linux
def test_memory_that_gpukit_s_pool_keeps_is_not_missing(checkpoint):
    done = load_under(checkpoint, space=128 * MIB, kept=72 * MIB)
    assert (done.stdout, done.stderr, done.returncode) == ("loaded\n", "", 0)


@pytest.fixture
def new_group():
    """A control group of 160 MiB, where the system lets this process make one."""
    name = f"gpukit_test_{os.getpid()}"
    for root, limit in (
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        ("/sys/fs/cgroup", "memory.max"),
    ):
        folder = Path(root, name)
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / limit).write_text(str(160 * MIB))
            yield folder
            return
        except OSError:
            continue
        finally:
            folder.rmdir()
    pytest.skip("no control group can be made here")


@linux
def test_a_process_that_the_system_ends_was_warned_before(checkpoint, new_group):
    done = load_under(checkpoint, group=new_group)
    assert (
        "limit of 160 MiB of this container or job: the system may end this process" in done.stderr
    )
    ended = (-signal.SIGKILL, "")
    assert (done.returncode, done.stdout) in (
        ended,
        (0, "loaded\n"),
    )  # the latter where there is swap
