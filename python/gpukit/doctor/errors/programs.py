"""Mistakes of the program itself: the GPU and its driver are well."""

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

_AGAIN = "CUDA_LAUNCH_BLOCKING=1 python SCRIPT.py"
_SANITIZER = "compute-sanitizer python SCRIPT.py"


def _blocking(evidence: Evidence) -> tuple[str, ...]:
    if evidence.system == "Windows":
        return ('$env:CUDA_LAUNCH_BLOCKING = "1"', "python SCRIPT.py")
    return (_AGAIN,)


# ---- kernels that go wrong: the process cannot use the GPU afterwards


def _checkpoint(seen: Seen) -> list[Guess]:
    if seen.has("device_count() is", "torch.cuda.device_count()"):
        return [certain("checkpoint-of-more-gpus")]
    return [certain("checkpoint-needs-map-location"), possible("torch-cpu-wheel")]


def _ordinal(seen: Seen) -> list[Guess]:
    slices = seen.has("mig-", "mig device", "mig mode")
    if slices:
        return [
            likely("mig-one-per-process", "it speaks of MIG"),
            possible("device-index-too-large"),
        ]
    return [certain("device-index-too-large"), possible("mig-one-per-process")]


cause(
    "index-out-of-range",
    "A kernel was given an index or a class label outside its range (a device-side assert).",
    lambda evidence: Fix(
        "Compare the largest label with the number of classes, and token ids with the size of the "
        "embedding; the same step on the CPU names the line. Every later call of this process "
        "fails "
        "too: restart it first.",
        _blocking(evidence),
        restart=KERNEL,
    ),
)
cause(
    "illegal-access",
    "A kernel read or wrote outside its memory; every later call of the process fails with it.",
    lambda evidence: Fix(
        "The call that reports it is often a later one: run again with launches that wait. Usual "
        "causes: an index out of range, a custom kernel's mistake or its build for another torch; "
        "compute-sanitizer names the kernel. If other programs fail so too, look for Xid lines.",
        (*_blocking(evidence), _SANITIZER),
        restart=KERNEL,
    ),
)
cause(
    "misaligned-address",
    "A kernel read memory at an address that its type does not allow: a mistake of that kernel.",
    lambda evidence: Fix(
        "Update the library whose kernel it is, or hand it contiguous tensors (x.contiguous()).",
        (*_blocking(evidence), _SANITIZER),
        restart=KERNEL,
    ),
)
cause(
    "launch-failure",
    "A kernel ended with an error that says no more (719).",
    lambda evidence: Fix(
        "Mostly a memory error of that kernel; seldom a card that is unstable or too hot.",
        (*_blocking(evidence), _SANITIZER),
        restart=KERNEL,
    ),
)
cause(
    "launch-timeout",
    "A kernel ran longer than the driver allows on a GPU that also shows a display.",
    lambda evidence: Fix(
        "Give the kernel less work at a time, or use a GPU without a display. On Windows the limit "
        "is the registry value TdrDelay."
        if evidence.system == "Windows"
        else "Give the kernel less work at a time, or use a GPU without a display. Xid 8 in the "
        "kernel's log is the same limit.",
        _blocking(evidence),
        restart=KERNEL,
    ),
)
cause(
    "launch-too-large",
    "A kernel was started with more threads, blocks or registers than the card has.",
    Fix(
        "Smaller blocks (256 threads instead of 1024) or a smaller batch; build the library "
        "for this "
        "card. An empty tensor can also make a grid of size 0.",
        restart=KERNEL,
    ),
)
cause(
    "work-during-capture",
    "Something that a CUDA graph cannot record was called during its capture.",
    Fix(
        "No synchronisation, no .item() or .cpu(), and no work of other threads on that device "
        "while a graph is captured. Or switch graphs off (vLLM: --enforce-eager).",
        restart=KERNEL,
    ),
)

says(
    r"(vectorized_gather|scattergather|index)kernel\w{0,20}\.cu.{0,160}assertion",
    certain("index-out-of-range", "an assertion about an index failed in the kernel"),
)
says(
    r"assertion.{0,120}(t >= 0 ?&& ?t < n_classes|index out of bounds|srcindex < srcselectdim"
    r"|idx_dim >= 0|cur_target >= 0|input_val >= zero|target_val >= zero)",
    certain("index-out-of-range", "the assertion that failed compares an index with a size"),
)
says(r"device-side assert\b", likely("index-out-of-range"))
says(r"cudaerrorassert|cuda_error_assert\b|cuda.{0,20}error 710\b", likely("index-out-of-range"))
says(
    r"illegal memory access|memory access fault by gpu|cudaerrorillegaladdress"
    r"|cuda_error_illegal_address",
    certain("illegal-access"),
)
says(r"misaligned ?address", certain("misaligned-address"))
says(
    r"unspecified launch failure|cuda_error_launch_failed|cudaerrorlaunchfailure"
    r"|illegal instruction was encountered|cudaerrorillegalinstruction",
    certain("launch-failure"),
    possible("illegal-access"),
)
says(
    r"launch timed out|cuda_error_launch_timeout|cudaerrorlaunchtimeout",
    certain("launch-timeout"),
)
says(
    r"out of resources?: (shared memory|threads|tensor memory|registers)"
    r"|register allocation failed|uses too much (parameter space|shared (data|memory))"
    r"|too many resources requested for launch|launch_out_of_resources|launchoutofresources"
    r"|invalid configuration argument|cudaerrorinvalidconfiguration",
    certain("launch-too-large"),
)
says(
    r"when stream is capturing|cudaerrorstreamcapture|cuda_error_stream_capture",
    certain("work-during-capture"),
)

# ---- tensors and devices

cause(
    "tensors-on-two-devices",
    "Two tensors of one operation are on different devices.",
    Fix(
        "Move the model and every input to one device: device = torch.device('cuda'); "
        "model.to(device); x = x.to(device). Tensors made inside forward() need device=x.device.",
    ),
)
cause(
    "cuda-tensor-to-numpy",
    "NumPy cannot read a GPU's memory.",
    Fix("Copy to the host first: x.detach().cpu().numpy()."),
)
cause(
    "checkpoint-needs-map-location",
    "The file was saved on a GPU, and this torch sees no GPU.",
    Fix(
        "Load it onto the CPU: torch.load(path, map_location='cpu'). If there should be a GPU, "
        "find "
        "out why torch does not see it.",
        ("gpukit doctor", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'),
    ),
)
cause(
    "checkpoint-of-more-gpus",
    "The file was saved on a GPU with a number that does not exist here.",
    Fix("torch.load(path, map_location='cuda:0'), or map_location='cpu'."),
)
cause(
    "device-index-too-large",
    "The program asks for a GPU number that this process does not have: counting starts at 0.",
    lambda evidence: Fix(
        "With one GPU only cuda:0 exists. Look for cuda:1, device_ids, --gpu, local_rank or "
        "--nproc_per_node in the program; start as many processes as there are GPUs. "
        "CUDA_VISIBLE_DEVICES renumbers what is left from 0.",
        (
            'python -c "import torch; print(torch.cuda.device_count())"',
            "nvidia-smi -L",
            "echo $env:CUDA_VISIBLE_DEVICES"
            if evidence.system == "Windows"
            else "echo $CUDA_VISIBLE_DEVICES",
        ),
    ),
)
says(
    r"(expected )?all tensors to be on the same device|found at least two devices"
    r"|tensors? (is|are) on (different|cpu)|placeholder storage has not been allocated on mps",
    certain("tensors-on-two-devices"),
)
says(
    r"expected object of (device type|backend) (cuda|cpu) but got"
    r"|is on cpu, but expected (them|it) "
    r"to be on|but expected .{0,20}tensor to be on (gpu|cuda)|indices should be either on",
    certain("tensors-on-two-devices"),
)
says(
    r"can't convert (cuda\S{0,4}|mps\S{0,4}) (device type )?tensor to numpy"
    r"|implicit conversion to a numpy array is not allowed",
    certain("cuda-tensor-to-numpy"),
)
says(
    r"attempting to ?deserialize object on (a )?cuda",
    judge=_checkpoint,
)
says(
    r"(world|tensor.parallel|pipeline.parallel)\W{0,3}size.{0,60}(larger|greater|exceeds?|more) "
    r".{0,40}(gpus|devices)|number of (required|requested) gpus exceeds|not enough gpus"
    r"|(requires?|requested|needs?) \d{1,3} gpus?.{0,40}(but|only)"
    r"|gpus?.{0,24}requested.{0,60}(but )?only \d{1,3}.{0,24}(available|visible|found|exist)",
    likely("device-index-too-large"),
    possible("no-gpu-visible"),
)
says(
    r"invalid device ordinal|device >= 0 && device < num_gpus|cuda_error_invalid_device\b"
    r"|cudaerrorinvaliddevice\b|invalid (cuda|gpu) device id",
    judge=_ordinal,
)


# ---- processes

says(
    r"cannot re-?initialize cuda in (a )?forked|bad fork|started before fork"
    r"|cuda initialized before fork",
    certain("fork-after-init"),
)
says(
    r"(cuda.{0,30}error|cuda runtime error \(3\)|cuinit failed)\W{1,4}initialization error"
    r"|cuda_error_not_initialized|cudaerrorinitializationerror",
    likely("fork-after-init", "the driver returns this in a forked process"),
    possible("driver-state-unknown"),
)

# ---- what a card cannot do

cause(
    "bfloat16-needs-ampere",
    "The program computes in bfloat16, which this card has not: it starts with Ampere (8.0).",
    Fix(
        "Use float16 (dtype=torch.float16, vLLM: --dtype half) or float32; or an L4, A100 or "
        "newer. "
        "A T4, V100 or P100 has no bfloat16.",
    ),
)
cause(
    "fp8-needs-ada",
    "The program computes in float8, which starts with Ada (8.9) and Hopper (9.0).",
    Fix("Use a checkpoint in float16 or int8, or an L4, RTX 40 or H100."),
)
cause(
    "flash-attn-needs-ampere",
    "FlashAttention 2 has no kernels for this card: it needs Ampere (8.0) or newer.",
    Fix(
        "Choose another attention: attn_implementation='sdpa' (transformers), or vLLM's "
        "VLLM_ATTENTION_BACKEND=XFORMERS; or a newer card.",
    ),
)
cause(
    "triton-card-too-old",
    "Triton, and so torch.compile, has no code for this card: it needs Volta (7.0) or newer.",
    Fix("Run without torch.compile (compile=False, TORCH_COMPILE_DISABLE=1), or use a newer card."),
)
cause(
    "xformers-no-operator",
    "xformers has no kernel for these inputs: it does not fit this torch, this card or this dtype.",
    Fix(
        "Install the xformers of the installed torch, and give it half-precision tensors on "
        "the GPU. "
        "Without it: attention in torch itself (scaled_dot_product_attention).",
        ("python -m xformers.info", "pip install -U xformers"),
    ),
)

says(
    r"b(float|f)16.{0,60}(only supported on|not supported on|requires) .{0,60}"
    r"(compute capability|gpu|ampere)|your setup doesn't support bf16|bf16/gpu",
    certain("bfloat16-needs-ampere"),
)
says(
    r"(fp8|float8).{0,60}(only supported|requires|not supported).{0,80}"
    r"(capability|gpu|arch|8\.9|9\.0)",
    certain("fp8-needs-ada"),
)
says(
    r"flash ?-?attention.{0,40}only supports? (ampere|gpus? with)"
    r"|flashattention.{0,30}requires.{0,40}"
    r"(ampere|capability)",
    certain("flash-attn-needs-ampere"),
)
says(
    r"too old to be supported by the triton|triton only supports devices of cuda capability"
    r"|gpu_?(too ?old).{0,20}triton",
    certain("triton-card-too-old"),
)
says(
    r"no operator found for .{0,4}memory_efficient_attention|xformers was built for"
    r"|xformers can't load c\+\+/cuda",
    certain("xformers-no-operator"),
)
_EXTENSIONS = (
    r"(flash_?-?attn\w{0,12}|xformers|bitsandbytes|deepspeed|apex|amp_c|tensorrt\w{0,12}|pycuda"
    r"|cupy|pynvml|mamba_ssm|causal_conv1d|spconv|torch_(scatter|sparse|cluster|spline_conv)"
    r"|tinycudann|nvdiffrast|diff_gaussian\w{0,24}|pytorch3d|multiscaledeformableattention"
    r"|detectron2|auto_?gptq\w{0,8}|exllama\w{0,12}|awq\w{0,12}|cudf|cuml|rmm|cugraph|kaolin"
    r"|sageattention|deep_gemm|vllm|onnxruntime|\w{2,24}_cuda|transformer_engine)"
)
says(
    r"cannot import name .{0,2}_c\b|name .{0,2}_c\b.{0,2} is not defined",
    likely("extension-missing", "its compiled part is missing"),
    vague=True,
)
says(
    rf"{_EXTENSIONS}\b.{{0,24}}(seems|appears) to be not installed"
    rf"|no module named .{{0,4}}{_EXTENSIONS}\b|package .{{0,4}}{_EXTENSIONS}\b.{{0,24}}"
    rf"not (be )?(installed|found)|requires? .{{0,40}}{_EXTENSIONS}\b.{{0,60}}(pip install"
    rf"|to be installed|latest version of)",
    certain("extension-missing"),
    vague=True,
)

cause(
    "extension-missing",
    "An optional library with CUDA kernels is not installed in this Python.",
    Fix(
        "Install the one that is named into the Python that runs, after torch, so that it is "
        "built for that torch; some are built from the project's own folder.",
        ("python -m pip --version", "python -m pip install flash-attn --no-build-isolation"),
    ),
)
