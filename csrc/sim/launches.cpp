#include "sim/launches.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/numeric.h"
#include "sim/checked_memory.h"
#include "sim/device_runtime.h"
#include "sim/fresh_memory.h"
#include "sim/kernel_registry.h"
#include "sim/sim_log.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace launches {
namespace {

// The arguments of a launch, copied at the call as a driver does: each at an address that is
// aligned for every type.
class ArgumentCopy {
 public:
  ArgumentCopy(const SimFunction& function, void** params) {
    reserve(function);
    for (std::size_t i = 0; i < offsets_.size(); i++) {
      complete_ = complete_ && params[i] != nullptr;
      if (complete_) std::memcpy(at(i), params[i], sizes_[i]);
    }
  }

  /// From one buffer in which every parameter is at its own alignment.
  ArgumentCopy(const SimFunction& function, const unsigned char* packed, std::size_t bytes) {
    reserve(function);
    complete_ = can_read(packed, bytes);
    std::size_t from = 0;
    for (std::size_t i = 0; i < offsets_.size(); i++) {
      const std::size_t size = sizes_[i];
      from = gpukit::align_up(from, function.alignment_of(i));
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
    for (const PointerLocation& pointer : function.host_build()->pointers()) {
      CUdeviceptr address = 0;
      std::memcpy(&address, static_cast<unsigned char*>(at(pointer.parameter)) + pointer.offset,
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

FaultClass class_of(KernelFault fault) {
  return fault == KernelFault::kIllegalAddress ? FaultClass::kMemory : FaultClass::kCheck;
}

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

std::unique_ptr<ArgumentCopy> copy(const SimFunction& function, void** params, void** extra) {
  if (params != nullptr && extra != nullptr) return nullptr;
  if (params != nullptr || function.info().param_bytes.empty()) {
    auto copy = std::make_unique<ArgumentCopy>(function, params);
    return copy->is_complete() ? std::move(copy) : nullptr;
  }
  if (extra == nullptr) return nullptr;
  const unsigned char* buffer = nullptr;
  std::size_t bytes = 0;
  constexpr int kMostPairs = 16;  // there are two kinds
  int pairs = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (++pairs > kMostPairs || extra[1] == nullptr) return nullptr;
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
      run_ptx(function.device(),
              {function.program(), function.ptx(), launch.grid, launch.block,
               launch.dynamic_shared_bytes, arguments.packed(*function.ptx()), launch.cooperative});
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

CUresult run(const SimFunction& function, Launch launch, ArgumentCopy& arguments) {
  if (function.ptx() != nullptr) return run_program(function, launch, arguments);
  const SimConfig& config = function.device().simulation().config();
  if (const CUdeviceptr address = arguments.out_of_reach(function); address != 0) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%s on device %d: 0x%llx is on another device, to which peer access is not "
                  "enabled",
                  function.host_build()->name, function.device().index(), address);
    report(FaultClass::kMemory, text);
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  const std::vector<void*> pointers = arguments.pointers();
  launch.params = pointers.data();
  const LaunchResult result = run_launch(launch, config.order);
  fresh_memory().forget();
  if (result.fault != KernelFault::kNone) report(class_of(result.fault), result.message);
  return status_of(result.fault);
}

/// All blocks of a cooperative launch are resident at the same time.
CUresult check(const SimFunction& function, const Launch& launch) {
  if (function.ptx() == nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const auto resident = static_cast<std::uint64_t>(function.active_blocks(
                            static_cast<int>(launch.block.count()), launch.dynamic_shared_bytes)) *
                        static_cast<std::uint64_t>(function.device().card().multiprocessors);
  return launch.grid.count() > resident ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

}  // namespace
}  // namespace launches

CUresult launch_on(SimDevice& device, SimStream& stream, CUfunction handle, Launch launch,
                   void** params, void** extra, bool cooperative) {
  Simulation& simulation = device.simulation();
  CUresult status = CUDA_SUCCESS;
  const auto function = function_on(device, handle, status);
  if (function == nullptr) return status;
  if (&function->device() != &device) return CUDA_ERROR_INVALID_HANDLE;
  status = function->check_shape(launch.grid, launch.block, launch.dynamic_shared_bytes);
  if (status == CUDA_SUCCESS && cooperative) status = launches::check(*function, launch);
  if (status != CUDA_SUCCESS) return status;
  std::shared_ptr<launches::ArgumentCopy> arguments = launches::copy(*function, params, extra);
  if (arguments == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool captured = simulation.captures.status(stream) != CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult planned = captured ? CUDA_SUCCESS : simulation.faults().on_launch();
  launch.kernel = function->host_build();
  launch.cooperative = cooperative;
  // The clock knows what gpukit's own kernels move; of others it charges the launch.
  const bool is_own = launch.kernel != nullptr;
  const char* name = is_own ? launch.kernel->name : "kernel";
  Work work;
  work.is_kernel = true;
  if (simulation.config().counts && function->ptx() != nullptr)
    work.counted = std::make_shared<CountedLaunch>();
  work.cost = device.work_cost(name, is_own ? kernel_traffic(name, arguments->first()) : Traffic{});
  work.run = [=] {
    return planned != CUDA_SUCCESS ? planned : launches::run(*function, launch, *arguments);
  };
  device.submit(stream, std::move(work));
  return CUDA_SUCCESS;
}

}  // namespace gpukit::sim
