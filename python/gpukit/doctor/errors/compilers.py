"""Compilers: nvcc, the host's, Triton's, and code that is newer than the driver."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import ADMIN, KERNEL, Fix
from gpukit.doctor.errors.phrases import cause, certain, says
from gpukit.doctor.evidence import Evidence


def _nvcc(evidence: Evidence) -> Fix:
    if evidence.system == "Windows":
        return Fix(
            "Install the CUDA toolkit of torch's version from NVIDIA's page, and open a new shell.",
            ("winget install Nvidia.CUDA", "nvcc --version"),
        )
    return Fix(
        "Only building CUDA code needs nvcc; running a wheel does not. torch and the driver do not "
        "bring it: install the toolkit of torch's CUDA version and say where it is.",
        (
            'python -c "import torch; print(torch.version.cuda)"',
            "conda install -c nvidia cuda-toolkit=12.8  # or the distribution's cuda-toolkit-12-8",
            "export CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH",
        ),
    )


def _host_compiler(evidence: Evidence) -> Fix:
    if evidence.system == "Windows":
        return Fix(
            "Install the C++ build tools of Visual Studio and start from its developer shell; "
            "for torch.compile also triton-windows.",
            ("winget install Microsoft.VisualStudio.2022.BuildTools", "pip install triton-windows"),
        )
    return Fix(
        "torch.compile builds C code on this machine: install a compiler, or run without it "
        "(TORCH_COMPILE_DISABLE=1).",
        ("sudo apt update", "sudo apt install -y build-essential python3-dev"),
        who=ADMIN,
    )


cause(
    "nvcc-missing",
    "The CUDA compiler nvcc is not found: the toolkit is not installed, or CUDA_HOME is not set.",
    _nvcc,
)
cause(
    "gcc-too-new",
    "The host's compiler is newer than this CUDA toolkit accepts.",
    Fix(
        "Use the newest gcc that the message names, or a newer toolkit (12.8 takes gcc 14).",
        (
            "sudo apt install -y g++-11",
            "export CUDAHOSTCXX=/usr/bin/g++-11 NVCC_CCBIN=/usr/bin/g++-11",
        ),
    ),
)
cause("c-compiler-missing", "torch.compile found no C compiler on this machine.", _host_compiler)
cause(
    "triton-missing",
    "torch.compile needs Triton, which is not installed or does not work here.",
    lambda evidence: Fix(
        "Install it alongside torch (on Windows its port), or run without torch.compile: "
        "TORCH_COMPILE_DISABLE=1.",
        ("pip install triton-windows",)
        if evidence.system == "Windows"
        else ("pip install -U triton",),
        restart=KERNEL,
    ),
)
cause(
    "ptx-newer-than-driver",
    "The program's code was compiled by a newer CUDA than this driver understands.",
    Fix(
        "Update the driver, or compile with the toolkit of the driver's version, or for the card "
        "itself (a T4: sm_75), which needs no driver compiler.",
        ("nvidia-smi  # CUDA Version: the newest it accepts", "nvcc --version",
         "nvcc -arch=sm_75 x.cu"),
    ),
)  # fmt: skip

says(
    r"cuda_home (environment variable )?(is )?not (set|defined|found)|cuda_home.{0,20}is none"
    r"|nvcc\W{0,3}:? {0,3}(command )?not found|nvcc.{0,3} (is not recognized|was not found)"
    r"|no such file or directory: .{0,40}nvcc\b|could not find nvcc|cuda toolkit not found"
    r"|could not find cuda \(missing|failed to find nvcc|cuda_toolkit_root_dir not found"
    r"|no cmake_cuda_compiler could be found|cannot find cuda_home|nvcc: no such file",
    certain("nvcc-missing"),
)
says(
    r"unsupported (gnu|clang) version|gcc versions? later than \d{1,2} are not supported"
    r"|unsupported microsoft visual studio version",
    certain("gcc-too-new"),
)
says(
    r"failed to find c compiler|no working c\+\+ compiler found|invalidcxxcompiler"
    r"|compiler: cl is not found|microsoft visual c\+\+ 14\.\d or greater is required"
    r"|error checking compiler version for cl|unable to find vcvarsall|python\.h: no such file",
    certain("c-compiler-missing"),
)
says(
    r"cannot find a working triton|missing triton|tritonmissing|no module named .{0,3}triton\b"
    r"|triton (is )?not available|matching triton is not available",
    certain("triton-missing"),
)
says(
    r"unsupported_?ptx_?version|compiled with an unsupported toolchain"
    r"|unsupported \.version \d|cuda.{0,30}error 222\b",
    certain("ptx-newer-than-driver"),
)
