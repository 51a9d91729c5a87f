"""Kernels of one's own: launches, checks of arguments, streams, graphs, sessions, observers."""

from __future__ import annotations

import copy
import gc
import io
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit.bench.work import count_work
from gpukit.cuda import RawKernel, RawModule
from support.nvrtc import builtins_path, library_path

SAXPY = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
TYPES = r"""
struct Pair { float a; int b; };
extern "C" __global__ void types(signed char c, unsigned char u, short s, unsigned short us, int i,
                                 unsigned k, long long l, bool b, float f, double d, Pair p,
                                 double* out) {
  double v[] = {(double)c, (double)u, (double)s, (double)us, (double)i, (double)k, (double)l,
                (double)b, f, d, p.a, (double)p.b};
  for (int j = 0; j < 12; ++j) out[j] = v[j];
}
extern "C" __global__ void fill(float* x, float value) { x[threadIdx.x] = value; }
extern "C" __global__ void shape(int* out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
    out[0] = gridDim.x; out[1] = gridDim.y; out[2] = gridDim.z;
    out[3] = blockDim.x; out[4] = blockDim.y; out[5] = blockDim.z;
  }
}
extern "C" __global__ void reversed(int* x) {
  extern __shared__ int room[];
  room[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void nothing() {}
"""


@pytest.fixture(scope="module")
def saxpy() -> RawKernel:
    return RawKernel(SAXPY, "saxpy")


@pytest.fixture(scope="module")
def module() -> RawModule:
    return RawModule(code=TYPES)


def on_gpu(*sizes: int) -> gpukit.Tensor:
    return gpukit.ones(*sizes, device="cuda:0")


# Launches


def test_cupys_form_and_numbas(saxpy):
    x, y = gpukit.arange(1000, dtype="float32", device="cuda"), on_gpu(1000)
    saxpy((4,), (256,), (1000, 2.0, x, y))
    assert np.array_equal(y.cpu().numpy(), 2 * np.arange(1000, dtype="f4") + 1)
    saxpy[4, 256](1000, np.float32(0.5), x, y)
    assert np.array_equal(y.cpu().numpy(), 2.5 * np.arange(1000, dtype="f4") + 1)


@pytest.mark.parametrize("grid", [7, (7,), (7, 1, 1), [7], np.int64(7)])
@pytest.mark.parametrize("block", [32, (32,), (16, 2), [32, 1, 1]])
def test_grid_and_block(grid, block, module):
    out = gpukit.zeros(6, dtype="int32", device="cuda")
    module.get_function("shape")(grid, block, (out,))
    wanted = [*(grid if isinstance(grid, (tuple, list)) else [grid]), 1, 1][:3]
    wanted += [*(block if isinstance(block, (tuple, list)) else [block]), 1, 1][:3]
    assert out.tolist() == wanted


def test_every_kind_of_number(module):
    out = gpukit.zeros(12, dtype="float64", device="cuda")
    pair = np.array([(1.5, -7)], dtype=[("a", "f4"), ("b", "i4")])[0]
    values = (-5, 200, -300, 60000, -(2**31), 2**32 - 1, 2**63 - 1, True, 0.25, 1e300)
    module.get_function("types")(1, 1, (*values, pair, out))
    assert out.tolist() == [float(v) for v in values] + [1.5, -7.0]


@pytest.mark.parametrize(
    "values",
    [
        (np.int8(-5), np.uint64(9), np.int16(4), np.int64(3), np.int32(2), np.uint8(1)),
        (True, np.True_, False, 0, 1, 2),
    ],
)
def test_numpy_scalars_count_by_value(values, module):
    out = gpukit.zeros(12, dtype="float64", device="cuda")
    rest = (np.int8(7), np.False_, np.float64(0.5), np.float16(2), b"\0" * 8)
    module.get_function("types")(1, 1, (*values, *rest, out))
    assert out.tolist() == [float(v) for v in (*values, *rest[:4])] + [0, 0]


def test_dynamic_shared_memory(module):
    kernel = module.get_function("reversed")
    x = gpukit.arange(64, dtype="int32", device="cuda")
    kernel((1,), (64,), (x,), shared_mem=256)
    assert x.tolist() == list(range(63, -1, -1))
    kernel[1, 64, None, 256](x)
    assert x.tolist() == list(range(64))
    with pytest.raises(ValueError, match=r"reversed: shared_mem must be 0 to 49152 .*got 60000"):
        kernel[1, 64, 0, 60000](x)
    kernel.max_dynamic_shared_size_bytes = 60000
    assert kernel.max_dynamic_shared_size_bytes == 60000
    kernel[1, 64, 0, 60000](x)
    assert x.tolist() == list(range(63, -1, -1))
    with pytest.raises(ValueError, match="got 1000000"):
        kernel.max_dynamic_shared_size_bytes = 1000000


def test_empty_tensors_and_no_arguments(module, saxpy):
    module.get_function("nothing")(1, 1, ())
    module.get_function("nothing")[1, 1]()
    saxpy(1, 1, (0, 1.0, gpukit.ones(0, device="cuda"), gpukit.ones(0, device="cuda")))


def test_addresses_are_numbers(saxpy):
    x, y = on_gpu(4), on_gpu(4)
    saxpy(1, 4, (4, 1.0, x.data_ptr(), y))
    assert y.tolist() == [2.0] * 4


# The compiler


def test_an_error_of_the_source_shows_line_and_caret():
    kernel = RawKernel(SAXPY.replace("i < n", "i < m"), "saxpy")
    with pytest.raises(gpukit.CompileError) as caught:
        kernel(1, 1, ())
    lines = caught.value.log.splitlines()
    assert lines[0] == 'saxpy.cu(4): error: identifier "m" is undefined'
    assert lines[1].strip() == "if (i < m) y[i] = a * x[i] + y[i];"
    assert lines[2].index("^") == lines[1].index("m)")
    assert caught.value.log in str(caught.value)
    assert caught.value.code == "GK-E115"


def test_headers_come_from_named_folders_alone(tmp_path, monkeypatch):
    inner = tmp_path / "include" / "inner"
    inner.mkdir(parents=True)
    (inner / "outer.h").write_text('#include "beside.h"\n', encoding="utf-8")
    (inner / "beside.h").write_text("#define VALUE 3\n", encoding="utf-8")
    (tmp_path / "planted.h").write_text("#define VALUE 4\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    kernel = 'extern "C" __global__ void f(int* x) { *x = VALUE; }'
    for include in ('"planted.h"', "<planted.h>"):
        with pytest.raises(gpukit.CompileError, match=r"^f.cu does not compile:\nf.cu\(1\): "):
            RawKernel(f"#include {include}\n{kernel}", "f").compile()
    x = gpukit.zeros(1, dtype="int32", device="cuda")
    source = f'#include "inner/outer.h"\n{kernel}'
    RawKernel(source, "f", (f"-I{tmp_path}/include",))(1, 1, (x,))
    assert x.item() == 3


def test_a_kernel_that_is_not_there(module):
    with pytest.raises(ValueError, match=r"no kernel 'revers'\. Did you mean 'reversed'"):
        module.get_function("revers")
    with pytest.raises(ValueError, match=r'write extern "C"'):
        RawModule(code="__global__ void f() {}").get_function("f")
    with pytest.raises(ValueError, match=r"name_expressions=\['f<int>'\]"):
        RawModule(code='extern "C" __global__ void f() {}').get_function("f<int>")
    with pytest.raises(ValueError, match="no kernel at all"):
        RawModule(code="__device__ int g() { return 1; }").get_function("g")
    with pytest.raises(gpukit.CompileError, match="does not compile"):
        RawModule(code="int x", name_expressions=["f<"]).get_function("f<")


WITHOUT = """
import gpukit
kernel = gpukit.cuda.RawKernel('extern "C" __global__ void f() {}', "f")
try:
    kernel(1, 1, ())
except gpukit.CompileError as error:
    print(error.fix, "|", error)
    print(gpukit.ones(2, device="cuda").sum().item())
"""


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_without_a_compiler_the_error_says_what_to_do(tmp_path):
    done = run(WITHOUT, GPUKIT_NVRTC="none")
    assert "GPUKIT_NVRTC=none" in done.stdout and done.stdout.endswith("2.0\n"), done.stderr
    done = run(WITHOUT, GPUKIT_NVRTC=str(tmp_path / "absent.so"))
    fix, _, rest = done.stdout.partition(" | ")
    assert fix == "pip install nvidia-cuda-nvrtc-cu12" or fix.endswith("gpukit[nvrtc]'")
    assert f"Install it: {fix}" in rest and "no NVRTC was found" in rest
    open_to_all = tmp_path / "all"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (open_to_all / "libnvrtc.so.12").write_bytes(b"")
    done = run(WITHOUT, GPUKIT_NVRTC=str(open_to_all / "libnvrtc.so.12"))
    assert "can be written by every user" in done.stdout, done.stderr


def test_a_compiler_of_cuda_13_needs_a_driver_of_cuda_13(tmp_path):
    """A simulated driver is one, unless it is asked for another."""
    newer = tmp_path / "libnvrtc.so.13"
    newer.symlink_to(library_path())
    (tmp_path / builtins_path().name).symlink_to(builtins_path())
    done = run(WITHOUT, GPUKIT_NVRTC=str(newer), GPUKIT_SIMULATE="T4,driver=570")
    assert "NVRTC 13 needs a driver for CUDA 13; this one supports CUDA 12" in done.stdout
    assert "Install it: pip install" in done.stdout
    # Under a sanitizer a library's own search path is not used for what it opens by name.
    beside = {"LD_LIBRARY_PATH": str(builtins_path().parent)}
    done = run(WITHOUT, GPUKIT_NVRTC=str(newer), GPUKIT_SIMULATE="T4", **beside)
    assert (done.stdout, done.stderr) == ("", "")


def test_importing_and_making_loads_no_compiler():
    code = (
        "import gpukit; gpukit.cuda.RawKernel('x', 'f');"
        "print('nvrtc' in open('/proc/self/maps').read())"
    )
    assert run(code).stdout == "False\n"


# PTX and files


def ptx_of(source: str) -> str:
    image, _, _ = _core.compile_code(0, source, "kernel.cu", [], [], False)
    return image.decode()


@pytest.mark.parametrize("as_bytes", [False, True])
def test_ptx_needs_no_compiler(as_bytes, tmp_path):
    text = ptx_of(SAXPY)
    code = f"// a comment\n{text}"
    x, y = on_gpu(4), on_gpu(4)
    RawKernel(code.encode() if as_bytes else code, "saxpy")(1, 4, (4, 3.0, x, y))
    path = tmp_path / "saxpy.ptx"
    path.write_text(text, encoding="utf-8")
    by_path = RawModule(path=path)
    by_path.get_function("saxpy")(1, 4, (4, 3.0, x, y))
    assert y.tolist() == [7.0] * 4
    assert by_path.code is None and by_path.file_path == str(path)


def test_ptx_that_the_driver_refuses():
    text = ptx_of(SAXPY).replace("fma.rn.f32", "fmb.rn.f32")
    with pytest.raises(gpukit.CompileError, match="fmb") as caught:
        RawKernel(text, "saxpy").compile()
    assert caught.value.details["status"] == 218 and "fmb" in caught.value.log


# Streams, graphs, memory


def test_it_runs_on_the_current_stream_and_on_a_named_one(saxpy):
    side = gpukit.cuda.Stream()
    x, y = on_gpu(256), on_gpu(256)
    gpukit.cuda.synchronize()
    before = gpukit.cuda.current_stream()
    with gpukit.cuda.stream(side):
        saxpy(1, 256, (256, 1.0, x, y))
    saxpy[1, 256, side](256, 1.0, x, y)
    assert gpukit.cuda.current_stream() == before
    side.synchronize()
    assert y.sum().item() == 256 * 3


def test_memory_waits_for_the_kernel_of_another_stream():
    source = r"""
    extern "C" __global__ void slow(float* x, long long turns) {
      for (long long i = 0; i < turns; ++i) x[0] = x[0] * 0.5f + 1;
      x[0] = 7;
    }"""
    slow, side = RawKernel(source, "slow"), gpukit.cuda.Stream()
    slow.compile()
    x = gpukit.zeros(1000, device="cuda")
    gpukit.cuda.synchronize()
    slow[1, 1, side](x, 20000)
    del x
    fresh = [gpukit.zeros(1000, device="cuda") for _ in range(4)]
    gpukit.cuda.synchronize()
    assert all(one.sum().item() == 0 for one in fresh)


def test_a_graph_holds_code_and_tensors():
    x = gpukit.zeros(32, device="cuda")
    kernel = RawModule(
        code='extern "C" __global__ void add(float* x, float v) { x[threadIdx.x] += v; }'
    ).get_function("add")
    graph = gpukit.cuda.CUDAGraph()
    with gpukit.cuda.graph(graph):
        kernel(1, 32, (x, 2.0))
    del kernel
    gc.collect()
    others = [RawKernel(SAXPY, "saxpy") for _ in range(20)]
    for other in others:
        other.compile()
    del others, other
    gc.collect()
    RawKernel(SAXPY, "saxpy").compile()
    graph.replay()
    graph.replay()
    assert x.tolist() == [4.0] * 32


def test_it_is_loaded_inside_a_capture_too():
    kernel = RawKernel('extern "C" __global__ void one(float* x) { *x = 1; }', "one")
    x, graph = gpukit.zeros(1, device="cuda"), gpukit.cuda.CUDAGraph()
    with gpukit.cuda.graph(graph):
        kernel(1, 1, (x,))
    assert x.item() == 0
    graph.replay()
    assert x.item() == 1


def test_under_no_grad_parameters_are_taken(module):
    x = gpukit.ones(4, device="cuda", requires_grad=True)
    with gpukit.no_grad():
        module.get_function("fill")(1, 4, (x, 3.0))
    assert x.tolist() == [3.0] * 4


# Devices, sessions, threads, processes


def test_threads_compile_once(monkeypatch):
    kernel, made, errors = RawKernel(SAXPY, "saxpy"), [], []
    real = _core.compile_code
    monkeypatch.setattr(_core, "compile_code", lambda *a: made.append(1) or real(*a))
    y = [on_gpu(64) for _ in range(8)]

    def work(index: int) -> None:
        try:
            for _ in range(20):
                kernel(1, 64, (64, 1.0, on_gpu(64), y[index]))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors and len(made) == 1
    assert all(one.sum().item() == 64 * 21 for one in y)


@pytest.mark.parametrize("used", [False, True])
def test_pickles(used, module):
    fill = module.get_function("fill")
    kernel = RawKernel(SAXPY, "saxpy")
    if used:
        kernel.max_dynamic_shared_size_bytes = 100
        fill.compile()
    for one in (kernel, fill):
        twin = pickle.loads(pickle.dumps(one))
        assert (twin.name, twin.code, twin.options) == (one.name, one.code, one.options)
    assert used == (pickle.loads(pickle.dumps(kernel)).max_dynamic_shared_size_bytes == 100)
    x = gpukit.zeros(4, device="cuda")
    pickle.loads(pickle.dumps(fill))(1, 4, (x, 2.0))
    copy.copy(pickle.loads(pickle.dumps(module))).get_function("fill")[1, 2](x, 3.0)
    assert x.tolist() == [3.0, 3.0, 2.0, 2.0]
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(fill._function(0))


def test_a_forked_child_gets_an_error():
    code = f"""
import os, gpukit
kernel = gpukit.cuda.RawKernel({SAXPY!r}, "saxpy")
other = gpukit.cuda.RawKernel({SAXPY!r}, "saxpy")
x = gpukit.ones(4, device="cuda")
kernel(1, 4, (4, 1.0, x, x))
gpukit.cuda.synchronize()
child = os.fork()
if child == 0:
    told = 0
    for each in (kernel, other):
        try:
            each(1, 4, (4, 1.0, x, x))
        except gpukit.DeviceError as error:
            told += "fork" in str(error)
    os._exit(10 + told)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.tolist())
"""
    done = run(code)
    assert done.stdout == "12 [2.0, 2.0, 2.0, 2.0]\n", done.stdout + done.stderr


# What others see


def test_attributes_and_descriptions(module):
    kernel = module.get_function("reversed")
    assert set(kernel.attributes) >= {"num_regs", "shared_size_bytes", "binary_version"}
    assert kernel.max_threads_per_block == 1024 and kernel.shared_size_bytes == 0
    assert kernel.num_regs > 0 and kernel.local_size_bytes >= 0 and kernel.const_size_bytes >= 0
    assert kernel.preferred_shared_memory_carveout == -1
    kernel.preferred_shared_memory_carveout = 50
    assert kernel.preferred_shared_memory_carveout == 50
    assert kernel.ptx_version >= 60 and kernel.binary_version >= 60
    assert kernel.cache_mode_ca is False and kernel.enable_cooperative_groups is False
    assert repr(kernel) == "<gpukit.cuda.RawKernel reversed>"
    assert repr(module) == "<gpukit.cuda.RawModule module.cu>"
    assert repr(kernel[1, 2]) == "<reversed[1, 2]>"
    assert (module.options, module.backend, module.name_expressions) == ((), "nvrtc", ())


def test_warnings_are_in_the_log():
    log = io.StringIO()
    RawKernel('extern "C" __global__ void f() { int unused; }', "f").compile(log_stream=log)
    assert "f.cu(1): warning" in log.getvalue() and '"unused"' in log.getvalue()


def test_bench_counts_it_and_names_no_bound(saxpy):
    x, y = on_gpu(512), on_gpu(512)
    work = count_work("cuda:0", lambda: saxpy(2, 256, (512, 1.0, x, y)))
    assert (work.operations, work.unknown, work.longest_sum) == (1, 1, 512)
    work = count_work("cuda:0", lambda: x + y)
    assert (work.operations, work.unknown) == (1, 0)

    def run_both() -> gpukit.Tensor:
        saxpy(2, 256, (512, 0.0, x, y))
        return x * 2

    result = gpukit.bench(run_both, devices=["cuda:0"], max_time=0.2, verbose=False)
    assert result.verdict is None and result.operations == 2


def test_globals(module):
    source = r"""
    __constant__ float factors[4];
    __device__ int counter = 5;
    extern "C" __global__ void use(float* x) {
      x[threadIdx.x] *= factors[threadIdx.x];
      if (threadIdx.x == 0) counter += 1;
    }"""
    made = RawModule(code=source)
    factors = made.get_global("factors", dtype="float32")
    factors.copy_(gpukit.arange(4, dtype="float32"))
    x = on_gpu(4)
    made.get_function("use")(1, 4, (x,))
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert made.get_global("counter", dtype=gpukit.int32).item() == 6
    assert made.get_global("counter").shape == (4,)
    with pytest.raises(ValueError, match="no variable 'factor'"):
        made.get_global("factor")
    with pytest.raises(gpukit.DTypeError, match="4 bytes"):
        made.get_global("counter", dtype="float64")
    del made
    gc.collect()
    assert factors.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_cooperative_launch():
    source = r"""
    __device__ unsigned arrived;
    __device__ void wait_for_all() {
      __threadfence();
      atomicAdd(&arrived, 1);
      while (*(volatile unsigned*)&arrived < gridDim.x) {}
      __threadfence();
    }
    extern "C" __global__ void both(int* x) {
      x[blockIdx.x] = blockIdx.x + 1;
      wait_for_all();
      x[gridDim.x + blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
    }"""
    kernel = RawKernel(source, "both", enable_cooperative_groups=True)
    x = gpukit.zeros(8, dtype="int32", device="cuda")
    kernel(4, 1, (x,))
    assert x.tolist() == [1, 2, 3, 4, 2, 3, 4, 1]
    with pytest.raises(gpukit.DeviceError, match="COOPERATIVE_LAUNCH_TOO_LARGE"):
        kernel(1 << 20, 1, (x,))
