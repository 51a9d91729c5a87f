#include "cuda/cuda_module.h"

#include <span>

#include "base/cause.h"
#include "base/check.h"
#include "base/error.h"

namespace gpukit::cuda {

namespace cuda_module {
namespace {

std::span<const KernelImage> images() noexcept {
  std::size_t count = 0;
  const KernelImage* images = kernel_images(&count);
  return {images, count};
}

/// "sm_60, sm_75, PTX of compute_100": what the build put into gpukit for a family.
std::string architectures(std::string_view family) {
  std::string text;
  for (const KernelImage& image : images()) {
    if (family != image.family) continue;
    text += concat(text.empty() ? "" : ", ", image.ptx ? "PTX of compute_" : "sm_", image.arch);
  }
  return text.empty() ? "nothing" : text;
}

// The GPUs inside Jetson modules (Xavier, Orin) run cubins that were built for them, and no others.
constexpr bool is_integrated(int capability) { return capability == 72 || capability == 87; }

constexpr bool runs_cubin(int capability, int arch) {
  if (is_integrated(arch) || is_integrated(capability)) return arch == capability;
  return arch / 10 == capability / 10 && arch <= capability;
}
static_assert(runs_cubin(89, 80) && !runs_cubin(80, 89) && !runs_cubin(90, 89));
static_assert(runs_cubin(87, 87) && !runs_cubin(87, 80) && !runs_cubin(89, 87));

[[noreturn]] void fail(std::string_view family, const CudaContext& context) {
  const DeviceProperties& card = context.properties();
  throw DeviceError(concat(context.name(), " (", card.name, ", compute capability ", card.major,
                           '.', card.minor, "): gpukit carries no kernels for it; '", family,
                           "' was built for ", architectures(family),
                           ". Use device='cpu', or build gpukit for this card."))
      .with_fix("device='cpu'")
      .with_detail("cause", cause::kNoKernels)
      .with_detail("device", context.name());
}

}  // namespace
}  // namespace cuda_module

const KernelImage* choose_image(std::string_view family, int major, int minor) noexcept {
  const int capability = major * 10 + minor;
  const KernelImage* cubin = nullptr;
  const KernelImage* ptx = nullptr;
  for (const KernelImage& image : cuda_module::images()) {
    if (family != image.family) continue;
    const bool fits =
        image.ptx ? image.arch <= capability : cuda_module::runs_cubin(capability, image.arch);
    const KernelImage*& best = image.ptx ? ptx : cubin;
    if (fits && (best == nullptr || image.arch > best->arch)) best = &image;
  }
  return cubin != nullptr ? cubin : ptx;
}

CudaModule::~CudaModule() {
  const QuietContextScope scope(context_);
  if (!scope) return;
  for (const LoadedFamily& loaded : families_) {
    GPUKIT_CU_NOEXCEPT(context_.table(), cuModuleUnload, loaded.module);
  }
}

CUfunction CudaModule::function(const char* family, const char* kernel_name) {
  const ContextScope scope(context_);
  const RelaxedCaptureScope relaxed(context_);
  const CUmodule module = load_family(family);
  CUfunction function = nullptr;
  const CUresult status =
      GPUKIT_CU_STATUS(context_.table(), cuModuleGetFunction, &function, module, kernel_name);
  if (status != CUDA_SUCCESS) context_.fail(status, "cuModuleGetFunction", kernel_name);
  // Drivers that load lazily would do so at the first launch, which must not happen inside a
  // capture.
  if (context_.table().cuFuncLoad != nullptr) GPUKIT_CU_IN(context_, cuFuncLoad, function);
  return function;
}

CUmodule CudaModule::load_family(std::string_view family) {
  const std::lock_guard lock(mutex_);
  for (const LoadedFamily& loaded : families_) {
    if (loaded.name == family) return loaded.module;
  }
  const DeviceProperties& card = context_.properties();
  const KernelImage* image = choose_image(family, card.major, card.minor);
  if (image == nullptr) cuda_module::fail(family, context_);
  const CUmodule module = load_image(*image);
  families_.push_back({std::string(family), module});
  return module;
}

CUmodule CudaModule::load_image(const KernelImage& image) {
  const unsigned char* bytes = kernel_image_data(image);
  GPUKIT_CHECK(bytes != nullptr, DriverError, context_.name(), ": the embedded kernels '",
               image.family, "' for sm_", image.arch, " are damaged. Install gpukit again.");
  CUmodule module = nullptr;
  const CUresult status = GPUKIT_CU_STATUS(context_.table(), cuModuleLoadData, &module, bytes);
  if (status == CUDA_SUCCESS) return module;
  const std::string what =
      concat("&module, ", image.family, ".cu for ", image.ptx ? "compute_" : "sm_", image.arch);
  context_.fail(status, "cuModuleLoadData", what.c_str());
}

}  // namespace gpukit::cuda
