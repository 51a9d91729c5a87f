"""Stage machine: what was installed, which image runs, driver, clocks, first use, a self-test."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from time import perf_counter

import gpukit
from gpu_day.sheet import Sheet
from gpukit import _core


def command_json(*arguments: str) -> dict:
    """What a gpukit command prints with --json."""
    program = [sys.executable, "-m", "gpukit", *arguments, "--json"]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=120)
    if not done.stdout.strip():
        return {"exit code": done.returncode, "message": done.stderr.strip()[-400:]}
    return json.loads(done.stdout)


def first_use_ms(index: int) -> float:
    """Milliseconds from a fresh process to the first answer of the device."""
    code = (
        "from time import perf_counter as t; a = t(); import gpukit; "
        f"x = gpukit.ones(8, device='cuda:{index}'); x.sum().item(); print((t() - a) * 1e3)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def images(capability: tuple[int, int]) -> str:
    """The architectures of the images, and the cubin that a device of this capability runs."""
    cubins = [row for row in _core.kernel_images() if not row[2]]
    architectures = sorted({architecture for _, architecture, _, _ in cubins})
    fitting = [a for a in architectures if a // 10 == capability[0] and a % 10 <= capability[1]]
    chosen = f"cubin sm_{max(fitting)}" if fitting else "PTX"
    return f"{chosen} of {architectures}"


def card(index: int) -> str:
    """A device's properties, without what identifies one card."""
    properties = gpukit.cuda.get_device_properties(index)
    return re.sub(r"(uuid|pci_bus_id)='[^']*', ", "", repr(properties))


def processor() -> dict[str, object]:
    """Of `gpukit info`, what a measurement depends on."""
    told = command_json("info")
    return {name: told.get(name) for name in ("cpu", "cpu_threads", "cpu_simd", "ram", "driver")}


def self_test() -> dict[str, object]:
    """Which checks of `gpukit selftest` failed, and of how many."""
    rows = command_json("selftest").get("rows", [])
    failed = [f"{row['device']} {row['check']}: {row['found']}" for row in rows if not row["ok"]]
    return {"checks": len(rows), "failed": failed}


def nvidia_smi() -> str:
    """Clocks and limits as the vendor's tool says them."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return "nvidia-smi is not installed"
    fields = "clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu,pcie.link.gen.current"
    query = [program, f"--query-gpu={fields}", "--format=csv"]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    sheet = Sheet()
    sheet.add(what="gpukit", value=f"{gpukit.__version__}, {sys.version.split()[0]}")
    for name in ("driver", "cuda", "runtime", "cublas"):
        sheet.add(what=f"version.{name}", value=str(getattr(gpukit.version, name)))
    for index in range(gpukit.cuda.device_count()):
        properties = gpukit.cuda.get_device_properties(index)
        capability = (properties.major, properties.minor)
        sheet.add(what=f"cuda:{index}", value=card(index))
        sheet.add(what=f"cuda:{index} image", value=images(capability))
        sheet.add(what=f"cuda:{index} first use, ms", value=first_use_ms(index))
    sheet.add(what="clocks", value=nvidia_smi())
    begin = perf_counter()
    sheet.add(what="gpukit info", value=json.dumps(processor()))
    sheet.add(what="gpukit info, s", value=perf_counter() - begin)
    sheet.add(what="gpukit selftest", value=json.dumps(self_test()))


if __name__ == "__main__":
    main()
