// The CPU of the programs that test transfers: memory and copies, no arithmetic. And no kernels.
#include <cstring>
#include <memory>

#include "backend/registry.h"
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
  DeviceCapabilities capabilities() const noexcept override {
    return {.shares_memory_with_host = true};
  }
};

/// Of the arithmetic only copies, which the pinned ring asks for.
struct HostOps final : DeviceOps {
  void copy(const CopyArgs& args, StreamRef) override {
    std::memcpy(args.out.data, args.in.data, static_cast<std::size_t>(args.shape[0]));
  }
  Device device() const noexcept override { return Device::cpu(); }
  void fill(const FillArgs&, StreamRef) override { CHECK(!"fill"); }
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

const BackendRegistration host_registration(DeviceType::kCpu, [](const SessionChoice&) {
  return std::make_unique<HostBackend>();
});

}  // namespace
}  // namespace gpukit
