"""What to type to get a working GPU, for a system and a shell. Nothing is run."""

from __future__ import annotations

import re
import textwrap

from gpukit._language import shown
from gpukit._names.suggest import near
from gpukit._system import installing
from gpukit._system.platforms import Platform
from gpukit._system.steps import CONTAINERS, steps
from gpukit.doctor.commands import (
    family,
    install_driver,
    prepend_path,
    set_variable,
    unset_variable,
)

SYSTEMS = (
    "ubuntu", "debian", "fedora", "rhel", "suse", "arch", "wsl", "windows", "macos", "colab",
    "kaggle", "sagemaker-studiolab", "docker", "jetson",
)  # fmt: skip
SHELLS = ("bash", "zsh", "fish", "powershell")
# Other names of a system.
_ALIASES = {
    "wsl2": "wsl",
    "win": "windows",
    "win10": "windows",
    "win11": "windows",
    "mac": "macos",
    "osx": "macos",
    "darwin": "macos",
    "google colab": "colab",
    "studio-lab": "sagemaker-studiolab",
    "studiolab": "sagemaker-studiolab",
    "container": "docker",
    "podman": "docker",
    "tegra": "jetson",
    "jetpack": "jetson",
    "red hat": "rhel",
    "redhat": "rhel",
    "sles": "suse",
}
_NO_SHELL = {"colab", "kaggle"}
_DRIVER_WORDS = {
    "apt update": "read the lists of packages",
    "software-properties": "a tool that adds sources",
    "apt-add-repository": "the parts of Debian that hold the driver",
    "ubuntu-drivers-common": "a tool that knows which driver suits the card",
    "ubuntu-drivers install": "install that driver",
    "linux-headers": "the driver, and what builds its module for this kernel",
    "kernel-devel": "what builds the module for this kernel",
    "add-repo": "NVIDIA's source of packages",
    "nvidia-driver:": "the driver, rebuilt when the kernel changes",
    "rpmfusion": "a source of packages that has the driver",
    "akmod-nvidia": "the driver, rebuilt when the kernel changes, and its CUDA part",
    "akmods": "build the module now",
    "zypper": "the driver",
    "pacman": "the driver",
    "reboot": "load the new module",
}


def _meaning(command: str) -> str:
    return next((text for word, text in _DRIVER_WORDS.items() if word in command), "")


def _lines(commands: list[str]) -> list[str]:
    width = max(len(command) for command in commands)
    return [f"{command:<{width}}  # {_meaning(command)}".rstrip(" #") for command in commands]


def _comment(text: str) -> list[str]:
    words = shown(text)  # before it is broken: lines of sentences are no messages
    return [f"# {line}" for line in textwrap.wrap(words, 96 if words.isascii() else 48)]


def _windows_part(system: str) -> list[str]:
    inside = ["", "# Inside WSL:"] if system == "wsl" else ["", "# Then inside WSL, in Ubuntu:"]
    return [
        "# 1. In PowerShell on Windows, with NVIDIA's driver 528.33 or newer installed there.",
        "#    Install no driver inside WSL.",
        "wsl --install -d Ubuntu",
        "wsl --update",
        *inside,
    ]


def _docker_part() -> list[str]:
    return [
        "# 1. On the host, which has NVIDIA's driver: what hands the GPU to containers",
        "sudo apt install -y nvidia-container-toolkit",
        "sudo nvidia-ctk runtime configure --runtime=docker",
        "sudo systemctl restart docker",
        f"{CONTAINERS['docker'].replace('IMAGE', '-it python:3.12 bash')}  # a container with it",
        "",
        "# Inside the container:",
    ]


def _jetson_part() -> list[str]:
    return [
        "# 1. The driver is part of JetPack",
        "sudo apt update",
        "sudo apt install -y nvidia-jetpack",
    ]


def _driver_part(system: str) -> list[str]:
    if system in {"wsl", "windows"}:
        return _windows_part(system)
    if system == "docker":
        return _docker_part()
    if system == "jetson":
        return _jetson_part()
    if system in {"macos", "colab", "kaggle", "sagemaker-studiolab"}:
        return ["# 1. The GPU", *_comment(steps(Platform(system)))]
    return ["# 1. The driver (gpukit needs no CUDA Toolkit and no compiler)",
            *_lines(install_driver(system))]  # fmt: skip


def _cell_part() -> list[str]:
    return [
        "# 2. gpukit, in a cell",
        installing.in_a_cell(),
        "",
        "# 3. The proof, in another cell",
        "import gpukit; gpukit.doctor()",
    ]


def _environment_part(shell: str) -> list[str]:
    activate = {
        "fish": "source gpu/bin/activate.fish",
        "powershell": "gpu\\Scripts\\Activate.ps1",
    }.get(shell, "source gpu/bin/activate")
    python = "python" if shell == "powershell" else "python3"
    install, other = installing.command(), f"pip install {installing.wheel()}"
    return [
        "# 2. gpukit, in its own environment",
        f"{python} -m venv gpu",
        activate,
        install if install == other else f"{install}  # in a clone of gpukit; or: {other}",
        "",
        "# 3. The proof",
        "gpukit doctor",
    ]


def _windows_variables() -> list[str]:
    return [
        "# Variables of Windows itself, for programs that run outside WSL",
        "setx CUDA_VISIBLE_DEVICES 0  # for good; only windows opened afterwards see it",
        "# Never setx PATH: it cuts the value at 1024 characters. Use Settings > System > About >",
        "# Advanced system settings > Environment Variables.",
    ]


def _shell_part(shell: str) -> list[str]:
    return [
        f"# Lines for {shell}, only if you need them",
        f"{set_variable('CUDA_VISIBLE_DEVICES', '0', shell)}  # show only the first GPU",
        f"{unset_variable('CUDA_VISIBLE_DEVICES', shell)}  # show all again",
        f"{prepend_path('PATH', '/usr/local/cuda/bin', shell)}  # nvcc, only for building",
    ]


def _distribution(name: str) -> str:
    """The system of a distribution's ID, "" if unknown."""
    return name if name in SYSTEMS else family(name)


def _this_system() -> str:
    from gpukit.doctor.probes import gather_quickly

    here = gather_quickly()
    place = here.platform.name
    if here.platform.wsl:
        return "wsl"
    if place in SYSTEMS:
        return place
    return "docker" if here.platform.container else _distribution(here.distro) or "ubuntu"


def _system_of(value: str) -> str:
    """The system of a name that people use: an alias, a distribution, with a version after it."""
    plain = " ".join(value.lower().replace("_", "-").split())
    if plain in {"", "linux"}:
        return _this_system()
    first = re.sub(r"[\s-]*\d+(\.\d+)*( lts)?$", "", plain)
    for name in (plain, first, plain.split()[0]):
        if found := _ALIASES.get(name) or _distribution(name):
            return found
    known = (*SYSTEMS, *_ALIASES)
    meant = near(plain, list(known))
    hint = f"did you mean {meant!r}? Known" if meant else "known"
    raise ValueError(f"plan: there is no os {value!r}; {hint}: {', '.join(SYSTEMS)}")


def _checked_shell(value: str) -> str:
    plain = value.lower()
    if plain not in SHELLS:
        raise ValueError(f"plan: there is no shell {value!r}; known: {', '.join(SHELLS)}")
    return plain


def _check_text(what: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"plan: {what} must be text, got {value!r}")


def plan(os: str | None = None, shell: str | None = None) -> str:
    """The commands that set a machine up, each with its meaning. They are printed, never run.

    Args:
        os: "ubuntu", "debian", "fedora", "rhel", "suse", "arch", "wsl", "windows", "macos",
            "colab", "kaggle", "sagemaker-studiolab", "docker" or "jetson"; a distribution of one
            of these families, also with its version, is accepted too. None is this machine's.
        shell: "bash", "zsh", "fish" or "powershell"; None means bash.

    Returns:
        Lines to type; lines that are not commands begin with #.

    Raises:
        ValueError: an unknown name; the message suggests the nearest one.
        TypeError: a name is not a str.

    Example:
        >>> from gpukit import doctor
        >>> print(doctor.plan("ubuntu").splitlines()[1].split("  #")[0])
        sudo apt update
    """
    _check_text("os", os)
    _check_text("shell", shell)
    system = _system_of(os) if os is not None else _this_system()
    chosen = _checked_shell(shell) if shell is not None else "bash"
    if system in _NO_SHELL:
        parts = [_driver_part(system), _cell_part()]
    else:
        parts = [_driver_part(system), _environment_part(chosen)]
        parts += [_shell_part(chosen)] if system != "macos" else []
    if system == "windows":
        parts.append(_windows_variables())
    return shown("\n\n".join("\n".join(part) for part in parts))
