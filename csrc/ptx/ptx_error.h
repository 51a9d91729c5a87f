// What is wrong with a text, and where.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpukit::ptx {

/// What is said of a text that may hold any bytes: printable ASCII, of bounded length.
inline std::string printable(std::string_view what) {
  constexpr std::size_t kMostShown = 400;
  std::string shown(what.substr(0, kMostShown));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown + (what.size() > kMostShown ? "..." : "");
}

class PtxError : public std::runtime_error {
 public:
  PtxError(int line, const std::string& what) : std::runtime_error(printable(what)), line_(line) {}
  /// Counted from 1.
  int line() const { return line_; }

 private:
  int line_;
};

}  // namespace gpukit::ptx
