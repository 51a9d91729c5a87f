#include "cuda/cuda_launch.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit::cuda {

namespace cuda_launch {
namespace {

struct GroupRow {
  const char* family;
  const char* prefix;
  KernelSuffixes suffixes;
};

constexpr GroupRow kGroups[] = {
#define GPUKIT_ROW(group, family, prefix, suffixes, args) \
  {#family, #prefix, KernelSuffixes::suffixes},
    GPUKIT_KERNEL_GROUPS(GPUKIT_ROW)
#undef GPUKIT_ROW
};

constexpr std::array<const char*, 5> kItemBits = {"8", "16", "32", "64", "128"};
constexpr std::int64_t kMaxBlocksX = 2147483647;
constexpr std::int64_t kMaxBlocksY = 65535;

const GroupRow& row_of(KernelGroup group) noexcept {
  return kGroups[static_cast<std::size_t>(group)];
}

}  // namespace
}  // namespace cuda_launch

const char* kernel_family(KernelGroup group) noexcept { return cuda_launch::row_of(group).family; }

std::string kernel_name(KernelGroup group, int variant) {
  const cuda_launch::GroupRow& row = cuda_launch::row_of(group);
  std::string name = concat("gk_", row.prefix);
  switch (row.suffixes) {
    case KernelSuffixes::kDTypes:
    case KernelSuffixes::kComputed:
    case KernelSuffixes::kWidened:
      GPUKIT_CHECK(variant >= 0 && variant < kDTypeCount, NotSupportedError, name,
                   " has no variant ", variant);
      return concat(name, '_', dtype_info(static_cast<DType>(variant)).short_name);
    case KernelSuffixes::kItemSizes:
      GPUKIT_CHECK(variant >= 0 && variant < static_cast<int>(cuda_launch::kItemBits.size()),
                   NotSupportedError, name, " has no variant ", variant);
      return concat(name, '_', cuda_launch::kItemBits[static_cast<std::size_t>(variant)]);
    default:
      return name;
  }
}

CUfunction KernelLauncher::load(KernelGroup group, int variant) {
  const std::string name = kernel_name(group, variant);
  const CUfunction function = module_.function(kernel_family(group), name.c_str());
  slot(group, variant).store(function, std::memory_order_release);
  return function;
}

void KernelLauncher::check_grid(KernelGroup group, int variant, LaunchConfig config) const {
  GPUKIT_CHECK(
      config.blocks_x <= cuda_launch::kMaxBlocksX && config.blocks_y <= cuda_launch::kMaxBlocksY,
      ValueError, kernel_name(group, variant), " on ", context_.name(), ": ", config.blocks_x,
      " x ", config.blocks_y, " blocks are more than a grid holds (", cuda_launch::kMaxBlocksX,
      " x ", cuda_launch::kMaxBlocksY, "); split the tensor into smaller parts");
}

void KernelLauncher::launch_untyped(KernelGroup group, int variant, LaunchConfig config,
                                    const void* args, StreamRef stream) {
  if (config.blocks_x == 0 || config.blocks_y == 0) return;
  check_grid(group, variant, config);
  const CUfunction function = resolve(group, variant);
  void* params[] = {const_cast<void*>(args)};
  const CUresult status = GPUKIT_CU_STATUS(
      context_.table(), cuLaunchKernel, function, static_cast<unsigned>(config.blocks_x),
      static_cast<unsigned>(config.blocks_y), 1u, static_cast<unsigned>(config.threads), 1u, 1u, 0u,
      to_driver(stream), params, nullptr);
  if (status != CUDA_SUCCESS) [[unlikely]] {
    const std::string what = concat(kernel_name(group, variant), ", ", config.blocks_x, " x ",
                                    config.blocks_y, " blocks of ", config.threads, " threads");
    context_.fail(status, "cuLaunchKernel", what.c_str());
  }
  context_.after_launch(stream, kernel_family(group));
}

}  // namespace gpukit::cuda
