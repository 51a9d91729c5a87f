// A small second accelerator, as a device library: two devices of host memory behind asynchronous
// queues. It is the example of docs/adding-a-backend.md, and the proof that csrc knows no kind of
// device but by its capabilities.
#include <array>

#include "backend/device_library.h"
#include "backend/device_not_found.h"
#include "demo_ops.h"
#include "demo_runtime.h"

namespace demo {

class Backend final : public gpukit::Backend {
 public:
  explicit Backend(gpukit::DeviceType type)
      : type_(type), devices_{Opened(device(0)), Opened(device(1))} {}

  gpukit::DeviceType type() const noexcept override { return type_; }
  int device_count() override { return static_cast<int>(devices_.size()); }
  gpukit::DeviceProperties properties(int index) override { return runtime(index).properties(); }
  gpukit::DeviceRuntime& runtime(int index) override { return *at(index).runtime; }
  gpukit::DeviceOps& ops(int index) override { return *at(index).ops; }
  gpukit::BackendReport report() override { return {}; }
  void shut_down() noexcept override {}  // nothing below it can be closed

 private:
  struct Opened {
    explicit Opened(gpukit::Device device)
        : runtime(std::make_unique<Runtime>(device)), ops(std::make_unique<Ops>(device)) {}
    std::unique_ptr<Runtime> runtime;
    std::unique_ptr<Ops> ops;
  };

  gpukit::Device device(int index) const { return gpukit::Device::of(type_, index); }
  Opened& at(int index) {
    if (index < 0 || index >= device_count())
      gpukit::throw_device_not_found(device(index), device_count(), "");
    return devices_[static_cast<std::size_t>(index)];
  }

  gpukit::DeviceType type_;
  std::array<Opened, 2> devices_;
};

}  // namespace demo

#ifndef DEMO_NAME
#define DEMO_NAME "demo"
#endif

GPUKIT_DEVICE_LIBRARY(DEMO_NAME,
                      [](gpukit::DeviceType type,
                         const gpukit::SessionChoice&) -> std::unique_ptr<gpukit::Backend> {
                        return std::make_unique<demo::Backend>(type);
                      })
