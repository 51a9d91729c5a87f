"""Memory that ran out: the GPU's, the host's, or the shared memory between processes."""

from __future__ import annotations

import re

from gpukit.doctor.catalogue.base import CONTAINER, KERNEL, NOTHING, REBOOT, Fix
from gpukit.doctor.errors.phrases import (
    Guess,
    Seen,
    cause,
    certain,
    likely,
    possible,
    says,
)
from gpukit.doctor.evidence import Evidence

_SIZES = {"kib": 1 / 1024, "mib": 1.0, "gib": 1024.0, "bytes": 1 / 1048576}
_SIZE = r"(\d{1,9}(?:\.\d{1,4})?) ?(bytes|[kmg]ib)"
_ASKED = re.compile(rf"tried to allocate {_SIZE}")
_TOTAL = re.compile(rf"(?:total capac\w{{1,4}} of {_SIZE}|{_SIZE} total capacity)")
_FREE = re.compile(rf"(?:of which {_SIZE} is free|{_SIZE} free)")
_IN_USE = re.compile(rf"this process has {_SIZE} memory in use")
_HELD = re.compile(rf"{_SIZE} (?:reserved in total by pytorch|cached)")
_GIVEN = re.compile(rf"(?:{_SIZE} is allocated by pytorch|{_SIZE} already allocated)")
_SPARE = re.compile(rf"{_SIZE} is reserved by pytorch but unallocated")
# CUDA's own share of a card, which no process can use.
_CONTEXT_MIB, _MUCH = 700.0, 0.2


def _mib(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    if found is None:
        return None
    number, unit = (part for part in found.groups() if part is not None)
    return float(number) * _SIZES[unit]


def _bytes(mib: float) -> str:
    return f"{mib / 1024:.1f} GiB" if mib >= 1024 else f"{mib:.0f} MiB"


def _torch_numbers(text: str) -> list[Guess]:
    """What torch's own figures say: its own tensors, pieces, or other processes."""
    asked, total, free = (_mib(p, text) for p in (_ASKED, _TOTAL, _FREE))
    given, held = _mib(_GIVEN, text), _mib(_HELD, text)
    spare = _mib(_SPARE, text)
    spare = held - given if spare is None and held is not None and given is not None else spare
    if asked is None or total is None:
        return []
    if asked > total:
        return [certain("own-memory-full",
                        f"{_bytes(asked)} were asked for, of {_bytes(total)} in all")]  # fmt: skip
    process = _mib(_IN_USE, text)
    if process is None:
        process = held if held is not None else (given or 0.0) + (spare or 0.0)
    others = total - (free or 0.0) - process - _CONTEXT_MIB
    if free is not None and others > _MUCH * total and process + asked <= total:
        return [likely("oom-other-process", f"{_bytes(others)} of it are held outside torch")]
    if spare is not None and spare > max(asked, _MUCH * total):
        return [likely("oom-fragmentation", f"torch holds {_bytes(spare)} that it cannot hand out"),
                likely("own-memory-full")]  # fmt: skip
    return [certain("own-memory-full", f"this process holds {_bytes(process)} of {_bytes(total)}")]


def _gpu_full(seen: Seen) -> list[Guess]:
    told = _torch_numbers(seen.text)
    return told or [likely("own-memory-full"), possible("oom-other-process")]


def _smaller(evidence: Evidence) -> Fix:
    hosted = " On Colab or Kaggle restart the runtime first." if evidence.platform.hosted else ""
    return Fix(
        "Less at a time: a smaller batch, shorter inputs or smaller images, float16, "
        "torch.no_grad() for inference, gradient checkpointing, a smaller or quantized model. "
        f"Tensors of earlier cells and of an earlier error stay: restart the kernel.{hosted} "
        "See what else is on the GPU:",
        ("nvidia-smi",),
        restart=KERNEL,
    )


def _ended(seen: Seen) -> list[Guess]:
    if seen.has("sigkill", "exitcode : -9", "exitcode: -9", "code -9"):
        return [
            likely("host-memory-full", "the process was killed (signal 9)"),
            likely("rank-ended"),
        ]
    if seen.has("sigbus", "exitcode : -7", "exitcode: -7", "code -7"):
        return [likely("shm-too-small", "the process got a bus error"), likely("rank-ended")]
    return [certain("rank-ended")]


cause(
    "own-memory-full",
    "The GPU's memory is too small for what this program asks of it.",
    _smaller,
)
cause(
    "tf-memory-grab",
    "Another framework of this process or machine took the GPU's memory first.",
    Fix(
        "TensorFlow and jax take most of the memory when they start; let them grow instead.",
        ("export TF_FORCE_GPU_ALLOW_GROWTH=true", "export XLA_PYTHON_CLIENT_PREALLOCATE=false"),
        restart=KERNEL,
    ),
)


def _shared_memory(evidence: Evidence) -> Fix:
    kubernetes = evidence.platform.container == "kubernetes"
    command = (
        "volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]  # mounted at /dev/shm"
        if kubernetes
        else "docker run --gpus all --shm-size=8g IMAGE"
    )
    return Fix(
        "Workers hand batches over in /dev/shm, which Docker limits to 64 MB: give it more, or use "
        "num_workers=0.",
        ("df -h /dev/shm", command),
        restart=CONTAINER,
    )


cause(
    "shm-too-small",
    "The data loader's workers ran out of shared memory (/dev/shm).",
    _shared_memory,
)
cause(
    "host-memory-full",
    "The host's memory (RAM) ran out, and the system ended the process.",
    Fix(
        "Load less at a time: smaller files or batches, fewer num_workers, memory-mapped files, "
        "low_cpu_mem_usage=True. In a container or job raise its limit.",
        ("free -h", "sudo dmesg | grep -i -E 'out of memory|killed process'"),
        restart=KERNEL,
    ),
)
cause(
    "kernel-died",
    "The notebook's process ended without a Python error.",
    Fix(
        "Mostly the host's memory ran out; else a library crashed. Run the cell as a script: the "
        "terminal shows the last words (Killed: memory; Segmentation fault: a library).",
        ("jupyter nbconvert --to script NOTEBOOK.ipynb", "python -X faulthandler NOTEBOOK.py"),
        restart=NOTHING,
    ),
)

says(
    r"cuda out of memory|(?<!java\.lang\.)outofmemoryerror|cuda_error_out_of_memory"
    r"|cudaerrormemoryallocation"
    r"|cuda.{0,30}error\W{0,4}out of memory|cuda.{0,20}error\W{1,3}2\W{1,4}out of memory"
    r"|cudamalloc failed.{0,20}out of memory|failed to allocate .{0,60}(from|on) device"
    r"|(hip|xpu) out of memory|cuda runtime error \(2\)|rmm_error_out_of_memory"
    r"|bad_alloc.{0,20}cuda"
    r"|bad_alloc: out_of_memory|(failed|unable) to allocate cuda\d{0,2} buffer",
    judge=_gpu_full,
)
says(
    r"resource_?-?exhausted\w{0,5}.{0,60}(out of memory|oom|failed to allocate)"
    r"|oom when allocating tensor|resourceexhaustederror|dst tensor is not initialized",
    likely("own-memory-full"),
    possible("tf-memory-grab"),
)
says(
    r"unexpected bus error encountered in worker|out of shared memory|insufficient shared memory"
    r"|dataloader worker.{0,40}killed by signal: bus error|no space left on device.{0,40}shm"
    r"|unable to (open|write|mmap|allocate) .{0,40}shared memory|torch_shm_manager",
    certain("shm-too-small"),
)
says(
    r"dataloader worker.{0,40}killed by signal: killed|cannot allocate memory(?! in static)"
    r"|numpy.{0,40}memoryerror|unable to allocate .{0,30} for an array with shape"
    r"|oom.?kill|out of memory: killed process|oomkilled|crashed after using all"
    r"|defaultcpuallocator: (not enough|can't allocate) memory",
    certain("host-memory-full"),
)
says(
    r"dataloader worker.{0,40}exited unexpectedly",
    likely("host-memory-full"),
    possible("shm-too-small"),
    vague=True,
)
says(
    r"(kernel|session).{0,30}(appears to have|has|have) (died|crashed)|kernel (died|restarting)"
    r"|session crashed for an unknown reason|dead kernel|kernel .{0,40}died",
    likely("kernel-died"),
    likely("host-memory-full"),
)
says(
    r"(fail|unable|could not|not enough).{0,60}(pinned|page-locked|host) memory"
    r"|cudahostalloc.{0,60}"
    r"(fail|error)|host_malloc.{0,60}fail",
    likely("host-memory-full"),
)
says(
    r"bad_alloc",
    judge=lambda seen: [] if seen.has("cuda", "rmm") else [likely("host-memory-full")],
)
says(r"(^|[\s\])])killed\b(?! by)|exit code 137", likely("host-memory-full"), vague=True)
says(
    r"no available memory for the cache blocks|free memory on device .{0,60} less than desired"
    r"|kv cache (is needed|memory)|tokens that can be stored in kv cache",
    certain("kv-cache-too-large"),
)
cause(
    "kv-cache-too-large",
    "The model fits, and too little of the GPU's memory is left for its cache of keys and values.",
    Fix(
        "A shorter context (--max-model-len), a larger share of the card "
        "(--gpu-memory-utilization 0.95) if nothing else uses it, a quantized model, more GPUs "
        "(--tensor-parallel-size). Free what other processes hold:",
        ("nvidia-smi", "vllm serve MODEL --max-model-len 4096 --gpu-memory-utilization 0.95"),
    ),
)
cause(
    "windows-page-file-small",
    "Windows's page file is too small for torch's libraries, which each worker loads again.",
    Fix(
        "Fewer workers (num_workers=0), or a larger page file: System > About > Advanced system "
        "settings > Performance > Virtual memory.",
        restart=REBOOT,
    ),
)
says(r"winerror 1455|paging file is too small", certain("windows-page-file-small"))
cause(
    "rank-ended",
    "One process of the group ended; the first error of any rank is the cause.",
    Fix(
        "Read the output of the rank that is named first. Exit code -9 is the host's memory, "
        "-7 the "
        "shared memory, -11 a crash of a library.",
        ("torchrun --nproc_per_node=2 --redirects 3 --log_dir logs SCRIPT.py",),
    ),
)
says(
    r"childfailederror|exitcode ?: ?-\d|exited with code -\d"
    r"|process.{0,30}(sigkill|sigbus|sigsegv)",
    judge=_ended,
    vague=True,
)


says(
    r"reserved (by pytorch )?but unallocated memory is large",
    likely("oom-fragmentation"),
    vague=True,
)
