"""Applications around the GPU: web interfaces, servers of models, renderers, trainers."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import CONTAINER, KERNEL, NOTHING, Fix
from gpukit.doctor.errors.phrases import Guess, Seen, cause, certain, likely, possible, says

cause(
    "dtypes-differ",
    "Two tensors of one operation have different dtypes.",
    Fix(
        "Give the inputs the model's dtype: x = x.to(next(model.parameters()).dtype); or run the "
        "whole under torch.autocast('cuda'). Web interfaces: --no-half, or --precision full.",
    ),
)
cause(
    "half-precision-nan",
    "The model produced NaN: float16 does not work on this card or with this model.",
    Fix(
        "Run the part in float32 (--no-half-vae, then --no-half), or in bfloat16 on Ampere and "
        "newer. GTX 16 cards need it for most image models.",
        restart=KERNEL,
    ),
)
cause(
    "cpu-lacks-instructions",
    "The program was built for a newer processor (AVX, AVX2): this CPU lacks its instructions.",
    Fix(
        "Take a build without AVX or an older version, or another machine. In a virtual machine "
        "let it pass the host's CPU type through.",
        ("grep -m1 -o -w -E 'avx2?|avx512f' /proc/cpuinfo",),
    ),
)
cause(
    "graphics-driver-missing",
    "The driver's part for drawing (OpenGL, EGL, Vulkan) is missing, or the session has no GPU.",
    Fix(
        "In a container set NVIDIA_DRIVER_CAPABILITIES=all (graphics and display are not among the "
        "default ones). Over SSH draw without a window (EGL), or name the display.",
        ("docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all IMAGE nvidia-smi",
         "ls /usr/share/vulkan/icd.d /usr/share/glvnd/egl_vendor.d"),
        restart=CONTAINER,
    ),
)  # fmt: skip
cause(
    "opencl-no-platform",
    "OpenCL finds no platform: the driver's file in /etc/OpenCL/vendors is missing.",
    Fix(
        "Install the loader; in a container write the file that names NVIDIA's library.",
        ("sudo apt install -y ocl-icd-libopencl1 clinfo",
         "echo libnvidia-opencl.so.1 | sudo tee /etc/OpenCL/vendors/nvidia.icd", "clinfo -l"),
    ),
)  # fmt: skip
cause(
    "display-driver-reset",
    "Windows reset the display driver: the GPU did not respond in time, or its memory ran out.",
    Fix(
        "Less work at a time, no overclocking, a clean installation of the driver; the limit is "
        "the registry value TdrDelay. If games and desktop do it too: power or the card.",
        restart=NOTHING,
    ),
)
cause(
    "rendezvous-failed",
    "The processes of a distributed job do not find each other on the network.",
    Fix(
        "All must use the same address and port of the first, which a firewall must let through; "
        "the first must have started, and not have failed. Name the network interface.",
        ("export NCCL_SOCKET_IFNAME=eth0 GLOO_SOCKET_IFNAME=eth0",
         "torchrun --rdzv_backend=c10d --rdzv_endpoint=HOST:29500 SCRIPT.py"),
        restart=KERNEL,
    ),
)  # fmt: skip
cause(
    "tensorrt-no-tactic",
    "TensorRT found no way to compute a layer: too little memory while it builds, or a layer or "
    "card that this version does not support.",
    Fix(
        "Free the GPU, allow more workspace, and use a TensorRT that supports the card; then "
        "simplify the ONNX file.",
        ("nvidia-smi", "trtexec --onnx=MODEL.onnx --memPoolSize=workspace:4096"),
    ),
)
cause(
    "torch-without-flash",
    "A note only: this torch has no flash attention (its builds for Windows have none).",
    Fix("Nothing is to be done: it uses another way, which is slower. Look for a later error."),
)


# ---- tensors


def _types(seen: Seen) -> list[Guess]:
    """Both types are named: one of them of the GPU and one not is another cause."""
    first, second = seen.match.group("input"), seen.match.group("weight")
    same = first.startswith("cuda.") == second.startswith("cuda.")
    return [certain("dtypes-differ" if same else "tensors-on-two-devices")]


says(
    r"torch\.(?P<input>(cuda\.)?\w{4,14}tensor)\) and (weight|bias) type "
    r"\(torch\.(?P<weight>(cuda\.)?\w{4,14}tensor)\)",
    judge=_types,
)
says(
    r"expected (m1 and m2|mat1 and mat2|scalar type \w{3,8}|dtype|tensor for argument).{0,60}"
    r"(same dtype|but found|but got)|mat1 and mat2 must have the same dtype"
    r"|input type \(\w{3,8}\) and bias type|query, key, and value to have the same dtype"
    r"|expected scalar type",
    judge=lambda seen: (
        [] if seen.has("same device", "expected object of") else [certain("dtypes-differ")]
    ),
)
says(
    r"tensors? .{0,24}(to|must|should|need|all)? ?(all )?be on (the same|a|one) (gpu|device|cuda)"
    r"|(weights?|inputs?|model|tensors?|arguments?) .{0,40}(is|are) on (the )?(cpu|cuda\S{0,3}|gpu)"
    r".{0,40}(but|while|and) .{0,60}on (the )?(cpu|cuda|gpu)|on (a )?different devices?\b"
    r"|(expected|on) (a )?(device )?\W?(cuda|cpu)\S{0,3} .{0,60}but (got|found) .{0,30}\W(cpu|cuda)"
    r"|pointer argument .{0,40}cannot be accessed from triton|tensors? not on a gpu",
    likely("tensors-on-two-devices"),
)
says(
    r"tensor with (all )?nans? was produced|nansexception|black image.{0,40}nan",
    certain("half-precision-nan"),
)
says(r"torch was not compiled with (flash|memory efficient)", certain("torch-without-flash"))

# ---- the host's processor and memory

says(
    r"illegal instruction|exit status 0xc000001d|\bsigill\b|3221225501"
    r"|compiled to use (avx|sse|fma)\S{0,8} instructions, but these aren't available",
    judge=lambda seen: (
        []
        if seen.has("illegal instruction was encountered", "cudaerror", "cuda error")
        else [likely("cpu-lacks-instructions")]
    ),
    vague=True,
)
says(
    r"tried to allocate more memory than is available|crashed after using all available ram"
    r"|requires? more (system )?memory \([\d.]{1,8} ?[gm]i?b\) than is available"
    r"|ran out of (system |host |cpu )?(memory|ram)\b",
    judge=lambda seen: (
        [] if seen.has("cuda", "vram", "gpu memory") else [likely("host-memory-full")]
    ),
    vague=True,
)
says(
    r"modules are dispatched on the cpu|(unable|failed|not enough memory) to allocate .{0,40}"
    r"(vram|backend|kv|cuda\w{0,3}|compute|gpu) ?(buffer|cache|memory|backend)?"
    r"|erroroutofdevicememory|err(or)?_?out_of_device_memory|cl_mem_object_allocation_failure"
    r"|cl_out_of_resources|cuda_?malloc\w{0,8} (failed|error)|outofgpumemory"
    r"|bfcarena.{0,60}failed to allocate|is smaller than requested bytes|pi_error_out_of_(res|dev)"
    r"|allocation on device( \d{1,2})? would exceed|allocation on device\b"
    r"|nvmapmemalloc|system is out of gpu memory|not enough (gpu|vram|video|graphics) ?memory"
    r"|mallocasync.{0,40}out of memory|out of (gpu|vram|device) memory",
    likely("own-memory-full"),
    possible("oom-other-process"),
    vague=True,
)

# ---- drawing and other ways to a GPU

says(
    r"(failed|unable|could not|cannot|couldn't|error) (to )?(create|initiali[sz]e|get|find|open"
    r"|load)"
    r"\w{0,4} .{0,24}(egl|opengl|vulkan|glx|glfw)\b|egl_(not_initialized|bad_\w{4,12})"
    r"|eglinitialize|(vk_)?error_?(incompatible_?driver|initialization_?failed)"
    r"|vkcreateinstance|vkenumeratephysicaldevices|libegl warning|no (compatible|suitable) vulkan"
    r"|libgl error|\bglx: |opengl: failed|found no drivers|failed to find \w{0,12} ?vulkan"
    r"|vulkan .{0,30}(not found|not supported)",
    likely("graphics-driver-missing"),
    possible("capabilities-missing"),
    vague=True,
)
says(
    r"clgetplatformids|platform_not_found_khr|no opencl( compatible)? (platforms?|devices?)"
    r"|opencl.{0,24}-1001|no platforms? found.{0,40}opencl|cl_device_not_found"
    r"|opencl.{0,60}(devices?|platforms?).{0,12}not found|no opencl.{0,24}(found|available)"
    r"|invalid opencl platform",
    likely("opencl-no-platform"),
)
says(
    r"dxgi_error_device_(removed|hung|reset)|nvlddmkm|display driver .{0,40}(stopped responding"
    r"|has recovered|crashed)|gpu device (was )?(removed|hung)|d3d device (being )?lost",
    likely("display-driver-reset"),
)
says(r"illegal address in cuda|cuda queue .{0,60}illegal", certain("illegal-access"))
says(
    r"optix.{0,60}(unsupported_abi_version|library_not_found|entry_symbol_not_found)"
    r"|failed to load optix|optix_error_\w{4,30}version",
    likely("driver-too-old"),
    possible("capabilities-missing"),
)

# ---- distributed

says(
    r"client socket has (timed out|failed to connect)|diststoreerror|distnetworkerror"
    r"|socket timeout|connection (closed|reset) by peer|connect\(\) timed out|\brendezvous\w{0,24}"
    r"(timeout|error|failed)|store(->|\.)get\(.{0,60}(failed|timeout|reset)"
    r"|tcpstore.{0,80}(failed|timed out|error|closed)|no route to host"
    r"|gloo.{0,80}(connect|timed? ?out|unreachable)|failed to recv, got 0 bytes",
    judge=lambda seen: (
        [likely("rendezvous-failed"), possible("rank-ended")]
        if seen.has("torch", "c10d", "nccl", "gloo", "rank", "store", "distributed")
        else []
    ),
    vague=True,
)

# ---- TensorRT

says(
    r"could not find any (supported )?(implementation|tactic|formats?) for|no implementation "
    r"(obeys|for node)|insufficient workspace|tactic device request"
    r"|internal error \(could not find any implementation",
    likely("tensorrt-no-tactic"),
    possible("own-memory-full"),
)
says(
    r"using an engine plan file across different models|stdversion\.h|magic ?tag does not match"
    r"|serializationversion|plan file is not compatible"
    r"|generated (by|with|on) (a |an )?(different|incompatible|other) (version|device|card|gpu)"
    r"|deserializ\w{1,9}.{0,60}(failed|error)|engine .{0,40}(generated|built) .{0,40}different",
    judge=lambda seen: (
        [likely("engine-of-other-version")]
        if seen.has("trt", "tensorrt", "engine", "nvinfer")
        else []
    ),
)
