// NVRTC, NVIDIA's run-time compiler for CUDA C++: the release that suits the driver, opened and
// resolved into a table, and one compilation with it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dynamic_library.h"
#include "driver/fn_table.h"
#include "driver/load_report.h"
#include "driver/nvrtc_abi.h"
#include "driver/nvrtc_functions.h"

namespace gpukit::driver {

#define GPUKIT_DECLARE_SLOT(member, symbol, type, since, presence) type member = nullptr;

struct NvrtcTable {
  GPUKIT_NVRTC_FUNCTIONS(GPUKIT_DECLARE_SLOT)
};

#undef GPUKIT_DECLARE_SLOT

/// The entries of NvrtcTable in the order of the X-list.
std::span<const FnEntry> nvrtc_entries() noexcept;

/// A CUDA C++ source and its compile options.
struct NvrtcSource {
  std::string text;
  std::string name;  ///< of the file, in messages and lines
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;  ///< of templates to instantiate
  bool machine_code = false;                  ///< a cubin is wanted, not PTX
};

struct NvrtcResult {
  bool compiled = false;
  std::string image;                       ///< PTX, or a cubin where that was wanted
  std::string log;                         ///< errors and warnings, with line and caret
  std::vector<std::string> lowered_names;  ///< one a name expression
};

/// An opened NVRTC. It stays mapped for the life of the process. Thread safe.
class NvrtcLibrary {
 public:
  /// The library, or null if none is suitable; the report says why. `driver_cuda_major`
  /// is the newest CUDA that the driver takes code of.
  static std::unique_ptr<NvrtcLibrary> open(int driver_cuda_major, LoadReport& report);

  /// 12090 is 12.9.
  int version() const noexcept { return version_; }
  const std::string& path() const noexcept { return library_.path(); }
  /// The capabilities that it makes code for, in ascending order: 75 for 7.5.
  const std::vector<int>& architectures() const noexcept { return architectures_; }

  /// A source that does not compile is a result with its log.
  NvrtcResult compile(const NvrtcSource& source) const;

 private:
  NvrtcLibrary() = default;

  std::string prepare();

  DynamicLibrary builtins_;  // libnvrtc-builtins of the same folder, opened first
  DynamicLibrary library_;
  NvrtcTable table_;
  std::vector<int> architectures_;
  int version_ = 0;
};

}  // namespace gpukit::driver
