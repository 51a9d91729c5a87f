#include "kernels/ptx_order.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

namespace gpukit::images {
namespace {

constexpr unsigned char kFirstCode = 0x80;  // it stands for the number after the newest
constexpr std::size_t kMostRecent = 127;    // 0x81 ... 0xff
constexpr std::size_t kMostDigits = 9;

/// The numbers of names with one stem, such as %f or $L__BB2_, the last used one first.
class Numbers {
 public:
  explicit Numbers(std::string_view stem) : stem_(stem) {}

  std::string_view stem() const { return stem_; }

  void forget() {
    newest_ = 0;
    recent_.clear();
  }

  void add(std::uint32_t number) {
    const auto found = std::find(recent_.begin(), recent_.end(), number);
    if (found != recent_.end()) {
      std::rotate(recent_.begin(), found, found + 1);
      return;
    }
    newest_ = number;
    if (recent_.size() == kMostRecent) recent_.pop_back();
    recent_.insert(recent_.begin(), number);
  }

  /// Whether `code` stands for a number, which becomes the last used one.
  bool decode(unsigned char code, std::uint32_t* number) {
    const std::size_t place = code - kFirstCode;
    if (place > recent_.size()) return false;
    *number = place == 0 ? newest_ + 1 : recent_[place - 1];
    add(*number);
    return true;
  }

 private:
  std::string_view stem_;
  std::uint32_t newest_ = 0;
  std::vector<std::uint32_t> recent_;
};

bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

bool is_name(unsigned char c) {
  const unsigned char lower = c | 0x20;
  return is_digit(c) || (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' || c == '%';
}

class Decoder {
 public:
  Decoder(const unsigned char* stored, std::size_t bytes, unsigned char* text, std::size_t size)
      : next_(stored), end_(stored + bytes), to_(text), to_end_(text + size) {}

  bool run() {
    while (next_ != end_) {
      const bool name = *next_ == '%' || *next_ == '$';
      if (!(name ? read_name() : copy(1))) return false;
    }
    return to_ == to_end_;
  }

 private:
  bool copy(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(to_end_ - to_)) return false;
    std::memcpy(to_, next_, bytes);
    next_ += bytes;
    to_ += bytes;
    return true;
  }

  /// A name: its number is in digits, or a code.
  bool read_name() {
    const unsigned char* after = std::find_if_not(next_, end_, is_name);
    const auto* start = reinterpret_cast<const char*>(to_);
    const auto bytes = static_cast<std::size_t>(after - next_);
    if (!copy(bytes)) return false;
    const std::string_view name(start, bytes);
    if (next_ != end_ && *next_ >= kFirstCode) return read_number(numbers_of(name));
    if (next_ != end_ && *next_ == '<') numbers_of(name).forget();  // .reg .f32 %f<500>
    const std::size_t stem = name.find_last_not_of("0123456789") + 1;
    const std::string_view digits = name.substr(stem);
    const bool padded = digits.size() > 1 && digits[0] == '0';
    if (digits.empty() || digits.size() > kMostDigits || padded) return true;
    std::uint32_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    numbers_of(name.substr(0, stem)).add(number);
    return true;
  }

  bool read_number(Numbers& numbers) {
    std::uint32_t number = 0;
    if (!numbers.decode(*next_++, &number)) return false;
    const auto [end, error] = std::to_chars(reinterpret_cast<char*>(to_),  //
                                            reinterpret_cast<char*>(to_end_), number);
    to_ = reinterpret_cast<unsigned char*>(end);
    return error == std::errc();
  }

  Numbers& numbers_of(std::string_view stem) {
    const auto found = std::find_if(stems_.begin(), stems_.end(),
                                    [&](const Numbers& numbers) { return numbers.stem() == stem; });
    return found != stems_.end() ? *found : stems_.emplace_back(stem);
  }

  const unsigned char* next_;
  const unsigned char* end_;
  unsigned char* to_;
  unsigned char* to_end_;
  std::vector<Numbers> stems_;  // the stems lie in the text that was written
};

}  // namespace

bool restore_ptx(const unsigned char* stored, std::size_t stored_bytes, unsigned char* text,
                 std::size_t size) {
  return Decoder(stored, stored_bytes, text, size).run();
}

}  // namespace gpukit::images
