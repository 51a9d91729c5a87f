"""Device nodes, and services that must run before CUDA starts."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    CRASH,
    DEGRADED,
    LOGIN,
    REBOOT,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence

_UNKNOWN, _NOT_READY, _MEMORY_ERROR = 999, 802, 214
_LOST = 15  # of NVML


def _group_fix(evidence: Evidence) -> Fix:
    group = evidence.node_group or "video"
    text = f"Join the group {group}, then log out and in again."
    return Fix(text, (f"sudo usermod -aG {group} $USER",), ADMIN, LOGIN)


@check(
    "device-permission",
    Layer.DEVICES,
    BLOCKER,
    "You may not open the GPU's device files.",
    _group_fix,
    symptoms=(r"Insufficient Permissions",),
    likely=True,
)
def permission(evidence: Evidence) -> list[str]:
    """Mode bits of the nodes."""
    denied = [n for n, state in evidence.nodes.items() if state == "denied" and "nvidia" in n]
    if evidence.works:
        return []
    return [f"{node} cannot be opened by this user" for node in denied]


@check(
    "uvm-node-missing",
    Layer.DEVICES,
    BLOCKER,
    "The driver's memory module is not ready: /dev/nvidia-uvm is missing.",
    Fix(
        "Make it. Into a container pass /dev/nvidia-uvm and /dev/nvidia-uvm-tools as well.",
        ("sudo nvidia-modprobe -c 0 -u", "sudo modprobe nvidia_uvm"),
        who=ADMIN,
    ),
)
def uvm_missing(evidence: Evidence) -> list[str]:
    """The card's device node exists, the uvm node does not."""
    card = evidence.nodes.get("/dev/nvidia0", "absent")
    failed = evidence.cuda is not None and not evidence.works
    if card == "absent" or evidence.nodes.get("/dev/nvidia-uvm") != "absent" or not failed:
        return []
    return ["/dev/nvidia0 exists", "/dev/nvidia-uvm does not exist"] + (
        [] if "nvidia_uvm" in evidence.loaded else ["the module nvidia_uvm is not loaded"]
    )


@check(
    "kaslr-hmm-init-failure",
    Layer.START,
    BLOCKER,
    "The kernel's address layout left no room for the driver's memory module.",
    Fix(
        "Switch that part of the module off, or boot with nokaslr.",
        (
            "echo 'options nvidia_uvm uvm_disable_hmm=1' | sudo tee /etc/modprobe.d/uvm.conf",
            "sudo reboot",
        ),
        ADMIN,
        REBOOT,
    ),
    symptoms=(r"request_free_mem_region",),
)
def kaslr(evidence: Evidence) -> list[str]:
    """The module's line in the kernel's log."""
    return evidence.logged("request_free_mem_region")[-1:] if not evidence.works else []


def _install_fabric_manager(evidence: Evidence) -> Fix:
    branch = evidence.driver_version.split(".")[0] or "580"
    return Fix(
        "Install it in exactly the driver's version and start it; wait a minute after a boot.",
        (
            f"sudo apt install -y nvidia-fabricmanager-{branch}",
            "sudo systemctl enable --now nvidia-fabricmanager",
        ),
        ADMIN,
    )


@check(
    "fabric-manager-missing",
    Layer.START,
    BLOCKER,
    "The switches between the GPUs are not set up: the fabric manager does not run.",
    _install_fabric_manager,
    symptoms=(r"system not yet initialized", r"SYSTEM_NOT_READY"),
)
def fabric_manager(evidence: Evidence) -> list[str]:
    """Code 802, or switches without the program."""
    not_ready = evidence.cuda_status == _NOT_READY
    without = evidence.nvswitch and not evidence.fabric_manager
    if evidence.works or not (not_ready or (without and evidence.cuda is not None)):
        return []
    program = "installed" if evidence.fabric_manager else "not installed"
    return [f"cuInit: {_NOT_READY} system not ready"] * not_ready + [
        f"NVSwitch on the PCI bus: {'yes' if evidence.nvswitch else 'not seen'}",
        f"nv-fabricmanager is {program}",
    ]


known(
    "aws-nvswitch",
    Layer.START,
    BLOCKER,
    "EC2's p4 and p5 need the fabric manager.",
    Fix("Use a Deep Learning AMI that has it; see fabric-manager-missing.", who=ADMIN),
    symptoms=(r"p[45]d?e?\.\d{1,3}xlarge.{0,80}(802|not yet initialized)",),
)


@check(
    "uvm-stale-after-suspend",
    Layer.START,
    BLOCKER,
    "The GPU has not responded since the machine slept.",
    Fix(
        "Close the notebooks that use the GPU and load the module again. For good: "
        "NVreg_PreserveVideoMemoryAllocations=1 and the nvidia-suspend services.",
        ("sudo modprobe -r nvidia_uvm", "sudo modprobe nvidia_uvm"),
        who=ADMIN,
    ),
)
def stale_uvm(evidence: Evidence) -> list[str]:
    """Code 999, while NVML works, and the machine was suspended."""
    if evidence.cuda_status != _UNKNOWN or evidence.suspends == 0:
        return []
    return [f"cuInit: {_UNKNOWN} unknown error", f"suspended {evidence.suspends} times since boot"]


@check(
    "mps-daemon-trouble",
    Layer.START,
    BLOCKER,
    "The multi-process service (MPS) does not respond.",
    Fix(
        "End its daemon and unset its variable, or start it again as the same user.",
        ("echo quit | nvidia-cuda-mps-control", "unset CUDA_MPS_PIPE_DIRECTORY"),
    ),
    symptoms=(r"\bMPS (server|client|daemon|control)", r"CUDA_ERROR_MPS"),
    likely=True,
)
def mps(evidence: Evidence) -> list[str]:
    """Codes 805 to 809."""
    status = evidence.cuda_status or 0
    return [f"cuInit: {status}"] if 805 <= status <= 809 else []


@check(
    "compute-mode-exclusive",
    Layer.START,
    BLOCKER,
    "The GPU is set to serve one process, and another one has it.",
    Fix(
        "Choose another GPU, end the other process, or set the mode back.",
        ("sudo nvidia-smi -c 0",),
        who=ADMIN,
    ),
)
def exclusive(evidence: Evidence) -> list[str]:
    """Code 46, or the mode."""
    if evidence.works or evidence.cuda is None:
        return []
    modes = [
        f"GPU {gpu.get('index')}: compute mode {gpu['compute_mode']}"
        for gpu in (evidence.nvml.gpus if evidence.nvml else [])
        if gpu.get("compute_mode") in {"exclusive_process", "prohibited"}
    ]
    return modes + (["cuInit: 46 device unavailable"] if evidence.cuda_status == 46 else [])


@check(
    "ecc-or-row-remap",
    Layer.KERNEL,
    CRASH,
    "The GPU's memory has an error that cannot be corrected.",
    Fix("Reset the GPU or reboot; replace the card if it comes back.",
        ("sudo nvidia-smi --gpu-reset",), ADMIN, REBOOT),
    symptoms=(r"ECC_UNCORRECTABLE", r"uncorrectable ECC error", r"RESET_REQUIRED"),
)  # fmt: skip
def ecc(evidence: Evidence) -> list[str]:
    """CUDA's code 214, NVML's 16."""
    devices = evidence.cuda.devices if evidence.cuda else []
    lines = [
        f"cuda:{d['index']} ({d['name']}): {d['kernel']}"
        for d in devices
        if d.get("status") == _MEMORY_ERROR
    ]
    return lines + (["NVML: reset required (16)"] if evidence.nvml_status == 16 else [])


@check(
    "gpu-silent-in-nvml",
    Layer.DEVICES,
    DEGRADED,
    "NVML does not read one of the GPUs.",
    Fix(
        "Look at nvidia-smi and the kernel's log; a reset of the GPU or a reboot often helps.",
        ("nvidia-smi -L", "sudo dmesg | grep -iE 'nvrm|xid'"),
        who=ADMIN,
    ),
    likely=True,
)
def silent(evidence: Evidence) -> list[str]:
    """A GPU whose name NVML does not report; a lost GPU has its own row."""
    gpus = evidence.nvml.gpus if evidence.nvml else []
    return [
        f"GPU {gpu['index']}: {gpu['silent']}"
        for gpu in gpus
        if gpu.get("silent") and gpu.get("silent_status") != _LOST
    ]


@check(
    "fewer-gpus-in-cuda",
    Layer.DEVICES,
    DEGRADED,
    "CUDA shows fewer GPUs than NVML.",
    Fix(
        "Compare the two lists, and look for the missing one in the kernel's log: it may be lost, "
        "reserved for one process, or older than this driver's CUDA serves.",
        ("nvidia-smi -L", "sudo dmesg | grep -iE 'nvrm|xid'"),
        who=ADMIN,
    ),
    likely=True,
)
def fewer(evidence: Evidence) -> list[str]:
    """The two counts, where neither a variable nor MIG explains the difference."""
    cuda, gpus = evidence.cuda, evidence.nvml.gpus if evidence.nvml else []
    chosen = "CUDA_VISIBLE_DEVICES" in evidence.environ or any(gpu.get("mig") for gpu in gpus)
    if cuda is None or cuda.simulated or chosen or not 0 < len(cuda.devices) < len(gpus):
        return []
    return [f"NVML: {len(gpus)} GPUs", f"CUDA: {len(cuda.devices)}"]


@check(
    "unknown-start-error",
    Layer.START,
    BLOCKER,
    "The driver is installed but does not start; the files do not show why.",
    Fix(
        "Restart the runtime or the machine; then look into the kernel's log.",
        ("sudo dmesg | grep -iE 'nvrm|xid'",),
        who=ADMIN,
        restart=REBOOT,
    ),
    likely=True,
)
def unknown_start(evidence: Evidence) -> list[str]:
    """The last row of its layer: cuInit failed, and no other check knew why."""
    cuda = evidence.cuda
    there = bool(evidence.driver_files or evidence.module or (cuda and cuda.library))
    if cuda is None or not cuda.failure or cuda.devices or cuda.status in {34, 100} or not there:
        return []
    return [cuda.failure]


@check(
    "probe-died",
    Layer.START,
    BLOCKER,
    "Starting the driver hangs or crashes the process that tries it.",
    Fix(
        "Reboot; a process in state D (ps aux) holds the driver. Everything else in gpukit works "
        "on the CPU.",
        who=ADMIN,
        restart=REBOOT,
    ),
)
def probe_died(evidence: Evidence) -> list[str]:
    """How the child process ended."""
    return [evidence.ended] if evidence.ended else []


known(
    "link-degraded",
    Layer.USE,
    DEGRADED,
    "Copies are slow: the card's link runs narrower or slower than it could.",
    Fix("Reseat the card, or try another slot. Idle cards show a slow link: measure under load."),
    symptoms=(r"PCIe.{0,40}(x1|x4)\b.{0,40}x16",),
    likely=True,
)


@check(
    "clock-stuck-or-throttled",
    Layer.USE,
    DEGRADED,
    "The GPU holds its clock down.",
    Fix("Better cooling or a higher power limit; if no reason is shown, reload the driver."),
    symptoms=(r"HW (Slowdown|Thermal)", r"SW Power Cap\s{0,30}:\s{0,9}Active"),
)
def throttled(evidence: Evidence) -> list[str]:
    """NVML's reasons."""
    gpus = evidence.nvml.gpus if evidence.nvml else []
    return [f"GPU {gpu.get('index')}: {gpu['throttled']}" for gpu in gpus if gpu.get("throttled")]
