"""What CuPy's own tests of RawKernel and RawModule hold, said anew: cupy_raw_tests.txt."""

from __future__ import annotations

import importlib.util
import io
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit.cuda import RawKernel, RawModule

LISTED = Path(__file__).with_name("cupy_raw_tests.txt")
OPERATIONS = r"""
#ifndef PRECISION
#define PRECISION 1
#endif
#if PRECISION == 1
typedef float Real;
#elif PRECISION == 2
typedef double Real;
#else
#error this precision is not supported
#endif
extern "C" {
__global__ void add(const Real* a, const Real* b, Real* out, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
__global__ void multiply(const Real* a, const Real* b, Real* out, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = a[i] * b[i];
}
}
"""
TEMPLATES = r"""
namespace shapes { enum class Kind { flat, round }; }
template <class T> __global__ void squared(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}
template <class A, class B> __global__ void two(A*, B*) {}
template <class T> __global__ void one(T* x) {}
template <class T, int n> __global__ void number(T* x) { x[0] = n; }
template <shapes::Kind kind> __global__ void of_kind(int* x) { x[0] = (int)kind; }
__global__ void plain(double* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
"""
OPERATORS = ("add", "sub", "mul", "div")
COMPLEX = "#include <cuComplex.h>\n" + "".join(
    f"""
extern "C" __global__ void {name}{suffix}({type_}* a, {type_}* b, {type_}* out) {{
  out[threadIdx.x] = cuC{name}{suffix}(a[threadIdx.x], b[threadIdx.x]);
}}
extern "C" __global__ void {name}_scalar{suffix}({type_}* a, {type_} b, {type_}* out) {{
  out[threadIdx.x] = cuC{name}{suffix}(a[threadIdx.x], b);
}}"""
    for name in OPERATORS
    for suffix, type_ in (("f", "cuComplex"), ("", "cuDoubleComplex"))
)
# cooperative_groups.h needs libcu++'s headers; its barrier relies on all blocks being resident.
GRID_BARRIER = r"""
__device__ unsigned arrived;
__device__ void wait_for_all() {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (*(volatile unsigned*)&arrived < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void there_and_back(const float* a, const float* b, float* out, int n) {
  const int size = gridDim.x * blockDim.x, rank = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = rank; i < n; i += size) out[i] = a[i];
  wait_for_all();
  for (int i = n - 1 - rank; i >= 0; i -= size) out[i] += b[i];
}
"""
# A row's name -> the tests here that hold what it holds.
HELD = {
    "TestRaw.test_basic": "test_a_kernel",
    "TestRaw.test_kernel_attributes": "test_attributes",
    "TestRaw.test_module": "test_several_kernels_of_a_module",
    "TestRaw.test_compiler_flag": "test_an_option",
    "TestRaw.test_invalid_compiler_flag": "test_an_option_that_does_not_compile",
    "TestRaw.test_load_ptx": "test_a_file_of_ptx",
    "TestRaw.test_module_load_failure": "test_a_file_that_is_not_there",
    "TestRaw.test_module_neither_code_nor_path": "test_code_or_path",
    "TestRaw.test_module_both_code_and_path": "test_code_or_path",
    "TestRaw.test_get_function_failure": "test_a_kernel_that_is_not_there",
    "TestRaw.test_dynamical_parallelism_compile_failure": "test_a_launch_from_a_kernel",
    "TestRaw.test_cuFloatComplex": "test_complex_numbers",
    "TestRaw.test_cuDoubleComplex": "test_complex_numbers",
    "TestRaw.test_const_memory": "test_constant_memory",
    "TestRaw.test_template_specialization": "test_templates",
    "TestRaw.test_template_failure": "test_templates_that_are_not_named",
    "TestRaw.test_raw_pointer": "test_a_pointer_of_no_type",
    "TestRaw.test_context_switch_RawKernel": "test_another_device",
    "TestRaw.test_context_switch_RawModule1": "test_another_device",
    "TestRaw.test_context_switch_RawModule2": "test_another_device",
    "TestRaw.test_context_switch_RawModule3": "test_another_device",
    "TestRaw.test_context_switch_RawModule4": "test_another_device",
    "TestRaw.test_context_switch_RawModule5": "test_another_device",
    "TestRaw.test_context_switch_RawModule6": "test_another_device",
    "TestRaw.test_compile_kernel": "test_a_log",
    "TestRaw.test_compile_module": "test_a_log",
    "TestRawNameExpressionCache.test_cubin_cache_is_reused": "test_spellings_of_a_template",
    "TestRawGridSync.test_grid_sync_rawkernel": "test_the_barrier_of_the_grid",
    "TestRawGridSync.test_grid_sync_rawmodule": "test_the_barrier_of_the_grid",
    "TestRawPicklable.test_raw_picklable": "test_another_process_unpickles",
    "TestRawJitify.test_jitify2": "test_headers_of_the_standard_library",
    "TestRawJitify.test_jitify3": "test_headers_of_the_standard_library",
    "TestRawJitify.test_jitify4": "test_broken_code",
    "TestRawJitify.test_jitify5": "test_a_header_that_includes_what_is_not_there",
}


def toolkit_headers() -> str:
    """The folder of cuComplex.h: of NVIDIA's wheels for CUDA 12 or 13, or of a toolkit."""
    specs = [importlib.util.find_spec(f"nvidia.{name}") for name in ("cuda_runtime", "cu13")]
    places = [folder for spec in specs if spec for folder in spec.submodule_search_locations or ()]
    folders = [Path(place) / "include" for place in (*places, "/usr/local/cuda")]
    return f"-I{next(one for one in folders if (one / 'cuComplex.h').exists())}"


def operands(dtype: str = "float32", device: str = "cuda") -> list[gpukit.Tensor]:
    a = gpukit.arange(100, dtype=dtype, device=device).reshape(10, 10)
    return [a, gpukit.full((10, 10), 3, dtype=dtype, device=device), gpukit.zeros_like(a)]


def check(kernel: RawKernel, result: str, dtype: str = "float32", device: str = "cuda") -> None:
    a, b, out = operands(dtype, device)
    kernel((10,), (10,), (a, b, out, 100))
    assert gpukit.equal(out, a + b if result == "add" else a * b)


def test_each_row_that_applies_is_held():
    rows = [line.split(" | ") for line in LISTED.read_text("utf-8").splitlines() if line[0] != "#"]
    assert len(rows) == 45
    assert {name for name, why in rows if why.startswith("applies")} == set(HELD)
    here = globals()
    assert all(callable(here[test]) for test in HELD.values())


def test_a_kernel():
    check(RawKernel(OPERATIONS, "add"), "add")


def test_attributes():
    kernel = RawKernel(OPERATIONS, "add")
    names = (
        "binary_version cache_mode_ca const_size_bytes local_size_bytes num_regs ptx_version "
        "max_dynamic_shared_size_bytes max_threads_per_block preferred_shared_memory_carveout "
        "shared_size_bytes"
    )
    assert set(kernel.attributes) == set(names.split())
    assert kernel.num_regs > 0 and kernel.max_threads_per_block > 0
    assert kernel.shared_size_bytes == 0


def test_several_kernels_of_a_module():
    module = RawModule(code=OPERATIONS)
    check(module.get_function("add"), "add")
    check(module.get_function("multiply"), "multiply")


def test_an_option():
    module = RawModule(code=OPERATIONS, options=("-DPRECISION=2",))
    check(module.get_function("add"), "add", "float64")
    check(module.get_function("multiply"), "multiply", "float64")


def test_an_option_that_does_not_compile():
    with pytest.raises(gpukit.CompileError, match="this precision is not supported"):
        RawModule(code=OPERATIONS, options=("-DPRECISION=3",)).get_function("add")


def test_a_file_of_ptx(tmp_path):
    path = tmp_path / "add.ptx"
    path.write_bytes(_core.compile_code(0, OPERATIONS, "add.cu", [], [], False)[0])
    check(RawModule(path=str(path)).get_function("add"), "add")


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="absent"):
        RawModule(path="absent.cubin").get_function("add")


def test_code_or_path():
    with pytest.raises(TypeError):
        RawModule()
    with pytest.raises(TypeError):
        RawModule(code=OPERATIONS, path="add.cubin")


def test_a_kernel_that_is_not_there():
    with pytest.raises(gpukit.GpukitError, match="no kernel 'no_such_kernel'"):
        RawModule(code=OPERATIONS).get_function("no_such_kernel")


def test_a_launch_from_a_kernel():
    source = r"""
    __global__ void inner(float* x) { x[threadIdx.x] = 1; }
    extern "C" __global__ void outer(float* x) { inner<<<1, 4>>>(x); }"""
    with pytest.raises(gpukit.CompileError):
        RawKernel(source, "outer")((1,), (1,), (gpukit.zeros(4, device="cuda"),))


@pytest.mark.parametrize("single", [True, False])
def test_complex_numbers(single):
    kind, part, suffix = ("c8", "f4", "f") if single else ("c16", "f8", "")
    module = RawModule(code=COMPLEX, options=(toolkit_headers(),))
    draw = np.random.default_rng(1)
    a, b = ((draw.random(32) + 1j * draw.random(32)).astype(kind) for _ in range(2))
    tensors = [gpukit.tensor(x.view(part), device="cuda") for x in (a, b, 0 * a)]
    for name, wanted in {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}.items():
        module.get_function(name + suffix)((1,), (32,), tuple(tensors))
        assert np.allclose(tensors[2].cpu().numpy().view(kind), wanted, rtol=1e-6)
    for scalar in (np.dtype(kind).type(2 + 3j), 2 + 3j):
        module.get_function("add_scalar" + suffix)((1,), (32,), (tensors[0], scalar, tensors[2]))
        assert np.array_equal(tensors[2].cpu().numpy().view(kind), a + np.dtype(kind).type(2 + 3j))


def test_constant_memory():
    source = r"""
    extern "C" {
    __constant__ float table[100];
    __global__ void by_table(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= table[i]; }
    }"""
    module = RawModule(code=source)
    values = gpukit.arange(100, dtype="float32", device="cuda")
    module.get_global("table", "float32")[...] = values
    x = gpukit.ones(100, device="cuda")
    module.get_function("by_table")((1,), (100,), (x, np.int32(100)))
    assert gpukit.equal(x, values)


def test_templates():
    names = ["squared<int>", "squared<float>", "squared<double>", "plain"]
    module = RawModule(code=TEMPLATES, name_expressions=names)
    for name, dtype in zip(names, ("int32", "float32", "float64", "float64"), strict=True):
        x = gpukit.arange(10, dtype=dtype, device="cuda")
        wanted = x * 2 if name == "plain" else x * x
        module.get_function(name)((1,), (10,), (x, 10))
        assert gpukit.equal(x, wanted)


def test_templates_that_are_not_named():
    with pytest.raises(ValueError, match="nvrtc"):
        RawModule(code=TEMPLATES, backend="nvcc", name_expressions=["squared<int>"])
    with pytest.raises(gpukit.GpukitError, match="squared<int>"):
        RawModule(code=TEMPLATES).get_function("squared<int>")
    module = RawModule(code=TEMPLATES, name_expressions=["squared<int>"])
    with pytest.raises(gpukit.GpukitError, match="squared<double>"):
        module.get_function("squared<double>")


def test_a_pointer_of_no_type():
    source = 'extern "C" __global__ void f(void* p) { ((double*)p)[threadIdx.x] *= 3; }'
    x = gpukit.ones(100, dtype="float64", device="cuda")
    RawModule(code=source).get_function("f")((1,), (100,), (x,))
    assert x.sum().item() == 300


def test_another_device():
    others = list(range(gpukit.cuda.device_count()))[::-1]
    kernel, module = RawKernel(OPERATIONS, "add"), RawModule(code=OPERATIONS)
    check(kernel, "add", device="cuda:0")
    early = module.get_function("add")
    ptx = RawModule(code=_core.compile_code(0, OPERATIONS, "add.cu", [], [], False)[0].decode())
    early_ptx = ptx.get_function("add")
    templates = RawModule(code=TEMPLATES, name_expressions=["squared<unsigned int>"])
    early_template = templates.get_function("squared<unsigned int>")
    for index in others:
        with gpukit.cuda.device(index):
            for each in (kernel, early, module.get_function("add"), early_ptx):
                check(each, "add")
            check(ptx.get_function("add"), "add")
            for each in (early_template, templates.get_function("squared<unsigned int>")):
                x = gpukit.arange(10, dtype="uint32", device="cuda")
                each((1,), (10,), (x, 10))
                assert x.tolist() == [i * i for i in range(10)]


def test_a_log():
    source = OPERATIONS.replace("unsigned i", "int never_used; unsigned i").replace("+", "OP", 1)
    for made in (
        RawKernel(source, "add", options=("-DOP=+",)),
        RawModule(code=source, options=("-DOP=+",)),
    ):
        log = io.StringIO()
        made.compile(log_stream=log)
        assert "warning" in log.getvalue()
        check(made if isinstance(made, RawKernel) else made.get_function("add"), "add")


@pytest.mark.parametrize(
    "name",
    [
        "two<float, double>",
        "two<float,double>",
        "one<float *>",
        "one<float*>",
        "number<float, (int)3>",
        "number<float, 3>",
        "one<unsigned long>",
        "one<size_t>",
        "of_kind<(shapes::Kind)1>",
        "of_kind<shapes::Kind::round>",
    ],
)
def test_spellings_of_a_template(name, monkeypatch):
    made, real = [], _core.compile_code
    monkeypatch.setattr(_core, "compile_code", lambda *a: made.append(1) or real(*a))
    module = RawModule(code=TEMPLATES, name_expressions=[name], options=("-std=c++17",))
    module.get_function(name)
    module.get_function(name).compile()
    assert len(made) == 1


@pytest.mark.parametrize("n", [10, 100])
@pytest.mark.parametrize("block", [64, 256])
@pytest.mark.parametrize("of_module", [False, True])
def test_the_barrier_of_the_grid(n, block, of_module):
    given = {"enable_cooperative_groups": True}
    kernel = (
        RawModule(code=GRID_BARRIER, **given).get_function("there_and_back")
        if of_module
        else RawKernel(GRID_BARRIER, "there_and_back", **given)
    )
    a = gpukit.arange(n * n, dtype="float32", device="cuda")
    b, out = gpukit.ones(n * n, device="cuda"), gpukit.zeros(n * n, device="cuda")
    kernel((min(4, -(-n * n // block)),), (block,), (a, b, out, n * n))
    assert gpukit.equal(out, a + b)


UNPICKLE = """
import pickle, sys, gpukit
made = pickle.load(open(sys.argv[1], "rb"))
kernel = made.get_function("add") if len(sys.argv) > 2 else made
a, out = gpukit.ones(100, device="cuda"), gpukit.zeros(100, device="cuda")
kernel((1,), (100,), (a, a, out, 100))
print(out.sum().item(), made.enable_cooperative_groups)
"""


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("what", ["kernel", "module", "kernel of a module"])
def test_another_process_unpickles(what, used, tmp_path):
    module = RawModule(code=OPERATIONS, enable_cooperative_groups=True)
    kernel = RawKernel(OPERATIONS, "add", enable_cooperative_groups=True)
    if what == "kernel of a module":
        kernel = module.get_function("add")
    if used:
        check(module.get_function("add") if what == "module" else kernel, "add")
    path = tmp_path / "made.pickle"
    path.write_bytes(pickle.dumps(module if what == "module" else kernel))
    arguments = [sys.executable, "-c", UNPICKLE, str(path), *(["module"] * (what == "module"))]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout == "200.0 True\n", done.stderr


@pytest.mark.parametrize("type_", ["int", "float"])
def test_headers_of_the_standard_library(type_):
    source = "#include <type_traits>\ntemplate <class T> __global__ void f(T*) {}"
    with pytest.raises(gpukit.CompileError, match=r"(could not|cannot) open source file"):
        RawModule(code=source, name_expressions=[f"f<{type_}>"]).get_function(f"f<{type_}>")


def test_broken_code():
    with pytest.raises(gpukit.CompileError):
        RawModule(code="__global__ void broken() {").get_function("broken")


def test_a_header_that_includes_what_is_not_there(tmp_path):
    (tmp_path / "outer.h").write_text("#include <gpukit/not_there.h>\n", encoding="utf-8")
    source = '#include "outer.h"\n' + OPERATIONS
    with pytest.raises(gpukit.CompileError, match=r"(could not|cannot) open source file"):
        RawKernel(source, "add", (f"-I{tmp_path}",)).compile()
