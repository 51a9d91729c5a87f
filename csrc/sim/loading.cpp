#include "sim/loading.h"

#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include "sim/kernel_registry.h"
#include "sim/sim_log.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace loading {
namespace {

// A stream of the C++ library brings its locales, 50 kB of a packed library.
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string describe(const ImageInfo& info) {
  std::string text;
  for (const KernelInfo& kernel : info.kernels) {
    unsigned bytes = 0;
    for (const unsigned size : kernel.param_bytes) bytes += size;
    text += (text.empty() ? "" : "\n") + ("kernel " + kernel.name) + ": " + std::to_string(bytes) +
            " bytes of parameters, " + std::to_string(kernel.static_shared_bytes) +
            " bytes of shared memory, " + std::to_string(kernel.local_bytes) +
            " bytes of local memory (simulated: no registers are assigned)";
  }
  return text;
}

template <class Load>
CUresult load(SimDevice& device, CUmodule* result, JitLog* log, Load load_it) {
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  try {
    const std::shared_ptr<SimModule> module = load_it();
    if (log != nullptr && log->is_verbose()) log->note(describe(module->image()));
    if (log != nullptr) log->stop_clock();
    *result = device.simulation().modules.add(module);
    return CUDA_SUCCESS;
  } catch (const ImageError& error) {
    return refuse_image(error.status(), error.what(), log);
  }
}

}  // namespace
}  // namespace loading

CUresult refuse_image(CUresult status, const std::string& what, JitLog* log) {
  // Asking for an image that suits is how a driver is used; only what cannot be right is printed.
  if (status == CUDA_ERROR_INVALID_IMAGE)
    report_diagnostic(what);
  else
    set_last_message(what);
  if (log != nullptr) log->fail(what);
  write_log("status " + std::to_string(static_cast<int>(status)) + ": " + what);
  return status;
}

CUresult read_image_file(const std::string& path, std::string& content, JitLog* log) {
  const std::unique_ptr<std::FILE, loading::CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return CUDA_ERROR_FILE_NOT_FOUND;
  std::array<char, 65536> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
    content.append(part.data(), count);
    // Some files, as /dev/zero, have no end.
    if (content.size() > kMostImageBytes)
      return refuse_image(CUDA_ERROR_INVALID_IMAGE, path + " has more than 256 MiB", log);
  }
  return CUDA_SUCCESS;
}

CUresult load_image(SimDevice& device, CUmodule* result, const void* image, JitLog* log,
                    std::size_t size) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return loading::load(device, result, log, [&] {
    return load_module(device, device.simulation().driver_version(), image, size);
  });
}

CUmodule module_of(const SimFunction& function) {
  return function.device().simulation().modules.handle_if([&](const SimModule& module) {
    return module.program() == function.program() && module.device_is(function.device()) &&
           module.kernel(function.info().name) != nullptr;
  });
}

CUresult load_text_image(SimDevice& device, CUmodule* result, const std::string& text,
                         JitLog* log) {
  return loading::load(device, result, log, [&] {
    return load_text(device, device.simulation().driver_version(), text);
  });
}

CUresult unload_module(Simulation& simulation, CUmodule handle) {
  const auto module = simulation.modules.remove(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (const auto& [name, function] : module->functions) simulation.functions.remove(function);
  return CUDA_SUCCESS;
}

CUresult find_function(Simulation& simulation, SimModule& module, const std::string& name,
                       CUfunction* result) {
  const std::lock_guard lock(simulation.lazy_objects_mutex);
  const auto known = module.functions.find(name);
  if (known != module.functions.end()) {
    *result = known->second;
    return CUDA_SUCCESS;
  }
  const KernelInfo* info = module.kernel(name);
  if (info == nullptr) return CUDA_ERROR_NOT_FOUND;
  const KernelEntry* host_build = find_kernel(name);
  if (host_build == nullptr && module.program() == nullptr) return CUDA_ERROR_NOT_FOUND;
  *result = simulation.functions.add(std::make_shared<SimFunction>(
      module.device(), *info, host_build, module.program(), module.image()));
  module.functions.emplace(name, *result);
  return CUDA_SUCCESS;
}

CUresult find_variable(SimModule& module, const char* name, CUdeviceptr* address,
                       std::size_t* bytes) {
  // Kernels of the dialect, which the host build runs, have no global variables.
  if (module.program() == nullptr) return CUDA_ERROR_NOT_FOUND;
  const ptx::DefinedVariable* variable = module.program()->variable(name);
  if (variable == nullptr) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = variable->address;
  if (bytes != nullptr) *bytes = variable->bytes;
  return CUDA_SUCCESS;
}

SimLibrary::SimLibrary(std::string text) : text_(std::move(text)), info_(read_ptx(text_.c_str())) {}

const KernelInfo* SimLibrary::kernel(const std::string& name) const {
  for (const KernelInfo& kernel : info_.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

CUresult SimLibrary::module_on(SimDevice& device, CUmodule* result, JitLog* log) {
  const std::lock_guard lock(mutex_);
  CUmodule& known = modules_[device.index()];
  // The device's context may have been destroyed since, and the module with it.
  if (known == nullptr || device.simulation().modules.find(known) == nullptr) {
    const CUresult status = load_text_image(device, &known, text_, log);
    if (status != CUDA_SUCCESS) {
      modules_.erase(device.index());
      return status;
    }
  }
  *result = known;
  return CUDA_SUCCESS;
}

void SimLibrary::unload(Simulation& simulation) {
  const std::lock_guard lock(mutex_);
  for (const auto& [device, module] : modules_) unload_module(simulation, module);
  modules_.clear();
}

CUresult function_handle_on(SimDevice& device, const SimKernel& kernel, CUfunction* result) {
  CUmodule handle = nullptr;
  const CUresult status = kernel.library->module_on(device, &handle);
  if (status != CUDA_SUCCESS) return status;
  const auto module = device.simulation().modules.find(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return find_function(device.simulation(), *module, kernel.name, result);
}

std::shared_ptr<SimFunction> function_on(SimDevice& device, CUfunction handle, CUresult& status) {
  Simulation& simulation = device.simulation();
  status = CUDA_SUCCESS;
  CUfunction function = handle;
  if (const auto kernel = simulation.kernels.find(reinterpret_cast<CUkernel>(handle))) {
    status = function_handle_on(device, *kernel, &function);
    if (status != CUDA_SUCCESS) return nullptr;
  }
  auto found = simulation.functions.find(function);
  if (found == nullptr) status = CUDA_ERROR_INVALID_HANDLE;
  return found;
}

}  // namespace gpukit::sim
