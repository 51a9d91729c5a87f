// The CUDA device dialect on a CPU: what device_compat.h means for the host compiler.
// Kernel files see it through device_compat.h; block_executor.cpp implements what needs a
// scheduler.
#pragma once

#include <math.h>
#include <stdlib.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/half.h"
#include "sim/pointer_locations.h"

// Hidden, so that an index is one instruction away and never found in another library.
#pragma GCC visibility push(hidden)

namespace gpukit::sim {

struct Index3 {
  unsigned x, y, z;
};

// One block runs at a time in the whole process, so these are plain globals and not thread-local.
extern Index3 thread_index;
extern Index3 block_index;
extern Index3 block_shape;
extern Index3 grid_shape;
extern unsigned char* dynamic_shared_memory;
/// Changes with every block, so that a static shared array knows it must start afresh.
extern unsigned long long block_serial;

/// A kernel as the host compiler built it. `run` executes threads until the block has none left.
struct KernelEntry {
  const char* name;
  void (*run)(void* const* params);
  unsigned param_count;
  const unsigned* param_bytes;
  /// Most threads in a block; 0 where the kernel gives no bound.
  unsigned max_threads;
  const std::vector<PointerLocation>& (*pointers)();
  const KernelEntry* next;
};

void register_kernel(KernelEntry* entry);

/// Makes the next thread of the block current; false when all have been taken.
bool take_thread();
void finish_thread();

enum class BarrierVote { kNone, kCount, kAnd, kOr };

/// Waits until every thread of the block is here; gives the vote over all of them.
int block_barrier(BarrierVote vote, int predicate, std::source_location where);

/// Gives every lane of `mask` the values of all of them: 32 slots of 8 bytes, valid until the next
/// exchange.
const std::uint64_t* warp_exchange(unsigned mask, std::uint64_t value, std::source_location where);

/// Adds a failure to the running launch; the block ends at its next barrier.
void report_kernel_fault(const char* what, std::source_location where);

struct SharedArray {
  unsigned long long serial = 0;
  void* memory = nullptr;
  std::size_t bytes = 0;
};

void start_array(SharedArray* array, std::size_t bytes);
#if defined(__SANITIZE_THREAD__) || defined(GPUKIT_TSAN)
void see_shared_array(SharedArray* array);
#endif

inline void* shared_array(SharedArray* array, std::size_t bytes) {
  if (array->serial != block_serial) start_array(array, bytes);
#if defined(__SANITIZE_THREAD__) || defined(GPUKIT_TSAN)
  see_shared_array(array);
#endif
  return array->memory;
}

/// Calls one kernel function with arguments read from a driver-style array of pointers.
template <auto Function>
struct Trampoline;

template <class... Args, void (*Function)(Args...)>
struct Trampoline<Function> {
  static_assert((std::is_trivially_copyable_v<Args> && ...), "kernel arguments travel as bytes");
  static constexpr unsigned param_bytes[sizeof...(Args) + 1] = {
      static_cast<unsigned>(sizeof(Args))..., 0u};

  static const std::vector<PointerLocation>& pointers() {
    static const auto* const found = new auto(find_pointers<std::remove_cv_t<Args>...>());
    return *found;
  }

  static void run(void* const* params) { run_with(params, std::index_sequence_for<Args...>{}); }

  template <std::size_t... I>
  static void run_with([[maybe_unused]] void* const* params, std::index_sequence<I...>) {
    const std::tuple<std::remove_cv_t<Args>...> args(
        *static_cast<const std::remove_cv_t<Args>*>(params[I])...);
    while (take_thread()) {
      Function(std::get<I>(args)...);
      finish_thread();
    }
  }
};

template <auto Function>
struct KernelRegistrar {
  KernelEntry entry;
  KernelRegistrar(const char* name, unsigned max_threads)
      : entry{
            name,
            &Trampoline<Function>::run,
            static_cast<unsigned>(sizeof(Trampoline<Function>::param_bytes) / sizeof(unsigned) - 1),
            Trampoline<Function>::param_bytes,
            max_threads,
            &Trampoline<Function>::pointers,
            nullptr} {
    register_kernel(&entry);
  }
};

inline unsigned current_lane() {
  return (thread_index.x + block_shape.x * (thread_index.y + block_shape.y * thread_index.z)) & 31u;
}

template <class T>
std::uint64_t to_slot(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>,
                "a lane exchanges at most 8 bytes");
  std::uint64_t slot = 0;
  std::memcpy(&slot, &value, sizeof value);
  return slot;
}

template <class T>
T from_slot(std::uint64_t slot) {
  T value;
  std::memcpy(static_cast<void*>(&value), &slot, sizeof value);
  return value;
}

/// The value of `source`, or the caller's own if the source is outside its segment.
template <class T>
T shuffle(unsigned mask, T value, unsigned source, bool inside, std::source_location where) {
  const std::uint64_t* slots = warp_exchange(mask, to_slot(value), where);
  if (!inside) return value;
  if (((mask >> source) & 1u) == 0)
    report_kernel_fault("a shuffle reads a lane outside its mask", where);
  return from_slot<T>(slots[source]);
}

template <class To, class From>
To reinterpret_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(static_cast<void*>(&result), &value, sizeof result);
  return result;
}

/// Applies `change` to *address atomically and gives the value before.
template <class T, class Change>
T atomic_update(T* address, Change change) {
  T before;
  __atomic_load(address, &before, __ATOMIC_RELAXED);
  for (;;) {
    T after = change(before);
    if (__atomic_compare_exchange(address, &before, &after, true, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
      return before;
  }
}

}  // namespace gpukit::sim

#define GK_KERNEL(name, ...) GK_KERNEL_BOUNDS(name, 0, __VA_ARGS__)
#define GK_KERNEL_BOUNDS(name, max_threads, ...)                                          \
  static void name(__VA_ARGS__);                                                          \
  static ::gpukit::sim::KernelRegistrar<&name> gk_registrar_##name{#name, (max_threads)}; \
  static void name(__VA_ARGS__)
#define GK_KERNEL_RESIDENT(name, max_threads, blocks, ...) \
  GK_KERNEL_BOUNDS(name, max_threads, __VA_ARGS__)

#define GK_SHARED(T, v, dims)                                \
  typedef T gk_shared_type_##v dims;                         \
  static ::gpukit::sim::SharedArray gk_shared_array_##v;     \
  gk_shared_type_##v& v = *static_cast<gk_shared_type_##v*>( \
      ::gpukit::sim::shared_array(&gk_shared_array_##v, sizeof(gk_shared_type_##v)))
#define GK_DYN_SHARED(T, v) T* v = reinterpret_cast<T*>(::gpukit::sim::dynamic_shared_memory)

#define GK_UNROLL
#define GK_NO_UNROLL
#define GK_ALIGN(n) alignas(n)
#define GK_FORCEINLINE inline __attribute__((always_inline))
#define GK_RESTRICT __restrict__

#define GK_INF __builtin_inff()
#define GK_NAN __builtin_nanf("")
#define GK_INF64 __builtin_inf()
#define GK_NAN64 __builtin_nan("")

#define __device__
#define __host__
#define __forceinline__ inline

#define threadIdx ::gpukit::sim::thread_index
#define blockIdx ::gpukit::sim::block_index
#define blockDim ::gpukit::sim::block_shape
#define gridDim ::gpukit::sim::grid_shape
inline constexpr int warpSize = 32;

typedef ::gpukit::Half gk_f16;
typedef ::gpukit::BFloat16 gk_bf16;
inline float gk_to_float(gk_f16 x) { return static_cast<float>(x); }
inline float gk_to_float(gk_bf16 x) { return static_cast<float>(x); }
inline gk_f16 gk_round_to_f16(float x) { return gk_f16(x); }
inline gk_bf16 gk_round_to_bf16(float x) { return gk_bf16(x); }

struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
template <class T>
void gk_store_global(T* address, T value) {
  std::memcpy(address, &value, sizeof value);
}
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

#define GK_WHERE std::source_location where = std::source_location::current()

inline void gk_syncthreads(GK_WHERE) {
  ::gpukit::sim::block_barrier(::gpukit::sim::BarrierVote::kNone, 0, where);
}
#define __syncthreads() gk_syncthreads()
inline int __syncthreads_count(int predicate, GK_WHERE) {
  return ::gpukit::sim::block_barrier(::gpukit::sim::BarrierVote::kCount, predicate, where);
}
inline int __syncthreads_and(int predicate, GK_WHERE) {
  return ::gpukit::sim::block_barrier(::gpukit::sim::BarrierVote::kAnd, predicate, where);
}
inline int __syncthreads_or(int predicate, GK_WHERE) {
  return ::gpukit::sim::block_barrier(::gpukit::sim::BarrierVote::kOr, predicate, where);
}
inline void __syncwarp(unsigned mask = ~0u, GK_WHERE) {
  ::gpukit::sim::warp_exchange(mask, 0, where);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, GK_WHERE) {
  const unsigned lane = ::gpukit::sim::current_lane();
  const unsigned segment = static_cast<unsigned>(width) - 1u;
  return ::gpukit::sim::shuffle(
      mask, value, (lane & ~segment) | (static_cast<unsigned>(source) & segment), true, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, GK_WHERE) {
  const unsigned lane = ::gpukit::sim::current_lane();
  const bool inside = (lane & (static_cast<unsigned>(width) - 1u)) >= delta;
  return ::gpukit::sim::shuffle(mask, value, inside ? lane - delta : lane, inside, where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, GK_WHERE) {
  const unsigned lane = ::gpukit::sim::current_lane();
  const bool inside =
      (lane & (static_cast<unsigned>(width) - 1u)) + delta < static_cast<unsigned>(width);
  return ::gpukit::sim::shuffle(mask, value, inside ? lane + delta : lane, inside, where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, GK_WHERE) {
  const unsigned lane = ::gpukit::sim::current_lane();
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  const unsigned segment_end =
      (lane & ~(static_cast<unsigned>(width) - 1u)) + static_cast<unsigned>(width);
  const bool inside = source < segment_end;
  return ::gpukit::sim::shuffle(mask, value, inside ? source : lane, inside, where);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, GK_WHERE) {
  const std::uint64_t* slots = ::gpukit::sim::warp_exchange(mask, predicate != 0 ? 1u : 0u, where);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; lane++) {
    if (((mask >> lane) & 1u) != 0 && slots[lane] != 0) votes |= 1u << lane;
  }
  return votes;
}
inline int __any_sync(unsigned mask, int predicate, GK_WHERE) {
  return __ballot_sync(mask, predicate, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate, GK_WHERE) {
  return __ballot_sync(mask, predicate, where) == mask;
}
/// The lanes of the warp that exist: the simulator never runs two lanes concurrently.
inline unsigned __activemask() {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned in_warp = threads - (thread & ~31u);
  return in_warp >= 32 ? ~0u : (1u << in_warp) - 1u;
}
#undef GK_WHERE

template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  if constexpr (std::is_integral_v<T>) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  } else {
    return ::gpukit::sim::atomic_update(address,
                                        [value](T old) { return static_cast<T>(old + value); });
  }
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return ::gpukit::sim::atomic_update(address,
                                      [value](T old) { return old < value ? value : old; });
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return ::gpukit::sim::atomic_update(address,
                                      [value](T old) { return value < old ? value : old; });
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  T before;
  __atomic_exchange(address, &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return expected;
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) * b) >> 32);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<unsigned long long>((static_cast<Wide>(a) * b) >> 64);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; bit++) reversed |= ((x >> bit) & 1u) << (31 - bit);
  return reversed;
}

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
template <class T>
void __stcs(T* p, std::type_identity_t<T> value) {
  *p = value;
}
template <class T>
void __stcg(T* p, std::type_identity_t<T> value) {
  *p = value;
}

inline float __int_as_float(int x) { return ::gpukit::sim::reinterpret_bits<float>(x); }
inline int __float_as_int(float x) { return ::gpukit::sim::reinterpret_bits<int>(x); }
inline float __uint_as_float(unsigned x) { return ::gpukit::sim::reinterpret_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return ::gpukit::sim::reinterpret_bits<unsigned>(x); }
inline double __longlong_as_double(long long x) {
  return ::gpukit::sim::reinterpret_bits<double>(x);
}
inline long long __double_as_longlong(double x) {
  return ::gpukit::sim::reinterpret_bits<long long>(x);
}

template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return y;  // as fmax: a NaN loses
  }
  return x < y ? y : x;
}
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return y;
  }
  return y < x ? y : x;
}

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline int __float2int_rn(float x) { return static_cast<int>(nearbyintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
// The C library has functions of these names inside, so the fast forms are macros here.
#define __expf expf
#define __logf logf
#define __log2f log2f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf

/// Nanoseconds of a monotonic clock: the simulated card ticks once a nanosecond.
inline long long clock64() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
inline void __nanosleep(unsigned) {}
inline void __trap() {
  ::gpukit::sim::report_kernel_fault("the kernel trapped", std::source_location::current());
}

#pragma GCC visibility pop

#include "sim/tensor_cores.h"
