"""Several GPUs and several processes: NCCL, peer access, MIG."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import CONTAINER, KERNEL, Fix
from gpukit.doctor.errors.phrases import (
    Guess,
    Seen,
    cause,
    certain,
    likely,
    possible,
    says,
)

_INFO = "NCCL_DEBUG=INFO torchrun --nproc_per_node=2 SCRIPT.py"

cause(
    "nccl-system-error",
    "NCCL failed in a system call: shared memory, a socket or the network card.",
    Fix(
        "NCCL names the call with NCCL_DEBUG=INFO. In a container the shared memory is mostly too "
        "small; on a cluster name the network interface.",
        (_INFO, "docker run --gpus all --shm-size=8g --ulimit memlock=-1 IMAGE",
         "export NCCL_SOCKET_IFNAME=eth0"),
        restart=CONTAINER,
    ),
)  # fmt: skip
cause(
    "nccl-cuda-error",
    "A CUDA call inside NCCL failed; the reason is in NCCL's log.",
    Fix(
        "Look for the first error of any rank: memory that is full, a wrong GPU number, a card "
        "without code in this NCCL, or a GPU that is broken.",
        (_INFO, "nvidia-smi"),
        restart=KERNEL,
    ),
)
cause(
    "nccl-invalid-usage",
    "NCCL was called wrongly: two ranks on one GPU, or a rank without its own GPU.",
    Fix(
        "Each rank takes its own GPU: torch.cuda.set_device of the number in LOCAL_RANK, before "
        "init_process_group; as many ranks as GPUs.",
        (_INFO, "nvidia-smi -L"),
        restart=KERNEL,
    ),
)
cause(
    "nccl-timeout",
    "A collective operation waited for a rank that did not come.",
    Fix(
        "One rank failed, does other work (saving, evaluating) or has fewer batches: read the "
        "first "
        "error of all ranks. If all ranks hang in their first operation, try without direct access "
        "between the GPUs.",
        (
            "TORCH_NCCL_BLOCKING_WAIT=1 TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun --nproc_per_node=2 "
            "SCRIPT.py",
            "export NCCL_P2P_DISABLE=1",
        ),
        restart=KERNEL,
    ),
)
cause(
    "nccl-missing",
    "This torch has no NCCL: on Windows, macOS and in CPU builds there is none.",
    Fix("Use the backend gloo: init_process_group('gloo'); or torch for CUDA on Linux."),
)
cause(
    "peer-access-missing",
    "These two GPUs cannot read each other's memory directly.",
    Fix(
        "GeForce cards since the RTX 30, GPUs behind different bridges and many virtual machines "
        "have no peer access. Copy through the host: switch peer access off in the program.",
        ("nvidia-smi topo -p2p r", "export NCCL_P2P_DISABLE=1"),
    ),
)
cause(
    "port-in-use",
    "Another job on this machine uses the port of this one.",
    Fix("Take another port.", ("torchrun --master_port 29511 --nproc_per_node=2 SCRIPT.py",)),
)


def _nccl(seen: Seen) -> list[Guess]:
    """What NCCL says of its error; 999 and 'invalid device ordinal' are CUDA's own words."""
    if seen.has("duplicate gpu", "invalid usage", "ncclinvalidusage", "ncclinvalidargument"):
        return [certain("nccl-invalid-usage")]
    if seen.has("unhandled cuda error", "unhandledcudaerror"):
        return [certain("nccl-cuda-error")]
    if seen.has("unhandled system error", "ncclsystemerror", "ncclremoteerror"):
        return [certain("nccl-system-error")]
    return [likely("nccl-system-error"), possible("nccl-cuda-error")]


says(
    r"nccl (error|failure|warn)|nccl\w{0,20}error|nccl.{0,60}(unhandled|internal error"
    r"|invalid usage)"
    r"|nccl error in|ncclinternalerror|duplicate gpu detected",
    judge=_nccl,
)
says(
    r"collective operation timeout|watchdog caught collective|nccl.{0,60}(timeout|timed out)"
    r"|timed out waiting for .{0,30}(ranks|clients)|heartbeat monitor timed out",
    certain("nccl-timeout"),
)
says(
    r"distributed package doesn't have nccl|nccl (is )?not (available|built)",
    certain("nccl-missing"),
)
says(
    r"peer access is not supported|peeraccessunsupported|peer_access_unsupported"
    r"|cannot enable peer access|p2p .{0,20}(impossible|not supported)",
    certain("peer-access-missing"),
)
says(r"eaddrinuse|address already in use", certain("port-in-use"), vague=True)
