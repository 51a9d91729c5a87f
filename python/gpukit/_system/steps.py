"""How to get a GPU, by platform: the one source for errors, notes, the doctor and cloud advice."""

from __future__ import annotations

TYPE_CHECKING = False  # as in _device
if TYPE_CHECKING:
    from typing import Any

    from gpukit._system.machine import Machine
    from gpukit._system.platforms import Platform

COLAB = "Runtime > Change runtime type > Hardware accelerator: T4 GPU > Save"
KAGGLE = "Settings > Accelerator > GPU T4 x2"
STUDIO_LAB = "on the project page choose Compute type: GPU, then Start runtime and Open project"
_OFFERED = f"Colab ({COLAB}) and Kaggle ({KAGGLE}) offer a GPU for nothing"
# What starts a container with the GPU.
CONTAINERS = {
    "docker": "docker run --gpus all IMAGE",
    "podman": "podman run --device nvidia.com/gpu=all IMAGE",
    "apptainer": "apptainer exec --nv IMAGE COMMAND",
    "kubernetes": "resources: {limits: {nvidia.com/gpu: 1}}",
}
CLOUD_TYPES = {
    "aws": "g4dn.xlarge (T4) or g6.xlarge (L4)",
    "gcp": "g2-standard-4 (L4), or n1 with a T4 attached",
    "azure": "Standard_NC4as_T4_v3 (T4)",
    "oracle": "VM.GPU.A10.1 (A10)",
    "sagemaker": "ml.g4dn.xlarge (T4)",
}
WINDOWS_DRIVER = "install or update NVIDIA's driver on Windows (528.33 or newer)"

_STEPS = {
    "colab": f"{COLAB}, then run all cells again. Files in /content are lost.",
    "kaggle": f"In the notebook's editor: {KAGGLE} (accounts verified by phone), then run again.",
    "sagemaker-studiolab": f"Stop the runtime; {STUDIO_LAB}.",
    "paperspace": "Stop the notebook, choose a machine type with a GPU, and start it again.",
    "runpod": "Deploy a GPU pod instead of a CPU pod.",
    "vast": "Rent an instance with a GPU, and start its image with the GPU.",
    "huggingface-spaces": "In the Space: Settings > Hardware > a GPU such as T4 small.",
    "lightning": "In the Studio: open the machine selector (right side) and choose a GPU.",
    "databricks": "Create a cluster with a GPU runtime and a GPU worker type.",
    "slurm": "Ask the job for one: #SBATCH --gres=gpu:1, or srun --gres=gpu:1 --pty bash.",
    "wsl1": "In PowerShell: wsl --set-version DISTRIBUTION 2. WSL1 has no GPU, WSL2 has.",
    "wsl2": f"If Windows has an NVIDIA GPU: {WINDOWS_DRIVER}, then in PowerShell: wsl --update; "
    "wsl --shutdown. Install no driver inside WSL.",
    "jetson": "Install JetPack, which holds the board's driver: sudo apt install nvidia-jetpack.",
    "macos": "macOS has no CUDA since version 10.2: gpukit computes on the CPU here, torch's mps "
    f"uses the Mac's own GPU, and {_OFFERED}.",
    "windows": f"gpukit uses GPUs in WSL2: {WINDOWS_DRIVER}, then in PowerShell: "
    "wsl --install -d Ubuntu.",
}
# The cause in an error's details (csrc/base/cause.h).
_ABSENT = "driver_not_found"


def _of_container(platform: Platform) -> str:
    kind = platform.container or "docker"
    host = "; the host needs nvidia-container-toolkit" if kind in {"docker", "podman"} else ""
    return f"If the host has a GPU, start the container with it: {CONTAINERS[kind]}{host}."


def steps(platform: Platform, *, card: bool = False) -> str:
    """The exact steps to a GPU where no driver was found. `card`: one is on the PCI bus."""
    name = platform.name
    if name in _STEPS:
        return _STEPS[name]
    if platform.container:
        return _of_container(platform)
    if card:
        return "Install NVIDIA's driver, 525 or newer: gpukit doctor --plan prints the commands."
    if name in CLOUD_TYPES:
        return f"Choose a machine type with a GPU: {CLOUD_TYPES[name]}."
    return f"This machine shows no NVIDIA card; {_OFFERED}, and gpukit cloud lists GPUs to rent."


def steps_here(machine: Machine | None = None) -> str:
    """`steps` for this machine, by its files and variables. Starts nothing."""
    from gpukit._system import platforms
    from gpukit._system.machine import Machine
    from gpukit._system.vendors import display_controllers

    machine = machine or Machine()
    card = "NVIDIA" in display_controllers(machine)
    return steps(platforms.detect(machine), card=card)


def told_steps(details: dict[str, Any]) -> str:
    """A space and this platform's steps for the details of an absent driver's error, else ""."""
    return f" To get a GPU here: {steps_here()}" if details.get("cause") == _ABSENT else ""
