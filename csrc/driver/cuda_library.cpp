#include "driver/cuda_library.h"

#include <utility>

#include "base/cause.h"
#include "base/error.h"
#include "base/format.h"
#include "base/process_state.h"
#include "driver/call.h"
#include "driver/library_opener.h"
#include "driver/search_paths.h"
#include "driver/status.h"

namespace gpukit::driver {

namespace cuda_library {
namespace {

// The oldest driver that gpukit's kernels load on.
constexpr int kOldestCuda = 12000;
constexpr const char* kOldestDriver = "525";

// Exports beyond the vendor's interface; a library without them is an ordinary driver.
using ConfigureFn = int (*)(const char* configuration);
using LastMessageFn = const char* (*)();
constexpr const char* kConfigureSymbol = "gpukitSimConfigure";
constexpr const char* kLastMessageSymbol = "gpukitSimLastMessage";
constexpr const char* kPrivateMemorySymbol = "gpukitSimPrivateMemory";
constexpr const char* kLabelSymbol = "gpukitSimVersion";

template <class Function>
Function symbol(const DynamicLibrary& library, const char* name) {
  return reinterpret_cast<Function>(library.symbol(name));
}

struct Absence {
  const char* cause;
  std::string text;
};

Absence absence_of(const SearchPlan& plan, const LoadReport& report) {
  if (!plan.closed.empty()) {
    return {cause::kDriverSearchOff, "no CUDA driver: " + plan.closed + "."};
  }
  if (const std::string tried = attempts_text(report); !tried.empty()) {
    return {cause::kDriverUnusable, "no usable CUDA driver: " + tried + "."};
  }
  if (plan.candidates.size() == 1) {
    const Candidate& only = plan.candidates.front();
    return {cause::kDriverUnusable,
            "no CUDA driver: " + only.origin + " is " + only.path + ", and there is no such file."};
  }
  return {cause::kDriverNotFound,
          "no CUDA driver: libcuda.so.1 is in none of the " +
              std::to_string(report.attempts.size()) +
              " places searched, so this machine or container has no NVIDIA driver."};
}

/// "driver 470.82", from the file's name; "this driver" where the name does not say it.
std::string driver_name(const std::string& path) {
  const std::string version = version_suffix(resolved(path));
  const bool full = version.find('.') != std::string::npos && std::stol("0" + version) >= 100;
  return full ? "driver " + version : "this driver";
}

DynamicLibrary open(const SearchPlan& plan, LoadReport& report) {
  for (const Candidate& candidate : plan.candidates) {
    DynamicLibrary library = open_candidate(candidate, report);
    if (!library) continue;
    if (library.symbol("cuInit") != nullptr && library.symbol("cuDriverGetVersion") != nullptr) {
      return library;
    }
    reject_last(report, "it does not export cuInit and cuDriverGetVersion: not a CUDA driver");
  }
  const Absence absence = absence_of(plan, report);
  throw DriverError(absence.text)
      .with_fix("gpukit.simulate(2)")
      .with_detail("cause", absence.cause);
}

/// The form of an optional function that its row's type describes, if the driver has it.
void* ask_driver(PFN_cuGetProcAddress_v12000 get_address, const FnEntry& entry) {
  void* address = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const CUresult status =
      get_address(entry.name, &address, entry.since, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &found);
  return status == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS ? address : nullptr;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace
}  // namespace cuda_library

void CudaLibrary::configure(const std::string& configuration) const {
  const auto configure_fn =
      cuda_library::symbol<cuda_library::ConfigureFn>(library_, cuda_library::kConfigureSymbol);
  if (configure_fn == nullptr) {
    if (configuration.empty()) return;
    throw SimulationError("simulate: " + path() + " does not take the configuration '" +
                          configuration + "'.");
  }
  if (configure_fn(configuration.c_str()) == 0) return;
  const auto message_fn =
      cuda_library::symbol<cuda_library::LastMessageFn>(library_, cuda_library::kLastMessageSymbol);
  const char* message = message_fn != nullptr ? message_fn() : nullptr;
  throw SimulationError(message != nullptr && *message != '\0'
                            ? message
                            : "simulate: the configuration '" + configuration + "' was refused.");
}

bool CudaLibrary::shares_memory_with_others() const {
  return library_.symbol(cuda_library::kPrivateMemorySymbol) == nullptr;
}

void CudaLibrary::read_version() {
  const auto get_version =
      cuda_library::symbol<PFN_cuDriverGetVersion_v2020>(library_, "cuDriverGetVersion");
  if (get_version(&version_) != CUDA_SUCCESS) {
    throw DriverError(path() +
                      ": the driver does not report its version. Reinstall the NVIDIA driver.");
  }
}

void CudaLibrary::check_version() const {
  if (version_ >= cuda_library::kOldestCuda) return;
  throw DriverError(cuda_library::driver_name(path()) + " supports up to CUDA " +
                    format_cuda_version(version_) + "; gpukit needs driver " +
                    cuda_library::kOldestDriver + " or newer. Running on CPU.")
      .with_detail("cause", cause::kDriverTooOld)
      .with_detail("library", path());
}

void CudaLibrary::resolve(LoadReport& report) {
  const auto get_address =
      cuda_library::symbol<PFN_cuGetProcAddress_v12000>(library_, "cuGetProcAddress_v2");
  MissingFunctions missing = fill(table_, driver_entries(), [&](const FnEntry& entry) {
    // The driver's own answer counts: what it exports may be more than it offers.
    const bool ask = get_address != nullptr && entry.presence == Presence::kOptional;
    return ask ? cuda_library::ask_driver(get_address, entry) : library_.symbol(entry.symbol);
  });
  report.missing = std::move(missing.optional);
  if (missing.required.empty()) return;
  throw DriverError(path() + " lacks " + cuda_library::joined(missing.required) +
                    ", which gpukit needs. Reinstall the NVIDIA "
                    "driver; gpukit info shows every place that was tried.")
      .with_detail("cause", cause::kDriverIncomplete)
      .with_detail("library", path());
}

void CudaLibrary::start() const {
  // From here on a forked child must not touch the driver, even when cuInit fails half-way.
  process_state::arm_fork_guard();
  GPUKIT_CU(table_, cuInit, 0);
}

CudaLibrary CudaLibrary::open(const DriverChoice& choice, LoadReport& report) {
  report = LoadReport();
  try {
    CudaLibrary cuda;
    cuda.library_ = cuda_library::open(driver_search_plan(choice.library_path), report);
    cuda.simulated_ = cuda.library_.symbol(cuda_library::kLabelSymbol) != nullptr;
    report.library = cuda.path();
    report.simulated = cuda.simulated_;
    cuda.configure(choice.configuration);
    cuda.read_version();
    report.version = cuda.version_;
    cuda.check_version();
    cuda.resolve(report);
    cuda.start();
    return cuda;
  } catch (const Error& error) {
    report.failure = error.what();
    report.fix = error.fix();
    report.details = error.details();
    throw;
  }
}

}  // namespace gpukit::driver
