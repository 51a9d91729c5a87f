// The names of the kinds of devices. gpukit brings cpu, cuda and meta; a device library adds its
// own.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string_view>

#include "core/device.h"

namespace gpukit {

inline constexpr int kMostDeviceTypes = 8;
inline constexpr std::size_t kLongestTypeName = 15;

/// Grows only; entries below `count` never change. Read without a lock.
struct DeviceTypeTable {
  struct Name {
    std::array<char, kLongestTypeName + 1> text{};
  };
  std::atomic<int> count{0};
  std::array<Name, kMostDeviceTypes> names;
};

/// The process's table. A device library has a copy of this code and is handed the table of the
/// gpukit that loads it.
DeviceTypeTable& device_types() noexcept;
void share_device_types(DeviceTypeTable& table) noexcept;

std::string_view name(DeviceType type) noexcept;
std::optional<DeviceType> find_device_type(std::string_view name) noexcept;

/// The number of a new kind, or of one that has the name already. The name is lower-case letters,
/// digits and '_', begins with a letter and has at most 15 characters: ValueError otherwise, for
/// another name of cuda, and when there are kMostDeviceTypes kinds.
DeviceType add_device_type(std::string_view name);

}  // namespace gpukit
