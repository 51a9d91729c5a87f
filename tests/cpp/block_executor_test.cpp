// The device dialect on the CPU: barriers, warps, votes, atomics, shared memory, and what each
// fault is called.
#include "sim/block_executor.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"
#include "sim/device_runtime.h"
#include "sim/kernel_registry.h"

// After the dialect that it needs.
#include "kernels/device_compat.h"

namespace {

using namespace gpukit::sim;

constexpr unsigned kAll = 0xffffffffu;

struct CopyArgs {
  float* out;
  const float* in;
  gk_i64 count;
};

GK_KERNEL_BOUNDS(test_add_one, 256, CopyArgs args) {
  const gk_i64 i = static_cast<gk_i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < args.count) args.out[i] = args.in[i] + 1.0f;
}

GK_KERNEL(test_tree_sum, float* out, const float* in) {
  GK_DYN_SHARED(float, partial);
  const unsigned t = threadIdx.x;
  partial[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d != 0; d /= 2) {
    if (t < d) partial[t] += partial[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// A barrier inside the loop has been forgotten.
GK_KERNEL(test_racy_tree_sum, float* out, const float* in) {
  GK_DYN_SHARED(float, partial);
  const unsigned t = threadIdx.x;
  partial[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d != 0; d /= 2) {
    if (t < d) partial[t] += partial[t + d];
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = partial[0];
}

GK_KERNEL(test_warp, int* out) {
  const int t = static_cast<int>(threadIdx.x), lane = t & 31;
  int sum = lane;
  for (int d = 16; d != 0; d /= 2) sum += __shfl_xor_sync(kAll, sum, d);
  // The halves of a warp exchange on their own, a different number of times.
  const unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  int steps = 0;
  for (int i = 0; i < (lane < 16 ? 5 : 40); i++)
    steps = __shfl_sync(half, steps, lane < 16 ? 0 : 16) + 1;
  int* row = out + t * 8;
  row[0] = sum;
  row[1] = steps;
  row[2] = static_cast<int>(__ballot_sync(kAll, lane & 1));
  row[3] = __shfl_up_sync(kAll, lane, 1);
  row[4] = __shfl_down_sync(kAll, lane, 1, 8);
  row[5] = __any_sync(kAll, t == 0) * 2 + __all_sync(kAll, t >= 0);
  row[6] = __syncthreads_count(lane == 3);
  row[7] = __syncthreads_or(t == 5) * 2 + __syncthreads_and(t >= 0);
}

GK_KERNEL(test_histogram, gk_u32* out, const unsigned char* in, int count) {
  GK_SHARED(gk_u32, bins, [16]);
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    atomicAdd(&bins[in[i]], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

GK_KERNEL(test_index, int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  __syncthreads();  // the indices must still be right after another thread has run
  out[block * threads + thread] += static_cast<int>(1000 * block + thread);
}

GK_KERNEL(test_uninitialised, float* out) {
  GK_SHARED(float, sums, [64]);
  sums[threadIdx.x] += 1.0f;
  out[blockIdx.x * 64 + threadIdx.x] = sums[threadIdx.x];
}

GK_KERNEL(test_halves, gk_f16* half, gk_bf16* brain, float* out) {
  out[0] = gk_up(half[0]) + gk_up(brain[0]);
  half[0] = gk_down<gk_f16>(1.0f / 3.0f);
  brain[0] = gk_down<gk_bf16>(1.0f / 3.0f);
  out[1] = static_cast<float>(gk_up(2.5));
}

GK_KERNEL(test_two_barriers, int* out) {
  if (threadIdx.x < 5) {
    __syncthreads();
  } else {
    out[0] = 1;
    __syncthreads();
  }
}

GK_KERNEL(test_early_return, int* out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

GK_KERNEL(test_absent_lane, float* out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_down_sync(kAll, 1.0f, 1);
}

GK_KERNEL(test_foreign_mask, int* out) { out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1, 0); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
GK_KERNEL(test_shared_overrun, int index) {
  GK_SHARED(float, values, [32]);
  values[index] = 1.0f;
}

GK_KERNEL(test_null, float* out) { out[threadIdx.x] = 1.0f; }

GK_KERNEL(test_deep_stack, int* out) {
  volatile char large[200000];
  large[0] = 1;
  large[199999] = 1;
  out[0] = large[0];
}

GK_KERNEL(test_division, int* out, int divisor) { out[threadIdx.x] = 5 / divisor; }
#endif

template <class... Args>
LaunchResult run(const char* name, GridShape grid, GridShape block, std::size_t shared,
                 const ExecutionOrder& order, Args... args) {
  void* params[] = {static_cast<void*>(&args)...};
  const KernelEntry* kernel = find_kernel(name);
  CHECK(kernel != nullptr && kernel->param_count == sizeof...(args));
  return run_launch({kernel, grid, block, shared, params}, order);
}

template <class... Args>
void run_well(const char* name, GridShape grid, GridShape block, std::size_t shared,
              const ExecutionOrder& order, Args... args) {
  const LaunchResult result = run(name, grid, block, shared, order, args...);
  if (result.fault != KernelFault::kNone) std::fprintf(stderr, "%s\n", result.message.c_str());
  CHECK(result.fault == KernelFault::kNone && result.message.empty());
}

template <class... Args>
void run_badly(const char* name, unsigned threads, KernelFault fault, const char* text,
               Args... args) {
  for (const ThreadOrder order :
       {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
    const LaunchResult result = run(name, {2}, {threads}, 0, {order, 3}, args...);
    if (result.message.find(text) == std::string::npos)
      std::fprintf(stderr, "%s\n", result.message.c_str());
    CHECK(result.fault == fault);
    CHECK(result.message.find(name) != std::string::npos &&
          result.message.find(text) != std::string::npos);
  }
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++) values[i] = static_cast<float>(i % 97);
  return values;
}

void every_thread_runs_once(const ExecutionOrder& order) {
  const std::vector<float> in = ramp(1000);
  std::vector<float> out(1000);
  run_well("test_add_one", {4}, {256}, 0, order, CopyArgs{out.data(), in.data(), 1000});
  for (std::size_t i = 0; i < in.size(); i++) CHECK(out[i] == in[i] + 1.0f);
  CHECK(find_kernel("test_add_one")->max_threads == 256);
  CHECK(find_kernel("test_add_one")->param_bytes[0] == sizeof(CopyArgs));
}

bool tree_sum_is_right(const char* name, const ExecutionOrder& order) {
  const std::vector<float> in = ramp(10 * 256);
  std::vector<float> out(10);
  run_well(name, {10}, {256}, 256 * sizeof(float), order, out.data(), in.data());
  bool right = true;
  for (std::size_t b = 0; b < out.size(); b++) {
    float sum = 0;
    for (std::size_t i = 0; i < 256; i++) sum += in[b * 256 + i];
    right = right && out[b] == sum;
  }
  return right;
}

void barriers_hold(const ExecutionOrder& order) {
  CHECK(tree_sum_is_right("test_tree_sum", order));
  CHECK(!tree_sum_is_right("test_racy_tree_sum", order));
}

void lanes_exchange(const ExecutionOrder& order) {
  std::vector<int> out(128 * 8);
  run_well("test_warp", {1}, {128}, 0, order, out.data());
  for (int t = 0; t < 128; t++) {
    const int lane = t % 32;
    const int* row = &out[static_cast<std::size_t>(t) * 8];
    CHECK(row[0] == 496 && row[1] == (lane < 16 ? 5 : 40));
    CHECK(static_cast<unsigned>(row[2]) == 0xaaaaaaaau);
    CHECK(row[3] == (lane == 0 ? 0 : lane - 1) && row[4] == (lane % 8 == 7 ? lane : lane + 1));
    CHECK(row[5] == (t < 32 ? 3 : 1) && row[6] == 4 && row[7] == 3);
  }
}

void atomics_add(const ExecutionOrder& order) {
  std::vector<unsigned char> in(5000);
  std::vector<gk_u32> expected(16), out(16);
  for (std::size_t i = 0; i < in.size(); i++)
    expected[in[i] = static_cast<unsigned char>(i * i % 16)]++;
  run_well("test_histogram", {3}, {128}, 0, order, out.data(),
           static_cast<const unsigned char*>(in.data()), 5000);
  for (std::size_t i = 0; i < 16; i++) CHECK(out[i] == 3 * expected[i]);
}

void indices_have_three_dimensions(const ExecutionOrder& order) {
  std::vector<int> out(12 * 24);
  run_well("test_index", {2, 3, 2}, {4, 3, 2}, 0, order, out.data());
  for (int i = 0; i < 12 * 24; i++)
    CHECK(out[static_cast<std::size_t>(i)] == 1000 * (i / 24) + i % 24);
}

void shared_memory_starts_as_nan(const ExecutionOrder& order) {
  std::vector<float> out(4 * 64);
  run_well("test_uninitialised", {4}, {64}, 0, order, out.data());
  for (const float value : out) CHECK(std::isnan(value));
}

void half_types_convert(const ExecutionOrder& order) {
  gk_f16 half(1.5f);
  gk_bf16 brain(0.25f);
  float out[2] = {};
  run_well("test_halves", {1}, {1}, 0, order, &half, &brain, &out[0]);
  CHECK(out[0] == 1.75f && out[1] == 2.5f);
  CHECK(half.bits == 0x3555 && brain.bits == 0x3eab);
}

void misuse_is_named() {
  std::vector<int> out(256);
  std::vector<float> floats(256);
  constexpr auto kMisuse = KernelFault::kMisuse;
  run_badly("test_two_barriers", 64, kMisuse,
            "waits at the barrier at block_executor_test.cpp:", out.data());
  run_badly("test_early_return", 64, kMisuse, "40 of 64 threads reached a barrier", out.data());
  run_badly("test_absent_lane", 32, kMisuse, "of which 0xffff0000 returned", floats.data());
  run_badly("test_foreign_mask", 32, kMisuse, "not in the mask", out.data());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  run_badly("test_shared_overrun", 1, kMisuse, "written past its end", 33);
  run_badly("test_null", 4, KernelFault::kIllegalAddress, "illegal memory access",
            static_cast<float*>(nullptr));
  run_badly("test_deep_stack", 1, KernelFault::kIllegalAddress, "illegal memory access",
            out.data());
  run_badly("test_division", 4, kMisuse, "division by zero", out.data(), 0);
#endif
}

}  // namespace

int main() {
  const ExecutionOrder orders[] = {{ThreadOrder::kForward, 1},
                                   {ThreadOrder::kReverse, 1},
                                   {ThreadOrder::kRandom, 7},
                                   {ThreadOrder::kRandom, 8}};
  for (const ExecutionOrder& order : orders) {
    every_thread_runs_once(order);
    barriers_hold(order);
    lanes_exchange(order);
    atomics_add(order);
    indices_have_three_dimensions(order);
    shared_memory_starts_as_nan(order);
    half_types_convert(order);
  }
  misuse_is_named();
  // After every fault the next launch starts afresh.
  barriers_hold(orders[0]);
  return 0;
}
