// A backend in a separate shared library: what the library exports, and what gpukit passes to it.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/registry.h"
#include "base/interrupt.h"
#include "core/device_types.h"

namespace gpukit {

/// Both sides compile the interfaces; equal numbers say that they compiled the same ones. The
/// first factor changes manually with what sizes do not show.
inline constexpr std::uint64_t kDeviceInterface = [] {
  std::uint64_t hash = 1;
  for (const std::size_t size :
       {sizeof(DeviceProperties), sizeof(DeviceCapabilities), sizeof(BackendReport),
        sizeof(UnaryArgs), sizeof(BinaryArgs), sizeof(ReduceArgs), sizeof(MatmulArgs),
        sizeof(RandomArgs), sizeof(ScatterArgs), sizeof(SortArgs), sizeof(OptimizerArgs),
        sizeof(CrossEntropyArgs), static_cast<std::size_t>(UnaryOp::kCount),
        static_cast<std::size_t>(BinaryOp::kCount), static_cast<std::size_t>(ReduceOp::kCount),
        static_cast<std::size_t>(DType::kCount)})
    hash = hash * 1099511628211U + size;
  return hash;
}();

/// What the library's own copies of core/ and base/ need of the process.
struct DeviceHost {
  std::uint64_t interface = kDeviceInterface;
  DeviceTypeTable* types = nullptr;
  InterruptCheck interrupt_is_pending = nullptr;
};

/// What a library is. `make` is called once a session.
struct DeviceLibrary {
  std::uint64_t interface;
  const char* name;  ///< of the kind of device: "demo"
  std::unique_ptr<Backend> (*make)(DeviceType type, const SessionChoice& choice);
};

/// Loads a device library and registers its kind of device; returns its name. A library that is
/// loaded already is not loaded again. DriverError for a file that cannot be loaded, is not a
/// device library or was compiled with another interface; ValueError for a name that cannot be
/// used.
std::string load_device_library(const std::string& absolute_path);

}  // namespace gpukit

/// At the end of a device library's source: its name, and the function that makes its backend.
#define GPUKIT_DEVICE_LIBRARY(name, make)                                                 \
  extern "C" __attribute__((visibility("default"))) const ::gpukit::DeviceLibrary*        \
  gpukit_device_library(const ::gpukit::DeviceHost* host) {                               \
    static const ::gpukit::DeviceLibrary library{::gpukit::kDeviceInterface, name, make}; \
    if (host->interface == ::gpukit::kDeviceInterface) {                                  \
      ::gpukit::share_device_types(*host->types);                                         \
      ::gpukit::set_interrupt_check(host->interrupt_is_pending);                          \
    }                                                                                     \
    return &library;                                                                      \
  }
