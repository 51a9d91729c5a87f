// What is wrong with a text, and where.
#pragma once

#include <stdexcept>
#include <string>

namespace gpukit::ptx {

class PtxError : public std::runtime_error {
 public:
  PtxError(int line, const std::string& what) : std::runtime_error(what), line_(line) {}
  /// Counted from 1.
  int line() const { return line_; }

 private:
  int line_;
};

}  // namespace gpukit::ptx
