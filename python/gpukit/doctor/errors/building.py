"""Building CUDA code: headers, the linker, toolkits that are not found, builds that fail."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import KERNEL, Fix
from gpukit.doctor.errors.phrases import cause, certain, likely, possible, says

cause(
    "cuda-headers-missing",
    "A compiler does not find CUDA's header files.",
    Fix(
        "Install the toolkit (or its pip packages) of the version that the program was built for, "
        "and name it: CUDA_HOME, on Windows CUDA_PATH.",
        (
            "pip install nvidia-cuda-runtime-cu12 nvidia-cuda-nvcc-cu12 nvidia-cuda-cccl-cu12",
            "export CUDA_HOME=/usr/local/cuda",
        ),
        restart=KERNEL,
    ),
)
cause(
    "link-without-cuda",
    "The linker was not given CUDA's libraries, or ones of another version.",
    Fix(
        "Name them and where they are; the driver's libcuda is among the toolkit's stubs on a "
        "machine without a driver.",
        (
            "nvcc main.cu -lcudart -lcublas",
            "export LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/lib64/stubs",
        ),
    ),
)
cause(
    "extension-build-failed",
    "An extension with CUDA code could not be built; the compiler's first error says why.",
    Fix(
        "Read the first line with 'error' above: a host compiler that is too new, a toolkit of "
        "another version than torch's, headers that are missing, or memory that ran out "
        "(MAX_JOBS=2). A ready wheel saves the build.",
        ("nvcc --version", "gcc --version",
         'python -c "import torch; print(torch.__version__, torch.version.cuda)"'),
    ),
)  # fmt: skip

says(
    r"(cuda_runtime(_api)?|cuda_fp16|cuda_bf16|cuda|cublas_v2|cusparse|cusolverdn|curand\w{0,8}"
    r"|cufft|nvtoolsext|nvml|thrust/\S{1,30}|cuda/std/\S{1,20}|cub/\S{1,30})(\.h(pp)?"
    r"|\.cuh)?\W{0,3}:?"
    r" (no such file|file not found)|cannot open (source|include) file:? .{0,3}(cuda\w{0,16}\.h"
    r"|cuda/|thrust/|cub/|cu\w{3,12}\.h|nv\w{3,12}\.h)|failed to find cuda headers"
    r"|(failed|unable) to (auto-?detect|find|locate) cuda (root|include)",
    likely("cuda-headers-missing"),
    possible("nvcc-missing"),
)
says(
    r"(cudnn(_version)?\.h|cudnn_frontend\.h)\W{0,3}:? (no such file|file not found)"
    r"|could not find (a package configuration file provided by )?.{0,3}cudnn|cudnn_include"
    r"|cannot open (source|include) file:? .{0,3}cudnn",
    likely("cudnn-missing"),
)
says(
    r"undefined reference to .{0,6}(cuda|__cuda|cublas|cudnn|cufft|curand|cusolver|nvml|nccl"
    r"|cu[a-z]{2,6}"
    r"(get|create|alloc|init))|cannot find -l(cuda|cublas|cudnn|cufft|curand|cusolver|nv|nccl)"
    r"|unresolved external symbol .{0,6}(cuda|__cuda|cublas|cudnn|cu[a-z]{2,8}get)"
    r"|cannot open (input )?file .{0,3}(cuda\w{0,6}|cublas|cudnn|nv\w{2,8})\.lib",
    certain("link-without-cuda"),
)
says(
    r"(could not|couldn't|cannot|failed to) (find|detect|locate) .{0,3}cuda(toolkit| toolkit)?\b"
    r"(?! drivers?)(?! version).{0,40}"
    r"|cmake_cuda_compiler.{0,40}(not found|not set|notfound|could not|full path)"
    r"|no cuda toolset found|cuda compiler.{0,40}(not found|could not be found)"
    r"|no cmake_cuda_compiler|the cuda compiler identification is unknown"
    r"|failed to find cuda toolkit|cuda_toolkit_root\w{0,6}.{0,40}(not found|notfound|could not)",
    judge=lambda seen: (
        [likely("nvcc-missing")]
        if seen.has("cmake", "nvcc", "toolkit", "setup.py", "build", "bazel", "configure")
        else []
    ),
    vague=True,
)
says(
    r"cuda compiler.{0,80}is not able to compile a simple test program|failed to detect a default "
    r"cuda architecture|cmake_cuda_architectures must be non-empty",
    likely("gcc-too-new"),
    possible("compiler-lacks-card"),
    possible("nvcc-missing"),
)
says(
    r"value .{0,3}(sm|compute)_\d{2,3}\w?.{0,3} is not defined"
    r"|nvcc fatal.{0,20}unsupported gpu arch",
    certain("compiler-lacks-card"),
)
says(
    r"ninja is required to load c\+\+ extensions|ninja.{0,12}not found",
    likely("c-compiler-missing"),
    vague=True,
)
says(
    r"failed to compile\. cc_cmd|error (building|compiling objects for) extension"
    r"|nvcc compilation of .{0,80} failed"
    r"|\.cuh?\(\d{1,5}\): (fatal )?error|nvcc.{0,200}(returned non-zero"
    r"|failed with exit (code|status))|(cicc|ptxas|cudafe\+\+)\W{1,3}died (due to|with)"
    r"|failed (to build|building wheel for) (installable wheels for some pyproject.toml based "
    r"projects )?\W{0,3}(flash|xformers|deepspeed|apex|mamba|causal|torch|vllm|llama|auto|bitsandb"
    r"|detectron|pytorch3d|spconv|nvdiff|tinycuda|pycuda|mmcv|dlib|cupy|horovod|exllama|gptq)"
    r"|.ninja., .-v.\W.{0,60}non-zero|nvcc error\b|nvlink (error|fatal)|ptx assembly aborted",
    likely("extension-build-failed"),
    vague=True,
)
