"""Libraries that are missing, of the wrong version, or that refuse a call."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import KERNEL, Fix
from gpukit.doctor.errors.phrases import (
    Guess,
    Seen,
    cause,
    certain,
    likely,
    possible,
    says,
)
from gpukit.doctor.evidence import Evidence

# Family of a library's name in a text -> the package of pip that brings it. No word of the text
# ever becomes part of a command: it only chooses a line here.
_PACKAGES = {
    "cudart": "nvidia-cuda-runtime",
    "cublas": "nvidia-cublas",
    "cupti": "nvidia-cuda-cupti",
    "nvrtc": "nvidia-cuda-nvrtc",
    "cufft": "nvidia-cufft",
    "curand": "nvidia-curand",
    "cusolver": "nvidia-cusolver",
    "cusparse": "nvidia-cusparse",
    "nvjitlink": "nvidia-nvjitlink",
    "nccl": "nvidia-nccl",
    "cudnn": "nvidia-cudnn",
}
_FAMILIES = "|".join(_PACKAGES)
_GONE = (
    r"(cannot open shared object|can't be opened|not found|no such file|could not load"
    r"|could not (find module|locate)|(unable|failed) to load|cannot be loaded|missing"
    r"|cannot load|is not configured correctly)"
)


def _library_commands(evidence: Evidence) -> tuple[str, ...]:
    if evidence.system == "Windows":
        return ("where.exe cudart64_*.dll", "nvcc --version")
    return (
        "ldconfig -p | grep -E 'libcu(dart|blas|fft|pti)'",
        "pip install nvidia-cuda-runtime-cu12 nvidia-cublas-cu12",
    )


def _libcuda(seen: Seen) -> list[Guess]:
    if seen.evidence.platform.name == "colab":
        return [likely("colab-libs-not-in-ldcache"), possible("colab-cpu-runtime")]
    if seen.evidence.platform.wsl:
        return [certain("libcuda-missing"), likely("wsl-lib-path")]
    return [certain("libcuda-missing"), possible("driver-not-installed")]


cause(
    "cuda-library-missing",
    "A library of the CUDA toolkit in the version that the program was built for is not found.",
    lambda evidence: Fix(
        "The number in the name is the CUDA it was built for. Install the build of the program for "
        "the CUDA that is there; or that toolkit, or its pip packages (-cu11, -cu12, -cu13), and "
        "put their folder into LD_LIBRARY_PATH. The driver does not bring these libraries.",
        _library_commands(evidence),
        restart=KERNEL,
    ),
)
cause(
    "cudnn-missing",
    "cuDNN in the version that the program was built for is not found.",
    Fix(
        "CUDA's toolkit does not bring cuDNN. Install the major version in the name (8 or 9); "
        "torch's "
        "wheels have their own, which other libraries do not see without LD_LIBRARY_PATH.",
        ('pip install "nvidia-cudnn-cu12==9.*"',
         "export LD_LIBRARY_PATH="
         "$(python -c 'import nvidia.cudnn as c; print(c.__path__[0])')/lib"),
        restart=KERNEL,
    ),
)  # fmt: skip
cause(
    "libcuda-missing",
    "The driver's own library libcuda is not found under the name that the program asks for.",
    lambda evidence: Fix(
        "In WSL2 it is in /usr/lib/wsl/lib; in a container it comes with --gpus all. Where only "
        "libcuda.so.1 exists, a link libcuda.so next to it helps programs that ask for that name.",
        ("ldconfig -p | grep libcuda", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH")
        if evidence.platform.wsl
        else ("ldconfig -p | grep libcuda", "nvidia-smi"),
    ),
)
cause(
    "windows-dll-missing",
    "Windows could not load a DLL of torch or a similar library, or one of its dependencies.",
    Fix(
        "Install Microsoft's Visual C++ runtime, then torch again in a fresh environment; another "
        "Python, an old driver or a half-finished installation are the other causes.",
        ("winget install Microsoft.VCRedist.2015+.x64",
         "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128"),
        restart=KERNEL,
    ),
)  # fmt: skip
cause(
    "onnxruntime-cuda-missing",
    "ONNX Runtime could not load its CUDA part: CUDA's or cuDNN's libraries are missing or differ.",
    Fix(
        "Current onnxruntime-gpu needs CUDA 12 and cuDNN 9. Install both with it, and no plain "
        "onnxruntime in the same environment.",
        ("pip uninstall -y onnxruntime onnxruntime-gpu",
         'pip install "onnxruntime-gpu[cuda,cudnn]"'),
        restart=KERNEL,
    ),
)  # fmt: skip
cause(
    "libstdcxx-too-old",
    "The loaded C++ library (libstdc++) is older than the one the extension was built with.",
    Fix(
        "With conda update its own; else the system's, or have the newer one loaded first.",
        ("conda install -c conda-forge libstdcxx-ng",
         "strings /usr/lib/x86_64-linux-gnu/libstdc++.so.6 | grep GLIBCXX | tail -n 1"),
        restart=KERNEL,
    ),
)  # fmt: skip
cause(
    "glibc-too-old",
    "The system's C library (glibc) is older than the wheel needs: it cannot be updated alone.",
    Fix(
        "Use a newer distribution or a container, or an older wheel of the library.",
        ("ldd --version",),
    ),
)
cause(
    "profiling-not-permitted",
    "The driver lets only administrators read the GPU's counters.",
    Fix(
        "Allow it for all, or start the container with --cap-add SYS_ADMIN.",
        (
            "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | "
            "sudo tee /etc/modprobe.d/nvidia-profiling.conf",
            "sudo reboot",
        ),
        who="an administrator (sudo)",
    ),
)


def _missing(seen: Seen) -> list[Guess]:
    """Which library of CUDA is missing: TensorFlow and CuPy have their own advice."""
    family = next(name for name in _PACKAGES if name in seen.match.group())
    if seen.has("cannot dlopen some gpu libraries", "skipping registering gpu"):
        return [certain("tf-libs-missing", f"its lib{family} is not found")]
    if seen.has("cupy") and family != "cudnn":
        return [certain("cupy-missing-libs", f"its lib{family} is not found")]
    if family == "cudnn":  # its "Error: libcuda.so …" is another phrase's
        return [] if seen.has("libcuda.so") else [certain("cudnn-missing")]
    if seen.has("tensorflow/stream_executor"):
        return [likely("tf-libs-missing", f"its lib{family} is not found"),
                possible("cuda-library-missing")]  # fmt: skip
    if seen.has("libonnxruntime_providers", "onnxruntime_providers_cuda"):
        return [certain("onnxruntime-cuda-missing"), likely("cuda-library-missing")]
    if seen.has("winerror 126"):
        return [certain("windows-dll-missing")]
    return [certain("cuda-library-missing", f"{_PACKAGES[family]} brings it")]


says(
    rf"({_FAMILIES}).{{0,70}}{_GONE}|{_GONE}.{{0,50}}({_FAMILIES})",
    judge=_missing,
)
says(
    r"libcuda\.so(\.1)?\W{1,3}.{0,20}(cannot open|not found|no such file|can't be)"
    r"|(could not|cannot|failed to|unable to) (load|find|open).{0,30}libcuda\.so"
    r"|libcuda\.so cannot",
    judge=_libcuda,
)


says(
    r"cupy is not correctly installed|cupy failed to load|failed to open libnvrtc-builtins"
    r"|nvrtc: error: failed to (load|open)",
    certain("cupy-missing-libs"),
)
says(r"failed to load libcupti", certain("cuda-library-missing"))
says(r"cannot load symbol cudnn", certain("cudnn-missing"))
says(
    r"symbol lookup for cu\w{3,40} failed|undefined symbol: cu(ctx|init|mem|device|module"
    r"|launch|func)",
    likely("driver-too-old", "the driver's library lacks a function of newer ones"),
)
says(
    r"blas (gemm|xgemm\w{0,10}|gemv) launch failed|streamexecutor without blas support",
    likely("cublas-no-memory"),
)
_OF_GPU = ("torch", "cuda", "tensorflow", "onnxruntime", "cupy", "triton", "llvmlite", "cudnn",
           "paddle", "jaxlib", "xformers", "cv2", "attention", "comfy", "_fused")  # fmt: skip
says(r"winerror (126|127|182|193|1114).{0,200}torch", certain("windows-dll-missing"))
says(
    r"dll load failed|error loading .{1,160}\.dll\b|dynamic link library .{0,24}(failed|could not)",
    judge=lambda seen: [certain("windows-dll-missing")] if seen.has(*_OF_GPU) else [],
    vague=True,
)
says(
    r"lib(cudnn|cublas|cusparse|cusolver|cufft|nv\w{2,12})[\w.]{0,24}: undefined symbol"
    r"|symbol lookup error: .{0,160}lib(cudnn|cublas|cusparse|cusolver|cufft|nvrtc|nvjit)",
    likely("nvidia-wheel-mix"),
    likely("cudnn-shadowed"),
)
says(
    r"onnxruntime_providers_cuda|failed to create cudaexecutionprovider"
    r"|cudaexecutionprovider.{0,40}not (available|in available)",
    certain("onnxruntime-cuda-missing"),
)
says(r"undefined symbol: ?\S{0,30}nvjitlink", certain("nvidia-wheel-mix"))
says(
    r"undefined symbol: ?\S{0,10}(cublas|cudnn|cusparse|cusolver|nccl)"
    r"|undefined symbol: ?(cuda[a-z]{3,40}|cufft|curand|cupti|nvrtc|nvtx)",
    likely("nvidia-wheel-mix"),
    possible("cudnn-shadowed"),
)
says(
    r"undefined symbol: ?_z(n|t[ivs]n)\S{0,20}(c10|torch|at)|\.so: undefined symbol: _zn",
    certain("extension-of-other-torch"),
)
cause(
    "extension-of-other-torch",
    "An extension was built for another torch than the one that is installed.",
    Fix(
        "Install both for each other: rebuild the extension after torch, without a cached wheel.",
        ("pip install --no-cache-dir --force-reinstall --no-build-isolation EXTENSION",),
        restart=KERNEL,
    ),
)
says(
    r"lib(torch|c10|caffe2)\w{0,16}\.so\S{0,8} {0,2}: cannot open shared object",
    likely("extension-of-other-torch"),
)
says(
    r"version .?`?glibcxx_[\d.]{1,8}'? not found|cxxabi_[\d.]{1,8}'? not found",
    certain("libstdcxx-too-old"),
)
says(r"version .?`?glibc_[\d.]{1,6}'? not found", certain("glibc-too-old"))
says(
    r"cupti_error_insufficient_privileges|err_nvgpuctrperm"
    r"|permission to access nvidia gpu performance",
    certain("profiling-not-permitted"),
)

# ---- cuBLAS and cuDNN: their status says little, so several causes are named

cause(
    "cublas-no-memory",
    "cuBLAS could not set itself up: mostly no GPU memory was left for it.",
    Fix(
        "Look at the memory first (a smaller batch, a fresh kernel). If there is room, an "
        "index out "
        "of range (a label or token id) broke the GPU's state before: the same step on the CPU "
        "names it. Last: CUDA libraries of several versions.",
        ("nvidia-smi", "CUDA_LAUNCH_BLOCKING=1 python SCRIPT.py"),
        restart=KERNEL,
    ),
)
cause(
    "cublas-execution-failed",
    "A matrix product failed on the GPU; an earlier kernel, the memory or the CUDA version can "
    "be why.",
    Fix(
        "Run again with launches that wait: often the first error is another one (an index out of "
        "range). On a new card with an old CUDA (RTX 30 with CUDA 10) install a newer build.",
        ("CUDA_LAUNCH_BLOCKING=1 python SCRIPT.py",
         'python -c "import torch; print(torch.version.cuda, torch.cuda.get_device_name())"'),
        restart=KERNEL,
    ),
)  # fmt: skip
cause(
    "cublas-library-mix",
    "cuBLAS refuses its arguments: mostly another cuBLAS than the wheel's own is loaded.",
    Fix(
        "Start without LD_LIBRARY_PATH, so that torch uses the cuBLAS it came with; else "
        "update to a "
        "newer CUDA 11.x or 12.x build. An empty tensor or sizes that do not fit give it too.",
        ("unset LD_LIBRARY_PATH",),
        restart=KERNEL,
    ),
)
cause(
    "cublas-not-supported",
    "The card, or this cuBLAS, cannot compute this kind of product (such as bfloat16 or int8).",
    Fix(
        "Use float16 or float32 instead of bfloat16 before Ampere (8.0), float32 before Maxwell "
        "(5.0); or update torch.",
        ('python -c "import torch; print(torch.cuda.get_device_capability())"',),
    ),
)
cause(
    "cudnn-start-failed",
    "cuDNN could not start or run: mostly no GPU memory was left, or another cuDNN is loaded.",
    Fix(
        "A smaller batch or a fresh kernel first; then start without LD_LIBRARY_PATH. A card "
        "that is "
        "too new or too old for this cuDNN gives it too.",
        ("nvidia-smi", "unset LD_LIBRARY_PATH",
         'python -c "import torch; print(torch.backends.cudnn.version())"'),
        restart=KERNEL,
    ),
)  # fmt: skip

says(
    r"cublas_status_(not_initialized|alloc_failed)|cublas.{0,20}the (library was not initialized"
    r"|resource allocation failed)",
    likely("cublas-no-memory"),
    possible("own-memory-full"),
    possible("index-out-of-range"),
)
says(
    r"cublas_status_(execution_failed|internal_error|mapping_error)|cublas.{0,40}failed to launch"
    r"|cublas.{0,40}(gpu program failed to execute|internal operation failed"
    r"|access to gpu memory space failed)",
    likely("cublas-execution-failed"),
    possible("index-out-of-range"),
)
says(
    r"cuda (driver )?error: invalid argument|cuda_error_invalid_value|cudaerrorinvalidvalue",
    possible("invalid-argument"),
)
cause(
    "invalid-argument",
    "A CUDA call was given an argument that it does not take: mostly a library's mistake.",
    Fix(
        "Run again with launches that wait, to see which call; then update that library, and try "
        "without PYTORCH_CUDA_ALLOC_CONF. After memory ran out some libraries say this too.",
        ("CUDA_LAUNCH_BLOCKING=1 python SCRIPT.py", "unset PYTORCH_CUDA_ALLOC_CONF"),
        restart=KERNEL,
    ),
)
says(r"cublas_status_invalid_value", likely("cublas-library-mix"))
says(
    r"cublas_status_(not_supported|arch_mismatch)|absent device architectural feature",
    certain("cublas-not-supported"),
)
says(
    r"cudnn_status_(not_initialized|alloc_failed|internal_error\w{0,20}|execution_failed\w{0,20})"
    r"|unable to find (a valid )?(cudnn algorithm|an engine)|get was unable to find an engine"
    r"|failed to (determine|find|get|pick) (the )?(best )?(cudnn )?convolution algorithm",
    likely("cudnn-start-failed"),
    possible("own-memory-full"),
    possible("cudnn-shadowed"),
)
says(
    r"cudnn_status_(arch_mismatch|not_supported\w{0,30})",
    likely("cudnn-start-failed"),
    possible("no-code-for-card"),
)
says(
    r"cudnn_status_(version_mismatch|sublibrary_version_mismatch)\w{0,20}",
    certain("cudnn-version-mismatch"),
)
says(
    r"(cusolver|cusparse|cufft|curand)_(status_)?(not_initialized|alloc_failed|internal_error)",
    likely("own-memory-full"),
    possible("nvidia-wheel-mix"),
)
