"""`gpukit.info()`: what is here and what computes."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import gpukit
from gpukit import _vendors
from gpukit._core import driver_report
from gpukit._device import verify_device
from gpukit.report.text import bytes_text

_NEIGHBOURS = {
    "numpy": ("numpy",),
    "torch": ("torch",),
    "cupy": ("cupy", "cupy-cuda12x", "cupy-cuda13x"),
    "jax": ("jax",),
    "tensorflow": ("tensorflow", "tensorflow-cpu"),
}
_STACK = (
    "rich",
    "psutil",
    "nvidia-ml-py",
    "cuda-pathfinder",
    "scipy-openblas32",
    "safetensors",
    "ml_dtypes",
)


@dataclass
class Info:
    """The report of `gpukit.info()`. Bytes are bytes; None is not installed or not known."""

    version: str
    python: str
    os: str
    platform: str
    cpu: str
    cpu_threads: int
    ram: int | None
    driver: str | None
    cuda_max: str | None
    devices: list[dict[str, Any]]
    backends: list[dict[str, Any]]
    libraries: dict[str, str | None]
    reasons: list[str] = field(default_factory=list)
    numpy: str | None = None
    torch: str | None = None
    cupy: str | None = None
    jax: str | None = None
    tensorflow: str | None = None
    stack: dict[str, str | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"schema": 1, **asdict(self)}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    def lines(self) -> list[str]:
        """The report, a line each: software, GPUs, other backends, CPU last."""
        text = [
            f"gpukit {self.version} · Python {self.python} · {self.os} · {self.platform}",
            self._software_line(),
            "",
            *self._cuda_lines(),
            *(
                f"{b['name']}: {'found' if b['hardware'] else 'not found'} ({b['evidence']})"
                for b in self._others()
            ),
            "",
            self._cpu_line(),
        ]
        if self.stack:
            text += [
                "",
                *(
                    f"  {name}: {version or 'not installed'}"
                    for name, version in self.stack.items()
                ),
            ]
        return text

    def _others(self) -> list[dict[str, Any]]:
        return [b for b in self.backends if b["name"] != "CUDA"]

    def _software_line(self) -> str:
        found = {name: getattr(self, name) for name in _NEIGHBOURS}
        shown = [f"{name} {version}" for name, version in found.items() if version]
        absent = [name for name, version in found.items() if not version]
        return " · ".join(shown + ([f"not installed: {', '.join(absent)}"] if absent else []))

    def _cuda_lines(self) -> list[str]:
        gpus = [d for d in self.devices if d["type"] == "cuda"]
        if not gpus:
            return ["CUDA: no usable GPU", *(f"  {reason}" for reason in self.reasons)]
        head = f"CUDA: driver supports {self.cuda_max or 'an unknown version'}"
        return [
            head,
            *(_gpu_line(gpu) for gpu in gpus),
            *(f"  {reason}" for reason in self.reasons),
        ]

    def _cpu_line(self) -> str:
        memory = f", {bytes_text(self.ram)} memory" if self.ram else ""
        return f"cpu: {self.cpu}, {self.cpu_threads} threads{memory}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return str(self)

    def to_markdown(self) -> str:
        return "```text\n" + str(self) + "\n```"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from html import escape

        markup = f'<pre style="color:inherit;background:transparent">{escape(str(self))}</pre>'
        return {"text/plain": str(self), "text/html": markup, "text/markdown": self.to_markdown()}


def _gpu_line(gpu: dict[str, Any]) -> str:
    label = ", simulated" if gpu["simulated"] else ""
    proof = {
        True: "a kernel ran and gave the right answer",
        False: "a kernel did NOT run",
        None: "not verified",
    }
    return (
        f"  {gpu['device']}: {gpu['name']}, compute capability {gpu['capability']}, "
        f"{bytes_text(gpu['total_memory'])}, {gpu['multi_processor_count']} SMs{label}; "
        f"{proof[gpu['verified']]}"
    )


def _version_of(names: tuple[str, ...]) -> str | None:
    for name in names:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:  # noqa: PERF203
            continue
    return None


def _cpu_name() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None


def hosted_platform() -> str:
    """Where this runs, by files only: Colab, Kaggle, WSL2, a container, or a plain machine."""
    if Path("/content").is_dir() and Path("/opt/google").is_dir():
        return "Colab"
    if Path("/kaggle").is_dir():
        return "Kaggle"
    if "microsoft" in platform.release().lower():
        return "WSL2"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return "container"
    return "plain machine"


def cuda_text(version: int) -> str | None:
    """12080 as 12.8; None for 0."""
    return f"{version // 1000}.{version % 1000 // 10}" if version else None


def _gpu_record(device: Any, verify: bool) -> dict[str, Any]:
    properties = gpukit.cuda.get_device_properties(device)
    return {
        "device": str(device),
        "type": device.type,
        "name": properties.name,
        "capability": f"{properties.major}.{properties.minor}",
        "total_memory": properties.total_memory,
        "multi_processor_count": properties.multi_processor_count,
        "simulated": device.simulated,
        "verified": verify_device(device) if verify else None,
    }


def _cuda_light(devices: list[dict[str, Any]], reasons: list[str]) -> dict[str, Any]:
    evidence = _vendors.nvidia_evidence()
    usable = any(d["verified"] is not False for d in devices)
    text = "; ".join(evidence) if evidence else "no NVIDIA card or driver file"
    if devices and devices[0]["simulated"]:
        text = "simulated"
    return asdict(_vendors.BackendLight("CUDA", bool(evidence or devices), usable, text)) | {
        "reasons": reasons
    }


def info(*, stack: bool = False, verify: bool = True) -> Info:
    """What is installed, which devices there are, and why a GPU is not used.

    Args:
        stack: add the versions of the libraries that gpukit uses.
        verify: run a small kernel on each GPU; this starts the driver in this process.

    Returns:
        An Info; printed when last in a notebook cell. `to_dict`, `to_json` and `to_markdown` give
        other forms.
        It holds no user name, home path, host name, environment value or command argument.

    Example:
        >>> import gpukit
        >>> gpukit.info(verify=False).version == gpukit.__version__
        True
    """
    for name, value in (("stack", stack), ("verify", verify)):
        if not isinstance(value, bool):
            raise TypeError(f"info: {name} must be True or False, got {value!r}")
    gpus = [_gpu_record(d, verify) for d in gpukit.devices() if d.type == "cuda"]
    why = gpukit.cuda.why_unavailable() if not gpus or verify else None
    reasons = [why] if why else []
    report = driver_report() if gpus else {}
    cpu = {
        "device": "cpu",
        "type": "cpu",
        "name": _cpu_name(),
        "simulated": False,
        "verified": True,
    }
    lights = [_cuda_light(gpus, reasons), *(asdict(light) for light in _vendors.other_lights())]
    return Info(
        version=gpukit.__version__,
        python=platform.python_version(),
        os=f"{platform.system()} {platform.release()}",
        platform=hosted_platform(),
        cpu=_cpu_name(),
        cpu_threads=gpukit.get_num_threads(),
        ram=_memory_bytes(),
        driver=gpukit.version.driver if gpus else None,
        cuda_max=cuda_text(int(report.get("driver_version", 0))),
        devices=[*gpus, cpu],
        backends=lights,
        libraries={
            "driver": report.get("library") or None,
            "cublas": report.get("matmul_library") or None,
        },
        reasons=reasons,
        stack={name: _version_of((name,)) for name in _STACK} if stack else {},
        **{name: _version_of(names) for name, names in _NEIGHBOURS.items()},
    )


def show_versions(as_dict: bool = False) -> dict[str, str | None] | None:
    """Prints the versions that a bug report needs; with `as_dict` returns them instead.

    Example:
        >>> import gpukit
        >>> sorted(gpukit.show_versions(as_dict=True))[:2]
        ['cuda-pathfinder', 'cupy']
    """
    versions: dict[str, str | None] = {
        "gpukit": gpukit.__version__,
        "python": sys.version.split()[0],
    }
    versions |= {name: _version_of(names) for name, names in _NEIGHBOURS.items()}
    versions |= {name: _version_of((name,)) for name in _STACK}
    if as_dict:
        return versions
    for name, version in versions.items():
        print(f"{name}: {version or 'not installed'}")  # noqa: T201
    return None
