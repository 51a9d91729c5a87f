// Typed kernel launches: the group of kernel_list.h decides the argument struct, a variant picks
// the kernel in it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>

#include "backend/stream_types.h"
#include "base/numeric.h"
#include "core/dtype.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_module.h"
#include "kernels/kernel_list.h"

namespace gpukit::cuda {

/// Threads and blocks of a launch.
struct LaunchConfig {
  std::int64_t blocks_x = 1;
  std::int64_t blocks_y = 1;
  int threads = 1;
};

/// `work` items in blocks of `per_block`.
inline LaunchConfig blocks_for(std::int64_t work, std::int64_t per_block, int threads) noexcept {
  return {ceil_div(work, per_block), 1, threads};
}

/// Which kernel of a group: by dtype, by the type a dtype is computed or summed in, or by the bytes
/// of an item.
inline int variant_of(DType dtype) noexcept { return static_cast<int>(dtype); }
inline DType widened_dtype(DType dtype) noexcept { return dtype_info(dtype).accumulated; }
inline int variant_of_itemsize(std::size_t bytes) noexcept { return std::countr_zero(bytes); }

/// "gk_add_f32". Throws NotSupportedError for a variant that the group does not have.
std::string kernel_name(KernelGroup group, int variant);
/// File stem of the group's `.cu` file.
const char* kernel_family(KernelGroup group) noexcept;

/// Launches kernels on one device. Thread safe; the device's context must be current.
class KernelLauncher {
 public:
  KernelLauncher(CudaContext& context, CudaModule& module) : context_(context), module_(module) {}
  KernelLauncher(const KernelLauncher&) = delete;
  KernelLauncher& operator=(const KernelLauncher&) = delete;

  /// Queues one kernel on `stream`; `args` is copied by the call. Pointers in it must stay valid
  /// until it ran.
  template <KernelGroup group>
  void launch(int variant, LaunchConfig config, const kernel_args_t<group>& args,
              StreamRef stream) {
    launch_untyped(group, variant, config, &args, stream);
  }

  /// The loaded kernel, from the cache or by loading its family's image. Before a capture or a
  /// blocked stream call this for every kernel that will be launched there.
  CUfunction resolve(KernelGroup group, int variant) {
    const CUfunction ready = slot(group, variant).load(std::memory_order_acquire);
    return ready != nullptr ? ready : load(group, variant);
  }

 private:
  std::atomic<CUfunction>& slot(KernelGroup group, int variant) noexcept {
    return slots_[static_cast<std::size_t>(group)][static_cast<std::size_t>(variant)];
  }
  CUfunction load(KernelGroup group, int variant);
  void launch_untyped(KernelGroup group, int variant, LaunchConfig config, const void* args,
                      StreamRef stream);
  void check_grid(KernelGroup group, int variant, LaunchConfig config) const;

  CudaContext& context_;
  CudaModule& module_;
  std::array<std::array<std::atomic<CUfunction>, kKernelVariants>,
             static_cast<std::size_t>(KernelGroup::kCount)>
      slots_{};
};

}  // namespace gpukit::cuda
