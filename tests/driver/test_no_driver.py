"""Without a driver nothing breaks, counts are 0, and what needs a GPU says why and what to do.

Mode cpu: GPUKIT_LIBCUDA=none, which searches nowhere, as on a machine where nothing is found.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import gpukit
from gpukit import _device, cuda

REASON = "no CUDA driver: GPUKIT_LIBCUDA=none"


@pytest.fixture
def first_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this process had not yet said anything, and was not asked to be quiet."""
    monkeypatch.setattr(_device, "_noted", set())
    monkeypatch.delenv("GPUKIT_QUIET", raising=False)


def test_why_unavailable_names_the_reason_and_the_fix() -> None:
    assert cuda.why_unavailable() == f"{REASON}. Use gpukit.simulate(2)."


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (cuda.device_count, 0),
        (cuda.is_available, False),
        (cuda.is_initialized, False),
        (gpukit.num_gpus, 0),
        (gpukit.devices, [gpukit.device("cpu")]),
        (gpukit.try_all_gpus, [gpukit.device("cpu")]),
        (cuda.memory_allocated, 0),
        (cuda.max_memory_allocated, 0),
        (cuda.memory_reserved, 0),
        (cuda.max_memory_reserved, 0),
        (cuda.empty_cache, None),
        (cuda.reset_peak_memory_stats, None),
        (cuda.ipc_collect, None),
        (gpukit.synchronize, None),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_counts_are_zero_and_nothing_to_do_is_fine(ask: Callable[[], Any], answer: Any) -> None:
    assert ask() == answer


def test_memory_stats_are_all_zero() -> None:
    assert set(cuda.memory_stats().values()) == {0}


def test_kernels_are_listed_without_a_driver() -> None:
    built = gpukit._core.build_info()["cuda"]

    assert bool(cuda.get_arch_list()) == built
    assert gpukit.backends.cuda.is_built() == built


NEEDS_A_GPU: dict[str, Callable[[], Any]] = {
    "get_device_properties": lambda: cuda.get_device_properties(1),
    "get_device_name": lambda: cuda.get_device_name(1),
    "get_device_capability": lambda: cuda.get_device_capability(1),
    "can_device_access_peer": lambda: cuda.can_device_access_peer(1, 0),
    "mem_get_info": lambda: cuda.mem_get_info(1),
    "set_device": lambda: cuda.set_device(1),
    "synchronize": lambda: cuda.synchronize(1),
    "Stream": lambda: cuda.Stream(device=1),
    "current_stream": lambda: cuda.current_stream(1),
    "to": lambda: gpukit.ones(2).to("cuda:1"),
    "cuda": lambda: gpukit.ones(2).cuda(1),
    "device=": lambda: gpukit.ones(2, device="cuda:1"),
    "tensor": lambda: gpukit.tensor([1.0], device=gpukit.gpu(1)),
    "try_gpu": lambda: gpukit.try_gpu(1, strict=True),
}


@pytest.mark.parametrize("name", NEEDS_A_GPU)
def test_what_needs_a_gpu_says_why_and_what_to_do(name: str) -> None:
    with pytest.raises(gpukit.DeviceNotFoundError) as caught:
        NEEDS_A_GPU[name]()

    assert str(caught.value).endswith(
        f"cuda:1 was asked for, but 0 usable GPUs found: {REASON}. "
        "Use gpukit.try_gpu(1), or practise with gpukit.simulate(2). "
        "gpukit.doctor() finds the cause."
    )
    assert caught.value.code == "GK-E102"
    assert caught.value.fix == "gpukit.try_gpu(1)"
    assert caught.value.details["reason"] == REASON
    assert caught.value.details["usable"] == 0
    assert caught.value.details["cause"] == "driver_search_off"


@pytest.mark.parametrize("call", [cuda.init, cuda.current_device, gpukit.require_gpus])
def test_asking_for_any_gpu_says_why(call: Callable[[], Any]) -> None:
    with pytest.raises(gpukit.DeviceNotFoundError, match=f"0 usable.*: {REASON}"):
        call()


def test_a_device_can_be_named_before_it_is_used() -> None:
    assert str(gpukit.gpu(7)) == "cuda:7"
    assert str(gpukit.device("cuda:7")) == "cuda:7"


def test_a_tensor_that_could_not_be_moved_is_still_good() -> None:
    x = gpukit.arange(4)
    with pytest.raises(gpukit.DeviceNotFoundError):
        x.to("cuda")

    assert (x + 1).tolist() == [1, 2, 3, 4]


@pytest.mark.usefixtures("first_note")
def test_try_gpu_falls_back_with_one_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert [gpukit.try_gpu(), gpukit.try_gpu()] == [gpukit.cpu(), gpukit.cpu()]

    note = f"gpukit: cuda:0 cannot be used ({REASON}); using the CPU.\n"
    assert capsys.readouterr() == ("", note)


@pytest.mark.usefixtures("first_note")
def test_a_quiet_try_gpu_says_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpukit.try_gpu(quiet=True)
    monkeypatch.setenv("GPUKIT_QUIET", "1")
    gpukit.try_gpu()

    assert capsys.readouterr() == ("", "")


def test_a_simulation_stands_in_and_goes_away_again() -> None:
    with gpukit.simulate(2) as simulation:
        assert cuda.why_unavailable() is None
        assert gpukit.try_gpu(1) == simulation.devices[1]
        x = gpukit.arange(4, device="cuda:1")
        assert (x * 2).tolist() == [0, 2, 4, 6]

    with pytest.raises(gpukit.DeviceError, match="its simulation has ended"):
        x.tolist()
    assert cuda.device_count() == 0
    assert REASON in (cuda.why_unavailable() or "")


FORK_SCRIPT = """
import os, gpukit
gpukit.cuda.is_available(), gpukit.try_gpu(quiet=True)
child = os.fork()
if child == 0:
    os._exit(gpukit.tensor([1, 2, 3]).sum().item())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_fork_stays_usable() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORK_SCRIPT],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == "6\n"
