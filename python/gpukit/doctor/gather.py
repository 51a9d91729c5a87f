"""Collects the evidence: a child with a time limit, and what only this process knows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gpukit import _device, _env
from gpukit._simulation import session
from gpukit._system.platforms import Platform
from gpukit.doctor.evidence import Card, Cuda, Evidence, LibraryFile, Nvml, Own

_SECONDS, _DEEP_SECONDS, _KILL_SECONDS = 30, 120, 1
_WATCHED_MODULES = ("torch", "numpy", "cupy", "jax", "tensorflow", "gpukit")


def evidence_from(data: dict[str, Any]) -> Evidence:
    """The evidence of files from what the child printed."""
    fields = dict(data)
    fields["platform"] = Platform(**fields["platform"])
    fields["cards"] = [Card(**card) for card in fields["cards"]]
    for name in ("driver_files", "nvml_files"):
        fields[name] = [LibraryFile(**file) for file in fields[name]]
    fields["own"] = Own()
    return Evidence(**fields)


def _apply(evidence: Evidence, stage: str, data: Any) -> Evidence:
    if stage == "files":
        return evidence_from(data)
    if stage == "nvml":
        evidence.nvml = Nvml(**data)
    elif stage == "cuda":
        evidence.cuda = Cuda(**data)
    elif stage == "device" and evidence.cuda:
        evidence.cuda.devices.append(data)
    elif stage == "peers" and evidence.cuda:
        evidence.cuda.peers = data
    return evidence


def read_stages(lines: Iterable[str], how_it_ended: str) -> Evidence:
    """The evidence of the child's lines; a child that did not reach its end says where it was."""
    evidence, doing, complete = Evidence(), "reading files", False
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue  # cut off, or a library that printed something
        stage = record.get("stage") if isinstance(record, dict) else None
        if stage == "start":
            doing = f"starting {record['data']}"
        elif stage == "end":
            complete = True
        elif stage:
            evidence = _apply(evidence, stage, record["data"])
    if not complete:
        evidence.ended = f"the probing process {how_it_ended} while {doing}"
    return evidence


def _how(status: int | None, seconds: int) -> str:
    if status is None:
        return f"did not respond for {seconds} s"
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _child_command(deep: bool) -> list[str]:
    return [sys.executable, "-m", "gpukit.doctor.child", *(["--deep"] if deep else [])]


def _run_child(deep: bool) -> tuple[list[str], str]:
    """The child's lines, and how it ended. One that is stuck in the kernel is abandoned."""
    seconds = _DEEP_SECONDS if deep else _SECONDS
    own = str(Path(__file__).resolve().parents[2])
    places = [own, *(place for place in sys.path if Path(place).is_absolute())]
    changes = {"PYTHONPATH": os.pathsep.join(places)}
    if simulated := session.active_text():
        changes["GPUKIT_SIMULATE"] = simulated
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        child = subprocess.Popen(  # noqa: S603 (this very interpreter)
            _child_command(deep),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=Path(sys.executable).parent,
            env=_env.for_child(Path(sys.executable).parent, **changes),
        )
        status: int | None = None
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            try:
                child.wait(_KILL_SECONDS)
            except subprocess.TimeoutExpired:
                child.returncode = -signal.SIGKILL  # stuck in the kernel: it cannot be reaped
        output.seek(0)
        return output.read().splitlines(), _how(status, seconds)


def _initial_environment() -> dict[str, str]:
    try:
        entries = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(e.decode("utf-8", "replace").split("=", 1) for e in entries if b"=" in e)


def _stale(packages: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Imported modules whose installed version is another one by now."""
    stale = {}
    for name in _WATCHED_MODULES:
        loaded = getattr(sys.modules.get(name), "__version__", None)
        installed = packages.get(name)
        if loaded and installed and str(loaded) != installed:
            stale[name] = (str(loaded), installed)
    return stale


def _other_python() -> str:
    """Where pip of a notebook's shell would install, if that is another environment."""
    import shutil

    if "ipykernel" not in sys.modules:
        return ""
    pip = shutil.which("pip")
    prefix = Path(pip).parent.parent if pip else Path(sys.prefix)
    return "" if prefix == Path(sys.prefix) else f"pip is in {prefix}, the kernel in {sys.prefix}"


def own_facts(packages: dict[str, str]) -> Own:
    """What only this process knows. Touches no device."""
    name = "CUDA_VISIBLE_DEVICES"
    last = getattr(sys, "last_value", None)
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        maps = ""
    mapped = next((line.split()[-1] for line in maps.splitlines() if "libcuda.so" in line), "")
    return Own(
        mapped_driver=mapped,
        visible_now=_env.text(name) if _env.is_set(name) else None,
        visible_at_start=_initial_environment().get(name),
        stale_modules=_stale(packages),
        kept_traceback="OutOfMemory" in type(last).__name__ or isinstance(last, MemoryError),
        python_prefix_differs=_other_python(),
        lost=_device.lost_here(),
    )


def gather(*, deep: bool = False) -> Evidence:
    """The whole evidence of this machine."""
    lines, how = _run_child(deep)
    evidence = read_stages(lines, how)
    evidence.own = own_facts(evidence.packages)
    return evidence
