// The CUDA driver library: found, opened, resolved into a table, checked and started.
#pragma once

#include <string>

#include "base/dynamic_library.h"
#include "driver/fn_table.h"
#include "driver/load_report.h"

namespace gpukit::driver {

/// Which driver to open. An empty path searches the system, "none" finds nothing. The configuration
/// is handed to a library that takes one, unread, before it starts.
struct DriverChoice {
  std::string library_path;
  std::string configuration;
};

/// An opened driver after a successful cuInit. The library stays mapped for the life of the
/// process.
class CudaLibrary {
 public:
  /// Throws DriverError (none found, too old, cannot start), DeviceNotFoundError (no GPU shown) or
  /// SimulationError (configuration refused). The report is complete in every case.
  static CudaLibrary open(const DriverChoice& choice, LoadReport& report);

  const DriverTable& table() const noexcept { return table_; }
  /// 1000 · major + 10 · minor of the newest CUDA that this driver supports.
  int version() const noexcept { return version_; }
  int cuda_major() const noexcept { return version_ / 1000; }
  const std::string& path() const noexcept { return library_.path(); }
  /// Whether addresses of its devices mean the same to other libraries of the process.
  bool shares_memory_with_others() const;
  /// A label for reports.
  bool simulated() const noexcept { return simulated_; }

 private:
  CudaLibrary() = default;

  void configure(const std::string& configuration) const;
  void read_version();
  void check_version() const;
  void resolve(LoadReport& report);
  void start() const;

  DynamicLibrary library_;
  DriverTable table_;
  int version_ = 0;
  bool simulated_ = false;
};

}  // namespace gpukit::driver
