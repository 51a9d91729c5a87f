"""What installers say: of the driver, of packages (apt, conda, pip), of kernel modules."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import ADMIN, KERNEL, REBOOT, Fix
from gpukit.doctor.errors.phrases import Guess, Seen, cause, certain, likely, possible, says

cause(
    "driver-in-use",
    "The driver cannot be replaced or unloaded while something uses it.",
    Fix(
        "Stop what uses the GPU (the desktop, nvidia-persistenced, containers), or install after a "
        "boot without a desktop.",
        (
            "sudo systemctl isolate multi-user.target",
            "sudo systemctl stop nvidia-persistenced",
            "sudo lsof /dev/nvidia*",
            "sudo modprobe -r nvidia_drm nvidia_modeset nvidia_uvm nvidia",
        ),
        who=ADMIN,
        restart=REBOOT,
    ),
)
cause(
    "installer-finds-no-card",
    "NVIDIA's installer finds no card that its driver serves: none is there, or it is too old, "
    "too new or disabled.",
    Fix(
        "Choose the driver for exactly this card and system (notebook or desktop, Windows 10 or "
        "11). See whether the system lists the card at all: firmware settings and a switchable "
        "graphics chip can hide it.",
        ("lspci -nnk -d 10de:",),
        who=ADMIN,
    ),
)
cause(
    "packages-contradict",
    "The package manager finds NVIDIA packages of different versions or sources that exclude each "
    "other.",
    Fix(
        "Mostly two sources are mixed: the distribution's and NVIDIA's repository, or a .run file. "
        "Remove all NVIDIA packages, keep one source, then install again.",
        (
            "apt-cache policy nvidia-driver-580 cuda-drivers",
            "sudo apt purge '^nvidia-.*' '^libnvidia-.*' '^cuda-drivers.*'",
            "sudo apt autoremove && sudo apt update && sudo ubuntu-drivers install",
        ),
        who=ADMIN,
        restart=REBOOT,
    ),
)
cause(
    "repository-key-missing",
    "The package manager does not have the key of NVIDIA's repository: it changed in 2022.",
    Fix(
        "Install NVIDIA's package of the key (the address names the distribution), and remove the "
        "old entry of the repository.",
        (
            "sudo apt-key del 7fa2af80",
            "sudo dpkg -i cuda-keyring_1.1-1_all.deb  # from NVIDIA's repository",
            "sudo apt update",
        ),
        who=ADMIN,
    ),
)
cause(
    "package-not-offered",
    "The package manager's sources have no such package: the repository is not set up, or it has "
    "another name there.",
    Fix(
        "Set up the source first (NVIDIA's repository, nvidia-container-toolkit's, Debian's "
        "non-free), then look for the name that it has.",
        ("sudo apt update", "apt-cache search nvidia-driver", "lsb_release -a"),
        who=ADMIN,
    ),
)
cause(
    "conda-versions-conflict",
    "conda finds no set of packages that fits together: CUDA, Python or the driver are of another "
    "version.",
    Fix(
        "Make a new environment with only the GPU packages, from one channel. __cuda is what the "
        "driver accepts: a package that wants more needs a newer driver.",
        (
            "conda info | grep __cuda",
            "conda create -n gpu -c conda-forge python=3.12 pytorch-gpu",
        ),
        restart=KERNEL,
    ),
)
cause(
    "wheel-not-offered",
    "pip finds no build of that version for this Python and system.",
    Fix(
        "This Python may be too new or too old for it, or the index with the CUDA builds is not "
        "named (--index-url). Take a version from the list that the message shows.",
        (
            "python -c 'import sys, platform; print(sys.version, platform.machine())'",
            "pip index versions torch --index-url https://download.pytorch.org/whl/cu128",
        ),
    ),
)
cause(
    "python-packages-differ",
    "Python packages of different versions are installed that do not fit together.",
    Fix(
        "Update the one that is named and those that depend on it in one command, or make a new "
        "environment from the project's own list. torch, torchvision and torchaudio go together.",
        ("pip check", "pip install -U torch torchvision torchaudio"),
        restart=KERNEL,
    ),
)


# ---- the driver and its kernel module


def _module(seen: Seen) -> list[Guess]:
    if seen.has("key was rejected", "required key not available"):
        return [certain("secure-boot-key-rejected")]
    if not seen.has("nvidia"):
        return []
    return [certain("module-not-built-for-kernel")]


says(
    r"dkms module .{0,40}fail|module_symvers_sanity|module\.symvers file is missing"
    r"|failed to install the kernel module through dkms|dkms (build|install|autoinstall).{0,60}"
    r"(fail|error)|(unable|failed|error) (to |while )?build(ing)? the .{0,12}nvidia.{0,12} "
    r"(kernel )?module|unable to (find|locate|determine).{0,12} kernel source"
    r"|kernel (headers|source).{0,60}(cannot be found|not found|could not be found|missing)"
    r"|bad return status for module build"
    r"|fatal: module nvidia(?!_uvm)\S{0,12} not found in directory"
    r"|nvidia\S{0,30}\.c:\d{1,5}.{0,12}error:|conftest.{0,60}failed.{0,60}nvidia",
    judge=_module,
)
says(
    r"unable to find the kernel source tree for the currently running kernel",
    certain("module-not-built-for-kernel"),
)
says(
    r"(kernel )?module.{0,24}nvidia.{0,24}(is in use|already (be )?loaded in your kernel)"
    r"|you appear to be running an x server|nvidia\S{0,8}(is|are) (currently )?in use"
    r"|rmmod: error: module nvidia|an alternate method of installing the nvidia driver was detected"
    r"|nvidia kernel module .{0,40}appears to already be loaded",
    certain("driver-in-use"),
)
says(
    r"could not find compatible graphics hardware|you do not appear to have an nvidia gpu"
    r"|no nvidia gpu (was )?detected.{0,40}install|nvidia installer (failed|cannot continue)"
    r"|not compatible with this version of windows.{0,60}nvidia"
    r"|nvidia.{0,80}not compatible with this version of windows",
    likely("installer-finds-no-card"),
)

# ---- packages


def _apt(seen: Seen) -> list[Guess]:
    gpu = seen.has("nvidia", "cuda", "cudnn", "nccl", "tensorrt", "libnv")
    return [certain("packages-contradict")] if gpu else []


def _not_offered(seen: Seen) -> list[Guess]:
    name = seen.match.group()
    words = ("nvidia", "cuda", "cudnn", "nccl", "nvinfer", "tensorrt", "linux-headers")
    return [certain("package-not-offered")] if any(word in name for word in words) else []


says(
    r"held broken packages|trying to overwrite .{0,80}which is also in package"
    r"|depends:? .{0,80}(not going to be|cannot be|is to be) installed|unmet dependencies"
    r"|dependency problems prevent configuration|conflicts with file from package"
    r"|package .{0,60} conflicts with .{0,60} provided by",
    judge=_apt,
    vague=True,
)
says(
    r"(no_pubkey|signatures? (couldn't|could not) be verified|is not signed).{0,80}"
    r"|gpg error: .{0,80}nvidia",
    judge=lambda seen: (
        [certain("repository-key-missing")]
        if seen.has("nvidia", "a4b469963bf863cc", "f60f4b3d7fa2af80")
        else []
    ),
)
says(
    r"(unable to locate package|couldn't find any package by \w{4,5}|no package|no match for "
    r"argument:?|has no installation candidate|target not found:?) .{0,40}",
    judge=_not_offered,
    vague=True,
)
says(
    r"__cuda\b.{0,60}(conflict|needed|missing|not installable|is not|constrains)"
    r"|constraint __cuda",
    likely("conda-versions-conflict", "__cuda is the newest CUDA that the driver accepts"),
    possible("driver-too-old"),
)
says(
    r"(libmamba|mamba)?unsatisfiable ?error|could not solve for environment specs"
    r"|packagesnotfounderror|specifications were found to be (incompatible|in conflict)",
    judge=lambda seen: (
        [likely("conda-versions-conflict")]
        if seen.has("cuda", "cudnn", "gpu", "torch", "nvidia")
        else []
    ),
    vague=True,
)
_WHEELS = r"(torch\w{0,6}|tensorflow\S{0,12}|jax\w{0,3}|cupy\S{0,8}|onnxruntime\S{0,6}|flash\S{0,6}"
_WHEELS += r"|xformers|bitsandbytes|tensorrt\S{0,6}|nvidia\S{0,24}|triton|numba|vllm|cudf\S{0,6}"
_WHEELS += r"|cuml\S{0,6}|paddle\S{0,14}|mxnet\S{0,8})"
says(
    rf"(could not find a version that satisfies the requirement|no matching distribution found for)"
    rf" {_WHEELS}|\.whl is not a supported wheel on this platform",
    certain("wheel-not-offered"),
)

# ---- packages of Python that differ

_STACK = r"(torch|transformers|diffusers|accelerate|numba|cupy|jax|tensorflow|keras|triton|vllm"
_STACK += r"|xformers|flash_attn|bitsandbytes|deepspeed|cudf|cuml|rmm|cuda|tensorrt|llvmlite"
_STACK += r"|peft|trl|lightning|onnxruntime|apex|mmcv|auto_gptq|huggingface_hub)"
cause(
    "static-tls-full",
    "The loader has no room left for the thread variables of one more library.",
    Fix(
        "Import that library first in the program, or have it loaded first.",
        ("LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libgomp.so.1 python SCRIPT.py",),
        restart=KERNEL,
    ),
)
says(r"in static tls block", certain("static-tls-full"))
says(
    r"couldn't load custom c\+\+ ops|ijit_notifyevent|undefined symbol: mkl_"
    r"|pytorch and torchvision (have|were|are) .{0,60}(different|incompatible)",
    certain("python-packages-differ"),
)
says(
    r"operator torchvision::nms does not exist|numpy\.dtype size changed|numpy\.core\.multiarray "
    r"failed to import|compiled using numpy 1\.x cannot be run|_array_api not found"
    r"|descriptors cannot (not )?be created directly|message class can only inherit from message"
    r"|undefined symbol: ?\S{0,4}(pyunicode|pyobject|_py)",
    certain("python-packages-differ"),
)
says(
    rf"cannot import name .{{1,60}} from (partially initialized module )?.{{0,2}}{_STACK}\b"
    rf"|module .{{0,2}}{_STACK}[\w.]{{0,60}}. has no attribute"
    rf"|\b{_STACK}\S{{0,40}} object has no attribute .{{0,2}}build_engine"
    rf"|{_STACK}\S{{0,8}} \S{{1,12}} (requires|has requirement) .{{0,60}}(but you have|which is)"
    rf"|requires? {_STACK}\W{{0,3}}[<>=~]=?.{{0,60}}(but|found|installed)"
    rf"|{_STACK}\S{{0,12}} version .{{0,40}}is (required|incompatible|not compatible)",
    likely("python-packages-differ"),
    vague=True,
)
