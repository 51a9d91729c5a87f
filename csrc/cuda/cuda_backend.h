// Backend on the CUDA driver: opens it on the first question, and each device on its first use.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cuda/cuda_blas.h"
#include "cuda/cuda_context.h"
#include "driver/cuda_library.h"

namespace gpukit::cuda {

/// Everything of one opened device.
struct OpenedCudaDevice;

/// Thread safe.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(driver::DriverChoice choice);
  ~CudaBackend() override;
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  DeviceType type() const noexcept override { return DeviceType::kCuda; }
  int device_count() override;
  DeviceProperties properties(int index) override;
  DeviceRuntime& runtime(int index) override;
  DeviceOps& ops(int index) override;
  BackendReport report() override;
  CompiledCode compile(const SourceCode& source) override;
  void shut_down() noexcept override;

 private:
  /// The driver after its start, with the devices it showed then.
  struct Started;

  Started* started_if_any() const noexcept { return ready_.load(std::memory_order_acquire); }
  Started* start();
  Started& driver_for(int index);
  OpenedCudaDevice& open(int index);
  void report_matmul(BackendReport& report);

  driver::DriverChoice choice_;
  std::mutex
      mutex_;  ///< guards what follows; held while the driver starts and while a device is opened
  driver::LoadReport load_report_;
  std::unique_ptr<Started> started_;
  std::vector<std::unique_ptr<OpenedCudaDevice>> devices_;
  std::atomic<Started*> ready_{nullptr};
  std::atomic<bool> closed_{false};
};

}  // namespace gpukit::cuda
