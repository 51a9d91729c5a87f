"""Containers and WSL."""

from __future__ import annotations

from gpukit._system import steps
from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    CONTAINER,
    DEGRADED,
    INFORMATION,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence


def _start_again(evidence: Evidence) -> Fix:
    kind = evidence.platform.container or "docker"
    text = "Start the container with the GPU; in compose: deploy.resources.reservations.devices."
    return Fix(text, (steps.CONTAINERS[kind],), restart=CONTAINER)


@check(
    "wsl1",
    Layer.PLACE,
    BLOCKER,
    "This is WSL1, which has no GPU; WSL2 has.",
    Fix("In PowerShell on Windows:", ("wsl --set-version DISTRIBUTION 2",), restart=CONTAINER),
    likely=True,
)
def wsl1(evidence: Evidence) -> list[str]:
    """Microsoft's kernel, of the first kind."""
    return (
        [f"kernel {evidence.kernel}", "/dev/dxg does not exist"]
        if evidence.platform.wsl == 1
        else []
    )


@check(
    "container-without-gpu",
    Layer.PLACE,
    BLOCKER,
    "The machine has an NVIDIA GPU, but this container was started without it.",
    _start_again,
)
def without_gpu(evidence: Evidence) -> list[str]:
    """A container, the host's card or module in sight, and no device node."""
    nodes = [n for n, state in evidence.nodes.items() if "nvidia" in n and state != "absent"]
    host = [str(card) for card in evidence.nvidia[:1]] + (
        [f"the host's module is {evidence.module}"] if evidence.module else []
    )
    if not evidence.platform.container or evidence.platform.hosted or nodes or not host:
        return []
    return [f"this is a {evidence.platform.container} container", *host, "no /dev/nvidia* here"]


@check(
    "capabilities-missing",
    Layer.LIBRARY,
    BLOCKER,
    "The container was given only part of the driver.",
    Fix(
        "Start it with both parts.",
        ("docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE",),
        restart=CONTAINER,
    ),
    likely=True,
)
def capabilities(evidence: Evidence) -> list[str]:
    """The variable that NVIDIA's container runtime reads."""
    value = evidence.env("NVIDIA_DRIVER_CAPABILITIES")
    given = {part.strip() for part in value.split(",")}
    if not value or "all" in given or {"compute", "utility"} <= given or evidence.works:
        return []
    return [f"NVIDIA_DRIVER_CAPABILITIES={value}"]


@check(
    "container-lost-gpu",
    Layer.DEVICES,
    BLOCKER,
    "The container had the GPU and lost it, as after `systemctl daemon-reload` on the host.",
    Fix(
        "Restart the container. For good, on the host: cgroupfs as Docker's driver, or links for "
        "the device nodes, or CDI.",
        ("sudo nvidia-ctk system create-dev-char-symlinks --create-all",),
        who=ADMIN,
        restart=CONTAINER,
    ),
)
def lost_gpu(evidence: Evidence) -> list[str]:
    """The node exists and its mode allows access, but opening it fails."""
    refused = [n for n, s in evidence.nodes.items() if s == "refused" and "nvidia" in n]
    if evidence.works:
        return []
    return [f"{node}: opening it is not permitted, though its mode allows it" for node in refused]


known(
    "toolkit-not-installed",
    Layer.PLACE,
    BLOCKER,
    "Docker on the host cannot pass GPUs through: NVIDIA's container toolkit is missing.",
    Fix(
        "On the host. Docker from snap is a known trap: use the distribution's or Docker's own.",
        (
            "sudo apt install -y nvidia-container-toolkit",
            "sudo nvidia-ctk runtime configure --runtime=docker",
            "sudo systemctl restart docker",
        ),
        who=ADMIN,
        restart=CONTAINER,
    ),
)


@check(
    "wsl-linux-driver-inside",
    Layer.LIBRARY,
    BLOCKER,
    "A Linux driver is installed inside WSL2, in addition to the one from Windows.",
    Fix(
        "Remove it: only Windows's driver is needed.",
        ("sudo apt purge 'nvidia-driver-*' 'libnvidia-compute-*'",),
        who=ADMIN,
    ),
    likely=True,
)
def wsl_linux_driver(evidence: Evidence) -> list[str]:
    """A libcuda with a version in a system folder."""
    return [
        f"{file} exists"
        for file in evidence.driver_files
        if evidence.platform.wsl == 2
        and file.place.startswith(("/usr/lib/x86_64", "/usr/lib64"))
        and file.version
    ]


@check(
    "wsl-no-windows-driver",
    Layer.DRIVER,
    BLOCKER,
    "WSL2 shows no NVIDIA driver: Windows has no NVIDIA GPU, or no driver for it, or an old one.",
    Fix(
        f"If Windows has an NVIDIA GPU: {steps.WINDOWS_DRIVER}, then restart WSL. Install no "
        "driver inside WSL.",
        ("wsl --update", "wsl --shutdown"),
        restart=CONTAINER,
    ),
    fault=False,
)
def wsl_without_driver(evidence: Evidence) -> list[str]:
    """WSL2 without the library that Windows mounts."""
    inside = any(file.place.startswith("/usr/lib/wsl") for file in evidence.driver_files)
    if evidence.platform.wsl != 2 or inside or evidence.driver_files:
        return []
    dxg = "there" if evidence.nodes.get("/dev/dxg", "absent") != "absent" else "not there"
    return ["/usr/lib/wsl/lib/libcuda.so.1 does not exist", f"/dev/dxg is {dxg}"]


@check(
    "wsl-lib-path",
    Layer.LIBRARY,
    INFORMATION,
    "Programs other than gpukit may not find WSL2's driver.",
    Fix(
        "gpukit looks there itself. For others:",
        ('export LD_LIBRARY_PATH="/usr/lib/wsl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',),
    ),
)
def wsl_path(evidence: Evidence) -> list[str]:
    """The folder is in neither the loader's list nor its variable."""
    folder = "/usr/lib/wsl/lib"
    there = [f for f in evidence.driver_files if f.place.startswith(folder)]
    path = evidence.env("LD_LIBRARY_PATH").split(":")
    if evidence.platform.wsl != 2 or not there or evidence.in_loader_cache or folder in path:
        return []
    return [f"{there[0]} exists", "the loader's list does not have its folder"]


@check(
    "wsl-docker-blocked",
    Layer.START,
    BLOCKER,
    "Windows blocks the GPU for this container.",
    Fix(
        "Set no-cgroups = false in /etc/nvidia-container-runtime/config.toml, start with --gpus "
        "all, and update WSL.",
        ("wsl --update",),
        who=ADMIN,
        restart=CONTAINER,
    ),
    likely=True,
)
def wsl_docker(evidence: Evidence) -> list[str]:
    """NVML's code 17 in a container under WSL2."""
    inside = evidence.platform.wsl and evidence.platform.container
    return ["NVML: operating system (17)"] if inside and evidence.nvml_status == 17 else []


known(
    "wsl-smi-segfault",
    Layer.USE,
    DEGRADED,
    "nvidia-smi ends with a segmentation fault in WSL2; CUDA may work all the same.",
    Fix("Update Windows's driver to 565.90 or newer. gpukit does not need nvidia-smi."),
    symptoms=(r"nvidia-smi.{0,80}segmentation fault", r"segmentation fault.{0,80}nvidia-smi"),
)

known(
    "wsl-symlink-noise",
    Layer.USE,
    INFORMATION,
    "ldconfig complains that libcuda.so.1 is not a symbolic link: this is harmless.",
    Fix("Nothing is to be done."),
    symptoms=(r"libcuda\.so\.1 is not a symbolic link",),
)


@check(
    "wsl-util-na",
    Layer.USE,
    INFORMATION,
    "WSL2 and Windows do not show the memory of single processes.",
    Fix("Use gpukit.cuda.memory_summary() for this process's own numbers."),
)
def wsl_na(evidence: Evidence) -> list[str]:
    """WSL2 with a GPU that works."""
    return ["the driver model of Windows"] if evidence.platform.wsl == 2 and evidence.works else []
