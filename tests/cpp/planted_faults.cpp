// Eleven faults planted in kernels, one a run. tools/sanitize.sh builds this under ASan with UBSan
// and under TSan, and counts that each is caught.
#include <cmath>
#include <cstring>
#include <string>

#include "check.h"
#include "kernels/portable.h"
#include "sim/block_executor.h"
#include "sim/device_runtime.h"
#include "sim/kernel_registry.h"
#include "sim/sim_heap.h"

namespace {

using namespace gpukit::sim;

constexpr unsigned kThreads = 64;
constexpr std::size_t kBytes = 250 * sizeof(float);

GK_KERNEL(plant_read_beyond, float* out, const float* in, int count) {
  if (threadIdx.x == 0) out[0] = in[count];
}

GK_KERNEL(plant_write_before, float* out) {
  if (threadIdx.x == 0) out[-1] = 1.0f;
}

GK_KERNEL(plant_read_freed, float* out, const float* freed) { out[threadIdx.x] = freed[0]; }

GK_KERNEL(plant_dynamic_shared, float* out, int index) {
  GK_DYN_SHARED(float, values);
  values[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = values[index];
}

GK_KERNEL(plant_static_shared, float* out, int index) {
  GK_SHARED(float, values, [32]);
  values[index] = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = values[0];
}

struct alignas(16) Four {
  float at[4];
};

GK_KERNEL(plant_misaligned, float* out, const float* in) {
  const Four four = *reinterpret_cast<const Four*>(in + 1);
  out[threadIdx.x] = four.at[0];
}

GK_KERNEL(plant_uninitialised, float* out, const float* fresh) {
  out[threadIdx.x] = fresh[threadIdx.x] + 1.0f;
}

GK_KERNEL(plant_forgotten_barrier, float* out) {
  GK_SHARED(float, values, [64]);
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = values[63 - threadIdx.x];
}

GK_KERNEL(plant_shared_increment, int* out) { out[0]++; }

GK_KERNEL(plant_overwritten_early, float* out) {
  GK_SHARED(float, values, [64]);
  values[threadIdx.x] = 1.0f;
  __syncthreads();
  const float neighbour = values[63 - threadIdx.x];
  values[threadIdx.x] = 2.0f;  // the neighbour may not have read it yet
  out[threadIdx.x] = neighbour;
}

GK_KERNEL(plant_shared_by_blocks, float* out) {
  if (threadIdx.x == 0) out[0] = static_cast<float>(blockIdx.x);
}

unsigned blocks = 1;

template <class... Args>
void launch(const std::string& name, std::size_t shared, Args... args) {
  void* params[] = {static_cast<void*>(&args)...};
  const KernelEntry* kernel = find_kernel(name);
  CHECK(kernel != nullptr && kernel->param_count == sizeof...(args));
  const LaunchResult result = run_launch({kernel, {blocks}, {kThreads}, shared, params}, {});
  if (result.fault == KernelFault::kNone) return;
  std::fprintf(stderr, "CAUGHT by the simulator: %s\n", result.message.c_str());
  std::exit(1);
}

void plant(const std::string& name, SimHeap& heap) {
  auto* const out = reinterpret_cast<float*>(heap.allocate(kBytes));
  auto* const in = reinterpret_cast<float*>(heap.allocate(kBytes));
  const std::string kernel = "plant_" + name;
  if (name == "read_beyond") return launch(kernel, 0, out, in, 250);
  if (name == "dynamic_shared") return launch(kernel, kThreads * 4, out, 64);
  if (name == "static_shared") return launch(kernel, 0, out, 32);
  if (name == "misaligned") return launch(kernel, 0, out, in);
  if (name == "read_freed") {
    heap.release(reinterpret_cast<std::uintptr_t>(in));
    return launch(kernel, 0, out, in);
  }
  if (name == "uninitialised") {
    launch(kernel, 0, out, in);
    if (!std::isnan(out[0])) return;
    std::fprintf(stderr, "CAUGHT: fresh memory reads as NaN\n");
    std::exit(1);
  }
  if (name == "shared_increment") return launch(kernel, 0, reinterpret_cast<int*>(out));
  if (name == "shared_by_blocks") blocks = 2;
  launch(kernel, 0, out);
}

}  // namespace

int main(int count, char** words) {
  CHECK(count == 2);
  SimHeap heap(std::uint64_t{1} << 26);
  plant(words[1], heap);
  std::printf("%s was not caught\n", words[1]);
  return 0;
}
