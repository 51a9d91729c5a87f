"""What to type to get a working GPU, for a system and a shell. Nothing is run."""

from __future__ import annotations

from gpukit.doctor.commands import (
    family,
    install_driver,
    prepend_path,
    set_variable,
    unset_variable,
)

SYSTEMS = ("ubuntu", "debian", "rhel", "wsl", "suse", "arch")
SHELLS = ("bash", "zsh", "fish", "powershell")
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
    "zypper": "the driver",
    "pacman": "the driver",
    "reboot": "load the new module",
}


def _meaning(command: str) -> str:
    return next((text for word, text in _DRIVER_WORDS.items() if word in command), "")


def _lines(commands: list[str]) -> list[str]:
    width = max(len(command) for command in commands)
    return [f"{command:<{width}}  # {_meaning(command)}".rstrip(" #") for command in commands]


def _driver_part(system: str) -> list[str]:
    if system == "wsl":
        return [
            "# 1. In PowerShell on Windows, with NVIDIA's driver 528.33 or newer installed there.",
            "#    Install no driver inside WSL.",
            "wsl --install -d Ubuntu",
            "wsl --update",
            "",
            "# Inside WSL:",
        ]
    return ["# 1. The driver (gpukit needs no CUDA Toolkit and no compiler)",
            *_lines(install_driver(system))]  # fmt: skip


def _environment_part(shell: str) -> list[str]:
    activate = {
        "fish": "source gpu/bin/activate.fish",
        "powershell": "gpu\\Scripts\\Activate.ps1",
    }.get(shell, "source gpu/bin/activate")
    python = "python" if shell == "powershell" else "python3"
    return [
        "# 2. gpukit, in an environment of its own",
        f"{python} -m venv gpu",
        activate,
        "pip install gpukit",
        "",
        "# 3. The proof",
        "gpukit doctor",
    ]


def _shell_part(shell: str) -> list[str]:
    return [
        f"# Lines for {shell}, only if you need them",
        f"{set_variable('CUDA_VISIBLE_DEVICES', '0', shell)}  # show only the first GPU",
        f"{unset_variable('CUDA_VISIBLE_DEVICES', shell)}  # show all again",
        f"{prepend_path('PATH', '/usr/local/cuda/bin', shell)}  # nvcc, only for building",
    ]


def _this_system() -> str:
    from gpukit.doctor.probes import gather_quickly

    here = gather_quickly()
    if here.platform.wsl or here.system == "Windows":
        return "wsl"
    return family(here.distro) or "ubuntu"


def _checked(what: str, value: str, known: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        raise TypeError(f"plan: {what} must be text, got {value!r}")
    plain = value.lower()
    if plain not in known:
        raise ValueError(f"plan: there is no {what} {value!r}; known: {', '.join(known)}")
    return plain


def plan(os: str | None = None, shell: str | None = None) -> str:
    """The commands that set a machine up, each with its meaning. They are printed, never run.

    Args:
        os: "ubuntu", "debian", "rhel", "wsl", "suse" or "arch"; None is this machine's.
        shell: "bash", "zsh", "fish" or "powershell"; None is bash.

    Raises:
        ValueError: a name that is not known.

    Example:
        >>> from gpukit import doctor
        >>> print(doctor.plan("ubuntu").splitlines()[1].split("  #")[0])
        sudo apt update
    """
    system = _checked("os", os, SYSTEMS) if os is not None else _this_system()
    chosen = _checked("shell", shell, SHELLS) if shell is not None else "bash"
    parts = [_driver_part(system), _environment_part(chosen), _shell_part(chosen)]
    return "\n\n".join("\n".join(part) for part in parts)
