// Where a tensor lives: a kind of device and an index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpukit {

/// The kinds that gpukit brings with it. Device libraries add further numbers
/// (core/device_types.h).
enum class DeviceType : std::uint8_t { kCpu, kCuda, kMeta };

/// A kind that a device library has added.
constexpr bool is_added(DeviceType type) { return type > DeviceType::kMeta; }

/// Small value type. Index -1 means "the current one". A tensor never has it.
struct Device {
  DeviceType type = DeviceType::kCpu;
  std::int16_t index = -1;

  static constexpr Device cpu() { return {DeviceType::kCpu, -1}; }
  /// Where tensors have shapes and no elements.
  static constexpr Device meta() { return of(DeviceType::kMeta, 0); }
  static constexpr Device cuda(int index) { return of(DeviceType::kCuda, index); }
  static constexpr Device of(DeviceType type, int index) {
    return {type, static_cast<std::int16_t>(index)};
  }

  constexpr bool is_cpu() const { return type == DeviceType::kCpu; }
  /// A device other than the CPU, of any kind.
  constexpr bool is_accelerator() const { return type != DeviceType::kCpu; }
  constexpr bool is_cuda() const { return type == DeviceType::kCuda; }
  constexpr bool is_meta() const { return type == DeviceType::kMeta; }
  /// There is one of its kind, so that no index is shown.
  constexpr bool is_single() const { return is_cpu() || is_meta(); }
  constexpr bool has_index() const { return index >= 0; }
  friend constexpr bool operator==(Device, Device) = default;
};

/// "cpu", "cuda", "cuda:1".
std::string to_string(Device device);

/// Reads "cpu", "cuda", "cuda:1", "meta", a kind that a device library added, and "gpu", "gpu:1" as
/// cuda. Throws InvalidDeviceError with the near name.
Device parse_device(std::string_view text);

/// Device("cuda", 1) in two parts; a negative index or one too large throws InvalidDeviceError.
Device make_device(std::string_view type, std::int64_t index);

}  // namespace gpukit
