// What every entry point of the simulated NVML does: find the card of a handle, ask the script for
// a failure or a reading, and keep exceptions inside.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>

#include "sim/cuda_abi.h"
#include "sim/nvml_state.h"

extern "C" {
typedef struct nvmlDevice_st* nvmlDevice_t;
}

namespace gpukit::sim::nvml {

constexpr std::uintptr_t kFirstHandle = 0x6E760000;
constexpr int kHandlesPerGpu = 1 + kMigParts;

/// A card, or one MIG instance of it.
struct Target {
  Gpu gpu;
  int part = -1;
  bool is_mig() const { return part >= 0; }
};

inline nvmlDevice_t make_handle(int index, int part) {
  const int slot = index * kHandlesPerGpu + part + 1;
  return reinterpret_cast<nvmlDevice_t>(kFirstHandle + static_cast<std::uintptr_t>(slot) * 16);
}

inline bool find(nvmlDevice_t handle, Target& target) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < kFirstHandle || value % 16 != 0) return false;
  const auto slot = static_cast<int>((value - kFirstHandle) / 16);
  const auto gpus = state().gpus();
  const auto index = static_cast<std::size_t>(slot / kHandlesPerGpu);
  if (index >= gpus.size()) return false;
  target = {gpus[index], slot % kHandlesPerGpu - 1};
  return !target.is_mig() || target.gpu.mig;
}

/// The function's name as scripts write it.
inline std::string plain_name(const char* name) {
  std::string text = name;
  const auto suffix = text.rfind("_v");
  return suffix == std::string::npos ? text : text.substr(0, suffix);
}

template <class Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return kUnknown;
  }
}

template <class Body>
int library_call(const char* name, Body body) noexcept {
  return guarded([&] {
    const int status = state().status_before(plain_name(name), -1);
    if (status != kSuccess) return status;
    return state().is_initialised() ? body() : int{kUninitialized};
  });
}

/// body(target), for calls on a handle.
template <class Body>
int device_call(const char* name, nvmlDevice_t handle, Body body) noexcept {
  return guarded([&]() -> int {
    if (!state().is_initialised()) return kUninitialized;
    Target target;
    if (!find(handle, target)) return kInvalidArgument;
    const int status = state().status_before(plain_name(name), target.gpu.index);
    if (status != kSuccess) return status;
    if (target.gpu.lost) return kGpuIsLost;
    return body(target);
  });
}

/// A reading of the card that its MIG instances do not have: what `natural(gpu)` gives, or the
/// script. A natural reading below 0 is one that the card does not have.
template <class Number, class Natural>
int reading(const char* name, nvmlDevice_t handle, Number* result, Natural natural) {
  return device_call(name, handle, [&](const Target& target) -> int {
    if (result == nullptr) return kInvalidArgument;
    if (const auto scripted = state().reading(plain_name(name), target.gpu.index)) {
      *result = static_cast<Number>(*scripted);
      return kSuccess;
    }
    const long long value = target.is_mig() ? -1 : static_cast<long long>(natural(target.gpu));
    if (value < 0) return kNotSupported;
    *result = static_cast<Number>(value);
    return kSuccess;
  });
}

inline int copy_text(const std::string& text, char* to, unsigned room) {
  if (to == nullptr) return kInvalidArgument;
  if (text.size() >= room) return kInsufficientSize;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

inline int write_pci_info(const Gpu& gpu, PciInfo& info) {
  info = {};
  info.bus = static_cast<std::uint32_t>(pci_bus(gpu.index));
  std::snprintf(info.bus_id_legacy, sizeof info.bus_id_legacy, "%s", gpu.bus_id.c_str() + 4);
  return copy_text(gpu.bus_id, info.bus_id, sizeof info.bus_id);
}

/// A function that the driver's branch is too old for answers as the loader's failed look-up would.
inline int since(int branch, int status) {
  return state().branch() < branch ? int{kFunctionNotFound} : status;
}

}  // namespace gpukit::sim::nvml
