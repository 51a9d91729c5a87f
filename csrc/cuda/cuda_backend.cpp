#include "cuda/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "backend/device_not_found.h"
#include "backend/registry.h"
#include "base/cause.h"
#include "base/check.h"
#include "base/error.h"
#include "cuda/cuda_compiler.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_index_report.h"
#include "cuda/cuda_launch.h"
#include "cuda/cuda_module.h"
#include "cuda/cuda_ops.h"
#include "cuda/cuda_runtime.h"
#include "driver/search_paths.h"

namespace gpukit::cuda {

/// Members are in the order in which one needs the other.
struct OpenedCudaDevice {
  OpenedCudaDevice(DriverAccess& access, CublasProvider& cublas, int index,
                   const DeviceProperties& properties)
      : context(access, index, properties),
        module(context),
        launcher(context, module),
        index_report(context),
        blas(context, cublas),
        runtime(context, launcher, index_report),
        ops(context, launcher, index_report, &blas) {}

  CudaContext context;
  CudaModule module;
  KernelLauncher launcher;
  CudaIndexReport index_report;
  CudaBlas blas;
  CudaRuntime runtime;
  CudaOps ops;
};

struct CudaBackend::Started {
  explicit Started(driver::CudaLibrary opened)
      : library(std::move(opened)),
        access{library.table()},
        cards(read_cards(library)),
        cublas(cublas_choice()),
        compiler(library.cuda_major()) {}

  static std::vector<DeviceProperties> read_cards(const driver::CudaLibrary& library) {
    std::vector<DeviceProperties> cards;
    const int count = count_devices(library.table());
    for (int index = 0; index < count; ++index) {
      cards.push_back(read_properties(library.table(), index));
      cards.back().simulated = library.simulated();
      cards.back().shares_memory_with_others = library.shares_memory_with_others();
    }
    return cards;
  }

  /// One cuBLAS serves all cards, so it must suit the oldest.
  driver::CublasChoice cublas_choice() const {
    int lowest = 0;
    for (const DeviceProperties& card : cards) {
      const int capability = card.major * 10 + card.minor;
      lowest = lowest == 0 ? capability : std::min(lowest, capability);
    }
    return {library.path(), library.cuda_major(), lowest};
  }

  driver::CudaLibrary library;
  DriverAccess access;
  std::vector<DeviceProperties> cards;
  CublasProvider cublas;
  CudaCompiler compiler;
};

CudaBackend::CudaBackend(driver::DriverChoice choice) : choice_(std::move(choice)) {}

CudaBackend::~CudaBackend() = default;

/// nullptr when the driver is loaded but shows no device. Throws when there is no usable driver;
/// the next call searches again.
CudaBackend::Started* CudaBackend::start() {
  if (Started* ready = started_if_any()) return ready;
  const std::lock_guard lock(mutex_);
  if (started_ != nullptr) return started_.get();
  GPUKIT_CHECK(!closed_.load(std::memory_order_acquire), DriverError,
               "cuda: this session of the driver has ended");
  try {
    started_ = std::make_unique<Started>(driver::CudaLibrary::open(choice_, load_report_));
  } catch (const DeviceNotFoundError&) {
    return nullptr;  // load_report_ says why
  }
  if (started_->cards.empty()) {
    load_report_.failure = "the driver shows no GPU; CUDA_VISIBLE_DEVICES may hide them";
    load_report_.details = {{"cause", cause::kNoDevice}};
  }
  ready_.store(started_.get(), std::memory_order_release);
  return started_.get();
}

int CudaBackend::device_count() {
  const Started* started = start();
  return started != nullptr ? static_cast<int>(started->cards.size()) : 0;
}

CudaBackend::Started& CudaBackend::driver_for(int index) {
  Started* started = start();
  const int count = started != nullptr ? static_cast<int>(started->cards.size()) : 0;
  if (index < 0 || index >= count) {
    const std::lock_guard lock(mutex_);
    throw_device_not_found(Device::cuda(index), count, load_report_.failure, load_report_.details);
  }
  return *started;
}

DeviceProperties CudaBackend::properties(int index) {
  return driver_for(index).cards[static_cast<std::size_t>(index)];
}

OpenedCudaDevice& CudaBackend::open(int index) {
  Started& started = driver_for(index);
  const auto slot = static_cast<std::size_t>(index);
  const std::lock_guard lock(mutex_);
  GPUKIT_CHECK(!closed_.load(std::memory_order_acquire), DeviceError, "cuda:", index,
               ": this session of the driver has ended");
  if (slot >= devices_.size()) devices_.resize(slot + 1);
  if (devices_[slot] == nullptr) {
    devices_[slot] = std::make_unique<OpenedCudaDevice>(started.access, started.cublas, index,
                                                        started.cards[slot]);
  }
  return *devices_[slot];
}

DeviceRuntime& CudaBackend::runtime(int index) { return open(index).runtime; }

DeviceOps& CudaBackend::ops(int index) { return open(index).ops; }

BackendReport CudaBackend::report() {
  BackendReport report;
  {
    const std::lock_guard lock(mutex_);
    report.library = load_report_.library;
    report.driver_version = load_report_.version;
    report.simulated = load_report_.simulated;
    report.failure = load_report_.failure;
    report.fix = load_report_.fix;
    report.details = load_report_.details;
    report.attempts = load_report_.attempts;
  }
  report_matmul(report);
  return report;
}

CompiledCode CudaBackend::compile(const SourceCode& source) {
  Started* started = start();
  GPUKIT_CHECK(started != nullptr, DeviceNotFoundError, source.name,
               ": there is no GPU to compile for");
  return started->compiler.compile(source);
}

void CudaBackend::report_matmul(BackendReport& report) {
  Started* started = started_if_any();
  if (started == nullptr || started->cards.empty() || closed_.load(std::memory_order_acquire))
    return;
  const driver::LoadReport cublas = started->cublas.report();
  report.matmul_library = cublas.library;
  report.matmul_version = cublas.version;
  report.matmul_attempts = cublas.attempts;
}

void CudaBackend::shut_down() noexcept {
  closed_.store(true, std::memory_order_release);
  if (Started* started = started_if_any())
    started->access.closed.store(true, std::memory_order_release);
}

namespace cuda_backend {
namespace {

const BackendRegistration cuda_registration(DeviceType::kCuda, [](const SessionChoice& choice) {
  return std::make_unique<CudaBackend>(
      driver::DriverChoice{choice.library_path, choice.configuration});
});

}  // namespace
}  // namespace cuda_backend

}  // namespace gpukit::cuda
