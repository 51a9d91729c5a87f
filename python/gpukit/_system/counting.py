"""How many GPUs there are, asked without starting the driver, so that fork stays usable."""

from __future__ import annotations

import os
import sys

from gpukit import _core, _env

_CHILD = "from gpukit import _core; print(_core.cuda_device_count())"
_CHILD_SECONDS = 30
_TRACES = ("/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg")

_known: dict[tuple[str | None, str], int] = {}


def device_count() -> int:
    """Number of CUDA devices: of the open session, else by NVML, else of a short-lived child."""
    if _core.session_is_open() or not _core.build_info()["cuda"]:
        return _core.cuda_device_count() if _core.session_is_open() else 0
    if _env.text("GPUKIT_SIMULATE") and _simulation_starts():
        return _core.cuda_device_count()
    driver = _env.text("GPUKIT_LIBCUDA")
    if driver == "none":
        return 0
    visible = _env.text("CUDA_VISIBLE_DEVICES") if _env.is_set("CUDA_VISIBLE_DEVICES") else None
    key = (visible, driver)
    if key not in _known:
        count = None if driver else _count_by_nvml(visible)
        _known[key] = _count_by_child(driver) if count is None else count
    return _known[key]


def _simulation_starts() -> bool:
    _core.prepare_cuda()
    return _core.cuda_is_simulated()


def _count_by_child(driver: str) -> int:
    """Ask a fresh process, if there is any trace of a driver."""
    # pathlib would make `import gpukit` slower.
    if not driver and not any(os.path.exists(trace) for trace in _TRACES):  # noqa: PTH110
        return 0
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 (this very interpreter)
            [sys.executable, "-c", _CHILD],
            capture_output=True,
            text=True,
            timeout=_CHILD_SECONDS,
            check=True,
        )
        return int(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def _count_by_nvml(visible: str | None) -> int | None:
    """NVML's count, with CUDA_VISIBLE_DEVICES applied; None when NVML cannot tell."""
    from gpukit.monitor.facts import uuids

    found = uuids()
    if found is None:
        return None
    return len(found) if visible is None else count_visible(visible, found)


def count_visible(visible: str, uuids: list[str]) -> int | None:
    """Devices left by CUDA_VISIBLE_DEVICES: entries up to the first that is none. None for MIG."""
    seen: set[str] = set()
    for part in visible.split(","):
        entry = part.strip()
        if entry.startswith("MIG"):
            return None
        if entry.isdigit() and int(entry) < len(uuids):
            found = [uuids[int(entry)]]
        else:
            found = [uuid for uuid in uuids if entry and uuid.startswith(entry)]
        if len(found) != 1:
            break
        if found[0] in seen:
            return 0
        seen.add(found[0])
    return len(seen)
