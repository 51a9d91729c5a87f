// The CPU of the programs that test transfers: memory and copies, no arithmetic. And no kernels.
#include <cstring>
#include <memory>

#include "backend/backend.h"
#include "check.h"
#include "fake_runtime.h"
#include "kernels/images.h"

namespace gpukit {

// Transfers launch no kernel: none is embedded.
const KernelImage* kernel_images(std::size_t* count) noexcept {
  *count = 0;
  return nullptr;
}
const unsigned char* kernel_image_data(const KernelImage&) { return nullptr; }

namespace {

struct HostRuntime final : testing::FakeRuntime {
  HostRuntime() : FakeRuntime(std::size_t{8} << 30) {}
  Device device() const noexcept override { return Device::cpu(); }
};

/// Of the arithmetic only copies, which the pinned ring asks for.
struct HostOps final : DeviceOps {
  void copy(const CopyArgs& args, StreamRef) override {
    std::memcpy(args.out.data, args.in.data, static_cast<std::size_t>(args.shape[0]));
  }
#define GPUKIT_REFUSED(name, Args) \
  void name(const Args&, StreamRef) override { CHECK(!#name); }
  GPUKIT_REFUSED(unary, UnaryArgs)
  GPUKIT_REFUSED(binary, BinaryArgs)
  GPUKIT_REFUSED(where, WhereArgs)
  GPUKIT_REFUSED(clamp, ClampArgs)
  GPUKIT_REFUSED(fill, FillArgs)
  GPUKIT_REFUSED(ramp, RampArgs)
  GPUKIT_REFUSED(triangle, TriangleArgs)
  GPUKIT_REFUSED(reduce, ReduceArgs)
  GPUKIT_REFUSED(cumulative, CumulativeArgs)
  GPUKIT_REFUSED(softmax, SoftmaxArgs)
  GPUKIT_REFUSED(layer_norm, LayerNormArgs)
  GPUKIT_REFUSED(matmul, MatmulArgs)
  GPUKIT_REFUSED(random, RandomArgs)
  GPUKIT_REFUSED(places, PlacesArgs)
  GPUKIT_REFUSED(gather, GatherArgs)
  GPUKIT_REFUSED(scatter, ScatterArgs)
  GPUKIT_REFUSED(sort, SortArgs)
  GPUKIT_REFUSED(optimizer_step, OptimizerArgs)
  GPUKIT_REFUSED(cross_entropy, CrossEntropyArgs)
  GPUKIT_REFUSED(cross_entropy_backward, CrossEntropyBackwardArgs)
  GPUKIT_REFUSED(write_words, WordsArgs)
#undef GPUKIT_REFUSED
  void set_workspace(Workspace*) noexcept override {}
};

class HostBackend final : public Backend {
 public:
  DeviceType type() const noexcept override { return DeviceType::kCpu; }
  int device_count() override { return 1; }
  DeviceProperties properties(int) override { return runtime_.properties(); }
  DeviceRuntime& runtime(int) override { return runtime_; }
  DeviceOps& ops(int) override { return ops_; }
  BackendReport report() override { return {}; }
  void shut_down() noexcept override {}

 private:
  HostRuntime runtime_;
  HostOps ops_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<HostBackend>(); }

}  // namespace gpukit
