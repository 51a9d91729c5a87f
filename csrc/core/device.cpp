#include "core/device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "core/device_types.h"
#include "core/nearest_name.h"

namespace gpukit {

namespace device {
namespace {

constexpr std::int64_t kLargestIndex = std::numeric_limits<std::int16_t>::max();

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view without_leading_zeros(std::string_view digits) noexcept {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? digits.substr(digits.size() - 1) : digits.substr(first);
}

std::string without_spaces(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\t' && c != '\n'; });
  return out;
}

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  const int count = device_types().count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) names.push_back(name(static_cast<DeviceType>(i)));
  return names;
}

/// "cuda" for its other names, else the type spelt almost so, else "".
std::string_view meant_type(std::string_view text) {
  if (text == "nvidia" || text == "NVIDIA") return "cuda";
  std::vector<std::string_view> names = type_names();
  names.push_back("gpu");
  const std::string_view near = nearest_name(text, names);
  return near == "gpu" ? std::string_view("cuda") : near;
}

/// A device text that the user may have meant, or "".
std::string suggestion(std::string_view raw) {
  const std::string text = without_spaces(raw);
  std::size_t digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  const std::string index = text.substr(digits);
  std::string type = text.substr(0, digits);
  while (!type.empty() && (type.back() == ':' || type.back() == '-')) type.pop_back();
  const std::string_view meant = meant_type(type);
  if (meant.empty() || meant == "cpu" || index.empty()) return std::string(meant);
  return concat(meant, ":", without_leading_zeros(index));
}

/// "xpu", "mps:0" …: devices that torch computes on and gpukit does not.
bool is_torchs_type(std::string_view text) noexcept {
  static constexpr std::array<std::string_view, 9> kNames = {"hip", "hpu", "ipu", "mps", "mtia",
                                                             "npu", "tpu", "xla", "xpu"};
  const std::string_view type = text.substr(0, text.find(':'));
  return std::find(kNames.begin(), kNames.end(), type) != kNames.end();
}

/// Those that compute: "cpu, cuda[:index]", with the kinds that were added.
std::string known_devices() {
  std::string text = "cpu";
  for (const std::string_view type : type_names()) {
    if (type != "cpu" && type != "meta") text += concat(", ", type, "[:index]");
  }
  return text;
}

[[noreturn]] void fail(std::string_view text, std::string_view reason) {
  if (reason.empty() && is_torchs_type(text)) {
    throw InvalidDeviceError(concat("'", text,
                                    "' is not a gpukit device. gpukit computes on the CPU and on "
                                    "NVIDIA GPUs. Use gpukit.try_gpu(), 'cpu' or 'cuda[:index]'."))
        .with_fix("gpukit.try_gpu()");
  }
  std::string meant = suggestion(text);
  if (meant == text) meant.clear();
  std::string message =
      concat("'", text, "' is not a device", reason.empty() ? "" : ": ", reason, ".");
  if (!meant.empty()) message += concat(" Did you mean '", meant, "'?");
  message += concat(" Known: ", known_devices(), ".");
  throw InvalidDeviceError(message).with_fix(meant.empty() ? "" : concat("device='", meant, "'"));
}

std::string too_large_reason() { return concat("the largest index is ", kLargestIndex); }

/// The index after the colon; `text` is the whole device, for the error.
std::int64_t parse_index(std::string_view digits, std::string_view text) {
  if (digits.empty()) fail(text, "the index after ':' is missing");
  if (digits.front() == '-') fail(text, "an index is 0 or larger");
  if (!all_digits(digits)) fail(text, "an index is a whole number");
  if (digits.size() > 1 && digits.front() == '0') fail(text, "an index has no leading zeros");
  std::int64_t index = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (result.ec != std::errc() || index > kLargestIndex) fail(text, too_large_reason());
  return index;
}

std::optional<DeviceType> read_type(std::string_view text) noexcept {
  return text == "gpu" ? DeviceType::kCuda : find_device_type(text);
}

}  // namespace
}  // namespace device

std::string to_string(Device device) {
  std::string text(name(device.type));
  if (!device.is_single() && device.has_index()) text += concat(":", device.index);
  return text;
}

Device parse_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<DeviceType> type = device::read_type(text.substr(0, colon));
  if (!type) device::fail(text, "");
  const bool has_index = colon != std::string_view::npos;
  const std::int64_t index = has_index ? device::parse_index(text.substr(colon + 1), text) : -1;
  const Device device = Device::of(*type, static_cast<int>(index));
  if (!device.is_single()) return device;
  if (index > 0) device::fail(text, concat("there is one ", name(*type)));
  return device.is_cpu() ? Device::cpu() : Device::meta();
}

Device make_device(std::string_view type, std::int64_t index) {
  const std::string text = concat(type, ":", index);
  if (index < 0) device::fail(text, "an index is 0 or larger");
  if (index > device::kLargestIndex) device::fail(text, device::too_large_reason());
  if (type.find(':') != std::string_view::npos) {
    throw InvalidDeviceError(concat("device('", type, "', ", index,
                                    ") gives the index twice. Use device('",
                                    type.substr(0, type.find(':')), "', ", index, ")."));
  }
  return parse_device(text);
}

}  // namespace gpukit
