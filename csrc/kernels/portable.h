// What kernels and the CPU backend both need: function attributes and fixed-width names.
// NVRTC has no standard headers, so nothing here may include one.
#pragma once

#if defined(__CUDACC__)
#define GK_FN static __device__ __forceinline__
#define GK_TEMPLATE_FN __device__ __forceinline__
#define GK_CONSTEXPR __device__ constexpr
#else
#define GK_FN static inline
#define GK_TEMPLATE_FN inline
#define GK_CONSTEXPR constexpr
#endif

typedef signed char gk_i8;
typedef unsigned char gk_u8;
typedef short gk_i16;
typedef unsigned short gk_u16;
typedef int gk_i32;
typedef unsigned int gk_u32;
typedef long long gk_i64;
typedef unsigned long long gk_u64;
