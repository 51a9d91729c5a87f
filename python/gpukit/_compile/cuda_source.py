"""A program as one CUDA C++ kernel, whose values are those of the interpreting kernel, bit for bit.

A step is rounded as it is there. Sums, differences and products are written with the functions that
the compiler never joins into one multiply-add; what functions of the CUDA library give passes a
bitwise operation that the compiler cannot see through, for the same reason.
"""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._compile.group import Group, Program
from gpukit._compile.lowering import Step
from gpukit._compile.trace import Trace

THREADS, EACH = 256, 4
RELEASE = (12, 9)  # of the compiler that made the wheel's kernels, and of its library's functions
KINDS = "full", "single", "row", "column"  # how an input lies over the shape
_NAMES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "b8"}
_TYPES = {"f32": "float", "f16": "unsigned short", "bf16": "unsigned short", "b8": "unsigned char"}

# The library's function of the same name with an f.
_LIBRARY = {
    name: f"{name}f({{a}})"
    for name in """
        exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
        erf erfc exp2
        """.split()  # noqa: SIM905
}
_HEAVY = {
    **_LIBRARY,
    "sigmoid": "1.0f / (1.0f + expf(-{a}))",
    "gelu": "0.5f * {a} * (1.0f + erff({a} * 0.70710678118654752440f))",
    "pow": "powf({a}, {b})",
    "atan2": "atan2f({a}, {b})",
}
_LIGHT = {
    "neg": "-{a}",
    "abs": "fabsf({a})",
    "sqrt": "__fsqrt_rn({a})",
    "rsqrt": "__fdiv_rn(1.0f, __fsqrt_rn({a}))",
    "reciprocal": "__fdiv_rn(1.0f, {a})",
    "square": "__fmul_rn({a}, {a})",
    "relu": "{a} <= 0.0f ? 0.0f : {a}",
    "sign": "{a} != {a} ? {a} : ({a} > 0.0f ? 1.0f : 0.0f) - ({a} < 0.0f ? 1.0f : 0.0f)",
    "floor": "floorf({a})",
    "ceil": "ceilf({a})",
    "round": "rintf({a})",
    "trunc": "truncf({a})",
    "add": "__fadd_rn({a}, {b})",
    "sub": "__fsub_rn({a}, {b})",
    "mul": "__fmul_rn({a}, {b})",
    "div": "__fdiv_rn({a}, {b})",
    "maximum": "{a} > {b} || {a} != {a} ? {a} : {b}",
    "minimum": "{a} < {b} || {a} != {a} ? {a} : {b}",
    "copysign": "copysignf({a}, {b})",
}
_OF_DERIVATIVES = {"relu_gradient": "{b} <= 0.0f ? 0.0f : {a}"}
_COMPARISONS = {
    "eq": "{a} == {b}",
    "ne": "{a} != {b}",
    "lt": "{a} < {b}",
    "le": "{a} <= {b}",
    "gt": "{a} > {b}",
    "ge": "{a} >= {b}",
}
_TESTS = {
    **_COMPARISONS,
    "logical_and": "{a} != 0.0f && {b} != 0.0f",
    "logical_or": "{a} != 0.0f || {b} != 0.0f",
    "logical_xor": "({a} != 0.0f) != ({b} != 0.0f)",
    "logical_not": "{a} == 0.0f",
    "bitwise_and": "{a} != 0.0f && {b} != 0.0f",
    "bitwise_or": "{a} != 0.0f || {b} != 0.0f",
    "bitwise_xor": "({a} != 0.0f) != ({b} != 0.0f)",
    "bitwise_not": "{a} == 0.0f",
    "isnan": "{a} != {a}",
    "isinf": "fabsf({a}) > 3.402823466e+38f",
    "isfinite": "fabsf({a}) <= 3.402823466e+38f",
}

_HEAD = """
__device__ __forceinline__ float gk_hide(float x, unsigned zero) {
  return __uint_as_float(__float_as_uint(x) ^ zero);
}
__device__ __forceinline__ float gk_load_f32(float x) { return x; }
__device__ __forceinline__ float gk_load_f16(unsigned short x) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x));
  return value;
}
__device__ __forceinline__ float gk_load_bf16(unsigned short x) {
  return __uint_as_float((unsigned)x << 16);
}
__device__ __forceinline__ float gk_load_b8(unsigned char x) { return x != 0 ? 1.0f : 0.0f; }
__device__ __forceinline__ float gk_store_f32(float x) { return x; }
__device__ __forceinline__ unsigned short gk_store_f16(float x) {
  unsigned short value;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value) : "f"(x));
  return value;
}
__device__ __forceinline__ unsigned short gk_store_bf16(float x) {
  unsigned bits = __float_as_uint(x);
  if (x != x) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
__device__ __forceinline__ unsigned char gk_store_b8(float x) { return x != 0.0f ? 1 : 0; }
template <class T>
struct __align__(4 * sizeof(T)) gk_pack { T at[4]; };
"""


def source_of(
    program: Program, kinds: tuple[str, ...], release: tuple[int, int] | None = None
) -> str | None:
    """The kernel `gk_chain`, or None where the text of some step is not known.

    With a release, functions of the CUDA library compile with that one only.
    """
    try:
        source = _Writer(program, kinds).source()
    except KeyError:
        return None
    calls = any(step.name in _HEAVY for step in program.steps)
    return f"{_only(release)}{source}" if release is not None and calls else source


def has_text(group: Group, trace: Trace) -> bool:
    """Whether there is a kernel for the group at all."""
    kinds = ("full",) * len(group.inputs)
    return not group.endings and source_of(group.program(trace), kinds) is not None


def _only(release: tuple[int, int]) -> str:
    major, minor = release
    return f"""#if __CUDACC_VER_MAJOR__ != {major} || __CUDACC_VER_MINOR__ != {minor}
#error functions have the bits of gpukit's operators in NVRTC {major}.{minor} only: \
pip install "nvidia-cuda-nvrtc-cu{major}=={major}.{minor}.*"
#endif
"""


class _Writer:
    def __init__(self, program: Program, kinds: tuple[str, ...]) -> None:
        self.program, self.kinds = program, kinds

    def dtype(self, value: int) -> str:
        """Of a value, as the functions above are named; KeyError for others."""
        return _NAMES[str(self.program.dtypes[value]).rsplit(".", maxsplit=1)[-1]]

    def source(self) -> str:
        """Head, the function of one element, the kernel."""
        inputs = [f"float v{value}" for value in self.program.inputs]
        results = [f"float& r{value}" for value in self.program.results]
        lines = [f"  float v{step.value} = {self.step(step)};" for step in self.program.steps]
        lines += [f"  r{value} = v{value};" for value in self.program.results]
        body = "\n".join(lines)
        head = f"__device__ __forceinline__ void gk_element({', '.join([*inputs, *results])}, "
        return f"{_HEAD}\n{head}unsigned zero) {{\n{body}\n}}\n{self.kernel()}"

    def step(self, step: Step) -> str:
        """Its value, rounded to its dtype."""
        value = self.value(step)
        dtype = self.dtype(step.value)
        return f"gk_load_{dtype}(gk_store_{dtype}({value}))" if dtype.endswith("f16") else value

    def value(self, step: Step) -> str:
        """Its value as the operator computes it."""
        dtypes = [self.dtype(value) for value in step.reads()]
        if step.name == "convert":
            a = f"v{step.operands[0]}"
            return f"({a} != 0.0f ? 1.0f : 0.0f)" if self.dtype(step.value) == "b8" else a
        if step.name == "clamp":
            return self.clamp(step, dtypes[0])
        if step.name == "where":
            number = _literal(step.number, self.dtype(step.value))
            a, b, c = (number if each is None else f"v{each}" for each in step.operands)
            return f"({a} != 0.0f ? {b} : {c})"
        rounds = dtypes[0] if step.name in _COMPARISONS else "f32"
        number = _literal(step.number, rounds)
        names = [number if each is None else f"v{each}" for each in step.operands]
        words = dict(zip("ab", names, strict=False))
        if step.name in _TESTS:
            return f"({_TESTS[step.name].format(**words)} ? 1.0f : 0.0f)"
        if "b8" in dtypes:
            raise KeyError(step.name)
        if step.name in _HEAVY:
            return f"gk_hide({_HEAVY[step.name].format(**words)}, zero)"
        text = _OF_DERIVATIVES.get(step.name) or _LIGHT[step.name]
        return f"({text.format(**words)})"

    def clamp(self, step: Step, dtype: str) -> str:
        """Of numbers that are elements."""
        value = f"v{step.operands[0]}"
        low, high = (
            None if bound is None else _literal(float(bound), dtype) for bound in step.number
        )
        above = value if low is None else f"({value} < {low} ? {low} : {value})"
        return above if high is None else f"({above} > {high} ? {high} : {above})"

    def kernel(self) -> str:
        """Four elements a thread, together where all of them are there."""
        program = self.program
        inputs = [(value, self.dtype(value)) for value in program.inputs]
        results = [(value, self.dtype(value)) for value in program.results]
        parameters = [f"const {_TYPES[dtype]}* __restrict__ p{value}" for value, dtype in inputs]
        parameters += [f"{_TYPES[dtype]}* __restrict__ q{value}" for value, dtype in results]
        packs, singles, call = [], [], []
        for (value, dtype), kind in zip(inputs, self.kinds, strict=True):
            if kind == "full":
                read = f"const gk_pack<{_TYPES[dtype]}>*"
                packs.append(f"const auto x{value} = (({read})p{value})[first / 4];")
                call.append(f"gk_load_{dtype}(x{value}.at[e])")
            else:
                call.append(f"gk_load_{dtype}(p{value}[{_index(kind, 'first + e')}])")
            place = "i" if kind == "full" else _index(kind, "i")
            singles.append(f"gk_load_{dtype}(p{value}[{place}])")
        outs = [f"o{value}" for value, _ in results]
        declared = " ".join(f"float {out};" for out in outs)
        kept = " ".join(f"y{v}.at[e] = gk_store_{d}(o{v});" for v, d in results)
        made = " ".join(f"gk_pack<{_TYPES[d]}> y{v};" for v, d in results)
        stored = " ".join(f"((gk_pack<{_TYPES[d]}>*)q{v})[first / 4] = y{v};" for v, d in results)
        single = " ".join(f"q{v}[i] = gk_store_{d}(o{v});" for v, d in results)
        return f"""
extern "C" __global__ void __launch_bounds__({THREADS}) gk_chain(
    {", ".join(parameters)}, long long count, unsigned divisor, unsigned zero) {{
  const long long first = (blockIdx.x * {THREADS}LL + threadIdx.x) * {EACH};
  if (first + {EACH} <= count) {{
    {" ".join(packs)} {made}
    #pragma unroll
    for (int e = 0; e < {EACH}; ++e) {{
      {declared} gk_element({", ".join([*call, *outs])}, zero);
      {kept}
    }}
    {stored}
    return;
  }}
  for (long long i = first; i < count; ++i) {{
    {declared} gk_element({", ".join([*singles, *outs])}, zero);
    {single}
  }}
}}
"""


def _index(kind: str, place: str) -> str:
    if kind == "single":
        return "0"
    return f"(unsigned)({place}) {'%' if kind == 'row' else '/'} divisor"


def _literal(number: Any, dtype: str) -> str:
    """A number as an element of that dtype, in the text of a float."""
    if number is None:
        return "0.0f"
    value = _rounded(float(number), dtype)
    if math.isnan(value):
        return "__uint_as_float(0x7fffffffu)"
    if math.isinf(value):
        return f"__uint_as_float({'0x7f800000u' if value > 0 else '0xff800000u'})"
    return f"({value.hex()}f)"


def _rounded(value: float, dtype: str) -> float:
    """Through the dtype and back, by the operators themselves."""
    names = {short: long for long, short in _NAMES.items()}
    kind = getattr(_core, names[dtype] if dtype != "b8" else "float32")
    return float(_core.tensor(value, dtype=_core.float64, device="cpu").to(kind).item())
