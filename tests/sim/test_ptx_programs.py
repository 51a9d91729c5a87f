"""Kernels that are not gpukit's, compiled to PTX by NVRTC, and run by the executor."""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int, c_size_t, c_uint64

import numpy as np
import pytest

from support.nvrtc import compile_ptx
from support.sim_driver import Address, SimDriver

ILLEGAL, MISALIGNED, TIMEOUT, ASSERT, FAILED = 700, 716, 702, 710, 719

SOURCE = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void collatz(int n, unsigned* steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = i + 1;
  unsigned count = 0;
  while (v != 1) { v = v % 2 ? 3 * v + 1 : v / 2; count++; }
  steps[i] = count;
}
extern "C" __global__ void block_sum(const float* x, float* out) {
  __shared__ float part[256];
  part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
extern "C" __global__ void dynamic_reverse(int* x) {
  extern __shared__ int room[];
  room[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void histogram(int n, const unsigned char* x, unsigned* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i]], 1u);
}
extern "C" __global__ void warp_sum(const int* x, int* out) {
  int v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  unsigned odd = __ballot_sync(0xffffffff, x[threadIdx.x] & 1);
  if (threadIdx.x % 32 == 0) { out[threadIdx.x / 16] = v; out[threadIdx.x / 16 + 1] = __popc(odd); }
}
__device__ int lock_word = 0;
__device__ volatile int counter = 0;
// Each lane of a warp takes the same lock: right under independent thread scheduling alone.
extern "C" __global__ void take_turns(int* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      __threadfence();
      counter = counter + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
  atomicMax(out, counter);
}
__device__ volatile int flag = 0;
// One block waits for another.
extern "C" __global__ void blocks_wait(int* out) {
  if (blockIdx.x == 0) { while (flag == 0) {} out[0] = 7; }
  else if (threadIdx.x == 0) flag = 1;
}
__device__ __noinline__ long long fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursive(long long* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
__device__ float twice(float x) { return 2 * x; }
__device__ float squared(float x) { return x * x; }
typedef float (*Function)(float);
__device__ Function table[2] = {twice, squared};
extern "C" __global__ void by_pointer(float* x) {
  x[threadIdx.x] = table[threadIdx.x % 2](x[threadIdx.x]);
}
extern "C" __global__ void local_array(const int* x, int* out) {
  int mine[16];
  for (int i = 0; i < 16; i++) mine[i] = x[i] * (threadIdx.x + 1);
  out[threadIdx.x] = mine[x[threadIdx.x % 16] & 15];
}
extern "C" __global__ void doubles(const double* x, double* out) {
  double v = x[threadIdx.x];
  out[threadIdx.x] = sin(v) + exp(v / 10) + pow(v + 1, 1.5) + log(v + 2) / sqrt(v + 3);
}
__device__ int table_of_ten[10] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
extern "C" __global__ void read_table(int* out) { out[threadIdx.x] = table_of_ten[threadIdx.x]; }
extern "C" __global__ void talk(int n) {
  if (threadIdx.x == 1)
    printf("%d blocks say %5.2f and %s%c %llx\n", n, 1.5, "hello", '!', 0xabcdefull);
}
extern "C" __global__ void beyond(float* x) { x[threadIdx.x] = 1; }
extern "C" __global__ void askew(char* x) { *(int*)(x + 1) = 1; }
extern "C" __global__ void asserts(const int* x) { int n = *x; assert(n < 3); }
extern "C" __global__ void traps() { __trap(); }
extern "C" __global__ void forever(int* x) { while (true) { atomicAdd(x, 1); } }
__device__ __noinline__ int deeper(int n) { return n == 0x7fffffff ? 0 : 1 + deeper(n + 1) * 3; }
extern "C" __global__ void too_deep(int* x) { *x = deeper(*x); }
extern "C" __global__ void stuck() {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
  else asm volatile("bar.sync 2, 64;");
}
extern "C" __global__ void nothing() {}
"""


@pytest.fixture(scope="module")
def image() -> bytes:
    return compile_ptx(SOURCE)


@pytest.fixture
def started(driver: SimDriver, image: bytes) -> SimDriver:
    driver.start("2xT4,limit=3000000")
    driver.module = driver.load(image)  # type: ignore[attr-defined]
    return driver


def launch(
    driver: SimDriver, name: str, *args: object, grid: int = 1, block: int = 32, status: int = 0
) -> None:
    function = driver.function(driver.module, name)  # type: ignore[attr-defined]
    driver.launch(function, grid, block, *args)
    driver.call("cuCtxSynchronize", status=status)


def test_saxpy(started: SimDriver) -> None:
    x, y = np.arange(1000, dtype="f4"), np.ones(1000, "f4")
    to = started.upload(y)
    launch(started, "saxpy", c_int(1000), c_float(2), started.upload(x), to, grid=8, block=128)
    assert np.array_equal(started.download(to, 1000, "f4"), 2 * x + y)


def test_lanes_that_go_different_ways_meet_again(started: SimDriver) -> None:
    def steps(value: int) -> int:
        count = 0
        while value != 1:
            value = 3 * value + 1 if value % 2 else value // 2
            count += 1
        return count

    out = started.upload(np.zeros(300, "u4"))
    launch(started, "collatz", c_int(300), out, grid=3, block=100)
    assert started.download(out, 300, "u4").tolist() == [steps(i + 1) for i in range(300)]


def test_shared_memory_and_barriers(started: SimDriver) -> None:
    x = np.arange(1024, dtype="f4")
    out = started.upload(np.zeros(4, "f4"))
    launch(started, "block_sum", started.upload(x), out, grid=4, block=256)
    assert np.array_equal(started.download(out, 4, "f4"), x.reshape(4, 256).sum(1))


def test_dynamic_shared_memory(started: SimDriver) -> None:
    x = np.arange(200, dtype="i4")
    room = started.upload(x)
    function = started.function(started.module, "dynamic_reverse")  # type: ignore[attr-defined]
    pointers = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(room), ctypes.c_void_p))
    started.call("cuLaunchKernel", function, 1, 1, 1, 200, 1, 1, 800, None, pointers, None)
    assert np.array_equal(started.download(room, 200, "i4"), x[::-1])


def test_dynamic_shared_memory_has_an_end(started: SimDriver) -> None:
    room = started.upload(np.arange(200, dtype="i4"))
    function = started.function(started.module, "dynamic_reverse")  # type: ignore[attr-defined]
    pointers = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(room), ctypes.c_void_p))
    started.call("cuLaunchKernel", function, 1, 1, 1, 200, 1, 1, 796, None, pointers, None)
    started.call("cuCtxSynchronize", status=ILLEGAL)
    assert "shared memory, which has 796 bytes" in started.message()


def test_atomics(started: SimDriver) -> None:
    x = np.random.default_rng(1).integers(0, 256, 3000, "u1")
    bins = started.upload(np.zeros(256, "u4"))
    launch(started, "histogram", c_int(3000), started.upload(x), bins, grid=3, block=96)
    assert np.array_equal(started.download(bins, 256, "u4"), np.bincount(x, minlength=256))


def test_shuffles_and_votes(started: SimDriver) -> None:
    x = np.arange(64, dtype="i4") * 3
    out = started.upload(np.zeros(4, "i4"))
    launch(started, "warp_sum", started.upload(x), out, block=64)
    sums = x.reshape(2, 32).sum(1)
    assert started.download(out, 4, "i4").tolist() == [sums[0], 16, sums[1], 16]


@pytest.mark.parametrize(("name", "value"), [("take_turns", 96), ("blocks_wait", 7)])
def test_who_waits_for_another_thread_gets_on(
    driver: SimDriver, image: bytes, name: str, value: int
) -> None:
    driver.start("T4")
    driver.module = driver.load(image)  # type: ignore[attr-defined]
    out = driver.upload(np.zeros(1, "i4"))
    launch(driver, name, out, grid=3 if name == "take_turns" else 2)
    assert driver.download(out, 1, "i4")[0] == value


def test_recursion(started: SimDriver) -> None:
    out = started.upload(np.zeros(32, "i8"))
    launch(started, "recursive", out)
    numbers = [0, 1]
    while len(numbers) < 12:
        numbers.append(numbers[-1] + numbers[-2])
    assert started.download(out, 32, "i8").tolist() == [numbers[i % 12] for i in range(32)]


def test_calls_through_pointers(started: SimDriver) -> None:
    x = np.arange(32, dtype="f4")
    room = started.upload(x)
    launch(started, "by_pointer", room)
    assert np.array_equal(
        started.download(room, 32, "f4"), np.where(np.arange(32) % 2, x * x, 2 * x)
    )


def test_local_arrays(started: SimDriver) -> None:
    x = np.arange(16, dtype="i4")[::-1].copy()
    out = started.upload(np.zeros(32, "i4"))
    launch(started, "local_array", started.upload(x), out)
    wanted = [x[x[i % 16] & 15] * (i + 1) for i in range(32)]
    assert started.download(out, 32, "i4").tolist() == wanted


def test_functions_of_doubles(started: SimDriver) -> None:
    x = np.linspace(0, 20, 32)
    out = started.upload(np.zeros(32))
    launch(started, "doubles", started.upload(x), out)
    wanted = np.sin(x) + np.exp(x / 10) + (x + 1) ** 1.5 + np.log(x + 2) / np.sqrt(x + 3)
    assert np.allclose(started.download(out, 32, "f8"), wanted, rtol=1e-14)


def test_variables_have_their_values_and_addresses(started: SimDriver) -> None:
    out = started.upload(np.zeros(10, "i4"))
    launch(started, "read_table", out, block=10)
    wanted = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
    assert started.download(out, 10, "i4").tolist() == wanted
    address, size = Address(), c_size_t()
    started.call(
        "cuModuleGetGlobal_v2",
        ctypes.byref(address),
        ctypes.byref(size),
        started.module,  # type: ignore[attr-defined]
        b"table_of_ten",
    )
    assert size.value == 40
    assert started.download(address, 10, "i4").tolist() == wanted


def test_printf(started: SimDriver, capfd: pytest.CaptureFixture[str]) -> None:
    launch(started, "talk", c_int(2), grid=2)
    ctypes.CDLL(None).fflush(None)  # a real driver prints through the C library
    assert capfd.readouterr().out == "2 blocks say  1.50 and hello! abcdef\n" * 2


@pytest.mark.parametrize(
    ("name", "block", "status", "words"),
    [
        (
            "beyond",
            300,
            ILLEGAL,
            ["kernel beyond, block (0, 0, 0), thread (256, 0, 0)", "kernel.cu:"],
        ),
        ("askew", 1, MISALIGNED, ["not a multiple of 4"]),
        ("asserts", 1, ASSERT, ["kernel.cu:", "assertion `n < 3` failed"]),
        ("traps", 1, FAILED, ["trap"]),
        ("forever", 1, TIMEOUT, ["more than the limit"]),
        ("too_deep", 1, ILLEGAL, ["the stack overflows in a call of"]),
        ("stuck", 64, FAILED, ["barrier 1 is reached by 32 threads"]),
    ],
)
def test_faults_end_the_launch_as_a_card_does(
    started: SimDriver, name: str, block: int, status: int, words: list[str]
) -> None:
    room = started.upload(np.full(256, 5, "i4"))
    launch(started, name, room, block=block, status=status)
    message = started.message()
    assert all(word in message for word in words), message
    started.call("cuMemAlloc_v2", ctypes.byref(c_uint64()), c_size_t(4), status=status)


def test_memory_of_another_device_is_out_of_reach(started: SimDriver) -> None:
    started.call("cuCtxSetCurrent", started.contexts[1])
    other = started.allocate(1024)
    started.call("cuCtxSetCurrent", started.contexts[0])
    launch(started, "beyond", other, status=ILLEGAL)
    assert "device 0 has no access" in started.message()


def test_a_grid_of_many_blocks_ends_with_the_simulation(driver: SimDriver, image: bytes) -> None:
    driver.start("T4")
    function = driver.function(driver.load(image), "nothing")
    driver.call("cuLaunchKernel", function, 0x7FFFFFFF, 1, 1, 32, 1, 1, 0, None, None, None)
    assert driver.configure("T4") == ""


# ---- texts that are refused, or damaged

HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"
BODY = (
    HEAD
    + ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n"
)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("frobnicate.u32 %r1, %r2;", "'frobnicate.u32' is unknown"),
        ("add.u32 %r1, %r2;", "has 2 operands, not 3"),
        ("add.u32 %r1, %r2, %rd1;", "'%rd1' is a register of .b64"),
        ("add.u32 %r1, %r2, %x;", "'%x' is not declared"),
        ("add.rn.u32 %r1, %r2, %r3;", "'.rn' of the instruction"),
        ("tex.2d.v4.f32.s32 {%f1, %f1, %f1, %f1}, [%rd1, {%r1, %r2}];", ""),
        ("wgmma.fence.sync.aligned;", "tensor cores of a single architecture"),
        ("bra nowhere;", "there is no label 'nowhere'"),
        ("call nobody;", "there is no function 'nobody'"),
        ("mov.u32 %r1, 0x123456789abcdef01;", "more than 64 bits"),
        ("ld.global.u32 %r1, %rd1;", "an address in [ ] is expected"),
        ("st.param.u32 [p], %r1;", "cannot be written"),
        ("add.u32 %r1, %r2, %r9;", "'%r9' is not declared"),
        ("/* no end", "a comment has no end"),
        ("mov.u32 %r1, 9é;", "'?' where ',' is expected"),
        ("same: same: ret;", "the label 'same' is defined twice"),
        ("brx.idx %r1, here; here: ret;", "'here' is not a list of targets"),
    ],
)
def test_a_text_is_refused_with_its_line(driver: SimDriver, line: str, words: str) -> None:
    driver.start("T4")
    driver.load((BODY + line + "\nret;\n}\n").encode(), status=218)
    assert f"line {BODY.count(chr(10)) + 1}; error: " in driver.message()
    assert words in driver.message()


@pytest.mark.parametrize(
    ("text", "line", "words", "status"),
    [
        (".version 80\n.target sm_75\n", 1, "'80' is no version", 218),
        ("// a\n.version\n\n/* b\n */ 8.0/* c */\n.target sm_\n", 6, "'sm_' is no target", 218),
        ("//\n.version 8.0\n.target\n\nfast\n", 5, "'fast' is no target", 218),
        (".version 8.0\n.target é" + 999 * "x", 2, "error: '??" + 397 * "x" + "...", 218),
        (".version 8.0\n.target sm_999\n", 2, "compute_999 does not run on capability 7.5", 209),
        ("// nothing\n\n", 3, "names no .version", 218),
        (".version 8.0\n// .target sm_75", 2, "names no .target", 218),
        (HEAD + ".entry k(\n.param .u64 a\n", 6, "a list of parameters has no end", 218),
        (HEAD + ".entry k(.param\n.word a) { ret; }", 5, "'.word' is no type of a parameter", 218),
        (HEAD + ".entry k(\n[4] .param .u64 a) { ret; }", 5, "a size without a parameter", 218),
    ],
)
def test_a_damaged_head_is_refused_with_its_line(
    driver: SimDriver, text: str, line: int, words: str, status: int
) -> None:
    driver.start("T4")
    driver.load(text.encode(), status=status)
    assert f"ptx input, line {line}; error: " in driver.message()
    assert words in driver.message()


def test_the_name_of_a_file_is_shown_and_never_opened(driver: SimDriver) -> None:
    driver.start("T4")
    text = BODY.replace("{\n", "{\n.loc 1 7 0\n") + 'trap;\n}\n.file 1 "/etc/shadow/../x.cu"\n'
    function = driver.function(driver.load(text.encode()), "k")
    driver.launch(function, 1, 32, Address(0))
    driver.call("cuCtxSynchronize", status=FAILED)
    assert "x.cu:7" in driver.message()


def test_a_text_that_asks_for_endless_work_is_refused(driver: SimDriver) -> None:
    """Each kernel decodes the functions that it reaches: n lines may ask for n² steps."""
    driver.start("T4")
    function = ".func f()\n{\n.reg .b32 %r;\n" + "add.u32 %r, %r, 1;\n" * 20_000 + "ret;\n}\n"
    kernels = "".join(f".entry k{i}() {{ call f; ret; }}\n" for i in range(300))
    driver.load((HEAD + function + kernels).encode(), status=218)
    assert "too many instructions" in driver.message()


def test_numbers_written_as_float32_keep_their_bits_in_doubles(driver: SimDriver) -> None:
    """What an H200 gave; `mov.f64` with such a number is another matter, and widens it."""
    driver.start("T4")
    text = HEAD + ".visible .global .f64 v[2] = {0f3FC00000, 0d4004000000000000};\n"
    text += ".visible .entry k() { ret; }\n"
    module, address, size = driver.load(text.encode()), Address(), c_size_t()
    driver.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, b"v")
    assert driver.download(address, 2, "u8").tolist() == [0x3FC00000, 0x4004000000000000]


def test_damaged_texts_never_end_the_process(driver: SimDriver, image: bytes) -> None:
    """Each mutated text loads, or is refused with a line; kernels of those that load may run."""
    random = np.random.default_rng(7)
    driver.start("T4")
    refused = 0
    for _ in range(150):
        text = bytearray(image)
        for _ in range(int(random.integers(1, 6))):
            at, length = int(random.integers(len(text))), int(random.integers(1, 40))
            kind = int(random.integers(4))
            if kind == 0:
                text[at] = int(random.integers(1, 256))
            elif kind == 1:
                del text[at : at + length]
            elif kind == 2:
                other = int(random.integers(len(text)))
                text[at:at] = text[other : other + length]
            else:
                del text[at:]
        module = ctypes.c_void_p()
        status = driver.library.cuModuleLoadData(ctypes.byref(module), bytes(text) + b"\0")
        if status == 0:
            driver.call("cuModuleUnload", module)
        else:
            refused += 1
            assert status in {200, 209, 218}, driver.message()
            assert status == 200 or " line " in driver.message(), driver.message()
    assert refused > 50


def test_the_languages_predefined_number(driver: SimDriver) -> None:
    """WARP_SZ: as an operand, in an address, as a size and as an initial value."""
    text = """
.version 8.0
.target sm_75
.address_size 64
.global .u32 start[2] = {WARP_SZ, 7};
.visible .entry sizes(.param .u64 out) {
  .reg .b64 %a;
  .reg .b32 %r<4>;
  .shared .u32 room[WARP_SZ];
  ld.param.u64 %a, [out];
  mov.u32 %r0, WARP_SZ;
  mul.lo.u32 %r1, %r0, WARP_SZ;
  ld.global.u32 %r2, [start];
  st.shared.u32 [room+124], %r2;
  ld.shared.u32 %r3, [room+124];
  st.global.u32 [%a], %r0;
  st.global.u32 [%a+4], %r1;
  st.global.u32 [%a+WARP_SZ], %r3;
  ret;
}
"""
    driver.start("T4")
    out = driver.upload(np.zeros(9, "u4"))
    driver.launch(driver.function(driver.load(text.encode()), "sizes"), 1, 1, out)
    assert driver.download(out, 9, "u4").tolist() == [32, 1024, 0, 0, 0, 0, 0, 0, 32]
