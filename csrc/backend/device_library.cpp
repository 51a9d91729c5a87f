#include "backend/device_library.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/dynamic_library.h"
#include "base/error.h"
#include "base/process_state.h"

namespace gpukit {

namespace {

using DescribeLibrary = const DeviceLibrary* (*)(const DeviceHost*);

struct LoadedLibrary {
  const DeviceLibrary* library;
  std::string path;
};

bool interrupt_is_pending() {
  try {
    throw_if_interrupted();
    return false;
  } catch (const PythonErrorSet&) {
    return true;
  }
}

[[noreturn]] void throw_unusable_library(const std::string& path, const std::string& reason) {
  throw DriverError(concat("load_device_library: ", path, " ", reason)).with_detail("path", path);
}

const DeviceLibrary& describe_library(const DynamicLibrary& opened, const std::string& path) {
  void* symbol = opened.symbol("gpukit_device_library");
  if (symbol == nullptr) {
    throw_unusable_library(
        path,
        "is not a device library: it does not export gpukit_device_library. End one "
        "of its sources with GPUKIT_DEVICE_LIBRARY(name, make)");
  }
  // Never destroyed: the library may call it at any time in the process's life.
  static const DeviceHost& host =
      *new DeviceHost{.types = &device_types(), .interrupt_is_pending = interrupt_is_pending};
  const DeviceLibrary* library = reinterpret_cast<DescribeLibrary>(symbol)(&host);
  if (library == nullptr || library->interface != kDeviceInterface) {
    throw_unusable_library(path,
                           "was compiled with the headers of another gpukit. Compile it again with "
                           "the csrc of this one");
  }
  return *library;
}

/// A child made by fork has none of the library's threads.
MakeBackend guarded_maker(const DeviceLibrary& library, DeviceType type) {
  return [&library, type](const SessionChoice& choice) {
    process_state::arm_fork_guard();
    return library.make(type, choice);
  };
}

void register_library(const DeviceLibrary& library, const std::vector<LoadedLibrary>& loaded) {
  for (const LoadedLibrary& other : loaded) {
    GPUKIT_CHECK(std::string_view(other.library->name) != library.name, ValueError,
                 "load_device_library: '", library.name, "' is the device of ", other.path,
                 " already. Give the other library another name");
  }
  const auto known = find_device_type(library.name);
  GPUKIT_CHECK(!known || is_added(*known), ValueError, "load_device_library: '", library.name,
               "' is one of gpukit's own devices. Give the library another name");
  const DeviceType type = add_device_type(library.name);
  register_backend(type, guarded_maker(library, type));
}

}  // namespace

std::string load_device_library(const std::string& absolute_path) {
  static std::mutex mutex;
  static auto& loaded = *new std::vector<LoadedLibrary>;
  const std::lock_guard lock(mutex);
  std::string message;
  DynamicLibrary opened = DynamicLibrary::open(absolute_path, message);
  if (!opened) throw_unusable_library(absolute_path, "cannot be loaded: " + message);
  const DeviceLibrary& library = describe_library(opened, absolute_path);
  for (const LoadedLibrary& known : loaded) {
    if (known.library == &library) return library.name;
  }
  register_library(library, loaded);
  loaded.push_back({&library, opened.path()});
  opened.keep_forever();
  return library.name;
}

}  // namespace gpukit
