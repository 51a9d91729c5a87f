"""What many programs say in their own words: used if no clear phrase is found."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import Fix
from gpukit.doctor.errors.phrases import Guess, Seen, cause, certain, likely, possible, says
from gpukit.doctor.evidence import Evidence

_SEEN = r"(found|detected|available|visible|accessible|recogni[sz]ed|usable|present|discovered)"


def _looks(evidence: Evidence) -> tuple[str, ...]:
    if evidence.platform.hosted:
        return ("nvidia-smi",)
    return (
        "nvidia-smi",
        'python -c "import torch; print(torch.__version__, torch.cuda.is_available())"',
        "gpukit doctor",
    )


cause(
    "program-sees-no-gpu",
    "The program sees no GPU that it can use; its message does not say why.",
    lambda evidence: Fix(
        "nvidia-smi shows whether the driver sees the GPU. If it does: the program or its torch is "
        "a build without CUDA, or for another CUDA, or CUDA_VISIBLE_DEVICES hides the GPU. If not: "
        "there is no driver, no GPU runtime (Colab, Kaggle), or no --gpus all (Docker).",
        _looks(evidence),
    ),
)
cause(
    "engine-of-other-version",
    "The TensorRT engine was built with another TensorRT, or for another card.",
    Fix(
        "Engines are not portable: build it again here, from the ONNX file, with the TensorRT that "
        "loads it. Two installed ones (system and pip) are a frequent reason.",
        ("python -c 'import tensorrt; print(tensorrt.__version__)'", "dpkg -l | grep -i nvinfer"),
    ),
)
cause(
    "video-codec-missing",
    "The video encoder or decoder of the driver (NVENC, NVDEC) is missing.",
    Fix(
        "In a container set NVIDIA_DRIVER_CAPABILITIES=all. Cards for computing (A100, H100) have "
        "no encoder, and old drivers refuse new programs. Without an NVIDIA card use another "
        "codec.",
        ("docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all IMAGE nvidia-smi", "nvidia-smi"),
    ),
)


def _no_device_found(seen: Seen) -> list[Guess]:
    here = seen.evidence.platform.name
    if here == "colab":
        return [likely("colab-cpu-runtime"), possible("program-sees-no-gpu")]
    if here == "kaggle":
        return [likely("kaggle-accelerator-off"), possible("program-sees-no-gpu")]
    torch = seen.has("torch", "lightning", "accelerator")
    guesses = [likely("program-sees-no-gpu")]
    return [*guesses, possible("torch-cpu-wheel")] if torch else guesses


def _driver_library(seen: Seen) -> list[Guess]:
    if seen.has(".dylib"):
        return [likely("mac-no-cuda")]
    return [likely("libcuda-missing"), possible("driver-not-installed")]


says(
    r"(not able|unable|failed) to (use|see|find|access|detect|initiali[sz]e) .{0,16}(gpu|cuda)\b"
    r"|(cannot|can't|could not|couldn't|can not) (use|see|find|access|detect) .{0,24}(gpu|cuda)\b"
    rf"|\bno (\w{{1,16}} ){{0,2}}(gpu|cuda)( \w{{1,16}}){{0,3}} {_SEEN}"
    rf"|\b(gpu|cuda)s?( devices?| driver)? (is|was|are|were|could|can)? ?(not|n't) (be )?{_SEEN}"
    r"|found no (\w{1,16} ){0,2}device|cuda\.functional\(\)"
    r"|(find|initialize|detect) .{0,24}(accelerator|gpu|cuda) devices?\b"
    r"|(cannot|can't|could not|unable to) find any torch accelerator|(you|it) needs? a gpu\b"
    r"|might not have a cuda gpu|failed to infer device type|can only be (used|run) on (a )?(cuda"
    r"|gpu)"
    r"|only (works|runs|available|supported) on (a )?(cuda|gpu)\b"
    r"|no cuda runtime is found|your machine only has: \[\]"
    r"|accelerator is not available"
    r"|no supported gpu|at least 1 gpu|no gpus? found|requires? (a|an"
    r"|at least one) (\w{1,16} ){0,2}gpu\b"
    r"|(is|are) not (a )?(valid|usable) (cuda|gpu)|(cuda|gpu) (initiali[sz]ation|detection"
    r"|setup) failed"
    r"|no such device: ?cuda|there is no registered platform called .{0,2}cuda",
    judge=_no_device_found,
    vague=True,
)
says(r"could not find any (nv files|nvidia \w{4,9}) on this host", likely("no-driver-found"))
says(
    r"(not|n't) (built|build|compiled|configured|installed) with .{0,24}(cuda|gpu|cudnn)"
    r"|(built|compiled|installed) without .{0,16}(cuda|gpu|cudnn)"
    r"|implementation for device cuda\S{0,4} not found|\b(cpu-only|cpu only) (build|version|wheel)"
    r"|no (gpu|cuda) support",
    likely("extension-without-cuda"),
    vague=True,
)
says(
    r"cuda version .{0,40}(does not|doesn't|did not) match|cudamismatch\w{0,12}"
    r"|compiled with .{0,24}cuda.{0,60}(but|while|whereas).{0,60}(cuda|toolkit|nvcc)",
    likely("toolkit-torch-mismatch"),
    vague=True,
)
says(r"cuda_(home|path)\b.{0,30}(does not exist|not exist|not set|not found|could not be)"
     r"|missingcudaexception|requires? (the )?(cuda toolkit|nvcc)",
     likely("nvcc-missing"), vague=True)  # fmt: skip
says(
    r"(linked|compiled|built) (against|with) cudnn.{0,24}(but|while).{0,16}(loaded|found|using)",
    certain("cudnn-version-mismatch"),
    vague=True,
)
says(
    r"\.cuh?\W{0,4}\d{1,5}\W{0,4}out of memory|thrust.{0,120}out of memory"
    r"|(gpu|cuda|vram|video|graphics|device)\b.{0,60}(out of memory|not enough memory"
    r"|insufficient memory|memory exhausted|no memory left|ran out of)"
    r"|(out of|not enough|insufficient|ran out of) .{0,16}(gpu|cuda|video|graphics|device|vram)"
    r".{0,3}(memory|ram)|(out of|not enough|insufficient) vram",
    likely("own-memory-full"),
    possible("oom-other-process"),
    vague=True,
)
says(r"\bout of memory\b", possible("own-memory-full"), possible("host-memory-full"), vague=True)
says(
    r"(cannot|could not|failed to|unable to|can't) (load|find|open) .{0,24}nvcuda\.dll",
    certain("windows-nvcuda-missing"),
    vague=True,
)
says(
    r"architecture.{0,60}(not compatible|incompatible|not supported|unsupported)"
    r"|(compute capability|\bsm_\d{2,3}).{0,60}(not supported|unsupported|too (low|old)"
    r"|not compatible|incompatible|is required|or (higher|newer|above))"
    r"|(unsupported|incompatible|unknown|too old).{0,24}(gpu|gpu arch\w{0,10}|compute capability)\b"
    r"|invalid value for --gpu-architecture|(gpu|card) (\S{1,24} )?is too old"
    r"|minimum (compute )?capability.{0,40}current (compute )?capability",
    likely("no-code-for-card"),
    vague=True,
)
says(
    r"serialization assertion .{0,80}failed|version tag does not match"
    r"|engine (plan )?(file )?(is )?(not compatible|incompatible|deserialization failed)"
    r"|tensorrt model exported with a different version",
    likely("engine-of-other-version"),
)
says(r"illegal address\b", likely("illegal-access"), vague=True)
says(r"(error inserting|could not insert|insmod).{0,4}nvidia.{0,120}no such device",
     likely("gpu-not-started"), possible("no-driver-found"), vague=True)  # fmt: skip
says(r"(load|open|find) (library|symbol)? ?\W{0,2}(libcuda\b|cudriver)|dlopen\(libcuda",
     judge=_driver_library, vague=True)  # fmt: skip
says(r"cuda path could not be detected|set cuda_path environment", likely("cupy-missing-libs"))
