#include "ptx/builtins.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ptx/access.h"
#include "ptx/block.h"
#include "ptx/lanes.h"

namespace gpukit::ptx {

namespace {

constexpr std::size_t kLongestText = 4096;
constexpr int kWidest = 500;
constexpr std::size_t kMostOutput = 1u << 20;

std::uint64_t argument(const Warp& warp, const CallSite& site, std::size_t i, unsigned lane) {
  if (i >= site.arguments.size())
    raise_fault(FaultKind::kInvalidCode, lane, "a built-in function has too few arguments");
  const ParameterSlot& slot = site.arguments[i];
  std::uint64_t value = 0;
  std::memcpy(&value, warp.address_of(slot, warp.current_frame(), lane),
              std::min<std::size_t>(slot.bytes, sizeof value));
  return value;
}

void set_result(const Warp& warp, const CallSite& site, unsigned lane, std::uint64_t value) {
  if (site.results.empty()) return;
  const ParameterSlot& slot = site.results.front();
  std::memcpy(warp.address_of(slot, warp.current_frame(), lane), &value,
              std::min<std::size_t>(slot.bytes, sizeof value));
}

template <class T>
T load(Warp& warp, unsigned lane, std::uint64_t address) {
  T value;
  std::memcpy(&value, checked_pointer(warp, lane, Space::kGeneric, address, sizeof value),
              sizeof value);
  return value;
}

std::string read_text(Warp& warp, unsigned lane, std::uint64_t address) {
  std::string text;
  if (address == 0) return "(null)";
  while (text.size() < kLongestText) {
    const char c = load<char>(warp, lane, address + text.size());
    if (c == '\0') break;
    text += c;
  }
  return text;
}

/// Reads the arguments of a format as vprintf's caller stored them: each at its own alignment.
class ValueReader {
 public:
  ValueReader(Warp& warp, unsigned lane, std::uint64_t address)
      : warp_(warp), lane_(lane), address_(address) {}
  template <class T>
  T next() {
    address_ = (address_ + sizeof(T) - 1) & ~std::uint64_t{sizeof(T) - 1};
    const T value = load<T>(warp_, lane_, address_);
    address_ += sizeof(T);
    return value;
  }

 private:
  Warp& warp_;
  unsigned lane_;
  std::uint64_t address_;
};

struct Conversion {
  std::string flags;
  int width = -1;
  int precision = -1;
  bool is_64_bit = false;
  char kind = '\0';
};

int read_number(const std::string& format, std::size_t& at, ValueReader& values) {
  if (at < format.size() && format[at] == '*') {
    at++;
    return std::clamp(values.next<int>(), -kWidest, kWidest);
  }
  int number = 0;
  for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; at++)
    number = std::min(number * 10 + (format[at] - '0'), kWidest);
  return number;
}

Conversion read_conversion(const std::string& format, std::size_t& at, ValueReader& values) {
  Conversion conversion;
  for (; at < format.size() && std::strchr("-+ #0", format[at]) != nullptr; at++) {
    if (conversion.flags.size() < 8) conversion.flags += format[at];
  }
  conversion.width = read_number(format, at, values);
  if (at < format.size() && format[at] == '.') {
    at++;
    conversion.precision = read_number(format, at, values);
  }
  for (; at < format.size() && std::strchr("hlLqjzt", format[at]) != nullptr; at++)
    conversion.is_64_bit = conversion.is_64_bit || format[at] != 'h';
  if (at < format.size()) conversion.kind = format[at++];
  return conversion;
}

template <class T>
std::string format(const Conversion& conversion, const char* length, T value) {
  const std::string format = "%" + conversion.flags + "*" +
                             (conversion.precision >= 0 ? ".*" : "") + length + conversion.kind;
  char room[2 * kWidest + 512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (conversion.precision >= 0)
    std::snprintf(room, sizeof room, format.c_str(), conversion.width, conversion.precision, value);
  else
    std::snprintf(room, sizeof room, format.c_str(), conversion.width, value);
#pragma GCC diagnostic pop
  return room;
}

std::string convert(Warp& warp, unsigned lane, const Conversion& conversion, ValueReader& values) {
  switch (conversion.kind) {
    case 'd':
    case 'i':
      return conversion.is_64_bit ? format(conversion, "ll", values.next<long long>())
                                  : format(conversion, "", values.next<int>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return conversion.is_64_bit ? format(conversion, "ll", values.next<unsigned long long>())
                                  : format(conversion, "", values.next<unsigned>());
    case 'c':
      return format(conversion, "", values.next<int>());
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return format(conversion, "", values.next<double>());
    case 'p': {
      Conversion hexadecimal = conversion;
      hexadecimal.kind = 'x';
      return "0x" + format(hexadecimal, "ll", values.next<unsigned long long>());
    }
    case 's': {
      const std::string text = read_text(warp, lane, values.next<std::uint64_t>());
      std::string cut =
          text.substr(0, conversion.precision >= 0 ? static_cast<std::size_t>(conversion.precision)
                                                   : text.size());
      const auto width = static_cast<std::size_t>(std::abs(conversion.width));
      const bool left = conversion.width < 0 || conversion.flags.find('-') != std::string::npos;
      if (cut.size() < width)
        cut.insert(left ? cut.size() : 0, std::string(width - cut.size(), ' '));
      return cut;
    }
    default:
      return std::string("%") + (conversion.kind != '\0' ? std::string(1, conversion.kind) : "");
  }
}

void print_line(Warp& warp, const CallSite& site, unsigned lane) {
  const std::string format = read_text(warp, lane, argument(warp, site, 0, lane));
  ValueReader values(warp, lane, argument(warp, site, 1, lane));
  std::string text;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
    } else if (at + 1 < format.size() && format[at + 1] == '%') {
      text += '%';
      at += 2;
    } else {
      at++;
      const Conversion conversion = read_conversion(format, at, values);
      text += convert(warp, lane, conversion, values);
    }
  }
  Grid& grid = warp.block().grid();
  grid.output += text;
  if (grid.output.size() > kMostOutput && grid.print != nullptr) {
    grid.print(grid.output);
    grid.output.clear();
  }
  set_result(warp, site, lane, 1);
}

[[noreturn]] void report_assertion(Warp& warp, const CallSite& site, unsigned lane) {
  const auto text = [&](std::size_t i) {
    return read_text(warp, lane, argument(warp, site, i, lane));
  };
  const auto line = static_cast<std::uint32_t>(argument(warp, site, 2, lane));
  raise_fault(FaultKind::kAssert, lane,
              text(1) + ":" + std::to_string(line) + ": " + text(3) + ": assertion `" + text(0) +
                  "` failed");
}

}  // namespace

void call_builtin(Warp& warp, const CallSite& site, Mask mask) {
  switch (site.builtin) {
    case Builtin::kNone:
      break;
    case Builtin::kVprintf:
      for_each_lane(mask, [&](unsigned lane) { print_line(warp, site, lane); });
      break;
    case Builtin::kMalloc:
      for_each_lane(mask, [&](unsigned lane) {
        set_result(warp, site, lane, warp.memory.device->allocate(argument(warp, site, 0, lane)));
      });
      break;
    case Builtin::kFree:
      for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t address = argument(warp, site, 0, lane);
        if (address != 0 && !warp.memory.device->release(address))
          raise_fault(FaultKind::kIllegalAddress, lane, "free of what malloc did not allocate");
        for (Range& known : warp.memory.known) known = {};
      });
      break;
    case Builtin::kAssertFail:
      report_assertion(warp, site, static_cast<unsigned>(std::countr_zero(mask)));
    case Builtin::kGridHandle:
      for_each_lane(mask, [&](unsigned lane) { set_result(warp, site, lane, 1); });
      break;
    case Builtin::kGridSync:  // the warp waits when it has the result
      for_each_lane(mask, [&](unsigned lane) { set_result(warp, site, lane, 0); });
      break;
  }
}

}  // namespace gpukit::ptx
