#include "cuda/user_module.h"

#include <array>
#include <string_view>

#include "base/check.h"
#include "base/error.h"

namespace gpukit::cuda {

static constexpr CUfunction_attribute to_driver(FunctionAttribute attribute) {
  return static_cast<CUfunction_attribute>(attribute);
}
static_assert(to_driver(FunctionAttribute::kMaxThreadsPerBlock) ==
              CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(to_driver(FunctionAttribute::kCacheModeCa) == CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
static_assert(to_driver(FunctionAttribute::kPreferredSharedMemoryCarveout) ==
              CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);

static CUfunction to_driver(CodeFunction function) noexcept {
  return reinterpret_cast<CUfunction>(function.handle);
}

namespace {

constexpr std::size_t kManyModules = 16;
constexpr std::size_t kLogBytes = 8192;

/// The options of a load that ask for what was wrong with the code.
class LoadLog {
 public:
  LoadLog()
      : values_{text_.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(text_.size()))} {}
  LoadLog(const LoadLog&) = delete;
  LoadLog& operator=(const LoadLog&) = delete;

  unsigned count() const noexcept { return static_cast<unsigned>(names_.size()); }
  CUjit_option* names() noexcept { return names_.data(); }
  void** values() noexcept { return values_.data(); }
  std::string_view text() const noexcept {
    const std::string_view all(text_.data(), text_.size());
    const std::string_view told = all.substr(0, all.find('\0'));
    return told.substr(0, told.find_last_not_of(" \n") + 1);
  }

 private:
  std::array<char, kLogBytes> text_{};
  std::array<CUjit_option, 2> names_{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values_;
};

/// Statuses that say that the code does not suit, not that the device is in trouble.
bool is_about_the_code(CUresult status) noexcept {
  switch (status) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
      return true;
    default:
      return false;
  }
}

[[noreturn]] void throw_refused(CudaContext& context, CUresult status, const std::string& name,
                                std::string_view log) {
  const driver::StatusInfo* info = driver::find_status(status);
  throw CompileError(concat(name, " cannot be loaded on ", context.name(), ": ",
                            driver::status_name(context.table(), status), ": ",
                            driver::status_sentence(context.table(), status), ". ",
                            log.empty() && info != nullptr ? info->advice : "",
                            log.empty() ? "" : "\n", log))
      .with_detail("device", context.name())
      .with_details(driver::status_details(context.table(), status))
      .with_detail("log", std::string(log));
}

std::string launch_text(const std::string& name, const CodeLaunch& launch) {
  const auto extent = [](const Extent3& e) { return concat(e.x, " x ", e.y, " x ", e.z); };
  return concat(name, ", ", extent(launch.grid), " blocks of ", extent(launch.block), " threads, ",
                launch.shared_bytes, " bytes of dynamic shared memory");
}

class UserModule final : public DeviceCode {
 public:
  UserModule(CudaContext& context, UserModules& all, CUmodule module, std::string name)
      : context_(context), all_(all), module_(module), name_(std::move(name)) {}
  ~UserModule() override { all_.retire(module_); }

  CodeFunction function(const std::string& name) override;
  bool parameter_bytes(CodeFunction function, std::vector<std::size_t>& bytes) override;
  std::span<std::byte> variable(const std::string& name) override;
  int attribute(CodeFunction function, FunctionAttribute attribute) override;
  void set_attribute(CodeFunction function, FunctionAttribute attribute, int value) override;
  void launch(CodeFunction function, const std::string& name, const CodeLaunch& launch,
              StreamRef stream) override;

 private:
  CudaContext& context_;
  UserModules& all_;
  CUmodule module_;
  std::string name_;
};

CodeFunction UserModule::function(const std::string& name) {
  const ContextScope scope(context_);
  const RelaxedCaptureScope relaxed(context_);
  CUfunction function = nullptr;
  const CUresult status =
      GPUKIT_CU_STATUS(context_.table(), cuModuleGetFunction, &function, module_, name.c_str());
  GPUKIT_CHECK(status != CUDA_ERROR_NOT_FOUND, ValueError, "get_function: ", name_,
               " has no kernel '", name, "'");
  if (status != CUDA_SUCCESS) context_.fail(status, "cuModuleGetFunction", name.c_str());
  // Drivers that load lazily would do so at the first launch, which must not happen inside a
  // capture.
  if (context_.table().cuFuncLoad != nullptr) GPUKIT_CU_IN(context_, cuFuncLoad, function);
  return {reinterpret_cast<std::uintptr_t>(function)};
}

bool UserModule::parameter_bytes(CodeFunction function, std::vector<std::size_t>& bytes) {
  if (context_.table().cuFuncGetParamInfo == nullptr) return false;
  const ContextScope scope(context_);
  std::size_t offset = 0, size = 0;
  bytes.clear();
  while (GPUKIT_CU_STATUS(context_.table(), cuFuncGetParamInfo, to_driver(function), bytes.size(),
                          &offset, &size) == CUDA_SUCCESS) {
    bytes.push_back(size);
  }
  return true;
}

std::span<std::byte> UserModule::variable(const std::string& name) {
  const ContextScope scope(context_);
  const RelaxedCaptureScope relaxed(context_);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult status = GPUKIT_CU_STATUS(context_.table(), cuModuleGetGlobal, &address, &bytes,
                                           module_, name.c_str());
  GPUKIT_CHECK(status != CUDA_ERROR_NOT_FOUND, ValueError, "get_global: ", name_,
               " has no variable '", name,
               "'. One that no kernel uses is left out by the compiler, and C++ changes the names "
               "of variables outside extern \"C\"");
  if (status != CUDA_SUCCESS) context_.fail(status, "cuModuleGetGlobal", name.c_str());
  return {reinterpret_cast<std::byte*>(address), bytes};
}

int UserModule::attribute(CodeFunction function, FunctionAttribute attribute) {
  const ContextScope scope(context_);
  const RelaxedCaptureScope relaxed(context_);
  int value = 0;
  GPUKIT_CU_IN(context_, cuFuncGetAttribute, &value, to_driver(attribute), to_driver(function));
  return value;
}

void UserModule::set_attribute(CodeFunction function, FunctionAttribute attribute, int value) {
  const ContextScope scope(context_);
  const RelaxedCaptureScope relaxed(context_);
  GPUKIT_CU_IN(context_, cuFuncSetAttribute, to_driver(function), to_driver(attribute), value);
}

void UserModule::launch(CodeFunction function, const std::string& name, const CodeLaunch& launch,
                        StreamRef stream) {
  const ContextScope scope(context_);
  GPUKIT_CHECK(!launch.cooperative || context_.table().cuLaunchCooperativeKernel != nullptr,
               NotSupportedError, context_.name(), ": this driver has no cooperative launches");
  const auto& [grid, block, shared_bytes, arguments, cooperative] = launch;
  const CUfunction kernel = to_driver(function);
  const CUresult status =
      cooperative ? GPUKIT_CU_STATUS(context_.table(), cuLaunchCooperativeKernel, kernel, grid.x,
                                     grid.y, grid.z, block.x, block.y, block.z, shared_bytes,
                                     to_driver(stream), arguments)
                  : GPUKIT_CU_STATUS(context_.table(), cuLaunchKernel, kernel, grid.x, grid.y,
                                     grid.z, block.x, block.y, block.z, shared_bytes,
                                     to_driver(stream), arguments, nullptr);
  if (status != CUDA_SUCCESS) [[unlikely]] {
    context_.fail(status, cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel",
                  launch_text(name, launch).c_str());
  }
  context_.after_launch(stream, "cuLaunchKernel");
}

}  // namespace

UserModules::~UserModules() { unload_retired(); }

std::unique_ptr<DeviceCode> UserModules::load(const std::string& image, const std::string& name) {
  const ContextScope scope(context_);
  const RelaxedCaptureScope relaxed(context_);
  LoadLog log;
  CUmodule module = nullptr;
  const CUresult status = GPUKIT_CU_STATUS(context_.table(), cuModuleLoadDataEx, &module,
                                           image.c_str(), log.count(), log.names(), log.values());
  if (is_about_the_code(status)) throw_refused(context_, status, name, log.text());
  if (status != CUDA_SUCCESS) context_.fail(status, "cuModuleLoadDataEx", name.c_str());
  return std::make_unique<UserModule>(context_, *this, module, name);
}

bool UserModules::has_many_retired() const {
  const std::lock_guard lock(mutex_);
  return retired_.size() >= kManyModules;
}

void UserModules::unload_retired() noexcept {
  std::vector<CUmodule> gone;
  {
    const std::lock_guard lock(mutex_);
    gone.swap(retired_);
  }
  const QuietContextScope scope(context_);
  if (!scope) return;
  for (const CUmodule module : gone) GPUKIT_CU_NOEXCEPT(context_.table(), cuModuleUnload, module);
}

void UserModules::retire(CUmodule module) noexcept {
  // Not in the child of a fork, where another thread of the parent may hold the lock forever.
  if (!context_.usable()) return;
  try {
    const std::lock_guard lock(mutex_);
    retired_.push_back(module);
  } catch (...) {
    return;  // without memory for the list it stays loaded
  }
}

}  // namespace gpukit::cuda
