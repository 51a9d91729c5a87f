"""The first stage of the evidence: files, variables and package metadata. Opens no library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from gpukit._system import platforms
from gpukit._system.host_memory import memory_of
from gpukit._system.machine import Machine
from gpukit._system.vendors import DISPLAY_CLASSES, PCI_VENDORS, nvidia_evidence
from gpukit.doctor.evidence import Card, Evidence, LibraryFile

_NVSWITCH = "0x0680"

# The variables that checks read. No others are kept, and values are shown only in a finding.
WATCHED = """
    APPTAINER_CONTAINER COLAB_GPU COLAB_RELEASE_TAG COLAB_TPU_ADDR CONDA_PREFIX CUDA_DEVICE_ORDER
    CUDA_MPS_PIPE_DIRECTORY CUDA_VISIBLE_DEVICES GITHUB_ACTIONS HIP_VISIBLE_DEVICES
    HSA_OVERRIDE_GFX_VERSION KAGGLE_KERNEL_RUN_TYPE LD_LIBRARY_PATH NVIDIA_DRIVER_CAPABILITIES
    NVIDIA_VISIBLE_DEVICES SLURM_GPUS_ON_NODE SLURM_JOB_GPUS SLURM_JOB_ID
    TF_FORCE_GPU_ALLOW_GROWTH TPU_NAME XRT_TPU_CONFIG
""".split()  # noqa: SIM905
_DRIVER_FOLDERS = (
    "/usr/lib64-nvidia",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/cuda/compat",
    "/usr/local/cuda/lib64/stubs",
)
_MODULES = ("nvidia", "nvidia_uvm", "nvidia_modeset", "nouveau", "amdgpu", "i915", "xe", "dxgkrnl")
_NODES = (
    "/dev/nvidiactl",
    "/dev/nvidia0",
    "/dev/nvidia-uvm",
    "/dev/dxg",
    "/dev/kfd",
    "/dev/dri/renderD128",
)
_TRACES = (
    "/opt/deeplearning",
    "/etc/nv_tegra_release",
    "/tmp/nvidia-mps",  # noqa: S108 (MPS's own place; only looked for)
    "/usr/bin/sinfo",
    "/usr/bin/nvidia-smi",
    "/usr/local/cuda/compat",
    "/opt/rocm",
    "/opt/intel/oneapi",
    "/dev/accel0",
    "/etc/OpenCL/vendors/intel.icd",
    "/mnt/c/Windows/System32/lxss/lib/libcuda.so",
    "/mnt/c/Windows/System32/nvcuda.dll",
)
_LEVEL_ZERO = [
    f"{folder}/{name}"
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib")
    for name in ("libze_loader.so.1", "libze_intel_gpu.so.1")
]
_MODULE_FOLDERS = (
    "updates/dkms",
    "updates",
    "extra",
    "extra/nvidia",
    "kernel/drivers/video",
    "kernel/nvidia*",
    "weak-updates",
    "video",
)
_LOG_WORDS = re.compile(r"NVRM|Xid|nvidia|uvm_|amdgpu|kfd")


def gather_files(machine: Machine) -> Evidence:
    """Everything that files show. The parts are independent: one that fails affects no other."""
    evidence = Evidence(
        platform=platforms.detect(machine),
        system=machine.system,
        arch=machine.arch,
        kernel=machine.read("/proc/sys/kernel/osrelease") or machine.kernel,
        packages=machine.packages(),
        groups=machine.groups(),
        root=machine.is_root(),
    )
    _read_distribution(machine, evidence)
    _read_environment(machine, evidence)
    _read_cards(machine, evidence)
    _read_modules(machine, evidence)
    _read_nodes(machine, evidence)
    _read_libraries(machine, evidence)
    _read_memory(machine, evidence)
    _read_others(machine, evidence)
    return evidence


def gather_quickly() -> Evidence:
    """The files of this machine, for this process: device nodes are seen, not opened.

    Opening one can hang in a broken driver; the doctor's child may, the caller may not.
    """
    return gather_files(Machine(open_node=lambda path: "ok" if path.exists() else "absent"))


def _read_distribution(machine: Machine, evidence: Evidence) -> None:
    fields = dict(
        line.split("=", 1) for line in machine.read("/etc/os-release").splitlines() if "=" in line
    )
    evidence.distro = fields.get("ID", "").strip('"')
    evidence.distro_version = fields.get("VERSION_ID", "").strip('"')
    evidence.traces = machine.seen(*_TRACES)


def _read_environment(machine: Machine, evidence: Evidence) -> None:
    evidence.environ = {name: machine.environ[name] for name in WATCHED if name in machine.environ}
    wanted = "CUDA_VISIBLE_DEVICES"
    evidence.misspelt = [name for name in machine.environ if name != wanted and _near(name, wanted)]
    for name in ("PATH", "LD_LIBRARY_PATH"):
        entries = machine.env(name).split(":") if machine.env(name) else []
        if "" in entries:
            evidence.empty_entries.append(name)
        evidence.missing_entries += [
            f"{name}: {entry}"
            for entry in entries
            if entry.startswith("/") and not machine.exists(entry)
        ]
        evidence.stubs_in_path += [
            entry for entry in entries if name != "PATH" and "stubs" in entry.split("/")
        ]
    evidence.foreign_cudnn = list(_foreign_cudnn(machine))


def _near(name: str, wanted: str) -> bool:
    """One slip away: same first word, and nearly the same letters."""
    if not name.startswith("CUDA_VIS") and sorted(name) != sorted(wanted):
        return False
    from difflib import SequenceMatcher

    return SequenceMatcher(None, name, wanted).ratio() > 0.85


def _foreign_cudnn(machine: Machine) -> Iterator[str]:
    for folder in machine.env("LD_LIBRARY_PATH").split(":"):
        if folder.startswith("/") and "site-packages" not in folder:
            yield from machine.glob(f"{folder}/libcudnn.so*")


def _read_cards(machine: Machine, evidence: Evidence) -> None:
    evidence.hardware = nvidia_evidence(machine)
    for place in machine.glob("/sys/bus/pci/devices/*"):
        kind, vendor = machine.read(f"{place}/class"), machine.read(f"{place}/vendor")
        evidence.nvswitch |= vendor == "0x10de" and kind.startswith(_NVSWITCH)
        if vendor not in PCI_VENDORS or not kind.startswith(DISPLAY_CLASSES):
            continue
        evidence.cards.append(
            Card(
                address=place.rsplit("/", 1)[1],
                vendor=PCI_VENDORS[vendor],
                device=int(machine.read(f"{place}/device") or "0", 16),
                driver=machine.link_name(f"{place}/driver"),
                dead=_is_dead(machine, f"{place}/config"),
            )
        )
    for place in machine.glob("/proc/driver/nvidia/gpus/*/information"):
        model = re.search(r"Model:\s*(.+)", machine.read(place))
        evidence.models += [model.group(1).strip()] if model else []


def _is_dead(machine: Machine, place: str) -> bool:
    """A card that fell off the bus returns all ones for every read."""
    try:
        with machine.path(place).open("rb") as stream:
            return stream.read(4) == b"\xff\xff\xff\xff"
    except OSError:
        return False


def _read_modules(machine: Machine, evidence: Evidence) -> None:
    text = machine.read("/proc/driver/nvidia/version")
    version = re.search(r"(?:Module|x86_64|aarch64)\s+(\d+\.\d+(?:\.\d+)*)", text)
    evidence.module = version.group(1) if version else machine.read("/sys/module/nvidia/version")
    evidence.module_open = "Open Kernel Module" in text
    listed = {line.split(" ", 1)[0] for line in machine.read("/proc/modules").splitlines()}
    evidence.loaded = [
        name for name in _MODULES if name in listed or machine.exists(f"/sys/module/{name}")
    ]
    folders = (f"/lib/modules/{evidence.kernel}/{folder}" for folder in _MODULE_FOLDERS)
    evidence.module_built = any(next(machine.glob(f"{f}/nvidia.ko*"), "") for f in folders)
    for place in machine.glob("/sys/firmware/efi/efivars/SecureBoot-*"):
        evidence.secure_boot |= _last_byte(machine, place) == 1
    suspends = machine.read("/sys/power/suspend_stats/success")
    evidence.suspends = int(suspends) if suspends.isdigit() else 0
    log = machine.read("/var/log/dmesg") or machine.read("/var/log/kern.log")
    evidence.kernel_log = [line for line in log.splitlines() if _LOG_WORDS.search(line)][-200:]


def _last_byte(machine: Machine, place: str) -> int:
    try:
        content = machine.path(place).read_bytes()
    except OSError:
        return 0
    return content[-1] if content else 0


def _read_nodes(machine: Machine, evidence: Evidence) -> None:
    evidence.nodes = {place: machine.node(place) for place in _NODES}
    for place in machine.glob("/dev/dri/renderD*"):
        evidence.nodes.setdefault(place, machine.node(place))
    for place, state in evidence.nodes.items():
        if state == "denied":
            evidence.node_group = _group(machine, place)


def _group(machine: Machine, place: str) -> str:
    try:
        return machine.path(place).group()
    except (OSError, KeyError, NotImplementedError):
        return ""


def _library(machine: Machine, place: str) -> LibraryFile:
    try:
        target = machine.place(machine.path(place).resolve())
    except (OSError, ValueError, RuntimeError):
        target = place
    version = PurePosixPath(target).name.partition(".so.")[2]
    # WSL's libcuda.so.1.1 does not give the driver's version.
    told = version.partition(".")[0].isdigit() and int(version.partition(".")[0]) >= 100
    return LibraryFile(place, target, version if told else "")


def _read_libraries(machine: Machine, evidence: Evidence) -> None:
    for folder in _DRIVER_FOLDERS:
        for name, found in (
            ("libcuda.so.1", evidence.driver_files),
            ("libnvidia-ml.so.1", evidence.nvml_files),
        ):
            if machine.exists(f"{folder}/{name}"):
                found.append(_library(machine, f"{folder}/{name}"))
    if machine.exists("/usr/local/cuda/lib64/stubs/libcuda.so"):
        evidence.driver_files.append(_library(machine, "/usr/local/cuda/lib64/stubs/libcuda.so"))
    config = [machine.read(place) for place in machine.glob("/etc/ld.so.conf.d/*.conf")]
    evidence.in_loader_cache = any(
        word in text for text in config for word in ("nvidia", "/usr/lib/wsl")
    )
    evidence.toolkit = _toolkit(machine)
    evidence.fabric_manager = "installed" if machine.exists("/usr/bin/nv-fabricmanager") else ""
    evidence.intel_loader = bool(machine.seen(*_LEVEL_ZERO))


def _toolkit(machine: Machine) -> str:
    """The version of /usr/local/cuda."""
    document = machine.read("/usr/local/cuda/version.json")
    found = re.search(r'"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"(\d+\.\d+)', document)
    if found:
        return found.group(1)
    text = re.search(r"CUDA Version (\d+\.\d+)", machine.read("/usr/local/cuda/version.txt"))
    return text.group(1) if text else ""


def _read_memory(machine: Machine, evidence: Evidence) -> None:
    evidence.memory = memory_of(machine)


def _read_others(machine: Machine, evidence: Evidence) -> None:
    for place in machine.glob("/sys/class/kfd/kfd/topology/nodes/*/properties"):
        numbers = {
            name: int(value)
            for name, _, value in (line.partition(" ") for line in machine.read(place).splitlines())
            if value.isdigit()
        }
        if numbers.get("simd_count"):
            evidence.kfd_nodes.append(
                {key: numbers.get(key, 0) for key in ("gfx_target_version", "simd_count")}
            )
    if machine.system == "Darwin":
        evidence.sysctl = {
            name: machine.sysctl(name)
            for name in ("machdep.cpu.brand_string", "hw.memsize", "sysctl.proc_translated")
        }
