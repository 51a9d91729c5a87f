// The exception family. Each class becomes the Python class of the same name
// (bindings/exceptions.cpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gpukit {

enum class ErrorKind {
  kGeneric,
  kDevice,
  kDeviceNotFound,
  kInvalidDevice,
  kDeviceMismatch,
  kOutOfMemory,
  kShape,
  kDType,
  kAutograd,
  kCheckpoint,
  kTransfer,
  kDriver,
  kSimulation,
  // The built-in ones, for arguments that are wrong in the ordinary way.
  kValue,
  kType,
  kIndex,
  kHostMemory,
  kBuffer,
  kNotSupported,
  // A Python exception is set already (a hook or an interrupt raised it): translate by leaving it
  // alone.
  kPythonSet,
  // Of gpukit again; at the end, because the codes count from the start.
  kDimension,
  kRange,
  kCompile,
};

/// What an error says to programs, by name: `details` in Python. "cause" is a word of base/cause.h,
/// "status" a code of the driver and "status_name" its name.
using DetailValue = std::variant<std::string, std::int64_t>;
using Details = std::vector<std::pair<std::string, DetailValue>>;

/// Root of all exceptions that gpukit throws. `code` is stable ("GK-E203"), `fix` is a line the
/// user can run.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message, std::string code)
      : std::runtime_error(std::move(message)), kind_(kind), code_(std::move(code)) {}

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& code() const noexcept { return code_; }
  const std::string& fix() const noexcept { return fix_; }
  const Details& details() const noexcept { return details_; }

  void set_code(std::string code) { code_ = std::move(code); }
  void set_fix(std::string fix) { fix_ = std::move(fix); }
  void add_detail(std::string key, DetailValue value) {
    details_.emplace_back(std::move(key), std::move(value));
  }

 private:
  ErrorKind kind_;
  std::string code_;
  std::string fix_;
  Details details_;
};

/// One class per kind. The `with_…` forms return the exception itself: `throw
/// ShapeError(text).with_fix("X.T");`
template <ErrorKind Kind>
class KindedError : public Error {
 public:
  explicit KindedError(std::string message) : Error(Kind, std::move(message), default_code()) {}

  KindedError&& with_fix(std::string fix) && {
    set_fix(std::move(fix));
    return std::move(*this);
  }
  KindedError&& with_code(std::string code) && {
    set_code(std::move(code));
    return std::move(*this);
  }
  KindedError&& with_detail(std::string key, DetailValue value) && {
    add_detail(std::move(key), std::move(value));
    return std::move(*this);
  }
  KindedError&& with_details(const Details& details) && {
    for (const auto& [key, value] : details) add_detail(key, value);
    return std::move(*this);
  }

 private:
  static std::string default_code() {
    return "GK-E" + std::to_string(100 + static_cast<int>(Kind));
  }
};

using GenericError = KindedError<ErrorKind::kGeneric>;
using DeviceError = KindedError<ErrorKind::kDevice>;
using DeviceNotFoundError = KindedError<ErrorKind::kDeviceNotFound>;
using InvalidDeviceError = KindedError<ErrorKind::kInvalidDevice>;
using DeviceMismatchError = KindedError<ErrorKind::kDeviceMismatch>;
using ShapeError = KindedError<ErrorKind::kShape>;
using DTypeError = KindedError<ErrorKind::kDType>;
using AutogradError = KindedError<ErrorKind::kAutograd>;
using CheckpointError = KindedError<ErrorKind::kCheckpoint>;
using TransferError = KindedError<ErrorKind::kTransfer>;
using DriverError = KindedError<ErrorKind::kDriver>;
using SimulationError = KindedError<ErrorKind::kSimulation>;
using ValueError = KindedError<ErrorKind::kValue>;
using TypeError = KindedError<ErrorKind::kType>;
using IndexError = KindedError<ErrorKind::kIndex>;
using HostMemoryError = KindedError<ErrorKind::kHostMemory>;
using BufferError = KindedError<ErrorKind::kBuffer>;
using NotSupportedError = KindedError<ErrorKind::kNotSupported>;
using PythonErrorSet = KindedError<ErrorKind::kPythonSet>;
/// A ShapeError that is an IndexError too: a dimension that does not exist or has nothing to choose
/// from, indices whose shapes do not fit.
using DimensionError = KindedError<ErrorKind::kDimension>;
/// A number that its dtype cannot hold.
using RangeError = KindedError<ErrorKind::kRange>;
/// CUDA source that does not compile, code that the driver does not take, no compiler. The detail
/// "log" is what the compiler said.
using CompileError = KindedError<ErrorKind::kCompile>;

/// Device memory ran out. The numbers are bytes; `others` is what other processes hold where that
/// is known.
class OutOfMemoryError : public Error {
 public:
  OutOfMemoryError(std::string message, std::int64_t requested, std::int64_t free,
                   std::int64_t total, std::int64_t cached)
      : Error(ErrorKind::kOutOfMemory, std::move(message), "GK-E105"),
        requested(requested),
        free(free),
        total(total),
        cached(cached) {}

  std::int64_t requested;
  std::int64_t free;
  std::int64_t total;
  std::int64_t cached;
};

}  // namespace gpukit
