#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "cpu/blas_library.h"
#include "cpu/cpu_ops.h"
#include "cpu/cpu_runtime.h"

namespace gpukit {
namespace cpu {
namespace cpu_backend {
namespace {

class CpuBackend final : public Backend {
 public:
  DeviceType type() const noexcept override { return DeviceType::kCpu; }
  int device_count() override { return 1; }
  DeviceProperties properties(int index) override { return checked(index).properties(); }
  DeviceRuntime& runtime(int index) override { return checked(index); }
  DeviceOps& ops(int index) override {
    checked(index);
    return ops_;
  }
  BackendReport report() override {
    BackendReport report;
    const BlasLibrary* blas = BlasLibrary::get();
    if (blas != nullptr) report.matmul_library = blas->path();
    report.matmul_attempts = BlasLibrary::attempts();
    return report;
  }
  void shut_down() noexcept override {}

 private:
  CpuRuntime& checked(int index) {
    GPUKIT_CHECK(index <= 0, DeviceNotFoundError, "there is no cpu:", index,
                 "; all cores together are one device. Use \"cpu\"");
    return runtime_;
  }

  CpuRuntime runtime_;
  CpuOps ops_;
};

const BackendRegistration cpu_registration(DeviceType::kCpu, [](const SessionChoice&) {
  return std::make_unique<CpuBackend>();
});

}  // namespace
}  // namespace cpu_backend
}  // namespace cpu
}  // namespace gpukit
