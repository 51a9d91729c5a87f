// Matrix products by cuBLAS. What it cannot do, or where it is absent, is left to gpukit's own
// kernel.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend/device_ops.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_gemm.h"
#include "driver/cublas_library.h"

namespace gpukit::cuda {

/// The cuBLAS library of a backend, opened on first use. Thread safe.
class CublasProvider {
 public:
  explicit CublasProvider(driver::CublasChoice choice) : choice_(std::move(choice)) {}

  /// nullptr when none suits; that is said once in the log.
  const driver::CublasLibrary* library();
  /// Every place that was tried; opens the library if that was not done yet.
  driver::LoadReport report();

 private:
  void open();

  std::mutex mutex_;
  std::atomic<bool> opened_{false};
  driver::CublasChoice choice_;
  driver::LoadReport report_;
  std::unique_ptr<driver::CublasLibrary> library_;
};

/// One handle per device, because each takes tens of megabytes, under a mutex that is held only
/// while a product is queued; and a workspace per stream, so that results repeat bit for bit.
class CudaBlas {
 public:
  CudaBlas(CudaContext& context, CublasProvider& provider)
      : context_(context), provider_(provider) {}
  ~CudaBlas();
  CudaBlas(const CudaBlas&) = delete;
  CudaBlas& operator=(const CudaBlas&) = delete;

  /// Where workspaces come from; without one cuBLAS uses its own.
  void set_workspace(Workspace* workspace) noexcept {
    workspace_.store(workspace, std::memory_order_release);
  }

  /// Queues the product and returns true. False, with nothing done: launch gpukit's own kernel
  /// (integers, strides that are compact in no direction, sizes beyond int, dtypes this card
  /// refuses, no cuBLAS). Makes the context current itself.
  bool matmul(const MatmulArgs& args, StreamRef stream) {
    const std::optional<GemmCall> call = takes(args);
    return call && run(*call, stream);
  }

  /// The call that `matmul` would try, for `run`; opens cuBLAS if nothing did so far.
  std::optional<GemmCall> takes(const MatmulArgs& args);
  /// As matmul.
  bool run(const GemmCall& call, StreamRef stream);

 private:
  struct Room {
    void* address = nullptr;
    std::size_t bytes = 0;
  };

  bool is_refused(DType dtype) const noexcept {
    return refused_[static_cast<std::size_t>(dtype)].load(std::memory_order_relaxed);
  }
  Room room_for(StreamRef stream);
  bool has_many_rooms();
  Room allocate_room(Workspace& workspace, StreamRef stream, bool small) const;
  bool queue(const driver::CublasTable& table, const GemmCall& call, StreamRef stream,
             const Room& room, std::string& complaint);
  bool open_handle(const driver::CublasTable& table, std::string& complaint);
  void prepare_handle(const driver::CublasTable& table);
  bool explain_no_handle(driver::cublasStatus_t status, std::string& complaint);
  void bind_stream(const driver::CublasTable& table, StreamRef stream, const Room& room);
  void check(driver::cublasStatus_t status, const char* function, StreamRef stream);

  CudaContext& context_;
  CublasProvider& provider_;
  std::atomic<Workspace*> workspace_{nullptr};
  std::array<std::atomic<bool>, kDTypeCount>
      refused_{};                     ///< dtypes for which the card returned "not supported"
  std::atomic<bool> useless_{false};  ///< no handle can be made on this card

  std::mutex rooms_mutex_;
  std::unordered_map<std::uintptr_t, Room> rooms_;

  std::mutex mutex_;  ///< guards what follows and every call with the handle
  const driver::CublasTable* table_ = nullptr;
  driver::cublasHandle_t handle_ = nullptr;
  std::optional<StreamRef> bound_;
  void* bound_room_ = nullptr;
  bool shortage_told_ = false;
};

}  // namespace gpukit::cuda
