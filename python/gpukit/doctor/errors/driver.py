"""The driver: versions, its module, the card behind it, and the kernel log's Xid lines."""

from __future__ import annotations

from gpukit._system import steps
from gpukit.doctor.catalogue.base import ADMIN, KERNEL, REBOOT, RUNTIME, SERVICE, Fix
from gpukit.doctor.commands import driver_commands
from gpukit.doctor.errors.phrases import (
    Guess,
    Seen,
    Surety,
    cause,
    certain,
    likely,
    possible,
    says,
)
from gpukit.doctor.evidence import Evidence

_HIDE = "CUDA_VISIBLE_DEVICES"


def _no_gpu_fix(evidence: Evidence) -> Fix:
    """What to check when a process sees no GPU, the most frequent cause first."""
    name = evidence.platform.name
    if name == "colab":
        return Fix(f"{steps.COLAB}; then run all cells again.",
                   ("!nvidia-smi -L",), restart=RUNTIME)  # fmt: skip
    if name == "kaggle":
        return Fix(f"{steps.KAGGLE}; then run all cells again.",
                   ("!nvidia-smi -L",), restart=RUNTIME)  # fmt: skip
    if evidence.system == "Windows":
        return Fix(
            f"See whether Windows lists the GPU. If it does: {_HIDE} hides it from this "
            f"process, or "
            "names a number that does not exist (with one GPU only 0 is).",
            ("nvidia-smi -L", f"echo $env:{_HIDE}", f"Remove-Item Env:{_HIDE}"),
        )
    return Fix(
        f"See whether the driver lists the GPU. If it does: {_HIDE} hides it from this process, or "
        "names a number that does not exist (with one GPU only 0 is; programs also set it "
        "themselves). If not: the container was started without --gpus all, the job asked for no "
        "GPU, or the driver does not run.",
        ("nvidia-smi -L", f"echo ${_HIDE}", f"unset {_HIDE}", "gpukit doctor"),
        restart=KERNEL,
    )


def _driver_state(evidence: Evidence) -> Fix:
    if evidence.platform.hosted:
        return Fix(f"Start a new runtime; if it stays, tell {evidence.platform.label}.",
                   who=SERVICE, restart=RUNTIME)  # fmt: skip
    if evidence.system == "Windows":
        return Fix("Restart Windows; if it stays, reinstall the driver.", restart=REBOOT)
    return Fix(
        "After a suspend, or where /dev/nvidia-uvm is missing, reload the memory module; "
        "after an "
        "update of the driver reboot. In a container pass /dev/nvidia-uvm too. The variable that "
        "the message names is seldom the cause.",
        (
            "ls -l /dev/nvidia-uvm",
            "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm",
            "nvidia-smi",
            "sudo reboot",
        ),
        who=ADMIN,
    )


def _check_then_install(evidence: Evidence) -> tuple[str, ...]:
    """The driver's commands only where a card is seen; else what shows whether there is one."""
    if evidence.platform.container and not evidence.nvidia:
        return ("docker run --gpus all IMAGE nvidia-smi",)
    if evidence.nvidia and not evidence.platform.hosted:
        return ("nvidia-smi", *driver_commands(evidence))
    if evidence.system == "Windows":
        return ("Get-CimInstance Win32_VideoController | Select-Object Name",)
    return ("lspci | grep -i -E 'nvidia|vga|3d'", "gpukit doctor")


def _no_gpu(seen: Seen) -> list[Guess]:
    here = seen.evidence
    if here.platform.name == "colab":
        return [likely("colab-cpu-runtime"), possible("no-gpu-visible")]
    if here.platform.name == "kaggle":
        return [likely("kaggle-accelerator-off"), possible("no-gpu-visible")]
    guesses = [certain("no-gpu-visible")]
    if seen.has("cuda_visible_devices"):
        return [*guesses, likely("cvd-hides-all", "the text sets CUDA_VISIBLE_DEVICES")]
    if seen.has("/proc/driver/nvidia/version does not exist", "kernel driver does not appear"):
        return [*guesses, likely("no-driver-found", "the driver's module is not loaded there")]
    return guesses


def _no_driver(seen: Seen) -> list[Guess]:
    here = seen.evidence
    if here.platform.name == "colab":
        return [certain("colab-cpu-runtime"), possible("colab-gpu-quota")]
    if here.platform.name == "kaggle":
        return [certain("kaggle-accelerator-off")]
    if here.platform.wsl:
        return [certain("no-driver-found"), likely("wsl-no-windows-driver")]
    return [certain("no-driver-found")]


def _not_started(seen: Seen) -> list[Guess]:
    if seen.has("rminitadapter failed", "wpr2"):
        return [certain("gpu-not-started"), likely("gsp-or-bar-failure")]
    if seen.has("mig"):
        return [certain("gpu-not-started"), possible("mig-no-instance")]
    return [certain("gpu-not-started")]


def _smi_missing(seen: Seen) -> list[Guess]:
    here = seen.evidence
    if here.platform.name == "colab":
        return [likely("colab-cpu-runtime"), certain("nvidia-smi-missing")]
    if here.platform.container or here.platform.name == "container":
        return [certain("nvidia-smi-missing"), possible("container-without-gpu")]
    return [certain("nvidia-smi-missing"), possible("driver-not-installed")]


def _module(seen: Seen) -> list[Guess]:
    if seen.has("key was rejected", "required key not available", "unavailable key"):
        return [certain("secure-boot-key-rejected")]
    if seen.has("failed call to cuinit"):
        return []
    if seen.has("not found in directory", "module nvidia not found"):
        return [certain("module-not-built-for-kernel", "the module of this kernel is missing")]
    if seen.has("shut down nvml: driver not loaded"):  # nvidia-smi of WSL's own folder says it
        return [likely("module-not-loaded"), possible("wsl-linux-driver-inside"),
                possible("module-not-built-for-kernel")]  # fmt: skip
    return [likely("module-not-built-for-kernel"), possible("module-not-loaded"),
            possible("secure-boot-key-rejected")]  # fmt: skip


cause(
    "no-gpu-visible",
    "The driver shows no GPU to this process.",
    _no_gpu_fix,
)
cause(
    "no-driver-found",
    "No NVIDIA driver is found where this ran: there is no NVIDIA GPU, or no driver for it.",
    lambda evidence: Fix(
        f"On Colab: {steps.COLAB}. On Kaggle: {steps.KAGGLE}. In a "
        "container: start it with --gpus all. With an NVIDIA card in this machine install its "
        "driver; with an AMD, Intel or Apple GPU this program needs another torch, or the CPU.",
        _check_then_install(evidence),
    ),
)
cause(
    "driver-state-unknown",
    "The driver is installed but could not start CUDA; the message does not say why.",
    _driver_state,
)
cause(
    "device-busy",
    "The GPU refuses this process: another one has it for itself, or its state is bad.",
    Fix(
        "Look for a process and the compute mode (Default is right). A virtual GPU needs a profile "
        "and a licence for CUDA; a card in a bad state needs a reset or a reboot.",
        ("nvidia-smi --query-gpu=index,compute_mode,memory.used --format=csv",
         "sudo nvidia-smi -c 0", "sudo nvidia-smi --gpu-reset -i 0"),
        who=ADMIN,
    ),
)  # fmt: skip
cause(
    "gpu-not-started",
    "The driver runs and could not start any card.",
    Fix(
        "The kernel's log names the reason: power or a loose card, firmware (Above 4G Decoding and "
        "Resizable BAR on), an open module before Turing or a closed one for Blackwell, "
        "passthrough "
        "without the right settings. Power off fully once.",
        ("sudo dmesg | grep -i NVRM", "lspci -nnk -d 10de:"),
        who=ADMIN,
        restart=REBOOT,
    ),
)

says(
    r"no cuda gpus are available|no cuda-capable device is detected|cuda_error_no_device"
    r"|cudaerrornodevice|cuda.{0,24}error 100\b|found 0 (cuda )?(gpus|devices)"
    r"|could not find any nvidia gpus|no gpus? (was|were) found available"
    r"|no nvidia gpus? (found|detected|available)",
    judge=_no_gpu,
)
says(
    r"no hip gpus are available",
    likely("rocm-kfd-permission"),
    possible("rocm-no-kfd"),
    possible("rocm-gfx-unsupported"),
)
says(
    r"cannot read tensilelibrary|rocblas error",
    likely("rocm-gfx-unsupported"),
)
says(
    r"found no nvidia driver|couldn't find libnvidia-ml|driver library cannot be found"
    r"|nvml shared library not found|libnvidia-ml\.so\S{0,4} not found"
    r"|no (usable )?cuda driver|cuinit: unknown error \(303\)|nvmlerror_librarynotfound"
    r"|nvidia driver (was )?not (found|detected|installed)",
    judge=_no_driver,
)
says(
    r"cuda unknown error|cuda_error_unknown|cudaerrorunknown|cuda failure 999"
    r"|cuda.{0,24}error 999\b|device context 999|cuda.{0,30}error\W{1,3}unknown error",
    likely("driver-state-unknown"),
    possible("uvm-node-missing"),
    possible("uvm-stale-after-suspend"),
)
says(
    r"cuda-capable device(s|\(s\))? (is|are|is/are) busy|cuda_error_device_unavailable"
    r"|cudaerrordevice(s)?unavailable|cudaerrordevicealreadyinuse|device context 80[01]\b",
    certain("device-busy"),
    possible("compute-mode-exclusive"),
)
says(
    r"no devices were found|rminitadapter|rm_init_adapter|unexpected wpr2|gfw_boot",
    judge=_not_started,
)


# ---- its module

cause(
    "nvidia-smi-missing",
    "nvidia-smi is not on this machine's path: it comes with NVIDIA's driver.",
    lambda evidence: Fix(
        "In a container it comes with --gpus all; on Colab or Kaggle with a GPU runtime; on "
        "Windows "
        "it is in C:\\Windows\\System32. On a machine with an NVIDIA card install the driver. "
        "Without such a card there is nothing to install.",
        _check_then_install(evidence),
    ),
)

says(
    r"nvidia-smi\W{0,3}:? ?(command )?not found|nvidia-smi.{0,4} (is not recognized|不是内部)"
    r"|nvidia-smi.{0,6}(n'est pas reconnu|no se reconoce|nicht gefunden|não é reconhecido|is niet)"
    r"|no such file or directory: .{0,3}nvidia-smi|the term .{0,3}nvidia-smi"
    r"|exec(utable file)?.{0,4}nvidia-smi.{0,30}(not found|no such file)"
    r"|unknown command.{0,8}nvidia-smi",
    judge=_smi_missing,
)


says(
    r"couldn't communicate with the nvidia driver|nvidia driver is not loaded"
    r"|kernel driver does not appear to be running|driver not loaded\b|nvml_error_driver_not_loaded"
    r"|module nvidia(_\d{1,3})?( is)? not found|could not insert .{0,3}nvidia"
    r"|unable to load the .{0,3}kernel module .{0,3}nvidia|bad return status for module build",
    judge=_module,
)


says(
    r"api mismatch: the client|kernel version .{0,30}(does not|doesn't|did not) match dso"
    r"|(nvidia )?kernel module (has|is) (the )?version.{0,60}(client|library|component)"
    r"|rm has detected an nvml/rm version mismatch",
    certain("driver-library-mismatch"),
)
says(
    r"(could not insert|insmod|modprobe|inserting|loading).{0,40}nvidia.{0,60}(exec format error"
    r"|unknown symbol|invalid module format|version magic)|nvidia.{0,40}(disagrees about version"
    r"|version magic)",
    certain("module-not-built-for-kernel"),
)
says(
    r"pci i/o region assigned to your nvidia device is invalid|bar\d is 0m|d3cold to d0"
    r"|(can't|unable to) change power state",
    likely("gsp-or-bar-failure"),
    possible("gpu-not-started"),
)
says(
    r"key was rejected by service|required key not available|module with unavailable key"
    r"|module verification failed.{0,60}required key",
    certain("secure-boot-key-rejected"),
)
says(
    r"nouveau kernel driver is currently in use|such as: .{0,20}nouveau, rivafb"
    r"|nouveau [\w:.]{4,20}:? |already bound to (nouveau|novacore)|nouveau.{0,30}(blacklist"
    r"|conflict)",
    certain("nouveau-bound"),
)
says(
    r"/dev/nvidia-uvm\W{0,3}.{0,30}(no such|missing|not found)|uvm kernel module"
    r"|nvidia_uvm (is )?not (loaded|found)|module nvidia_uvm not found|load uvm",
    certain("uvm-node-missing"),
)

# ---- Xid lines of the kernel's log

cause(
    "xid-program-fault",
    "The kernel log reports a program error on the GPU (Xid 13, 31, 43 or 45).",
    Fix(
        "The program that the line names read outside its memory or was ended; the card is mostly "
        "well. If many programs get it, test the card.",
        ("compute-sanitizer python SCRIPT.py", "sudo dmesg | grep -i xid"),
    ),
)
cause(
    "xid-memory",
    "The kernel log reports a GPU memory error (ECC).",
    Fix(
        "Corrected errors and a row that was remapped need a reset of the GPU; repeated ones, or a "
        "remapping that failed, a new card.",
        ("nvidia-smi -q -d ECC,ROW_REMAPPER", "sudo nvidia-smi --gpu-reset -i 0"),
        who=ADMIN,
        restart=REBOOT,
    ),
)
cause(
    "xid-nvlink",
    "The kernel log reports an NVLink error (Xid 74).",
    Fix(
        "Look at the links; a reset may help. If it repeats, a bridge, a board or a switch is "
        "broken.",
        ("nvidia-smi nvlink --status", "nvidia-smi nvlink -e", "sudo nvidia-smi --gpu-reset -i 0"),
        who=ADMIN,
        restart=REBOOT,
    ),
)
cause(
    "gsp-firmware-timeout",
    "The GPU's own processor (GSP) does not respond to the driver (Xid 119, 120).",
    Fix(
        "Reboot, and update the driver. If it repeats with a proprietary module, run without the "
        "firmware; the open module cannot.",
        (
            "echo 'options nvidia NVreg_EnableGpuFirmware=0' | sudo tee "
            "/etc/modprobe.d/nvidia-gsp.conf",
            "sudo reboot",
        ),
        who=ADMIN,
    ),
)
cause(
    "xid-driver-fault",
    "The kernel log reports a fault inside the driver or its firmware.",
    Fix(
        "Update the driver and reboot; if it stays, NVIDIA wants the file that this writes:",
        ("sudo nvidia-bug-report.sh", "sudo reboot"),
        who=ADMIN,
    ),
)
_XIDS = {
    **dict.fromkeys((13, 31, 43, 45), "xid-program-fault"),
    8: "launch-timeout",
    **dict.fromkeys((48, 63, 64, 92, 94, 95, 140), "xid-memory"),
    74: "xid-nvlink",
    **dict.fromkeys((119, 120), "gsp-firmware-timeout"),
    79: "gpu-fell-off-bus",
    **dict.fromkeys((32, 38, 56, 57, 58, 61, 62, 68, 69, 109, 110, 121, 154), "xid-driver-fault"),
}


def _xid(seen: Seen) -> list[Guess]:
    number = int(seen.match.group("xid"))
    code = _XIDS.get(number, "xid-driver-fault")
    return [Guess(code, Surety.CERTAIN if number in _XIDS else Surety.LIKELY, (f"Xid {number}",))]


says(
    r"\bxid\b ?(?:\([^)]{0,40}\))?[:= ]{0,3}(?:error |code )?(?P<xid>\d{1,3})\b",
    judge=_xid,
)
says(
    r"timeout waiting for rpc from gsp|gsp timeout|kgsp\w{0,30}timeout|gsp heartbeat",
    certain("gsp-firmware-timeout"),
)
