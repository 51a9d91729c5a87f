#include "core/device_types.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace {

void append_type(DeviceTypeTable& table, std::string_view name) noexcept {
  const int count = table.count.load(std::memory_order_relaxed);
  std::memcpy(table.names[static_cast<std::size_t>(count)].text.data(), name.data(), name.size());
  table.count.store(count + 1, std::memory_order_release);
}

DeviceTypeTable& own_types() noexcept {
  static DeviceTypeTable& table = []() -> DeviceTypeTable& {
    auto& made = *new DeviceTypeTable;  // devices are named until the process ends
    append_type(made, "cpu");
    append_type(made, "cuda");
    append_type(made, "meta");
    return made;
  }();
  return table;
}

constinit std::atomic<DeviceTypeTable*> shared_types{nullptr};

bool is_type_name(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kLongestTypeName && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

DeviceTypeTable& device_types() noexcept {
  DeviceTypeTable* shared = shared_types.load(std::memory_order_acquire);
  return shared != nullptr ? *shared : own_types();
}

void share_device_types(DeviceTypeTable& table) noexcept {
  shared_types.store(&table, std::memory_order_release);
}

std::string_view name(DeviceType type) noexcept {
  return device_types().names[static_cast<std::size_t>(type)].text.data();
}

std::optional<DeviceType> find_device_type(std::string_view name) noexcept {
  const DeviceTypeTable& table = device_types();
  const int count = table.count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (name == table.names[static_cast<std::size_t>(i)].text.data())
      return static_cast<DeviceType>(i);
  }
  return std::nullopt;
}

DeviceType add_device_type(std::string_view name) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const auto known = find_device_type(name)) return *known;
  GPUKIT_CHECK(is_type_name(name) && name != "gpu" && name != "nvidia", ValueError, "'", name,
               "' cannot be the name of a kind of device: it takes up to ", kLongestTypeName,
               " lower-case letters, digits and '_', begins with a letter and is not 'gpu'");
  DeviceTypeTable& table = device_types();
  const int count = table.count.load(std::memory_order_relaxed);
  GPUKIT_CHECK(count < kMostDeviceTypes, ValueError, "'", name,
               "' would be one kind of device more"
               " than the ",
               kMostDeviceTypes, " that a process may have");
  append_type(table, name);
  return static_cast<DeviceType>(count);
}

}  // namespace gpukit
