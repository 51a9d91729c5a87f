"""Install commands per distribution and shell lines per shell. Printed, never run."""

from __future__ import annotations

from gpukit.doctor.evidence import Evidence

_FAMILIES = {
    "ubuntu": ("ubuntu", "pop", "linuxmint", "elementary", "zorin", "neon"),
    "debian": ("debian", "raspbian", "kali", "devuan"),
    "rhel": ("rhel", "centos", "rocky", "almalinux", "ol", "amzn", "fedora"),
    "suse": ("opensuse-leap", "opensuse-tumbleweed", "sles", "opensuse"),
    "arch": ("arch", "manjaro", "endeavouros"),
}


def family(distro: str) -> str:
    """The family of a distribution ID or of a family name; "" if unknown."""
    plain = distro.lower()
    return next((name for name, ids in _FAMILIES.items() if plain in {name, *ids}), "")


def install_driver(distro: str, version: str = "", *, branch: int = 0, open_module: bool = False
                   ) -> list[str]:  # fmt: skip
    """The commands that install the NVIDIA driver, of a given branch if one is named."""
    kind = family(distro)
    package = f"nvidia-driver-{branch}{'-open' if open_module else ''}"
    if kind == "ubuntu":
        chosen = (
            [f"sudo apt install -y {package}"]
            if branch
            else ["sudo apt install -y ubuntu-drivers-common", "sudo ubuntu-drivers install"]
        )
        return ["sudo apt update", *chosen, "sudo reboot"]
    if kind == "debian":
        pin = [f"sudo apt install -y nvidia-driver-pinning-{branch}"] if branch else []
        driver = "nvidia-open" if open_module else "cuda-drivers" if branch else "nvidia-driver"
        return [*_debian_source(version, branch), "sudo apt update", *pin,
                f"sudo apt install -y linux-headers-$(dpkg --print-architecture) {driver}",
                "sudo reboot"]  # fmt: skip
    if kind == "rhel":
        return _red_hat(distro, version, branch, open_module)
    if kind == "suse":
        return ["sudo zypper install-new-recommends --repo NVIDIA", "sudo reboot"]
    if kind == "arch":
        return ["sudo pacman -S --needed nvidia-open nvidia-utils", "sudo reboot"]
    return []


def _debian_source(version: str, branch: int) -> list[str]:
    if not branch:
        return [
            "sudo apt install -y software-properties-common",
            "sudo apt-add-repository --component contrib non-free non-free-firmware",
        ]
    repository = f"https://developer.download.nvidia.com/compute/cuda/repos/debian{version or '12'}"
    return [f"wget {repository}/x86_64/cuda-keyring_1.1-1_all.deb",
            "sudo dpkg -i cuda-keyring_1.1-1_all.deb"]  # fmt: skip


def _fedora() -> list[str]:
    """Uses RPM Fusion, as Fedora's documentation advises: its packages track Fedora's kernels."""
    place = "https://mirrors.rpmfusion.org"
    release = "$(rpm -E %fedora).noarch.rpm"
    return [
        f"sudo dnf install -y {place}/free/fedora/rpmfusion-free-release-{release}",
        f"sudo dnf install -y {place}/nonfree/fedora/rpmfusion-nonfree-release-{release}",
        "sudo dnf install -y akmod-nvidia xorg-x11-drv-nvidia-cuda",
        "sudo akmods --force",
        "sudo reboot",
    ]


def _red_hat(distro: str, version: str, branch: int, open_module: bool) -> list[str]:
    if distro == "fedora" and not branch and not open_module:
        return _fedora()
    release = version.split(".", maxsplit=1)[0] or "9"
    name = {"fedora": f"fedora{release}", "amzn": f"amzn{release}"}.get(distro, f"rhel{release}")
    repository = f"https://developer.download.nvidia.com/compute/cuda/repos/{name}/x86_64"
    flavour = "open" if open_module else (str(branch) if branch else "latest")
    stream = f"{flavour}-dkms"
    return [
        "sudo dnf install -y kernel-devel-$(uname -r) kernel-headers",
        f"sudo dnf config-manager --add-repo {repository}/cuda-{name}.repo",
        f"sudo dnf module install -y nvidia-driver:{stream}",
        "sudo reboot",
    ]


def driver_commands(
    evidence: Evidence, *, branch: int = 0, open_module: bool = False
) -> tuple[str, ...]:
    """`install_driver` for the machine that the evidence describes."""
    return tuple(
        install_driver(
            evidence.distro, evidence.distro_version, branch=branch, open_module=open_module
        )
    )


def rebuild_initramfs(distro: str) -> str:
    """The command that rebuilds the initramfs."""
    kind = family(distro)
    if kind in {"rhel", "suse"}:
        return "sudo dracut --force"
    return "sudo mkinitcpio -P" if kind == "arch" else "sudo update-initramfs -u"


def set_variable(name: str, value: str, shell: str) -> str:
    """The line that sets an environment variable in the current shell session."""
    if shell == "fish":
        return f"set -gx {name} {value}"
    return f'$env:{name} = "{value}"' if shell == "powershell" else f'export {name}="{value}"'


def unset_variable(name: str, shell: str) -> str:
    """The line that unsets an environment variable in the current shell session."""
    if shell == "fish":
        return f"set -e {name}"
    return f"Remove-Item Env:{name}" if shell == "powershell" else f"unset {name}"


def prepend_path(name: str, folder: str, shell: str) -> str:
    """The line that prepends a folder to a path variable without leaving an empty entry.

    The loader takes an empty entry in LD_LIBRARY_PATH as the working directory.
    """
    if shell == "fish":
        return f"set -gx --path {name} {folder} ${name}"
    if shell == "powershell":
        return f'$env:{name} = "{folder}" + $(if ($env:{name}) {{ ";" + $env:{name} }})'
    return f'export {name}="{folder}${{{name}:+:${name}}}"'
