// Modules, their kernels, and launches.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/numeric.h"
#include "sim/device_runtime.h"
#include "sim/driver_call.h"
#include "sim/fresh_memory.h"
#include "sim/kernel_registry.h"

using namespace gpukit::sim;

namespace {

// The arguments of a launch, copied at the call as a driver does: each at a place that is aligned
// for every type.
class ArgumentCopy {
 public:
  ArgumentCopy(const SimFunction& function, void** params) {
    reserve(function);
    for (std::size_t i = 0; i < offsets_.size(); i++) std::memcpy(at(i), params[i], sizes_[i]);
  }

  /// From one buffer in which every parameter lies at its own alignment.
  ArgumentCopy(const SimFunction& function, const unsigned char* packed, std::size_t bytes) {
    reserve(function);
    std::size_t from = 0;
    for (std::size_t i = 0; i < offsets_.size(); i++) {
      const std::size_t size = sizes_[i];
      from = gpukit::align_up(from, alignment_of(function, i));
      complete_ = complete_ && from + size <= bytes;
      if (complete_) std::memcpy(at(i), packed + from, size);
      from += size;
    }
  }

  bool is_complete() const { return complete_; }

  /// The first argument, or null where there is none.
  const void* first() const { return storage_.empty() ? nullptr : storage_.data(); }

  /// The first pointer to memory which kernels of the card cannot reach, or 0.
  CUdeviceptr out_of_reach(const SimFunction& function) {
    for (const PointerPlace& place : function.host_build()->pointers()) {
      CUdeviceptr address = 0;
      std::memcpy(&address, static_cast<unsigned char*>(at(place.parameter)) + place.offset,
                  sizeof address);
      if (address != 0 && !function.device().reaches(address)) return address;
    }
    return 0;
  }

  std::vector<void*> pointers() {
    std::vector<void*> all;
    for (std::size_t i = 0; i < offsets_.size(); i++) all.push_back(at(i));
    return all;
  }

  /// As the kernel's PTX lays them out.
  std::vector<std::byte> packed(const gpukit::ptx::Kernel& kernel) {
    std::vector<std::byte> bytes(kernel.parameter_bytes);
    for (std::size_t i = 0; i < offsets_.size(); i++)
      std::memcpy(bytes.data() + kernel.parameters[i].offset, at(i), sizes_[i]);
    return bytes;
  }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };

  static std::size_t alignment_of(const SimFunction& function, std::size_t i) {
    if (function.ptx() != nullptr) return function.ptx()->parameters[i].align;
    const std::size_t size = function.host_build()->param_bytes[i];
    return std::min<std::size_t>(size & (~size + 1), 8);
  }

  void reserve(const SimFunction& function) {
    std::size_t total = 0;
    for (const unsigned bytes : function.info().param_bytes) {
      sizes_.push_back(bytes);
      offsets_.push_back(total);
      total += (bytes + sizeof(Chunk) - 1) / sizeof(Chunk);
    }
    storage_.resize(total);
  }

  void* at(std::size_t i) { return &storage_[offsets_[i]]; }

  std::vector<Chunk> storage_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> offsets_;
  bool complete_ = true;
};

CUresult status_of(KernelFault fault) {
  switch (fault) {
    case KernelFault::kNone:
      return CUDA_SUCCESS;
    case KernelFault::kIllegalAddress:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case KernelFault::kMisuse:
      break;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

std::unique_ptr<ArgumentCopy> copy_arguments(const SimFunction& function, void** params,
                                             void** extra) {
  if (params != nullptr && extra != nullptr) return nullptr;
  if (params != nullptr || function.info().param_bytes.empty()) {
    return std::make_unique<ArgumentCopy>(function, params);
  }
  if (extra == nullptr) return nullptr;
  const unsigned char* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<const unsigned char*>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *static_cast<const std::size_t*>(extra[1]);
    else
      return nullptr;
  }
  auto copy = std::make_unique<ArgumentCopy>(function, buffer, buffer == nullptr ? 0 : bytes);
  return copy->is_complete() ? std::move(copy) : nullptr;
}

CUresult run_program(const SimFunction& function, const Launch& launch, ArgumentCopy& arguments) {
  const CUresult status =
      run_ptx(function.device(), {function.program(), function.ptx(), launch.grid, launch.block,
                                  launch.dynamic_shared_bytes, arguments.packed(*function.ptx())});
  if (CountedLaunch* counted = CountingScope::current()) {
    counted->kernel = function.info().name;
    counted->blocks = launch.grid.count();
    counted->threads = launch.block.count();
    counted->occupancy =
        function.occupancy(static_cast<int>(counted->threads), launch.dynamic_shared_bytes);
    counted->complete.store(true, std::memory_order_release);
  }
  return status;
}

CUresult run_kernel(const SimFunction& function, Launch launch, ArgumentCopy& arguments) {
  if (function.ptx() != nullptr) return run_program(function, launch, arguments);
  const SimConfig& config = function.device().simulation().config();
  if (const CUdeviceptr address = arguments.out_of_reach(function); address != 0) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%s on device %d: 0x%llx lies on another device, to which peer access is not "
                  "enabled",
                  function.host_build()->name, function.device().index(), address);
    report_diagnostic(text);
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  const std::vector<void*> pointers = arguments.pointers();
  launch.params = pointers.data();
  const LaunchResult result = run_launch(launch, config.order);
  fresh_memory().forget();
  if (result.fault != KernelFault::kNone) report_diagnostic(result.message);
  return status_of(result.fault);
}

CUresult launch_on(SimDevice& device, SimStream& stream, CUfunction handle, Launch launch,
                   void** params, void** extra) {
  Simulation& simulation = device.simulation();
  const auto function = simulation.functions.find(handle);
  if (function == nullptr || &function->device() != &device) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult shape =
      function->check_shape(launch.grid, launch.block, launch.dynamic_shared_bytes);
  if (shape != CUDA_SUCCESS) return shape;
  std::shared_ptr<ArgumentCopy> arguments = copy_arguments(*function, params, extra);
  if (arguments == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool captured = simulation.captures.status(stream) != CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult planned = captured ? CUDA_SUCCESS : simulation.faults().on_launch();
  launch.kernel = function->host_build();
  // The clock knows what gpukit's own kernels move; of others it charges the launch.
  const bool is_own = launch.kernel != nullptr;
  const char* name = is_own ? launch.kernel->name : "kernel";
  Work work;
  work.is_kernel = true;
  if (simulation.config().counts && function->ptx() != nullptr)
    work.counted = std::make_shared<CountedLaunch>();
  work.cost = device.work_cost(name, is_own ? kernel_traffic(name, arguments->first()) : Traffic{});
  work.run = [=] {
    return planned != CUDA_SUCCESS ? planned : run_kernel(*function, launch, *arguments);
  };
  device.submit(stream, std::move(work));
  return CUDA_SUCCESS;
}

CUresult function_of(Simulation& simulation, SimModule& module, const std::string& name,
                     CUfunction* result) {
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

// Where the caller of a load wants to read what was wrong, among its options.
class JitLog {
 public:
  JitLog(unsigned count, const CUjit_option* options, void** values) {
    for (unsigned i = 0; i < count; i++) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) errors_.text = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_INFO_LOG_BUFFER) notes_.text = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) errors_.size = &values[i];
      if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) notes_.size = &values[i];
    }
    write(errors_, "");
    write(notes_, "");
  }

  void fail(const std::string& what) { write(errors_, what); }

 private:
  struct Buffer {
    char* text = nullptr;
    void** size = nullptr;  ///< its bytes, and then those that were written
    std::size_t room = 0;
  };

  static void write(Buffer& buffer, const std::string& text) {
    if (buffer.size == nullptr) return;
    if (buffer.room == 0)
      buffer.room = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*buffer.size));
    if (buffer.text == nullptr || buffer.room == 0) return;
    const std::size_t length = std::min(text.size(), buffer.room - 1);
    std::memcpy(buffer.text, text.data(), length);
    buffer.text[length] = '\0';
    *buffer.size = reinterpret_cast<void*>(length);
  }

  Buffer errors_, notes_;
};

CUresult load_image(SimDevice& device, CUmodule* result, const void* image, JitLog* log) {
  if (result == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Simulation& simulation = device.simulation();
  try {
    *result = simulation.modules.add(load_module(device, simulation.driver_version(), image));
    return CUDA_SUCCESS;
  } catch (const ImageError& error) {
    // Asking for an image that suits is how a driver is used; only what cannot be right is
    // printed.
    if (error.status() == CUDA_ERROR_INVALID_IMAGE)
      report_diagnostic(error.what());
    else
      set_last_message(error.what());
    if (log != nullptr) log->fail(error.what());
    return error.status();
  }
}

/// body(function), for calls on a kernel.
template <class Body>
CUresult function_call(CallSite& site, CUfunction handle, Body body) noexcept {
  return context_call(site, [&](SimDevice& current) {
    const auto function = current.simulation().functions.find(handle);
    return function == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*function);
  });
}

}  // namespace

GPUKIT_SIM_EXPORT CUresult cuModuleLoadData(CUmodule* result, const void* image) {
  static CallSite site(__func__);
  return context_call(
      site, [&](SimDevice& device) { return load_image(device, result, image, nullptr); });
}

// Of the options the logs count: what a text is made into has no registers to limit, and no level.
GPUKIT_SIM_EXPORT CUresult cuModuleLoadDataEx(CUmodule* result, const void* image, unsigned count,
                                              CUjit_option* options, void** values) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    JitLog log(count, options, values);
    return load_image(device, result, image, &log);
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleUnload(CUmodule handle) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    Simulation& simulation = current.simulation();
    const auto module = simulation.modules.remove(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    for (const auto& [name, function] : module->functions) simulation.functions.remove(function);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetFunction(CUfunction* result, CUmodule handle,
                                               const char* name) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    if (result == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Simulation& simulation = current.simulation();
    const auto module = simulation.modules.find(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const std::lock_guard lock(simulation.lazy_objects_mutex);
    return function_of(simulation, *module, name, result);
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes,
                                                CUmodule handle, const char* name) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& current) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto module = current.simulation().modules.find(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    // Kernels of the dialect, which the host build runs, have no global variables.
    if (module->program() == nullptr) return CUDA_ERROR_NOT_FOUND;
    const gpukit::ptx::PlacedVariable* variable = module->program()->variable(name);
    if (variable == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (address != nullptr) *address = variable->address;
    if (bytes != nullptr) *bytes = variable->bytes;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation&) {
    if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncLoad(CUfunction handle) {
  static CallSite site(__func__);
  return function_call(site, handle, [](SimFunction&) { return CUDA_SUCCESS; });
}

GPUKIT_SIM_EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                              CUfunction handle) {
  static CallSite site(__func__);
  return function_call(site, handle, [&](SimFunction& function) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : function.attribute(attribute, *value);
  });
}

GPUKIT_SIM_EXPORT CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                                              int value) {
  static CallSite site(__func__);
  return function_call(site, handle, [&](SimFunction& function) {
    return function.set_attribute(attribute, value);
  });
}

GPUKIT_SIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, CUfunction handle, int threads, std::size_t dynamic_shared_bytes) {
  static CallSite site(__func__);
  return function_call(site, handle, [&](SimFunction& function) {
    if (blocks == nullptr || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    *blocks = function.active_blocks(threads, dynamic_shared_bytes);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned dynamic_shared_bytes,
                                          CUstream handle, void** params, void** extra) {
  static CallSite site(__func__);
  return stream_call(site, handle,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       Launch launch;
                       launch.grid = {grid_x, grid_y, grid_z};
                       launch.block = {block_x, block_y, block_z};
                       launch.dynamic_shared_bytes = dynamic_shared_bytes;
                       return launch_on(device, *stream, function, launch, params, extra);
                     });
}

GPUKIT_SIM_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                            void** params, void** extra) {
  static CallSite site(__func__);
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return stream_call(site, config->hStream,
                     [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                       for (unsigned i = 0; i < config->numAttrs; i++) {
                         const CUlaunchAttributeID id = config->attrs[i].id;
                         if (id != CU_LAUNCH_ATTRIBUTE_IGNORE && id != CU_LAUNCH_ATTRIBUTE_PRIORITY)
                           return CUDA_ERROR_NOT_SUPPORTED;
                       }
                       Launch launch;
                       launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
                       launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
                       launch.dynamic_shared_bytes = config->sharedMemBytes;
                       return launch_on(device, *stream, function, launch, params, extra);
                     });
}
