"""One product of matrices by mma.sync, its operands, and what an H200's tensor cores give."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from support.nvrtc import compile_ptx
from support.sim_driver import Driver

SOURCE = r"""
__device__ unsigned word(const void* p) { return *(const unsigned*)p; }
// 16 x 16 times 16 x 8, both read from shared memory by ldmatrix.
extern "C" __global__ void half_product(const short* a, const short* b, float* d) {
  __shared__ __align__(16) short sa[16 * 16], sb[16 * 8];
  for (int i = threadIdx.x; i < 256; i += 32) sa[i] = a[i];
  for (int i = threadIdx.x; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  int lane = threadIdx.x;
  unsigned pa = (unsigned)__cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
  unsigned pb = (unsigned)__cvta_generic_to_shared(sb + (lane % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
      : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
  float c[4] = {1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.TYPE.TYPE.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int row = lane / 4, column = lane % 4 * 2;
  d[row * 8 + column] = c[0];
  d[row * 8 + column + 1] = c[1];
  d[(row + 8) * 8 + column] = c[2];
  d[(row + 8) * 8 + column + 1] = c[3];
}
"""
SINGLE = r"""
extern "C" __global__ void single_product(const float* a, const float* b, float* d) {
  int lane = threadIdx.x, row = lane / 4, part = lane % 4;
  unsigned a0 = __float_as_uint(a[row * 8 + part]), a1 = __float_as_uint(a[(row + 8) * 8 + part]);
  unsigned a2 = __float_as_uint(a[row * 8 + part + 4]);
  unsigned a3 = __float_as_uint(a[(row + 8) * 8 + part + 4]);
  unsigned b0 = __float_as_uint(b[part * 8 + row]), b1 = __float_as_uint(b[(part + 4) * 8 + row]);
  float c[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  d[row * 8 + part * 2] = c[0];
  d[row * 8 + part * 2 + 1] = c[1];
  d[(row + 8) * 8 + part * 2] = c[2];
  d[(row + 8) * 8 + part * 2 + 1] = c[3];
}
"""
HALF_SUMS = SOURCE.replace(
    "float c[4] = {1, 1, 1, 1};", "unsigned c[2] = {0x3c003c00, 0x3c003c00};"
)
HALF_SUMS = HALF_SUMS.replace(
    HALF_SUMS[HALF_SUMS.index('  asm volatile("mma') : HALF_SUMS.rindex("}")],
    r"""
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(c[0]), "+r"(c[1])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; i++) {
    unsigned short part = c[i / 2] >> 16 * (i % 2);
    float* to = d + (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2;
    asm("cvt.f32.f16 %0, %1;" : "=f"(*to) : "h"(part));
  }
""",
)

# Format -> depth, bits of the exponent's lowest normal number, what the sums start with.
FORMATS = {"f16": (16, -14, 1.0), "bf16": (16, -126, 1.0), "tf32": (8, -126, 0.0)}
KINDS = ("scaled", "zeros", "small", "large")
Matrices = tuple[np.ndarray, np.ndarray]


def drawn(name: str, kind: str) -> Matrices:
    """Matrices whose numbers the format holds exactly."""
    lowest = FORMATS[name][1]
    random = np.random.default_rng(9)
    for other, (depth, _, _) in FORMATS.items():
        scale = np.exp2(random.integers(-6, 7, (depth,)))
        a = random.normal(size=(16, depth)) * scale
        b = random.normal(size=(depth, 8)) / scale[:, None]
        if other == name:
            break
    top = 15 if name == "f16" else 63
    if kind == "zeros":  # beside large numbers
        a /= 256
        a[:, ::2], b[::2] = 0, b[::2] * 2.0 ** (top - 4)
    elif kind == "small":  # below the smallest normal number
        a, b = a / 64 * 2.0**lowest, np.clip(b, -1, 1) * 2.0**top
    elif kind == "large":  # sums near the end of float32
        a, b = a * 2.0**top if name != "f16" else a * 512, b * 2.0 ** (12 if name == "f16" else top)
    return rounded(a, name), rounded(b, name)


def rounded(values: np.ndarray, name: str) -> np.ndarray:
    """Numbers of the format, as float64."""
    if name == "f16":
        return np.clip(values, -65504, 65504).astype("f2").astype("f8")
    mask = np.uint32(0xFFFF0000 if name == "bf16" else 0xFFFFE000)
    return (values.astype("f4").view("u4") & mask).view("f4").astype("f8")


def stored(values: np.ndarray, name: str) -> np.ndarray:
    """As the kernel reads them."""
    if name == "f16":
        return values.astype("f2").view("u2")
    words = values.astype("f4").view("u4")
    return (words >> 16).astype("u2") if name == "bf16" else words


def product(driver: Driver, name: str, matrices: Matrices, half_sums: bool = False) -> np.ndarray:
    """The sums that the device gives."""
    source = SINGLE if name == "tf32" else (HALF_SUMS if half_sums else SOURCE)
    module = driver.load(compile_ptx(source.replace("TYPE", name), 80))
    function = driver.function(module, f"{'single' if name == 'tf32' else 'half'}_product")
    given = [driver.upload(stored(x, name)) for x in matrices]
    out = driver.upload(np.zeros(128, "f4"))
    driver.launch(function, 1, 32, *given, out)
    got = driver.download(out, 128, "f4").reshape(16, 8)
    driver.call("cuModuleUnload", module)
    return got


def sums(name: str, matrices: Matrices, half_sums: bool = False) -> np.ndarray:
    """The second evaluation, in exact fractions."""
    a, b = matrices
    _, lowest, start = FORMATS[name]

    def one(i: int, j: int) -> float:
        terms = [(Fraction(start), exponent(start, -126))]
        for x, y in zip(a[i].tolist(), b[:, j].tolist(), strict=True):
            if x and y:
                place = exponent(x, lowest) + exponent(y, lowest)
                terms.append((Fraction(x) * Fraction(y), place))
        unit = Fraction(2) ** (max(place for _, place in terms) - 25)
        total = float(sum(cut(value, unit) for value, _ in terms))
        with np.errstate(over="ignore"):
            if half_sums:
                return float(np.float64(total).astype("f2"))
            single = np.float64(total).astype("f4")
        if np.isfinite(single) and abs(float(single)) > abs(total):
            single = np.nextafter(single, np.float32(0))
        return float(single)

    return np.array([[one(i, j) for j in range(8)] for i in range(16)], "f4")


def exponent(value: float, lowest: int) -> int:
    """Of the first bit, or of the smallest normal number."""
    return max(math.frexp(value)[1] - 1, lowest) if value else lowest


def cut(value: Fraction, unit: Fraction) -> Fraction:
    """Towards zero, to a multiple of the unit."""
    return (abs(value) // unit) * unit * (1 if value >= 0 else -1)
