"""Which gpukit, torch, CuPy and TensorFlow build fits a driver and a card."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from gpukit._system import gpu_facts, installing
from gpukit._system.gpu_facts import AS_OF, parse_capability, parse_version
from gpukit.report import Column, Table, Tabular

_TORCH_INDEX = "https://download.pytorch.org/whl/"
_TURING, _VOLTA, _PASCAL, _MAXWELL = (7, 5), (7, 0), (6, 0), (5, 0)
_BLACKWELL = (10, 0)


@dataclass(frozen=True)
class Wheel:
    """One library: the command that installs the build that fits, or why none does.

    Example:
        >>> import gpukit
        >>> wheel = gpukit.doctor.compat(driver="535.54").wheel("torch")
        >>> wheel.library, wheel.command is not None
        ('torch', True)
    """

    library: str
    command: str | None
    why: str


@dataclass(repr=False)
class Compat(Tabular):
    """What fits a driver and a card; `as_of` is the date of the table it comes from.

    Example:
        >>> import gpukit
        >>> fits = gpukit.doctor.compat(driver="535.54", gpu="T4")
        >>> fits.cuda, fits.capability
        ('12.2', '7.5')
    """

    driver: str | None
    system: str
    cuda: str | None
    gpu: str | None
    capability: str | None
    wheels: list[Wheel] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    as_of: str = AS_OF

    def wheel(self, library: str) -> Wheel:
        """The row of one library.

        Example:
            >>> from gpukit import doctor
            >>> doctor.compat(driver="535.104.05", gpu="T4").wheel("cupy").command
            "pip install 'cupy-cuda12x[ctk]'"
        """
        for wheel in self.wheels:
            if wheel.library == library:
                return wheel
        known = ", ".join(wheel.library for wheel in self.wheels)
        raise ValueError(f"wheel: there is no {library!r}; known: {known}")

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data."""
        return {"schema": 1, **asdict(self)}

    def to_table(self) -> Table:
        """A row for each library."""
        card = f"{self.gpu or 'a card'} (compute capability {self.capability or 'unknown'})"
        newest = f", accepts up to CUDA {self.cuda}" if self.cuda else ""
        return Table(
            f"What fits {self.system} driver {self.driver or 'unknown'}{newest} and {card}",
            [
                Column("library", "library"),
                Column("command", "install"),
                Column("why", "because"),
            ],
            [asdict(wheel) for wheel in self.wheels],
            [*self.notes, f"Table of {self.as_of}."],
        )


def torch_capabilities(version: str, tag: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Lowest and highest capability that a torch wheel has code for; None: not in the table."""
    release = parse_version(version)[:2]
    if not release or not tag.startswith("cu") or not tag[2:].isdigit():
        return None
    cuda = int(tag[2:])
    if cuda < 128:
        return _MAXWELL, (9, 0)
    if cuda >= 130:
        return _TURING, (12, 1)
    if release == (2, 7) or release >= (2, 11):
        return _TURING, (12, 1)
    return _VOLTA, (12, 1)


def _torch(major: int, capability: tuple[int, int]) -> Wheel:
    if capability < _MAXWELL:
        return Wheel("torch", None, "no current build has code for Kepler and older")
    if major >= 13 and capability >= _TURING:
        return _torch_wheel("torch", "cu130", "CUDA 13, compute capability 7.5 to 12.1")
    if major >= 12 and capability >= _TURING:
        return _torch_wheel("torch", "cu128", "CUDA 12, compute capability 7.5 to 12.1")
    if major >= 12:
        why = "the builds for CUDA 12.6 are the last with code below 7.5"
        return _torch_wheel('"torch<2.15"', "cu126", why)
    if major == 11 and capability < _BLACKWELL:
        why = "the last build for CUDA 11; a driver from 525 on takes a newer one"
        return _torch_wheel('"torch==2.7.*"', "cu118", why)
    return Wheel("torch", None, "update the driver first")


def _torch_wheel(requirement: str, tag: str, why: str) -> Wheel:
    return Wheel("torch", f"pip install {requirement} --index-url {_TORCH_INDEX}{tag}", why)


def _cupy(major: int, capability: tuple[int, int]) -> Wheel:
    if capability < _MAXWELL:
        return Wheel("cupy", None, "no current build has code for Kepler and older")
    if major >= 13 and capability >= _TURING:
        return Wheel("cupy", "pip install 'cupy-cuda13x[ctk]'", "CUDA 13 needs 7.5 or newer")
    if major >= 12:
        return Wheel("cupy", "pip install 'cupy-cuda12x[ctk]'", "CUDA 12 has code from 5.0 on")
    if major == 11 and capability < _BLACKWELL:
        return Wheel("cupy", "pip install 'cupy-cuda11x<14'", "likely: the last series for CUDA 11")
    return Wheel("cupy", None, "update the driver first")


def _tensorflow(major: int, capability: tuple[int, int]) -> Wheel:
    if capability < _PASCAL:
        return Wheel("tensorflow", None, "likely: its wheels have code from 6.0 on")
    if major >= 12:
        why = "brings its own CUDA 12 libraries"
        if capability >= _BLACKWELL:
            why += "; compiles its kernels at the first start on this card, which takes minutes"
        return Wheel("tensorflow", "pip install 'tensorflow[and-cuda]'", why)
    if major == 11 and capability < _BLACKWELL:
        why = "likely: the last release for CUDA 11"
        return Wheel("tensorflow", "pip install 'tensorflow[and-cuda]==2.14.*'", why)
    return Wheel("tensorflow", None, "update the driver first")


def _gpukit(major: int, capability: tuple[int, int]) -> Wheel:
    if capability < gpu_facts.OLDEST_CAPABILITY:
        return Wheel("gpukit", None, "its kernels are built for 6.0 and newer; it uses the CPU")
    if major < 12:
        return Wheel("gpukit", None, "needs a driver for CUDA 12; until then it uses the CPU")
    return Wheel("gpukit", installing.command(), "one wheel for CPU and GPU, 6.0 to 12.x")


def _capability_of(gpu: str | float | tuple[int, int]) -> tuple[str | None, str | None]:
    """(name, capability) of what the caller gave."""
    if isinstance(gpu, tuple) and len(gpu) == 2:
        return None, f"{gpu[0]}.{gpu[1]}"
    if isinstance(gpu, float):
        return None, f"{gpu:.1f}"
    if not isinstance(gpu, str):
        raise TypeError(f"compat: gpu must be a name or a compute capability, got {gpu!r}")
    if parse_version(gpu) and len(parse_version(gpu)) == 2:
        return None, gpu
    facts = gpu_facts.card_facts(gpu)
    return gpu, facts.capability if facts else None


def _check_driver(driver: Any) -> str:
    if not isinstance(driver, str):
        raise TypeError(f"compat: driver must be text such as '535.104.05', got {driver!r}")
    if not parse_version(driver) or not 100 <= parse_version(driver)[0] <= 9999:
        raise ValueError(f"compat: {driver!r} is not a driver version such as '535.104.05'")
    return driver


def _old_card_note(driver: tuple[int, ...], capability: tuple[int, int]) -> list[str]:
    if capability >= _TURING or driver[0] < gpu_facts.FIRST_TURING_ONLY_BRANCH:
        return []
    return [
        f"Drivers from {gpu_facts.FIRST_TURING_ONLY_BRANCH} on ignore Maxwell, Pascal and Volta: "
        f"install branch {gpu_facts.LAST_BRANCH_FOR_OLD_CARDS}."
    ]


def judge(driver: str, name: str | None, capability: str | None, system: str = "Linux") -> Compat:
    """`compat` for facts that are known."""
    version = parse_version(driver)
    major = gpu_facts.cuda_major(driver, system)
    result = Compat(driver, system, gpu_facts.newest_cuda(driver), name, capability)
    if version[0] > gpu_facts.NEWEST_BRANCH:
        result.notes.append(f"Driver {driver} is newer than this table; newer drivers run all.")
    known = parse_capability(capability) if capability else _TURING
    if capability is None:
        result.notes.append(f"{name or 'The card'} is not in the table; 7.5 or newer is assumed.")
    old = _old_card_note(version, known)
    result.notes += old
    if old:
        major = 0
    elif known[0] > gpu_facts.NEWEST_FAMILY:
        result.notes.append(f"Compute capability {capability} is newer than this table.")
    result.wheels = [make(major, known) for make in (_gpukit, _torch, _cupy, _tensorflow)]
    if system == "Windows":
        result.notes.append("gpukit and TensorFlow have no GPU build for Windows: use WSL2.")
    return result


def compat(driver: str | None = None, gpu: str | float | tuple[int, int] | None = None) -> Compat:
    """Which gpukit, torch, CuPy and TensorFlow wheel fits a driver **and** a card.

    Args:
        driver: a driver version such as "535.104.05"; None means this machine's.
        gpu: a card's name or its compute capability ("7.5" or (7, 5)); None means this machine's.

    Raises:
        TypeError, ValueError: an argument is not of that form, or this machine has no driver.

    Example:
        >>> from gpukit import doctor
        >>> doctor.compat(driver="550.54.14", gpu="Tesla P100").wheel("torch").command
        'pip install "torch<2.15" --index-url https://download.pytorch.org/whl/cu126'
    """
    name, capability = _capability_of(gpu) if gpu is not None else (None, None)
    if driver is not None and gpu is not None:
        return judge(_check_driver(driver), name, capability)
    from gpukit.doctor.probes import gather_quickly

    here = gather_quickly()
    if gpu is None:
        name = next(iter(here.names), None)
        capability = next(iter(here.capabilities), None)
    version = _check_driver(driver) if driver is not None else here.driver_version
    if not version:
        raise ValueError(
            "compat: no NVIDIA driver was found here; give one: compat(driver='535.104.05')"
        )
    return judge(version, name, capability)
