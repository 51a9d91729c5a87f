// The simulated NVML: the entry points that gpukit's monitor calls, for the cards of the simulated
// driver or those of a script.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "sim/nvml_call.h"

using namespace gpukit::sim;
using namespace gpukit::sim::nvml;

namespace nvml_exports {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kReservedBytes = 256 * kMiB;
// The branches that first had what older drivers lack.
constexpr int kEventReasonsBranch = 535;
constexpr int kVersionThreeBranch = 510;
constexpr int kMigBranch = 450;

bool is_consumer(const Gpu& gpu) { return std::strstr(gpu.card->full_name, "GeForce") != nullptr; }

bool has_fan(const Gpu& gpu) {
  return is_consumer(gpu) && std::strstr(gpu.card->full_name, "Laptop") == nullptr;
}

bool can_mig(const Gpu& gpu) { return gpu.card->major >= 8 && gpu.card->minor == 0; }

std::string uuid(const Target& target) {
  if (!target.is_mig()) return target.gpu.uuid;
  std::string text = "MIG" + target.gpu.uuid.substr(3);
  text.back() = static_cast<char>('a' + target.part);
  return text;
}

Memory memory_of(const Target& target) {
  const auto parts = static_cast<std::uint64_t>(target.is_mig() ? kMigParts : 1);
  Memory memory = {target.gpu.memory_total / parts, 0, target.gpu.memory_used / parts};
  if (const auto used = state().reading("nvmlDeviceGetMemoryInfo", target.gpu.index))
    memory.used = *used;
  memory.free = memory.total - std::min(memory.total, memory.used);
  return memory;
}

int list(const char* name, nvmlDevice_t handle, unsigned* count, ProcessInfo* list, bool compute) {
  return device_call(name, handle, [&](const Target& target) -> int {
    if (count == nullptr) return kInvalidArgument;
    const auto scripted = state().reading(plain_name(name), target.gpu.index);
    const std::uint64_t used = memory_of(target).used;
    const auto there = static_cast<unsigned>(scripted.value_or(compute && used > 0 ? 1 : 0));
    const unsigned room = *count;
    *count = there;
    if (there == 0) return kSuccess;
    if (list == nullptr || room < there) return kInsufficientSize;
    for (unsigned i = 0; i < there; i++) {
      const auto pid = i == 0 ? static_cast<unsigned>(getpid()) : i;
      list[i] = {pid, used / there, 0xFFFFFFFF, 0xFFFFFFFF};
    }
    return kSuccess;
  });
}

}  // namespace
}  // namespace nvml_exports

// ---- the simulator's own exports

/// Replaces the script (nvml_script.h); an empty text follows the simulated driver again. Null when
/// it is fine, else the error, valid until the thread's next call.
GPUKIT_SIM_EXPORT const char* gpukitSimNvmlConfigure(const char* text) {
  thread_local std::string error;
  if (text == nullptr || *text == '\0') {
    state().follow_driver();
    return nullptr;
  }
  error = state().configure(text);
  return error.empty() ? nullptr : error.c_str();
}

// ---- the library

GPUKIT_SIM_EXPORT int nvmlInitWithFlags(unsigned) {
  return guarded([&] {
    const int status = state().status_before("nvmlInitWithFlags", -1);
    if (status == kSuccess) state().set_initialised(true);
    return status;
  });
}

GPUKIT_SIM_EXPORT int nvmlInit_v2() { return nvmlInitWithFlags(0); }

GPUKIT_SIM_EXPORT int nvmlShutdown() {
  return library_call(__func__, [] {
    state().set_initialised(false);
    return int{kSuccess};
  });
}

GPUKIT_SIM_EXPORT const char* nvmlErrorString(int status) {
  switch (status) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    case kFunctionNotFound:
      return "Function Not Found";
    case kGpuIsLost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

GPUKIT_SIM_EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned room) {
  return library_call(
      __func__, [&] { return copy_text(std::to_string(state().branch()) + ".00.00", text, room); });
}

GPUKIT_SIM_EXPORT int nvmlSystemGetNVMLVersion(char* text, unsigned room) {
  return library_call(__func__, [&] {
    return copy_text("12." + std::to_string(state().branch()) + ".00.00", text, room);
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  return library_call(__func__, [&]() -> int {
    if (count == nullptr) return kInvalidArgument;
    *count = static_cast<unsigned>(state().gpus().size());
    return kSuccess;
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* handle) {
  return device_call(__func__, make_handle(static_cast<int>(index), -1), [&](const Target&) {
    if (handle == nullptr) return int{kInvalidArgument};
    *handle = make_handle(static_cast<int>(index), -1);
    return int{kSuccess};
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* handle) {
  return library_call(__func__, [&]() -> int {
    if (uuid == nullptr || handle == nullptr) return kInvalidArgument;
    for (const Gpu& gpu : state().gpus()) {
      if (gpu.uuid != uuid) continue;
      *handle = make_handle(gpu.index, -1);
      return gpu.lost ? kGpuIsLost : kSuccess;
    }
    return kNotFound;
  });
}

// ---- what a card is

GPUKIT_SIM_EXPORT int nvmlDeviceGetIndex(nvmlDevice_t handle, unsigned* index) {
  return reading(__func__, handle, index, [](const Gpu& gpu) { return gpu.index; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetName(nvmlDevice_t handle, char* text, unsigned room) {
  return device_call(__func__, handle, [&](const Target& target) {
    const std::string part = target.is_mig() ? " MIG 3g.20gb" : "";
    return copy_text(target.gpu.card->full_name + part + " (simulated)", text, room);
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetUUID(nvmlDevice_t handle, char* text, unsigned room) {
  return device_call(__func__, handle, [&](const Target& target) {
    return copy_text(nvml_exports::uuid(target), text, room);
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetPciInfo_v3(nvmlDevice_t handle, PciInfo* info) {
  return device_call(__func__, handle, [&](const Target& target) -> int {
    return info == nullptr ? int{kInvalidArgument} : write_pci_info(target.gpu, *info);
  });
}

// ---- readings

GPUKIT_SIM_EXPORT int nvmlDeviceGetTemperature(nvmlDevice_t handle, int, unsigned* celsius) {
  return reading(__func__, handle, celsius,
                 [](const Gpu& gpu) { return (gpu.busy ? 60 : 38) + gpu.index; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetUtilizationRates(nvmlDevice_t handle, Utilization* rates) {
  unsigned gpu_percent = 0;
  const int status = reading(__func__, handle, &gpu_percent,
                             [](const Gpu& gpu) { return gpu.mig ? -1 : (gpu.busy ? 100 : 0); });
  if (status != kSuccess) return status;
  if (rates == nullptr) return kInvalidArgument;
  *rates = {gpu_percent, gpu_percent / 2};
  return kSuccess;
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetPowerUsage(nvmlDevice_t handle, unsigned* milliwatts) {
  return reading(__func__, handle, milliwatts, [](const Gpu& gpu) {
    return (gpu.busy ? 1500 : 250) * gpu.card->multiprocessors;
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t handle, unsigned* milliwatts) {
  return reading(__func__, handle, milliwatts,
                 [](const Gpu& gpu) { return 1750 * gpu.card->multiprocessors; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetFanSpeed(nvmlDevice_t handle, unsigned* percent) {
  return reading(__func__, handle, percent,
                 [](const Gpu& gpu) { return nvml_exports::has_fan(gpu) ? 30 : -1; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetPerformanceState(nvmlDevice_t handle, unsigned* state_number) {
  return reading(__func__, handle, state_number, [](const Gpu& gpu) { return gpu.busy ? 0 : 8; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetClockInfo(nvmlDevice_t handle, unsigned type, unsigned* mhz) {
  return reading(__func__, handle, mhz, [type](const Gpu& gpu) {
    if (type == kMemoryClock) return gpu.busy ? gpu.card->memory_mhz : 405;
    return gpu.busy ? gpu.card->core_mhz : 300;
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle, unsigned type, unsigned* mhz) {
  return reading(__func__, handle, mhz, [type](const Gpu& gpu) {
    return type == kMemoryClock ? gpu.card->memory_mhz : gpu.card->core_mhz;
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t handle,
                                                                std::uint64_t* reasons) {
  return reading(__func__, handle, reasons, [](const Gpu& gpu) { return gpu.busy ? 0 : 1; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t handle,
                                                             std::uint64_t* reasons) {
  return since(nvml_exports::kEventReasonsBranch,
               reading(__func__, handle, reasons, [](const Gpu& gpu) { return gpu.busy ? 0 : 1; }));
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetPersistenceMode(nvmlDevice_t handle, int* mode) {
  return reading(__func__, handle, mode, [](const Gpu&) { return 0; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetComputeMode(nvmlDevice_t handle, int* mode) {
  return reading(__func__, handle, mode, [](const Gpu&) { return 0; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetTotalEccErrors(nvmlDevice_t handle, int, int,
                                                  std::uint64_t* count) {
  return reading(__func__, handle, count,
                 [](const Gpu& gpu) { return nvml_exports::is_consumer(gpu) ? -1 : 0; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t handle, unsigned* number) {
  return reading(__func__, handle, number,
                 [](const Gpu& gpu) { return gpu.card->link_gbps > 20 ? 4 : 3; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t handle, unsigned* width) {
  return reading(__func__, handle, width, [](const Gpu&) { return 16; });
}

// ---- memory and processes

GPUKIT_SIM_EXPORT int nvmlDeviceGetMemoryInfo(nvmlDevice_t handle, Memory* memory) {
  return device_call(__func__, handle, [&](const Target& target) -> int {
    if (memory == nullptr) return kInvalidArgument;
    *memory = nvml_exports::memory_of(target);
    // This form counts what the driver keeps for itself as used.
    memory->used = std::min(memory->total, memory->used + nvml_exports::kReservedBytes);
    memory->free = memory->total - memory->used;
    return kSuccess;
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t handle, MemoryV2* memory) {
  return since(nvml_exports::kVersionThreeBranch,
               device_call(__func__, handle, [&](const Target& target) {
                 if (memory == nullptr || memory->version != kMemoryV2)
                   return int{kInvalidArgument};
                 const Memory plain = nvml_exports::memory_of(target);
                 const std::uint64_t reserved = std::min(plain.free, nvml_exports::kReservedBytes);
                 *memory = {kMemoryV2, plain.total, reserved, plain.free - reserved, plain.used};
                 return int{kSuccess};
               }));
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t handle, unsigned* count,
                                                              ProcessInfo* list) {
  return nvml_exports::list(__func__, handle, count, list, true);
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t handle, unsigned* count,
                                                              ProcessInfo* list) {
  return since(nvml_exports::kVersionThreeBranch,
               nvml_exports::list(__func__, handle, count, list, true));
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t handle, unsigned* count,
                                                               ProcessInfo* list) {
  return nvml_exports::list(__func__, handle, count, list, false);
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t handle, unsigned* count,
                                                               ProcessInfo* list) {
  return since(nvml_exports::kVersionThreeBranch,
               nvml_exports::list(__func__, handle, count, list, false));
}

// ---- MIG

GPUKIT_SIM_EXPORT int nvmlDeviceGetMigMode(nvmlDevice_t handle, unsigned* current,
                                           unsigned* pending) {
  const int status = reading(__func__, handle, current, [](const Gpu& gpu) {
    return gpu.mig ? 1 : (nvml_exports::can_mig(gpu) ? 0 : -1);
  });
  if (status == kSuccess && pending != nullptr) *pending = *current;
  return since(nvml_exports::kMigBranch, status);
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t handle, unsigned* count) {
  return reading(__func__, handle, count, [](const Gpu& gpu) { return gpu.mig ? kMigParts : 0; });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t handle, unsigned part,
                                                          nvmlDevice_t* result) {
  return device_call(__func__, handle, [&](const Target& target) -> int {
    if (result == nullptr || target.is_mig()) return kInvalidArgument;
    if (!target.gpu.mig || part >= unsigned{kMigParts}) return kNotFound;
    *result = make_handle(target.gpu.index, static_cast<int>(part));
    return kSuccess;
  });
}
