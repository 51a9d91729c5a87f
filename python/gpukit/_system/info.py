"""`gpukit.info()`: what is here and what computes."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import gpukit
from gpukit._core import added_devices, cpu_simd, describe_device, driver_report
from gpukit._device import verdict_of, verify_device, with_fix
from gpukit._system import gpu_facts, platforms, vendors, versions
from gpukit._system.found_libraries import found_libraries, without_home
from gpukit._system.gpu_facts import cuda_text
from gpukit._system.machine import Machine
from gpukit.report import Page, Section, Shown, bytes_text, light_texts
from gpukit.report.lights import lights_of

_NVML_SECONDS = 0.15
_PROOF = {
    True: "a kernel ran and gave the right answer",
    False: "a kernel did NOT run",
    None: "not verified",
}


@dataclass(repr=False)
class Info(Shown):
    """The report of `gpukit.info()`. Sizes are in bytes; None means not installed or unknown.

    `lights` are the steps to a working GPU; `backends` and `reasons` have cuda, rocm, mps, oneapi.
    `cpu_simd` is the level that GPUKIT_SIMD allowed and the processor has, such as "avx2".
    """

    version: str
    python: str
    os: str
    platform: str
    cpu: str
    cpu_threads: int
    cpu_simd: str
    ram: int | None
    driver: str | None
    cuda_max: str | None
    devices: list[dict[str, Any]]
    lights: dict[str, bool | None]
    backends: dict[str, dict[str, Any]]
    libraries: dict[str, dict[str, Any] | None]
    reasons: dict[str, str] = field(default_factory=dict)
    numpy: str | None = None
    torch: str | None = None
    cupy: str | None = None
    jax: str | None = None
    tensorflow: str | None = None
    stack: dict[str, str | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, with the number of the schema."""
        return {"schema": 1, **asdict(self)}

    def to_page(self) -> Page:
        """Software, lights, GPUs, other backends, libraries; the CPU last."""
        label = platforms.LABELS[self.platform]
        return Page(
            title=f"gpukit {self.version} · Python {self.python} · {self.os} · {label}",
            facts=light_texts(self.lights, self._ran(), simulated=self._simulated()),
            lead=self._software_line(),
            sections=[
                self._cuda_section(),
                *self._added_sections(),
                Section("Other backends", items=self._other_lines()),
                *self._library_sections(),
                *([self._stack_section()] if self.stack else []),
                Section(self._cpu_line()),
            ],
        )

    def _software_line(self) -> str:
        found = {name: getattr(self, name) for name in versions.NEIGHBOURS}
        shown = [f"{name} {version}" for name, version in found.items() if version]
        absent = [name for name, version in found.items() if not version]
        return " · ".join(shown + ([f"not installed: {', '.join(absent)}"] if absent else []))

    def _simulated(self) -> bool:
        return any(gpu["simulated"] for gpu in self._gpus())

    def _ran(self) -> list[bool]:
        return [gpu["verified"] for gpu in self._gpus() if gpu["verified"] is not None]

    def _gpus(self) -> list[dict[str, Any]]:
        return [device for device in self.devices if device["type"] == "cuda"]

    def _cuda_section(self) -> Section:
        gpus, reason = self._gpus(), self.reasons.get("cuda")
        items = [_gpu_line(gpu) for gpu in gpus] + ([reason] if reason else [])
        if gpus:
            label = "simulated " if gpus[0]["simulated"] else ""
            version = f" {self.driver}" if self.driver and not label else ""
            return Section(
                f"CUDA: the {label}driver{version} accepts up to CUDA {self.cuda_max or '?'}",
                items=items,
            )
        found = [light["name"] for light in self.backends.values() if light["hardware"]]
        if found:
            return Section("CUDA: no usable GPU", items=items)
        names = ", ".join(vendors.BACKENDS.values())
        return Section(f"CUDA: no GPU found; looked for {names}", items=items)

    def _added_sections(self) -> list[Section]:
        """A section for each kind of device that a library added."""
        added = [device for device in self.devices if device["type"] not in {"cpu", "cuda"}]
        return [
            Section(f"{kind}: added by a device library", items=[_added_line(d) for d in devices])
            for kind, devices in groupby(added, key=itemgetter("type"))
        ]

    def _other_lines(self) -> list[str]:
        lines = []
        for name, light in self.backends.items():
            if name != "cuda":
                state = "found" if light["hardware"] else "not found"
                advice = f"; {light['advice']}" if light["advice"] else ""
                lines.append(f"{light['name']}: {state} ({light['evidence']}{advice})")
        return lines

    def _library_sections(self) -> list[Section]:
        items = [
            f"{name} {library['version'] or '(version unknown)'}: {library['place']}"
            for name, library in self.libraries.items()
            if library
        ]
        return [Section("Libraries", items=items)] if items else []

    def _stack_section(self) -> Section:
        gpus = [gpu["name"] for gpu in self._gpus()]
        versions = [f"{name} {version or 'not installed'}" for name, version in self.stack.items()]
        return Section(
            "Stack, from your code down to the hardware",
            items=[
                "your notebook or program",
                f"gpukit {self.version}: nn, optim, bench, doctor, monitor (Python)",
                f"used by it: {', '.join(versions)}",
                "gpukit._core: tensors, operations, memory (C++)",
                f"backend cpu: {self.cpu_threads} threads, vector instructions: {self.cpu_simd}",
                f"backend cuda: driver {self.driver or 'not used'}, "
                f"CUDA {self.cuda_max or 'not used'}; no toolkit is needed",
                f"hardware: {self.cpu}{''.join(f' · {name}' for name in gpus)}",
            ],
        )

    def _cpu_line(self) -> str:
        memory = f", {bytes_text(self.ram)} memory" if self.ram else ""
        return f"cpu: {self.cpu}, {self.cpu_threads} threads{memory}"


def _gpu_line(gpu: dict[str, Any]) -> str:
    label = ", simulated" if gpu["simulated"] and "simulated" not in gpu["name"] else ""
    form = f", {gpu['form']}" if gpu["form"] else ""
    return (
        f"{gpu['device']}: {gpu['name']} ({gpu['architecture']}, compute capability "
        f"{gpu['capability']}{form}), {bytes_text(gpu['total_memory'])}, "
        f"{gpu['multi_processor_count']} SMs{label}; {_PROOF[gpu['verified']]}"
    )


def _cpu_name(machine: Machine) -> str:
    if machine.system == "Darwin":
        return machine.sysctl("machdep.cpu.brand_string") or machine.arch
    for line in machine.read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or machine.arch


def _memory_bytes(machine: Machine) -> int | None:
    if machine.system == "Darwin":
        size = machine.sysctl("hw.memsize")
        return int(size) if size.isdigit() else None
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None


def _gpu_record(device: Any, verify: bool) -> dict[str, Any]:
    properties = gpukit.cuda.get_device_properties(device)
    capability = f"{properties.major}.{properties.minor}"
    facts = gpu_facts.card_facts(properties.name)
    return {
        "device": str(device),
        "type": device.type,
        "name": properties.name,
        "capability": capability,
        "architecture": gpu_facts.architecture(capability),
        "form": facts.form if facts else None,
        "total_memory": properties.total_memory,
        "multi_processor_count": properties.multi_processor_count,
        "simulated": device.simulated,
        "verified": verify_device(device) if verify else None,
    }


def _cuda_light(machine: Machine, gpus: list[dict[str, Any]]) -> vendors.BackendLight:
    evidence = vendors.nvidia_evidence(machine)
    usable = any(gpu["verified"] is not False for gpu in gpus)
    text = ", ".join(evidence) or "no NVIDIA controller, no driver file"
    real = [gpu for gpu in gpus if not gpu["simulated"]]
    if gpus and not real:
        text = f"simulated; {text}"
    return vendors.BackendLight("CUDA", bool(evidence or real), usable, text)


def _nvml_sees() -> bool | None:
    """Whether NVML shows a GPU; None if NVML is not available."""
    from gpukit.monitor.nvml import NvmlFault, library
    from gpukit.monitor.reading import ask

    try:
        nvml = library(_NVML_SECONDS)
        return int(ask(nvml, "nvmlDeviceGetCount", _NVML_SECONDS)) > 0
    except NvmlFault:
        return None


def _added_record(device: Any) -> dict[str, Any]:
    """A device of a kind that a library added."""
    facts = describe_device(device)
    return {
        "device": str(device),
        "type": device.type,
        "name": facts["name"],
        "total_memory": facts["total_memory"],
        "simulated": False,
        "verified": None,
    }


def _added_line(device: dict[str, Any]) -> str:
    return f"{device['device']}: {device['name']}, {bytes_text(device['total_memory'])}"


def _lights(
    machine: Machine, gpus: list[dict[str, Any]], report: dict[str, Any]
) -> dict[str, bool | None]:
    """The steps to a working GPU; None for steps that were not checked."""
    verified = [gpu["verified"] for gpu in gpus]
    loaded = machine.seen("/proc/driver/nvidia/version", "/usr/lib/wsl/lib/libcuda.so.1")
    kernel = True if any(verified) else (False if False in verified else None)
    return lights_of(
        hardware=_cuda_light(machine, gpus).hardware,
        driver=bool(loaded or report.get("library")),
        nvml=_nvml_sees() if loaded or gpus else None,
        start=bool(gpus) if gpus or loaded else None,
        kernel=kernel,
    )


def _why_not(gpus: list[dict[str, Any]], verify: bool) -> str:
    """Why there is no GPU, or why those that failed did."""
    if not gpus:
        return gpukit.cuda.why_unavailable() or ""
    failed = [gpu for gpu in gpus if gpu["verified"] is False] if verify else []
    return " ".join(with_fix(verdict_of(gpu["device"])) for gpu in failed)


def _reasons(gpus: list[dict[str, Any]], verify: bool, lights: dict[str, Any]) -> dict[str, str]:
    """Why a backend is not used, by its name; a backend without trouble is not in it."""
    reasons = {"cuda": without_home(why)} if (why := _why_not(gpus, verify)) else {}
    return reasons | {name: light.evidence for name, light in lights.items()}


def info(*, stack: bool = False, verify: bool = True) -> Info:
    """What is installed, which devices there are, and why a GPU is not used.

    Args:
        stack: add a picture of the layers and the versions of the libraries that gpukit uses.
        verify: run a small kernel on each GPU; this starts the driver in this process.

    Returns:
        An Info; printed when last in a notebook cell. `to_dict`, `to_json`, `to_markdown` and
        `to_html` return other formats.
        It holds no user name, home path, host name, environment value or command argument.

    Example:
        >>> import gpukit
        >>> gpukit.info(verify=False).version == gpukit.__version__
        True
    """
    for name, value in (("stack", stack), ("verify", verify)):
        if not isinstance(value, bool):
            raise TypeError(f"info: {name} must be True or False, got {value!r}")
    return gather_info(Machine(), stack=stack, verify=verify)


def gather_info(machine: Machine, *, stack: bool, verify: bool) -> Info:
    """`info` for a machine that may be made up; its devices are always this process's."""
    gpus = [_gpu_record(d, verify) for d in gpukit.devices() if d.type == "cuda"]
    report = driver_report() if gpus else {}
    others = vendors.other_lights(machine)
    backends = {"cuda": _cuda_light(machine, gpus), **others}
    cpu_name = _cpu_name(machine)
    cpu = {"device": "cpu", "type": "cpu", "name": cpu_name, "simulated": False, "verified": True}
    libraries = found_libraries(machine)
    if report.get("matmul_library"):
        place = without_home(str(report["matmul_library"]))
        libraries["cuBLAS"] = {"version": gpukit.version.cublas, "place": place}
    return Info(
        version=gpukit.__version__,
        python=platform.python_version(),
        os=f"{machine.system} {machine.kernel}",
        platform=platforms.detect(machine).name,
        cpu=cpu_name,
        cpu_threads=gpukit.get_num_threads(),
        cpu_simd=cpu_simd(),
        ram=_memory_bytes(machine),
        driver=gpukit.version.driver if gpus else None,
        cuda_max=cuda_text(int(report.get("driver_version", 0))),
        devices=[*gpus, *map(_added_record, added_devices()), cpu],
        lights=_lights(machine, gpus, report),
        backends={name: asdict(light) for name, light in backends.items()},
        libraries=libraries,
        reasons=_reasons(gpus, verify, others),
        stack=versions.stack_versions(machine) if stack else {},
        **versions.neighbour_versions(machine),
    )
