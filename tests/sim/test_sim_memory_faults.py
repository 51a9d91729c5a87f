"""Memory faults of kernels, planted in a process of their own.

In a plain build the device is lost with 700, as on a card. In a build with AddressSanitizer the
process ends with a report that names the access: there both are the right answer to the same fault.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.mode import TESTS

# Where the tests are, before what the environment names.
PATHS = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])

PRELUDE = """
import sys
from pathlib import Path
from support.cubin import make_cubin
from support.sim_driver import RAMP, RAMP_SIZES, RampArgs, SimDriver

driver = SimDriver(Path(sys.argv[1]))
driver.start("2xT4")
function = driver.function(driver.load(make_cubin(75, RAMP, RAMP_SIZES)), RAMP)

def launch(address, count):
    driver.launch(function, 1, 256, RampArgs(address, count, 0))
"""

PLANTED = {
    "use after free": """
block = driver.allocate(1024)
driver.free(block)
launch(block.value, 256)
driver.call("cuCtxSynchronize", status=700)
assert "illegal memory access" in driver.message() and RAMP in driver.message()
driver.allocate(4, status=700)
driver.call("cuStreamSynchronize", None, status=700)
driver.call("cuCtxSetCurrent", driver.contexts[1])
driver.allocate(4)
driver.start("T4")
driver.allocate(4)
""",
    "write behind a small block": """
block = driver.allocate(1000)
launch(block.value, 251)
driver.call("cuCtxSynchronize")
driver.free(block, status=700)
assert "after the allocation" in driver.message()
""",
    "write behind a block of whole pages": """
block = driver.allocate(4096)
launch(block.value + 4096 - 4, 256)
driver.call("cuCtxSynchronize", status=700)
""",
    "write to poisoned bytes": """
from ctypes import c_size_t, c_uint64
block = driver.allocate(4096)
part = c_uint64(block.value + 1024)
driver.call("gpukitSimPoison", part, c_size_t(512), None)
driver.call("gpukitSimUnpoison", part, c_size_t(512), None)
launch(part.value, 128)
driver.call("cuCtxSynchronize")
driver.call("gpukitSimPoison", part, c_size_t(512), None)

if SANITIZED:
    launch(part.value, 128)
    driver.call("cuCtxSynchronize")
""",
}


def has_address_sanitizer() -> bool:
    """Whether this process runs under AddressSanitizer."""
    return hasattr(ctypes.CDLL(None), "__asan_init")


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str, sim_folder: Path) -> None:
    sanitized = has_address_sanitizer()
    script = f"SANITIZED = {sanitized}\n" + PRELUDE + PLANTED[fault]
    done = subprocess.run(
        [sys.executable, "-c", script, str(sim_folder / "libgpukit_simcuda.so")],
        env={**os.environ, "PYTHONPATH": PATHS},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if sanitized:
        assert done.returncode != 0
        assert "AddressSanitizer: use-after-poison" in done.stderr, done.stderr
    else:
        assert done.returncode == 0, done.stderr


READ = """
import ctypes, sys
import gpukit
x = gpukit.arange(1000, dtype=gpukit.float32, device="cuda:0")
assert gpukit.selftest("cuda:0", verbose=False).ok
y = x.to("cuda:1")
assert (y + 1).sum().item() == 500500.0
gpukit.cuda.synchronize()
print("computed", flush=True)
ctypes.string_at(x.data_ptr(), 4)
print("read", flush=True)
"""


@pytest.mark.parametrize("strict", [0, 1])
def test_the_host_cannot_read_device_memory_of_a_strict_simulation(strict: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ],
        env={**os.environ, "GPUKIT_SIMULATE": f"2xT4,strict={strict}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines()[0] == "computed", done.stderr
    assert ("read" in done.stdout) == (strict == 0)
    assert (done.returncode == 0) == (strict == 0)
