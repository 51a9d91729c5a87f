"""Wheels that do not fit the card, the driver or each other."""

from __future__ import annotations

import re

from gpukit._system.gpu_facts import card_facts, parse_capability
from gpukit.doctor.catalogue.base import KERNEL, Fix
from gpukit.doctor.errors.phrases import (
    Guess,
    Seen,
    Surety,
    cause,
    certain,
    likely,
    possible,
    says,
)

_TORCH = "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/"
_WHAT = (
    'python -c "import torch; print(torch.__version__, torch.cuda.get_arch_list(), '
    'torch.cuda.get_device_capability())"'
)
_OLD_CARD, _NEW_CARD = (7, 5), (10, 0)
_LISTED = re.compile(r"\bsm_(\d{1,2})(\d)\b")
_OWN = re.compile(r"(?:with cuda capability sm_|is of cuda capability )(\d{1,2})\.?(\d)\b")
_NAME = re.compile(
    r"\b(?:tesla )?(?:[pvtkm]\d{2,3}|a100|h100|l4|l40s?)\b|\b(?:gtx|rtx|titan) ?[\w ]{1,10}"
)
_FOR_OLD = Fix(
    "Take the build for CUDA 12.6: the last one with code for cards before Turing. The builds for "
    "CUDA 12.8 and 13 have none.",
    (f"{_TORCH}cu126",),
    restart=KERNEL,
)
_FOR_NEW = Fix(
    "Take a build for CUDA 12.8 or newer (torch 2.7 or newer).",
    (f"{_TORCH}cu128",),
    restart=KERNEL,
)


def _named_card(text: str) -> tuple[int, int] | None:
    """The card's compute capability, if the text names it or the card."""
    own = _OWN.search(text)
    if own:
        return int(own.group(1)), int(own.group(2))
    name = _NAME.search(text)
    facts = card_facts(name.group().strip()) if name else None
    return parse_capability(facts.capability) if facts else None


def _of_age(card: tuple[int, int], whose: str, seen: Seen) -> list[Guess]:
    """A card that the library is too old for, or too new; by the library's list if it is given."""
    listed = [(int(a), int(b)) for a, b in _LISTED.findall(seen.text)]
    others = [each for each in listed if each != card] or [_OLD_CARD, (9, 0)]
    fact = f"{whose} a card of compute capability {card[0]}.{card[1]}"
    if card > max(others):
        return [Guess("arch-not-in-wheel-new", Surety.CERTAIN, (fact,), _FOR_NEW)]
    if card >= min(others):
        return [certain("no-code-for-card", fact)]
    if seen.evidence.platform.name == "kaggle":
        return [certain("kaggle-p100-no-kernel", fact)]
    return [Guess("arch-not-in-wheel-old", Surety.CERTAIN, (fact,), _FOR_OLD)]


def _no_image(seen: Seen) -> list[Guess]:
    """Code for the card is missing; also a card that is too old or too new, if that shows."""
    card = _named_card(seen.text)
    if card is not None:
        return [certain("no-code-for-card"), *_of_age(card, "the text names", seen)]
    here = [parse_capability(capability) for capability in seen.evidence.capabilities]
    if here:
        return [certain("no-code-for-card"), *_of_age(here[0], "this machine has", seen)]
    return [certain("no-code-for-card")]


def _not_compatible(seen: Seen) -> list[Guess]:
    card = _named_card(seen.text)
    return _of_age(card, "the text names", seen) if card else [certain("no-code-for-card")]


_CODE_FOR_CARD = Fix(
    "See which cards the library has code for and which one you have. A card before Turing "
    "(GTX 10, P100, V100) needs torch's cu126 wheel: cu128 and newer have no code for it. An "
    "RTX 50 or B200 needs cu128 or newer. A library that was built here (mamba, fvdb, "
    "detectron2 …) is built again for the card: export TORCH_CUDA_ARCH_LIST first.",
    (_WHAT, f"{_TORCH}cu126  # cards before Turing", f"{_TORCH}cu128  # RTX 20 to RTX 50"),
    restart=KERNEL,
)

cause(
    "no-code-for-card",
    "The library that failed has no code for this card: it was built for other ones.",
    _CODE_FOR_CARD,
)
says(
    r"no kernel image is available|nokernelimagefordevice|cuda_error_no_binary_for_gpu"
    r"|no binary for gpu|cuda.{0,30}error 209\b",
    judge=_no_image,
)
says(
    r"is not compatible with the current pytorch|minimum cuda capability supported"
    r"|pytorch no longer supports this gpu",
    judge=_not_compatible,
)
says(
    r"invalid device function|cudaerrorinvaliddevicefunction",
    judge=lambda seen: [
        likely("rocm-gfx-unsupported" if seen.has("hip", "rocm", "amd") else "no-code-for-card")
    ],
)
says(
    r"device kernel image is invalid|is not a recognized processor",
    certain("no-code-for-card"),
)
says(
    r"unsupported gpu architecture|invalid value for --gpu-architecture"
    r"|value .{0,3}sm_\d{2,3}.{0,3} is not defined",
    certain("compiler-lacks-card"),
)
cause(
    "compiler-lacks-card",
    "This CUDA compiler does not know the card's architecture: it is too new for it, or dropped.",
    Fix(
        "Use a toolkit that knows it: RTX 50 and B200 need 12.8 or newer; cards before Turing "
        "12.9 or "
        "older. Or build for the cards that you have: TORCH_CUDA_ARCH_LIST.",
        ("nvcc --list-gpu-arch", "nvidia-smi --query-gpu=name,compute_cap --format=csv"),
    ),
)
cause(
    "extension-without-cuda",
    "A library other than torch was built without CUDA.",
    Fix(
        "Install its build for CUDA (torchvision from the same index as torch), or build it again "
        "where nvcc and torch with CUDA are installed: FORCE_CUDA=1.",
        (
            "pip install --force-reinstall torch torchvision --index-url "
            "https://download.pytorch.org/whl/cu128",
            "FORCE_CUDA=1 pip install --no-build-isolation --no-cache-dir EXTENSION",
        ),
        restart=KERNEL,
    ),
)
cause(
    "half-on-cpu",
    "The program computes in float16 on the CPU, where torch has not written that operation.",
    Fix(
        "Use float32 on the CPU (model.float(), --no-half), or move model and inputs to a GPU.",
        ('python -c "import torch; print(torch.cuda.is_available())"',),
    ),
)
cause(
    "tf-harmless-note",
    "TensorFlow's notes on TensorRT, NUMA nodes and factories that are registered twice are "
    "harmless.",
    Fix("Nothing is to be done. TF_CPP_MIN_LOG_LEVEL=2 hides them."),
)
cause(
    "ptxas-missing",
    "XLA does not find ptxas or libdevice, which its compiler needs.",
    Fix(
        "Install CUDA's compiler alongside the framework, or say where the toolkit is.",
        (
            "pip install nvidia-cuda-nvcc-cu12",
            "export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda",
        ),
        restart=KERNEL,
    ),
)
says(
    r"could not run .{0,3}torchvision::|from the .cuda. backend",
    certain("extension-without-cuda"),
)
says(
    r"not compiled with (cuda|gpu) support|compiled without (cuda|gpu)"
    r"|gpu tree learner was not enabled",
    judge=lambda seen: [] if seen.has("bitsandbytes") else [certain("extension-without-cuda")],
)
says(
    r"not implemented for .half.|fp16 .{0,60}(requires|only .{0,12}on) .{0,20}(gpu|cuda)",
    certain("half-on-cpu"),
)
says(
    r"could not find tensorrt|successful numa node read|unable to register cu\w{2,5} factory",
    certain("tf-harmless-note"),
    vague=True,
)
says(
    r"libdevice(\.10\.bc)?.{0,40}(not found|cannot be found|is required)|missing libdevice"
    r"|couldn't (invoke|find) ptxas|ptxas.{0,20}(not found|too old)|can't find libdevice",
    judge=lambda seen: [certain("numba-nvvm-missing" if seen.has("numba") else "ptxas-missing")],
)


def _no_cuda(seen: Seen) -> list[Guess]:
    """The torch of the text has no CUDA; which one would have it, depends on the system."""
    if seen.evidence.system == "Darwin":
        return [certain("mac-no-cuda"), possible("torch-cpu-wheel")]
    if seen.evidence.cards_of("AMD") and not seen.evidence.nvidia:
        return [certain("torch-cpu-wheel"), likely("rocm-torch-is-cuda-build")]
    if seen.evidence.cards_of("Intel") and not seen.evidence.nvidia and seen.has("xpu"):
        return [certain("torch-cpu-wheel"), likely("intel-torch-not-xpu")]
    return [certain("torch-cpu-wheel")]


says(
    r"torch not compiled with cuda|torch was not compiled with (?!flash|memory)"
    r"|pytorch was not (built|compiled) with cuda|libtorch.{0,30}without cuda",
    judge=_no_cuda,
)
says(
    r"torch\.cuda\.is_available\(\)\W{1,6}(should be true but is |returns? |is )?false"
    r"|cuda unavailable"
    r"|invalid cuda .{0,3}device"
    r"|cuda is not available|cuda not available"
    r"|gpu is not available|no gpu (was )?(found|detected)|no module named .{0,3}torch\._c\b",
    likely("torch-cpu-wheel"),
    likely("no-gpu-visible"),
    vague=True,
)

# ---- the other frameworks

cause(
    "bitsandbytes-no-cuda",
    "bitsandbytes found no library for this CUDA version.",
    Fix(
        "Update it, so that it brings the library of the installed torch's CUDA; the second "
        "command "
        "says what it looked for.",
        ("pip install -U bitsandbytes", "python -m bitsandbytes"),
        restart=KERNEL,
    ),
)
cause(
    "tf-no-driver",
    "This TensorFlow found no CUDA driver or no CUDA libraries: it computes on the CPU.",
    Fix(
        "Without an NVIDIA GPU nothing is wrong. With one: look whether nvidia-smi works, then "
        "install TensorFlow with its CUDA libraries.",
        ("nvidia-smi", 'pip install -U "tensorflow[and-cuda]"'),
        restart=KERNEL,
    ),
)
cause(
    "cudnn-version-mismatch",
    "An older cuDNN is loaded than the one that the library was compiled with.",
    Fix(
        "Update cuDNN in this environment, and let no LD_LIBRARY_PATH put another one in front.",
        ("pip install -U nvidia-cudnn-cu12", "unset LD_LIBRARY_PATH"),
        restart=KERNEL,
    ),
)

says(
    r"cuda setup failed despite gpu being available|bitsandbytes was compiled without gpu"
    r"|libbitsandbytes_\w{1,20}\.(so|dll).{0,60}(not found|cannot open|undefined symbol|no such)"
    r"|bitsandbytes.{0,60}cuda binary not found|not find the bitsandbytes cuda binary"
    r"|required library version not found: libbits"
    r"|bitsandbytes.{0,40}no gpu detected",
    certain("bitsandbytes-no-cuda"),
)
says(
    r"loaded (runtime )?cudnn library:? ?\S{1,20} .{0,60}compiled with"
    r"|cudnn (library )?version (mismatch|incompatib)",
    certain("cudnn-version-mismatch"),
)
says(
    r"dnn library (initialization failed|is not found)|failed to get convolution algorithm"
    r"|could not create cudnn handle",
    likely("cudnn-start-failed"),
    likely("cudnn-version-mismatch"),
    vague=True,
)
says(
    r"could not find cuda drivers", likely("tf-no-driver"), possible("tf-libs-missing"), vague=True
)
says(
    r"skipping registering gpu devices|cannot dlopen some gpu libraries",
    certain("tf-libs-missing"),
)
says(
    r"could not load dynamic library .{0,3}(lib)?cu\w{2,12}",
    likely("tf-libs-missing"),
    vague=True,
)
says(
    r"an nvidia gpu may be present on this machine|cuda-enabled jaxlib is not installed"
    r"|no gpu/tpu found, falling back to cpu|unable to initialize backend .{0,3}(cuda|gpu)"
    r"|jax plugin configuration error",
    likely("jax-cpu-only"),
    possible("jax-banner-false-alarm"),
)
says(
    r"detected cuda version ?\(?[\d.]{0,6}\)? ?mismatches the version|cuda_mismatch_message",
    certain("toolkit-torch-mismatch"),
)

cause(
    "toolkit-torch-mismatch",
    "The CUDA toolkit (nvcc) that compiles has another major version than the installed torch.",
    Fix(
        "Install torch for the toolkit's CUDA, or the toolkit for torch's, and point CUDA_HOME at "
        "it. The driver matters not.",
        ("nvcc --version", 'python -c "import torch; print(torch.version.cuda)"',
         "export CUDA_HOME=/usr/local/cuda-12.8  # the toolkit of torch's version"),
    ),
)  # fmt: skip
