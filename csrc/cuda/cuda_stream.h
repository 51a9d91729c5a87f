// Streams of one device: gpukit's default one, and those that users make.
#pragma once

#include <mutex>
#include <vector>

#include "cuda/cuda_handle.h"

namespace gpukit::cuda {

struct StreamTraits {
  using Handle = CUstream;
  static void destroy(const driver::DriverTable& table, CUstream stream) noexcept {
    GPUKIT_CU_NOEXCEPT(table, cuStreamDestroy, stream);
  }
};

/// Owner of a stream that takes no part in the legacy stream's ordering.
using CudaStream = CudaHandle<StreamTraits>;

/// `priority` as CUDA counts: lower is more urgent. It is brought into the card's range.
CudaStream make_stream(CudaContext& context, int priority);

inline StreamRef as_ref(const CudaStream& stream) noexcept {
  return {reinterpret_cast<std::uintptr_t>(stream.get())};
}

/// All streams of a device. A destroyed stream is kept and reused: blocks of memory name the
/// stream that used them last, so a handle must stay valid as long as the device. Thread safe.
class CudaStreams {
 public:
  explicit CudaStreams(CudaContext& context);
  CudaStreams(const CudaStreams&) = delete;
  CudaStreams& operator=(const CudaStreams&) = delete;

  StreamRef default_stream() const noexcept { return default_; }
  StreamRef create(int priority);
  /// A handle that is not one of ours (the legacy stream, another library's) is left alone.
  void destroy(StreamRef stream) noexcept;

  /// The streams made so far, the default one first.
  std::vector<StreamRef> all() const;

 private:
  struct Owned {
    CudaStream stream;
    int priority = 0;
    bool in_use = false;
  };

  CudaContext& context_;
  CudaStream own_;
  StreamRef default_;
  mutable std::mutex mutex_;
  std::vector<Owned> streams_;
};

}  // namespace gpukit::cuda
