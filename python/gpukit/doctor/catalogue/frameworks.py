"""Other libraries of the notebook, by the metadata of their packages: none is imported."""

from __future__ import annotations

import re

from gpukit._system.gpu_facts import cuda_text, parse_capability, parse_version
from gpukit.doctor.catalogue.base import (
    BLOCKER,
    CRASH,
    DEGRADED,
    INFORMATION,
    KERNEL,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence
from gpukit.doctor.wheels import judge, torch_capabilities

_CUPY = ("cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x")
_PTX_ADVICE = Fix(
    "Compile for the card itself, e.g. a T4, and check the launch's error: a wrong version fails "
    "silently. numba: install the nvcc of the driver's version.",
    ("nvcc -arch=sm_75 x.cu", 'pip install "nvidia-cuda-nvcc-cu12==12.4.*"'),
)


def _has_gpu(evidence: Evidence) -> bool:
    return evidence.works and not evidence.simulated


def _tag(evidence: Evidence, package: str) -> str:
    return evidence.packages.get(package, "").partition("+")[2]


def _fitting(evidence: Evidence, library: str) -> Fix:
    """The command of `compat` for this driver and card."""
    driver = evidence.driver_version or "580.65.06"
    capability = next(iter(evidence.capabilities), None)
    wheel = judge(driver, next(iter(evidence.names), None), capability).wheel(library)
    commands = (wheel.command,) if wheel.command else ()
    return Fix(f"Install the build that fits this driver and card ({wheel.why}).", commands,
               restart=KERNEL)  # fmt: skip


def _fitting_torch(evidence: Evidence) -> Fix:
    fix = _fitting(evidence, "torch")
    commands = tuple(
        c.replace("pip install ", "pip install --force-reinstall ") for c in fix.commands
    )
    return Fix(fix.text, commands, restart=KERNEL)


@check(
    "aarch64-wheel",
    Layer.FRAMEWORK,
    BLOCKER,
    "The torch installed here is the CPU build, as pip takes it on ARM.",
    Fix("Use the index for CUDA; on a Jetson NVIDIA's own.",
        ("pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu130",),
        restart=KERNEL),
    likely=True,
)  # fmt: skip
def arm_wheel(evidence: Evidence) -> list[str]:
    """ARM, a GPU that works, and a CPU build."""
    cpu = _tag(evidence, "torch") == "cpu"
    arm = evidence.arch in {"aarch64", "arm64"}
    return [f"torch {evidence.packages['torch']}"] if arm and cpu and _has_gpu(evidence) else []


@check(
    "torch-cpu-wheel",
    Layer.FRAMEWORK,
    BLOCKER,
    "The torch installed here is the CPU build; the GPU itself works.",
    _fitting_torch,
)
def torch_cpu(evidence: Evidence) -> list[str]:
    """The local part of the version."""
    if not _has_gpu(evidence) or _tag(evidence, "torch") != "cpu":
        return []
    return [f"torch {evidence.packages['torch']}", "a kernel of gpukit ran on the GPU"]


def _outside(evidence: Evidence) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Cards that the installed torch has no code for: (capability, lowest, highest)."""
    version = evidence.packages.get("torch", "")
    span = torch_capabilities(version, _tag(evidence, "torch")) if version else None
    if span is None:
        return []
    return [
        (capability, *span)
        for capability in evidence.capabilities
        if not span[0] <= parse_capability(capability) <= span[1]
    ]


def _span_text(evidence: Evidence, low: tuple[int, int], high: tuple[int, int]) -> str:
    torch = evidence.packages["torch"]
    return f"torch {torch} has code for {low[0]}.{low[1]} to {high[0]}.{high[1]}"


@check(
    "arch-not-in-wheel-old",
    Layer.FRAMEWORK,
    CRASH,
    "The torch installed here has no code for this older card: its first operation fails.",
    _fitting_torch,
)
def torch_too_new(evidence: Evidence) -> list[str]:
    """A card below the wheel's range."""
    return [
        f"compute capability {capability}; {_span_text(evidence, low, high)}"
        for capability, low, high in _outside(evidence)
        if parse_capability(capability) < low
    ]


@check(
    "arch-not-in-wheel-new",
    Layer.FRAMEWORK,
    CRASH,
    "The torch installed here is older than this card and has no code for it.",
    _fitting_torch,
)
def torch_too_old(evidence: Evidence) -> list[str]:
    """A card above the wheel's range."""
    return [
        f"compute capability {capability}; {_span_text(evidence, low, high)}"
        for capability, low, high in _outside(evidence)
        if parse_capability(capability) > high
    ]


@check(
    "torch-needs-newer-driver",
    Layer.FRAMEWORK,
    BLOCKER,
    "The torch installed here is built for a newer CUDA than the driver accepts.",
    _fitting_torch,
)
def torch_beyond_driver(evidence: Evidence) -> list[str]:
    """The wheel's CUDA major against the driver's."""
    tag = re.fullmatch(r"cu(\d\d)\d", _tag(evidence, "torch"))
    version = evidence.cuda.version if evidence.cuda else 0
    if not tag or not version or evidence.simulated or int(tag.group(1)) <= version // 1000:
        return []
    accepted = f"the driver accepts up to CUDA {cuda_text(version)}"
    return [f"torch {evidence.packages['torch']}", accepted]


def _toolkit_and_driver(evidence: Evidence, version: int) -> list[str]:
    accepted = f"the driver accepts up to {cuda_text(version)}"
    return [f"/usr/local/cuda is {evidence.toolkit}", accepted]


@check(
    "nvcc-vs-driver-confusion",
    Layer.USE,
    INFORMATION,
    "The toolkit and the driver name different CUDA versions: both are right.",
    Fix("nvidia-smi shows the newest CUDA that the driver accepts, nvcc --version the compiler."),
    symptoms=(r"nvcc.{0,80}nvidia-smi.{0,80}(differ|mismatch)",),
)
def two_versions(evidence: Evidence) -> list[str]:
    """An older toolkit with a newer driver."""
    version = evidence.cuda.version if evidence.cuda and not evidence.simulated else 0
    accepted = (version // 1000, version % 1000 // 10)
    if not version or not evidence.toolkit or parse_version(evidence.toolkit) >= accepted:
        return []
    return _toolkit_and_driver(evidence, version)


@check(
    "colab-ptx-newer-than-driver",
    Layer.FRAMEWORK,
    DEGRADED,
    "The compiler is newer than the driver: programs that carry only its PTX do not start.",
    _PTX_ADVICE,
)
def toolkit_newer(evidence: Evidence) -> list[str]:
    """A newer toolkit with an older driver."""
    version = evidence.cuda.version if evidence.cuda and not evidence.simulated else 0
    accepted = (version // 1000, version % 1000 // 10)
    if not version or not evidence.toolkit or parse_version(evidence.toolkit) <= accepted:
        return []
    return _toolkit_and_driver(evidence, version)


@check(
    "cudnn-shadowed",
    Layer.FRAMEWORK,
    DEGRADED,
    "LD_LIBRARY_PATH puts another cuDNN before the one that came with the wheels.",
    Fix("Unset it before Jupyter starts.", ("unset LD_LIBRARY_PATH",), restart=KERNEL),
)
def cudnn(evidence: Evidence) -> list[str]:
    """Two copies, one of them by the variable."""
    wheels = [name for name in evidence.packages if name.startswith("nvidia-cudnn-")]
    return [*evidence.foreign_cudnn, *wheels] if evidence.foreign_cudnn and wheels else []


@check(
    "tensorflow-gpu-package",
    Layer.FRAMEWORK,
    DEGRADED,
    "tensorflow-gpu is an empty package of old: TensorFlow itself has the GPU part.",
    Fix(
        "Remove it and install TensorFlow with its libraries.",
        ("pip uninstall -y tensorflow-gpu", "pip install 'tensorflow[and-cuda]'"),
        restart=KERNEL,
    ),
    symptoms=(r"\"tensorflow-gpu\" package has been removed", r"error.{0,60}tensorflow-gpu"),
)
def tensorflow_gpu(evidence: Evidence) -> list[str]:
    """The package."""
    version = evidence.packages.get("tensorflow-gpu")
    return [f"tensorflow-gpu {version} is installed"] if version else []


@check(
    "tf-libs-missing",
    Layer.FRAMEWORK,
    DEGRADED,
    "TensorFlow is installed without the CUDA libraries that it needs.",
    Fix("Install it with them, best in a new environment.",
        ("pip install -U 'tensorflow[and-cuda]'",), restart=KERNEL),
)  # fmt: skip
def tensorflow_libraries(evidence: Evidence) -> list[str]:
    """TensorFlow, no cuDNN wheel, no toolkit."""
    with_wheels = any(name.startswith("nvidia-cudnn-") for name in evidence.packages)
    if "tensorflow" not in evidence.packages or with_wheels or evidence.toolkit:
        return []
    return ["no package nvidia-cudnn-cu12"] if _has_gpu(evidence) else []


known(
    "tf-grabs-all-memory",
    Layer.USE,
    DEGRADED,
    "TensorFlow takes all of the GPU's memory when it starts.",
    Fix(
        "Set this before TensorFlow's first operation.",
        ("export TF_FORCE_GPU_ALLOW_GROWTH=true",),
        restart=KERNEL,
    ),
    symptoms=(r"Physical devices cannot be modified after being initialized",),
)


@check(
    "jax-cpu-only",
    Layer.FRAMEWORK,
    DEGRADED,
    "jax is installed without its CUDA part.",
    Fix("Install it with the part that fits the driver.", ("pip install -U 'jax[cuda12]'",),
        restart=KERNEL),
)  # fmt: skip
def jax_cpu(evidence: Evidence) -> list[str]:
    """A plugin is missing; on Colab jax comes with the image and may not be intended."""
    plugins = [name for name in evidence.packages if re.match(r"jax-cuda\d+-plugin", name)]
    if "jax" not in evidence.packages or plugins or not _has_gpu(evidence):
        return []
    return [f"jax {evidence.packages['jax']}", "no package jax-cuda12-plugin or jax-cuda13-plugin"]


known(
    "jax-banner-false-alarm",
    Layer.USE,
    INFORMATION,
    "jax's note about a GPU does not concern torch, TensorFlow or gpukit.",
    Fix("Nothing is to be done unless you use jax."),
)


@check(
    "cupy-duplicate",
    Layer.FRAMEWORK,
    DEGRADED,
    "Several CuPy packages are installed over one another.",
    Fix(
        "Remove all, then install one.",
        (f"pip uninstall -y {' '.join(_CUPY)}", "pip install 'cupy-cuda12x[ctk]'"),
        restart=KERNEL,
    ),
    likely=True,
)
def cupy_twice(evidence: Evidence) -> list[str]:
    """More than one of the names."""
    found = [f"{name} {evidence.packages[name]}" for name in _CUPY if name in evidence.packages]
    return found if len(found) > 1 else []


@check(
    "cupy-missing-libs",
    Layer.FRAMEWORK,
    DEGRADED,
    "CuPy is installed without the CUDA libraries that it needs.",
    lambda evidence: _fitting(evidence, "cupy"),
)
def cupy_libraries(evidence: Evidence) -> list[str]:
    """A CuPy wheel, no toolkit, no NVRTC wheel."""
    cupy = [name for name in _CUPY[1:] if name in evidence.packages]
    nvrtc = any(name.startswith("nvidia-cuda-nvrtc") for name in evidence.packages)
    if not cupy or evidence.toolkit or nvrtc or not _has_gpu(evidence):
        return []
    return [cupy[0], "no /usr/local/cuda and no package nvidia-cuda-nvrtc"]


@check(
    "nvidia-wheel-mix",
    Layer.USE,
    INFORMATION,
    "Libraries of CUDA 12 and of CUDA 13 are installed side by side.",
    Fix("If imports fail with an undefined symbol, use a new environment with one of them."),
)
def wheel_mix(evidence: Evidence) -> list[str]:
    """One library in both series."""
    pairs = [
        name.removesuffix("-cu12")
        for name in evidence.packages
        if name.startswith("nvidia-")
        and name.endswith("-cu12")
        and (
            f"{name.removesuffix('-cu12')}-cu13" in evidence.packages
            or name.removesuffix("-cu12") in evidence.packages
        )
    ]
    return [f"{name}: for both" for name in sorted(pairs)]


@check(
    "numba-nvvm-missing",
    Layer.FRAMEWORK,
    DEGRADED,
    "numba-cuda is installed without the compiler library it needs.",
    Fix("Install it with its libraries.", ("pip install 'numba-cuda[cu12]'",), restart=KERNEL),
    symptoms=(r"NvvmSupportError", r"libNVVM cannot be found"),
)
def numba(evidence: Evidence) -> list[str]:
    """numba-cuda, no nvcc wheel, no toolkit."""
    nvcc = any(name.startswith("nvidia-cuda-nvcc") for name in evidence.packages)
    if "numba-cuda" not in evidence.packages or nvcc or evidence.toolkit:
        return []
    return [f"numba-cuda {evidence.packages['numba-cuda']}"] if _has_gpu(evidence) else []
