// What every kernel file includes. The only code that differs between the two builds of a kernel:
// NVRTC (cubins) and the host compiler (simulator). Beyond these macros a kernel is plain CUDA C++;
// raw
// __shared__ is used nowhere else.
//
// Rules for kernels: fixed-width gk_* types, no standard headers, every thread reaches every
// barrier, full warp masks, no spinning on another thread, half types are storage only (gk_up,
// compute in float, gk_down).
#pragma once

#include "kernels/portable.h"

#if defined(__CUDACC__)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define GK_KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define GK_KERNEL_BOUNDS(name, max_threads, ...) \
  extern "C" __global__ void __launch_bounds__(max_threads) name(__VA_ARGS__)
// With registers for `blocks` blocks on a multiprocessor.
#define GK_KERNEL_RESIDENT(name, max_threads, blocks, ...) \
  extern "C" __global__ void __launch_bounds__(max_threads, blocks) name(__VA_ARGS__)

// Static shared array: GK_SHARED(float, tile, [32][33]). Its content is undefined at the start of a
// block.
#define GK_SHARED(T, v, dims) __shared__ T v dims
// Dynamic shared memory of the launch as T* v. Declared once here: a second extern declaration
// makes NVRTC warn.
extern __shared__ __align__(16) unsigned char gk_dynamic_shared[];
#define GK_DYN_SHARED(T, v) T* v = reinterpret_cast<T*>(gk_dynamic_shared)

#define GK_UNROLL _Pragma("unroll")
#define GK_NO_UNROLL _Pragma("unroll 1")
#define GK_ALIGN(n) __align__(n)
#define GK_FORCEINLINE __forceinline__
#define GK_RESTRICT __restrict__

#define GK_INF __int_as_float(0x7f800000)
#define GK_NAN __int_as_float(0x7fffffff)
#define GK_INF64 __longlong_as_double(0x7ff0000000000000LL)
#define GK_NAN64 __longlong_as_double(0x7fffffffffffffffLL)

typedef __half gk_f16;
typedef __nv_bfloat16 gk_bf16;

GK_FN float gk_to_float(gk_f16 x) { return __half2float(x); }
GK_FN float gk_to_float(gk_bf16 x) { return __bfloat162float(x); }
GK_FN gk_f16 gk_round_to_f16(float x) { return __float2half_rn(x); }
GK_FN gk_bf16 gk_round_to_bf16(float x) { return __float2bfloat16_rn(x); }

// One access to global memory; the compiler splits or merges none of these.
GK_FN void gk_store_global(uint4* address, uint4 value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(address)),
               "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}
GK_FN void gk_store_global(uint2* address, uint2 value) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(address)),
               "r"(value.x), "r"(value.y)
               : "memory");
}
template <class T>
GK_TEMPLATE_FN void gk_store_global(T* address, T value) {
  *address = value;
}

/// The compute capability that this code is for, times ten.
#define GK_ARCH (__CUDA_ARCH__ / 10)

#if GK_ARCH >= 75
// Four 8 x 8 matrices of 16-bit elements from shared memory: lanes 8 j to 8 j + 7 give the rows of
// matrix j, and word j of lane l receives elements (l / 4, l % 4 * 2) and the next one.
GK_FN void gk_load_matrices(gk_u32 (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<gk_u32>(__cvta_generic_to_shared(row)))
               : "memory");
}
/// The same of the transposed matrices: elements (l % 4 * 2, l / 4) and the one below.
GK_FN void gk_load_matrices_transposed(gk_u32 (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<gk_u32>(__cvta_generic_to_shared(row)))
               : "memory");
}

// sums += a * b on a tensor core, of 16 x 16 and 16 x 8 elements of T. Fragments as in PTX's
// mma.m16n8k16.
template <class T>
GK_TEMPLATE_FN void gk_multiply_matrices(float (&sums)[4], const gk_u32 (&a)[4],
                                         const gk_u32 (&b)[2]);
#if GK_ARCH >= 80
template <>
GK_TEMPLATE_FN void gk_multiply_matrices<gk_f16>(float (&sums)[4], const gk_u32 (&a)[4],
                                                 const gk_u32 (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <>
GK_TEMPLATE_FN void gk_multiply_matrices<gk_bf16>(float (&sums)[4], const gk_u32 (&a)[4],
                                                  const gk_u32 (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
template <>
GK_TEMPLATE_FN void gk_multiply_matrices<gk_f16>(float (&sums)[4], const gk_u32 (&a)[4],
                                                 const gk_u32 (&b)[2]) {
  GK_UNROLL
  for (int half = 0; half < 2; ++half) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
  }
}
#endif
#endif

#if GK_ARCH >= 80
/// kSize (4, 8 or 16) bytes from global to shared memory without registers: the first `bytes`, then
/// zeros.
template <int kSize = 16>
GK_TEMPLATE_FN void gk_copy_async(void* shared, const void* global, int bytes) {
  const gk_u32 to = static_cast<gk_u32>(__cvta_generic_to_shared(shared));
  if constexpr (kSize == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes), "n"(kSize)
                 : "memory");
  }
}
GK_FN void gk_copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most kGroups of this thread's groups are under way.
template <int kGroups>
GK_TEMPLATE_FN void gk_copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}
#else
GK_FN void gk_copy_async_commit() {}
template <int kGroups>
GK_TEMPLATE_FN void gk_copy_async_wait() {}
#endif

#elif !defined(GK_KERNEL)

#error \
    "A host build brings the dialect along: indices, barriers, atomics, half types (the simulator: -include sim/device_runtime.h)."

#endif

// gk_from_float<gk_f16>(x), gk_from_float<gk_bf16>(x): round to nearest even.
template <class T>
struct gk_float_rounder;
template <>
struct gk_float_rounder<gk_f16> {
  static GK_TEMPLATE_FN gk_f16 apply(float x) { return gk_round_to_f16(x); }
};
template <>
struct gk_float_rounder<gk_bf16> {
  static GK_TEMPLATE_FN gk_bf16 apply(float x) { return gk_round_to_bf16(x); }
};
template <class T>
GK_TEMPLATE_FN T gk_from_float(float x) {
  return gk_float_rounder<T>::apply(x);
}

// The type arithmetic on T is done in: float for the half types, T itself otherwise.
template <class T>
struct gk_accumulator {
  typedef T type;
};
template <>
struct gk_accumulator<gk_f16> {
  typedef float type;
};
template <>
struct gk_accumulator<gk_bf16> {
  typedef float type;
};
template <class T>
using gk_acc_t = typename gk_accumulator<T>::type;

template <class T>
struct gk_converter {
  static GK_TEMPLATE_FN T up(T x) { return x; }
  static GK_TEMPLATE_FN T down(T x) { return x; }
};
template <>
struct gk_converter<gk_f16> {
  static GK_TEMPLATE_FN float up(gk_f16 x) { return gk_to_float(x); }
  static GK_TEMPLATE_FN gk_f16 down(float x) { return gk_round_to_f16(x); }
};
template <>
struct gk_converter<gk_bf16> {
  static GK_TEMPLATE_FN float up(gk_bf16 x) { return gk_to_float(x); }
  static GK_TEMPLATE_FN gk_bf16 down(float x) { return gk_round_to_bf16(x); }
};

/// Storage to accumulation type: half types become float, all others are unchanged.
template <class T>
GK_TEMPLATE_FN gk_acc_t<T> gk_up(T x) {
  return gk_converter<T>::up(x);
}

/// Accumulation type back to storage: gk_down<gk_f16>(0.5f), gk_down<double>(0.5).
template <class T>
GK_TEMPLATE_FN T gk_down(gk_acc_t<T> x) {
  return gk_converter<T>::down(x);
}
