#include <memory>

#include "backend/registry.h"
#include "meta/meta_ops.h"
#include "meta/meta_runtime.h"

namespace gpukit {
namespace meta {
namespace meta_backend {
namespace {

/// One device without arithmetic and without memory: tensors there are shapes and dtypes.
class MetaBackend final : public Backend {
 public:
  DeviceType type() const noexcept override { return DeviceType::kMeta; }
  int device_count() override { return 1; }
  DeviceProperties properties(int) override { return runtime_.properties(); }
  DeviceRuntime& runtime(int) override { return runtime_; }
  DeviceOps& ops(int) override { return ops_; }
  BackendReport report() override { return {}; }
  void shut_down() noexcept override {}

 private:
  MetaRuntime runtime_;
  MetaOps ops_;
};

const BackendRegistration meta_registration(DeviceType::kMeta, [](const SessionChoice&) {
  return std::make_unique<MetaBackend>();
});

}  // namespace
}  // namespace meta_backend
}  // namespace meta
}  // namespace gpukit
