#include "sim/sim_module.h"

#include <algorithm>

#include "base/numeric.h"
#include "sim/device_runtime.h"
#include "sim/kernel_registry.h"
#include "sim/sim_device.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace sim_module {
namespace {

constexpr int kDefaultDynamicShared = 48 * 1024;
constexpr int kRegistersPerMultiprocessor = 65536;
constexpr int kRegistersAtATime = 8;
constexpr int kReservedShared = 1024;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostGridYZ = 65535;

int whole_warps(int threads) { return ceil_div(threads, 32) * 32; }

std::string describe(const unsigned* sizes, std::size_t count) {
  std::string text = "(";
  for (std::size_t i = 0; i < count; i++) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  return text + ")";
}

// The image and the host build come from one source; if they disagree about parameters the build is
// broken.
void check(const KernelInfo& kernel) {
  const KernelEntry* host = find_kernel(kernel.name);
  if (host == nullptr) return;
  const bool same =
      host->param_count == kernel.param_bytes.size() &&
      std::equal(kernel.param_bytes.begin(), kernel.param_bytes.end(), host->param_bytes);
  if (same) return;
  throw ImageError(CUDA_ERROR_INVALID_IMAGE,
                   "kernel " + kernel.name + " has parameters of " +
                       describe(kernel.param_bytes.data(), kernel.param_bytes.size()) +
                       " bytes in the image and of " +
                       describe(host->param_bytes, host->param_count) + " bytes in the host build");
}

const KernelInfo* find_unknown(const ImageInfo& image) {
  const auto unknown =
      std::find_if(image.kernels.begin(), image.kernels.end(),
                   [](const KernelInfo& kernel) { return find_kernel(kernel.name) == nullptr; });
  return unknown == image.kernels.end() ? nullptr : &*unknown;
}

// Machine code of others cannot be run: better refused now than found missing later.
void check_host_builds(const ImageInfo& image) {
  const KernelInfo* unknown = find_unknown(image);
  if (unknown == nullptr) return;
  throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU,
                   "the cubin holds kernel " + unknown->name +
                       ", which is none of gpukit's own. The simulator runs kernels of others as "
                       "PTX: compile for compute_" +
                       std::to_string(image.architecture) + " instead of sm_" +
                       std::to_string(image.architecture));
}

void check_architecture(const ImageInfo& image, int capability) {
  const bool suits = image.is_ptx
                         ? image.architecture <= capability &&
                               (!image.architecture_specific || image.architecture == capability)
                         : image.architecture / 10 == capability / 10 &&
                               image.architecture % 10 <= capability % 10;
  if (suits) return;
  const std::string what = std::string(image.is_ptx ? "PTX of compute_" : "a cubin of sm_") +
                           std::to_string(image.architecture) + " does not run on capability " +
                           std::to_string(capability / 10) + "." + std::to_string(capability % 10);
  if (image.is_ptx) refuse_ptx(CUDA_ERROR_NO_BINARY_FOR_GPU, image.target_line, what);
  throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU, what);
}

}  // namespace
}  // namespace sim_module

int newest_ptx_version(int driver_version) {
  // The first driver version of each PTX version, newest first.
  constexpr struct {
    int driver, ptx;
  } kSteps[] = {{13020, 92}, {13010, 91}, {13000, 90}, {12090, 88}, {12080, 87}, {12050, 85},
                {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}};
  for (const auto& step : kSteps) {
    if (driver_version >= step.driver) return step.ptx;
  }
  return 70 + (driver_version % 1000) / 10;
}

namespace sim_module {
namespace {

/// The PTX text that replaces one of gpukit's cubins with `engine=ptx`.
std::shared_ptr<ptx::Program> load_instead(SimDevice& device, const ImageInfo& image) {
  const SimConfig& config = device.simulation().config();
  if (!config.engine_is_ptx || config.ptx_folder.empty()) return nullptr;
  const auto text = device.simulation().ptx_texts().find(image);
  if (text != nullptr) return load_program(device, *text);
  throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU,
                   "the folder " + config.ptx_folder + " has no PTX text with kernel " +
                       (image.kernels.empty() ? "(none)" : image.kernels.front().name));
}

std::shared_ptr<SimModule> load_cubin(SimDevice& device, const void* image) {
  ImageInfo info = read_cubin(image);
  check_architecture(info, device.capability());
  check_host_builds(info);
  for (const KernelInfo& kernel : info.kernels) check(kernel);
  auto program = load_instead(device, info);
  if (program != nullptr) info = describe_program(*program);
  return std::make_shared<SimModule>(device, std::move(info), std::move(program));
}

}  // namespace
}  // namespace sim_module

std::shared_ptr<SimModule> load_text(SimDevice& device, int driver_version,
                                     const std::string& text) {
  ImageInfo info = read_ptx(text.c_str());
  const bool is_own = !info.kernels.empty() && sim_module::find_unknown(info) == nullptr;
  if (is_own && info.ptx_version > newest_ptx_version(driver_version)) {
    refuse_ptx(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, info.version_line,
               "PTX version " + std::to_string(info.ptx_version / 10) + "." +
                   std::to_string(info.ptx_version % 10) + " is newer than the driver");
  }
  sim_module::check_architecture(info, device.capability());
  if (is_own && !device.simulation().config().engine_is_ptx) {
    for (const KernelInfo& kernel : info.kernels) sim_module::check(kernel);
    return std::make_shared<SimModule>(device, std::move(info), nullptr);
  }
  auto program = load_program(device, text);
  info = describe_program(*program);
  return std::make_shared<SimModule>(device, std::move(info), std::move(program));
}

std::shared_ptr<SimModule> load_module(SimDevice& device, int driver_version, const void* image,
                                       std::size_t size) {
  if (is_cubin(image)) return sim_module::load_cubin(device, image);
  return load_text(device, driver_version, ptx_of_image(image, device.capability(), size));
}

const KernelInfo* SimModule::kernel(const std::string& name) const {
  for (const KernelInfo& kernel : image_.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

SimFunction::SimFunction(SimDevice& device, KernelInfo info, const KernelEntry* host_build,
                         std::shared_ptr<const ptx::Program> program, const ImageInfo& image)
    : device_(device),
      info_(std::move(info)),
      host_build_(host_build),
      program_(std::move(program)),
      ptx_(program_ != nullptr ? program_->kernel(info_.name) : nullptr),
      architecture_(image.architecture),
      ptx_version_(image.ptx_version),
      max_dynamic_shared_(std::max(
          0, sim_module::kDefaultDynamicShared - static_cast<int>(info_.static_shared_bytes))) {}

int SimFunction::registers_per_thread() const {
  return info_.registers != 0 ? static_cast<int>(info_.registers) : 32;
}

int SimFunction::registers_per_block(int threads) const {
  return ceil_div(registers_per_thread(), sim_module::kRegistersAtATime) *
         sim_module::kRegistersAtATime * sim_module::whole_warps(threads);
}

int SimFunction::max_threads() const {
  const unsigned known = host_build_ != nullptr ? host_build_->max_threads : 0;
  const unsigned bound = known != 0 ? known : info_.max_threads;
  return static_cast<int>(bound != 0 ? std::min(bound, sim_module::kMostThreads)
                                     : sim_module::kMostThreads);
}

int SimFunction::most_threads() const {
  const int of_registers = sim_module::kRegistersPerMultiprocessor / registers_per_block(32) * 32;
  return std::min(max_threads(), of_registers);
}

CUresult SimFunction::attribute(CUfunction_attribute attribute, int& value) const {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      value = most_threads();
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      value = static_cast<int>(info_.static_shared_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      value = static_cast<int>(info_.const_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      value = static_cast<int>(info_.local_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      value = registers_per_thread();
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      value = ptx_version_ != 0 ? ptx_version_ : architecture_;
      break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      value = architecture_;
      break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      value = 0;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      value = max_dynamic_shared_;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      value = carveout_;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

std::size_t SimFunction::alignment_of(std::size_t index) const {
  if (ptx_ != nullptr) return ptx_->parameters[index].align;
  const std::size_t size = info_.param_bytes[index];
  return std::clamp<std::size_t>(size & (~size + 1), 1, 8);
}

CUresult SimFunction::parameter(std::size_t index, std::size_t* offset, std::size_t* bytes) const {
  if (offset == nullptr || index >= info_.param_bytes.size()) return CUDA_ERROR_INVALID_VALUE;
  std::size_t end = 0;
  for (std::size_t i = 0; i <= index; i++) {
    end = align_up(end, alignment_of(i));
    if (i < index) end += info_.param_bytes[i];
  }
  *offset = end;
  if (bytes != nullptr) *bytes = info_.param_bytes[index];
  return CUDA_SUCCESS;
}

CUresult SimFunction::set_attribute(CUfunction_attribute attribute, int value) {
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
    carveout_ = value;
    return CUDA_SUCCESS;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  const int limit = device_.card().shared_kib_per_block_optin * 1024 -
                    static_cast<int>(info_.static_shared_bytes);
  if (value < 0 || value > limit) return CUDA_ERROR_INVALID_VALUE;
  max_dynamic_shared_ = value;
  return CUDA_SUCCESS;
}

int SimFunction::active_blocks(int threads, std::size_t dynamic_shared_bytes) const {
  if (threads > max_threads()) return 0;
  const Card& card = device_.card();
  const int whole = sim_module::whole_warps(threads);
  const std::size_t reserved =
      device_.capability() >= 80 ? std::size_t{sim_module::kReservedShared} : 0;
  const std::size_t beside = info_.static_shared_bytes + reserved;
  const auto most_shared = static_cast<std::size_t>(card.shared_kib_per_multiprocessor) * 1024;
  if (beside > most_shared || dynamic_shared_bytes > most_shared - beside) return 0;
  const auto shared = static_cast<int>(dynamic_shared_bytes + beside);
  int blocks = std::min(card.blocks_per_multiprocessor, card.threads_per_multiprocessor / whole);
  blocks = std::min(blocks, sim_module::kRegistersPerMultiprocessor / registers_per_block(threads));
  if (shared > 0) blocks = std::min(blocks, static_cast<int>(most_shared) / shared);
  return blocks;
}

Occupancy SimFunction::occupancy(int threads, std::size_t dynamic_shared_bytes) const {
  Occupancy found;
  found.registers = registers_per_thread();
  found.shared_bytes = dynamic_shared_bytes + info_.static_shared_bytes;
  found.blocks = active_blocks(threads, dynamic_shared_bytes);
  found.warps = found.blocks * sim_module::whole_warps(threads) / 32;
  found.most_warps = device_.card().threads_per_multiprocessor / 32;
  return found;
}

CUresult SimFunction::check_shape(const GridShape& grid, const GridShape& block,
                                  std::size_t dynamic_shared_bytes) const {
  if (grid.count() == 0 || block.count() == 0) return CUDA_ERROR_INVALID_VALUE;
  if (grid.x > 0x7fffffffu || grid.y > sim_module::kMostGridYZ || grid.z > sim_module::kMostGridYZ)
    return CUDA_ERROR_INVALID_VALUE;
  if (block.x > sim_module::kMostThreads || block.y > sim_module::kMostThreads || block.z > 64)
    return CUDA_ERROR_INVALID_VALUE;
  if (block.count() > sim_module::kMostThreads) return CUDA_ERROR_INVALID_VALUE;
  if (dynamic_shared_bytes > static_cast<std::size_t>(max_dynamic_shared_))
    return CUDA_ERROR_INVALID_VALUE;
  const auto threads = static_cast<int>(block.count());
  if (threads > max_threads()) return CUDA_ERROR_INVALID_VALUE;
  if (registers_per_block(threads) > sim_module::kRegistersPerMultiprocessor)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  return CUDA_SUCCESS;
}

}  // namespace gpukit::sim
