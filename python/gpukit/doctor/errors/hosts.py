"""Hosts of programs: Docker and its toolkit, WSL2, Kubernetes."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import ADMIN, CONTAINER, Fix
from gpukit.doctor.errors.phrases import Guess, Seen, cause, certain, likely, possible, says

cause(
    "container-host-no-driver",
    "The container toolkit finds no NVIDIA driver on the host.",
    Fix(
        "On the host nvidia-smi must work first; install or repair the driver there. Docker "
        "Desktop "
        "on Linux and Docker from snap run in their own sandbox and cannot see it: use Docker "
        "Engine. On Windows the driver of Windows and WSL2 are needed.",
        ("nvidia-smi", "docker context use default", "ldconfig -p | grep libnvidia-ml"),
        who=ADMIN,
        restart=CONTAINER,
    ),
)
cause(
    "container-needs-newer-driver",
    "The image is made for a newer CUDA than the host's driver accepts.",
    Fix(
        "Update the driver on the host, or take an image of the CUDA that nvidia-smi names. To try "
        "it all the same, switch the question off.",
        ("nvidia-smi", "docker run --gpus all -e NVIDIA_DISABLE_REQUIRE=true IMAGE"),
        who=ADMIN,
        restart=CONTAINER,
    ),
)
cause(
    "container-toolkit-failed",
    "The container toolkit could not hand the GPU to the container.",
    Fix(
        "See whether nvidia-smi works on the host, and whether the toolkit is set up for this "
        "engine; then ask it itself.",
        (
            "nvidia-smi",
            "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker",
            "nvidia-container-cli -k -d /dev/tty info",
        ),
        who=ADMIN,
        restart=CONTAINER,
    ),
)
cause(
    "wsl-gpu-blocked",
    "WSL2 or the container in it may not use the GPU: Windows or the driver refuses it.",
    Fix(
        "Update Windows's NVIDIA driver and WSL, and remove NVIDIA packages inside WSL. A "
        "data-centre "
        "card in TCC or MCDM mode on Windows Server is not handed to WSL. In Docker: no-cgroups = "
        "false in /etc/nvidia-container-runtime/config.toml.",
        ("wsl --update", "wsl --shutdown", "sudo apt purge 'nvidia-*' 'libnvidia-*'"),
        restart=CONTAINER,
    ),
)
cause(
    "pod-without-gpu",
    "No node of the cluster has a free GPU to give to this pod.",
    Fix(
        "The NVIDIA device plugin must run on the node and show GPUs that are free.",
        ("kubectl describe nodes | grep -A5 nvidia.com/gpu", "kubectl get pods -A | grep nvidia"),
        who=ADMIN,
    ),
)


def _toolkit(seen: Seen) -> list[Guess]:
    """Words of nvidia-container-cli: what it says after its name decides."""
    if seen.has("unsatisfied condition", "requirement error"):
        return [certain("container-needs-newer-driver")]
    if seen.has("file exists"):
        return [likely("container-toolkit-failed", "the image has the driver's files in it")]
    if seen.has("libnvidia-ml", "driver not loaded", "nvml error: driver not"):
        return [certain("container-host-no-driver")]
    if seen.has("wsl environment detected but no adapters"):
        return [certain("wsl-no-windows-driver")]
    if seen.has("invalid device ordinal", "unknown device", "device error"):
        return [likely("device-index-too-large"), possible("mig-one-per-process")]
    if seen.has("nvidia_uvm"):
        return [likely("uvm-node-missing"), possible("container-host-no-driver")]
    if seen.has("bpf_prog", "cgroup"):
        return [likely("container-toolkit-failed"), possible("container-lost-gpu")]
    return [likely("container-toolkit-failed")]


says(
    r"nvidia-container-(cli|runtime|toolkit)\S{0,10} {0,2}:? {0,2}.{0,12}(no such file|not found"
    r"|executable file not found)",
    certain("toolkit-not-installed"),
)
says(r"nvidia-container-cli|nvidia-container-runtime", judge=_toolkit, vague=True)
says(
    r"could not select device driver"
    r"|(unknown|invalid|unsupported|no such)\b.{0,24}runtime.{0,24}nvidia"
    r"|(runtime|unknown flag).{0,12}(nvidia\W{0,3}(is )?(not found|not registered)|--gpus)"
    r"|nvidia-container-runtime.{0,40}not found",
    certain("toolkit-not-installed"),
)
says(
    r"gpu access blocked by the operating system",
    certain("wsl-gpu-blocked"),
    possible("wsl-docker-blocked"),
)
says(
    r"failed to initialize nvml: ?unknown error|nvml.{0,20}unknown error",
    likely("container-lost-gpu"),
    possible("driver-state-unknown"),
)
cause(
    "slurm-request",
    "SLURM does not take the job's request for GPUs.",
    Fix(
        "See which partitions have GPUs and how the cluster names them, then ask for them so. "
        "Inside "
        "a job srun takes the job's GPUs: do not ask again, or start it from the login node.",
        ("sinfo -o '%P %G'", "srun --gpus=1 --pty nvidia-smi -L"),
    ),
)
says(
    r"invalid generic resource \(gres\)|(srun|sbatch"
    r"|salloc): .{0,60}(node configuration is not available"
    r"|gres|--gpus|invalid (account|partition|qos|feature)|qos|allocation failure)",
    certain("slurm-request"),
)
says(r"can't stat gres\.conf", likely("no-driver-found"), possible("module-not-loaded"))
cause(
    "cdi-not-generated",
    "The container engine finds no description of the GPUs (CDI).",
    Fix(
        "Write it once, and again after each update of the driver.",
        ("sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml", "nvidia-ctk cdi list"),
        who=ADMIN,
        restart=CONTAINER,
    ),
)
says(
    r"unresolvable cdi devices|find cdi device|cdi device injection failed|(stat"
    r"|unknown device).{0,6}nvidia\.com/gpu=",
    certain("cdi-not-generated"),
)


def _no_nvml(seen: Seen) -> list[Guess]:
    if seen.has("default runtime", "docker", "container", "kubelet", "device plugin", "pod"):
        return [likely("container-without-gpu"), possible("toolkit-not-installed")]
    return [likely("no-driver-found"), possible("container-without-gpu")]


says(
    r"(could not|couldn't|cannot|failed to|unable to) (load|find|open|locate) .{0,12}nvml"
    r"|nvml.{0,30}(library|shared library) .{0,12}not (be )?(found|loaded)"
    r"|incompatible (platform|strategy) detected.{0,40}|no runtime for .nvidia. is configured"
    r"|not a gpu node",
    judge=_no_nvml,
    vague=True,
)
says(r"failed to initialize nvml: ?n/a", likely("wsl-gpu-blocked"))
says(r"insufficient nvidia\.com/gpu", certain("pod-without-gpu"))
says(
    r"temporary failure in name resolution|could not resolve host",
    judge=lambda seen: [
        certain("kaggle-internet-off")
        if seen.evidence.platform.name == "kaggle"
        else possible("kaggle-internet-off", "on Kaggle the internet is off at first")
    ],
    vague=True,
)
