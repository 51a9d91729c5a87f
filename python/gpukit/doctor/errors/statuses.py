"""Statuses of CUDA's own libraries, in the words that every program prints for them."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import ADMIN, KERNEL, Fix
from gpukit.doctor.errors.phrases import Guess, Judge, Seen, cause, certain, likely, possible, says

_CONTEXT = ("cuda", "gpu", "nvidia", "cudnn", "nvml", "cupy", "numba", "ggml")

cause(
    "operation-not-supported",
    "This GPU, its driver or this kind of machine lacks the function that was called.",
    Fix(
        "Virtual GPUs, WSL2, MIG slices and Jetson boards lack memory pools, managed or shared "
        "memory, or profiling. Switch the feature off in the program (cudaMallocAsync, IPC, CUDA "
        "graphs), and update the driver.",
        ("nvidia-smi -q | grep -i -E 'product|virtual|mig mode'", "unset PYTORCH_CUDA_ALLOC_CONF"),
    ),
)
cause(
    "invalid-handle",
    "A stream, event or kernel of another GPU, or of a context that has ended, was used.",
    Fix(
        "Set the device before each use (torch.cuda.set_device), make streams and events on the "
        "GPU that they serve, and call no cudaDeviceReset in between. Libraries that were built "
        "for another CUDA give it too.",
        ("CUDA_LAUNCH_BLOCKING=1 python SCRIPT.py",),
        restart=KERNEL,
    ),
)
cause(
    "process-ending",
    "A CUDA call came while the process was ending: the driver was already shut down.",
    Fix(
        "Mostly harmless, and not the first error: look above it. Free GPU objects before the "
        "program ends, and join threads that use the GPU.",
        restart=KERNEL,
    ),
)
cause(
    "driver-files-incomplete",
    "A part of the driver's own libraries is missing: its files were installed incompletely.",
    Fix(
        "Install the same version of every NVIDIA package (libnvidia-compute, libnvidia-decode, "
        "libnvidia-encode). In a container set NVIDIA_DRIVER_CAPABILITIES=all.",
        ("nvidia-smi", "ldconfig -p | grep -E 'libnvidia-(ptxjitcompiler|nvvm|ml)'"),
        who=ADMIN,
    ),
)
cause(
    "power-missing",
    "The card gets too little power: a power cable is missing or loose.",
    Fix(
        "Power off, and plug every power connector of the card in from the power supply itself.",
        ("sudo dmesg | grep -i NVRM",),
        who=ADMIN,
    ),
)
cause(
    "encoder-sessions",
    "The card's video encoder accepts no more sessions, or has no memory left for one.",
    Fix(
        "GeForce drivers allow only a few encodings at once: end others, or update the driver, "
        "which allows more. Free memory of the GPU; large frames need much of it.",
        ("nvidia-smi --query-gpu=encoder.stats.sessionCount,memory.free --format=csv",),
    ),
)


def _of_cuda(*guesses: Guess) -> Judge:
    """Words that other programs use as well count only in a text that speaks of a GPU."""
    return lambda seen: (
        list(guesses) if seen.has(*_CONTEXT) and not seen.has("nvidia-container") else []
    )


_UNKNOWN: tuple[Guess, ...] = (
    likely("driver-state-unknown"),
    possible("uvm-node-missing"),
    possible("uvm-stale-after-suspend"),
)
# Messages of cudaGetErrorString: frameworks put their own words around them.
_MESSAGES: tuple[tuple[str, tuple[Guess, ...]], ...] = (
    (
        r"initialization error",
        (likely("driver-state-unknown"), possible("fork-after-init")),
    ),
    (
        r"driver shutting down|cudaerrorcudartunloading|cuda_error_deinitialized"
        r"|context is destroyed",
        (likely("process-ending"),),
    ),
    (
        r"invalid device symbol|cudaerrorinvalidsymbol|named symbol not found"
        r"|cudaerrorsymbolnotfound",
        (likely("no-code-for-card"), possible("driver-state-unknown")),
    ),
    (
        r"(api call|function) is not supported in the installed cuda driver"
        r"|cudaerrorcallrequiresnewerdriver|nvmlerror_functionnotfound"
        r"|nvml_error_function_not_found|cudaerrorinsufficientdriver",
        (likely("driver-too-old"),),
    ),
    (
        r"exclusive-thread device already in use|deviceexclusiveprocess",
        (certain("compute-mode-exclusive"),),
    ),
    (r"uncorrectable nvlink error", (certain("xid-nvlink"),)),
    (r"uncorrectable (volatile )?ecc|eccuncorrectable", (certain("ecc-or-row-remap"),)),
    (
        r"ptx jit compiler library not found|jit_compiler_not_found|jitcompilernotfound"
        r"|libnvidia-(ptxjitcompiler|nvvm|gpucomp)\S{0,12}.{0,40}(not found|cannot open|no such)",
        (certain("driver-files-incomplete"),),
    ),
    (
        r"ptx jit compilation failed|cuda_error_invalid_ptx|cudaerrorinvalidptx",
        (likely("ptx-newer-than-driver"), possible("no-code-for-card")),
    ),
    (
        r"invalid resource handle|cuda_error_invalid_handle|cudaerrorinvalidresourcehandle"
        r"|invalid device context|cuda_error_invalid_context",
        (likely("invalid-handle"),),
    ),
    (
        r"too many blocks in cooperative launch|cudaerrorcooperativelaunchtoolarge",
        (certain("launch-too-large"),),
    ),
    (r"hardware stack error|invalid program counter", (likely("launch-failure"),)),
    (
        r"peer access has not been enabled|mapping of buffer object failed"
        r"|peer mapping resources exhausted",
        (likely("peer-access-missing"),),
    ),
    (
        r"system has unsupported display driver|systemdrivermismatch",
        (likely("driver-library-mismatch"),),
    ),
    (
        r"insufficient external power|insufficient_power|power cables? (is|are) not"
        r"|power connector.{0,40}(not|missing)",
        (certain("power-missing"),),
    ),
    (r"gpu (is )?(lost|has fallen)", (certain("gpu-fell-off-bus"),)),
    (r"cublas_status_license_error|cudnn_status_license_error", (likely("vgpu-unlicensed"),)),
)
# The same, of words that are vague.
_VAGUE: tuple[tuple[str, tuple[Guess, ...]], ...] = (
    (
        r"os call failed or operation not supported|cuda_error_operating_system",
        (likely("driver-state-unknown"), possible("device-permission")),
    ),
    (r"(api call\)|status:|error:|failed:|:) unknown error\b", _UNKNOWN),
    (
        r"(error|failed|returned|status)\W.{0,60}operation not supported\b(?! on this)"
        r"|cuda_error_not_supported|cudaerrornotsupported",
        (likely("operation-not-supported"),),
    ),
    (
        r"(error|failed|returned"
        r"|status)\W.{0,60}\binvalid argument\b",
        (possible("invalid-argument"),),
    ),
)
for _vague, _table in ((False, _MESSAGES), (True, _VAGUE)):
    for _pattern, _guesses in _table:
        says(_pattern, judge=_of_cuda(*_guesses), vague=_vague)

cause(
    "library-damaged",
    "The file of a library is damaged, empty or cut short.",
    Fix(
        "Install its package again; an interrupted download and a full disk leave such files, "
        "and so does copying a driver into an image.",
        ("df -h", "ldconfig -p | grep -E 'libcu|libnv'"),
        restart=KERNEL,
    ),
)
says(
    r"lib(cu|nv|nccl|torch|c10)[\w.-]{1,40}: (file too short|invalid elf header|cannot read file "
    r"data|file truncated)|\.dll is either not designed to run on windows",
    certain("library-damaged"),
)
says(r"zlibwapi", likely("windows-dll-missing", "cuDNN 8 for Windows needs zlib"))
says(r"cudageterrorstring symbol not found", likely("cuda-library-missing"))
says(
    r"outdated (?P<name>\w{2,12}) installation found",
    judge=lambda seen: [
        certain(
            "cudnn-version-mismatch" if seen.match.group("name") == "cudnn" else "nvidia-wheel-mix"
        )
    ],
)
says(r"requested functionality is not supported", judge=_of_cuda(certain("cublas-not-supported")))
says(
    r"/dev/nvidia\S{0,12}\W{1,3}.{0,24}(permission denied|operation not permitted)"
    r"|nvrmmeminitnvmap failed with permission",
    certain("device-permission"),
)
says(
    r"nvswitch.{0,80}(fail|error|not found)|fabric manager.{0,80}(fail|error|not running|mismatch)",
    likely("fabric-manager-missing"),
)

# ---- cuDNN, cuBLAS and the others: what their statuses mean does not depend on the caller

says(
    r"cudnn_status_(sublibrary_loading_failed|runtime_prerequisite_missing)\w{0,20}"
    r"|cannot load cudnn|cudnn.{0,24}(dso_?handle|shared library)",
    likely("cudnn-missing"),
    possible("cudnn-shadowed"),
)
says(r"cudnn_status_mapping_error", likely("cudnn-start-failed"), possible("illegal-access"))
says(
    r"cudnn_status_bad_param\w{0,20}|no algorithm worked|cudnn frontend error",
    likely("cudnn-start-failed"),
    possible("cudnn-version-mismatch"),
    vague=True,
)
says(
    r"found cudnn version \d{2,6}, but \w{2,12} was built against version"
    r"|cudnn.{0,60}(was )?(compiled|built) (with|against).{0,60}(but|while|whereas).{0,60}"
    r"(found|loaded|runtime|detected)",
    certain("cudnn-version-mismatch"),
)
says(
    r"(cufft|cusolver|cusparse|curand)\w{0,24}(internal_error|internal error|exec_failed"
    r"|arch_mismatch)|generator_get_seed|cufft_internal",
    likely("own-memory-full"),
    possible("nvidia-wheel-mix"),
    possible("no-code-for-card"),
    vague=True,
)
says(r"cu\w{2,10}_status_arch_mismatch", likely("no-code-for-card"))


# ---- video


def _encoder(seen: Seen) -> list[Guess]:
    """NVENC's statuses: 10 and 21 speak of sessions, 15 of the driver's age."""
    if seen.has("encode_sessions", "out of memory", "enough memory", "error 10", "(10)", "(21)"):
        return [likely("encoder-sessions"), possible("own-memory-full")]
    if seen.has("invalid_version", "invalid version", "(15)", "minimum required nvidia driver"):
        return [likely("driver-too-old"), possible("video-codec-missing")]
    if seen.has("libcuda", "nvcuda.dll"):
        return []
    return [likely("video-codec-missing")]


says(
    r"no nvenc capable devices|openencodesession|(nvenc|cuvid|nvdec).{0,40}(not found"
    r"|not supported|failed|no capable|unavailable|not available)"
    r"|(load|find|open).{0,12}(lib(nvidia-encode|nvcuvid)|nvencodeapi|nvcuvid\.dll)"
    r"|cannot open encoding session|nv_enc_err_\w{4,40}|unknown encoder .{0,3}\w{4,5}_nvenc",
    judge=_encoder,
)
says(
    r"(minimum|min\.?) (required )?(nvidia )?(display )?driver\b"
    r"|driver( version)? .{0,40}(is too old|too low|outdated|out of date|or (newer|higher|later)"
    r"|is insufficient|does not support (cuda|the required))"
    r"|(requires?|needs?|upgrade|update) .{0,24}(nvidia|gpu|graphics|display|cuda) driver"
    r".{0,40}(newer|later|version|\d{3}\.\d\d)",
    judge=lambda seen: (
        [likely("driver-too-old")] if seen.has("nvidia", "cuda", "nvenc", "optix") else []
    ),
)
