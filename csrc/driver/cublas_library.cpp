#include "driver/cublas_library.h"

#include <array>
#include <type_traits>
#include <utility>

#include "base/install_command.h"
#include "driver/library_opener.h"
#include "driver/search_paths.h"

namespace gpukit::driver {

namespace cublas_library {
namespace {

static_assert(std::is_standard_layout_v<CublasTable>, "slots are addressed by offset");

constexpr int kOldestMajor = 11;           // GemmEx takes other types before
constexpr int kMajorWithoutOldCards = 13;  // its code begins with capability 7.5
constexpr int kOldestCardOf13 = 75;

/// libcublas finds its libcublasLt through LD_LIBRARY_PATH first, which may hold another release.
/// The loader takes a library of that name that is open already, so the right one is opened
/// beforehand.
DynamicLibrary open_light(const Candidate& cublas) {
  const Candidate light = light_library_of(cublas);
  if (light.path.empty()) return {};
  LoadReport unused;
  return open_candidate(light, unused);
}

std::string version_text(int major) { return "cuBLAS " + std::to_string(major); }

int major_of(int version) {
  // From 12 on 12.9.3 is 120903; before, 11.11.3 was 11 · 1000 + 11 · 100 + 3.
  if (version >= 100000) return version / 10000;
  return version >= 11000 ? 11 : version / 1000;
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string failure_text(const SearchPlan& plan, const LoadReport& report) {
  if (!plan.closed.empty()) return "no cuBLAS: " + plan.closed;
  const std::string tried = attempts_text(report);
  return tried.empty() ? "no cuBLAS was found" : "no usable cuBLAS: " + tried;
}

}  // namespace
}  // namespace cublas_library

#define GPUKIT_ENTRY(member, symbol, type, since, presence) \
  FnEntry{#member, symbol, since, Presence::presence, offsetof(CublasTable, member)},

std::span<const FnEntry> cublas_entries() noexcept {
  static constexpr auto kEntries = std::to_array<FnEntry>({GPUKIT_CUBLAS_FUNCTIONS(GPUKIT_ENTRY)});
  return kEntries;
}

#undef GPUKIT_ENTRY

std::string refusal(int major, const CublasChoice& choice) {
  if (major == 0) return {};
  if (major < cublas_library::kOldestMajor)
    return cublas_library::version_text(major) + " is too old; gpukit uses 11 and newer";
  if (choice.driver_cuda_major != 0 && major > choice.driver_cuda_major) {
    return cublas_library::version_text(major) + " needs a driver for CUDA " +
           std::to_string(major) + "; this one supports CUDA " +
           std::to_string(choice.driver_cuda_major);
  }
  if (major >= cublas_library::kMajorWithoutOldCards && choice.compute_capability != 0 &&
      choice.compute_capability < cublas_library::kOldestCardOf13) {
    return cublas_library::version_text(major) + " has no code for a card of capability " +
           cublas_library::capability_text(choice.compute_capability);
  }
  return {};
}

std::string CublasLibrary::prepare() {
  const MissingFunctions missing = fill(table_, cublas_entries(), [&](const FnEntry& entry) {
    return library_.symbol(entry.symbol);
  });
  if (!missing.required.empty()) return "it lacks " + missing.required.front();
  // The version needs neither a handle nor a context.
  if (table_.cublasGetVersion(nullptr, &version_) != CUBLAS_STATUS_SUCCESS) {
    version_ = major_in_name(resolved(path())) * 10000;
  }
  return {};
}

std::unique_ptr<CublasLibrary> CublasLibrary::open(const CublasChoice& choice, LoadReport& report) {
  report = LoadReport();
  const SearchPlan plan = cublas_search_plan(choice.driver_path);
  for (const Candidate& candidate : plan.candidates) {
    std::string reason = refusal(major_in_name(candidate.path), choice);
    if (!reason.empty()) {
      report.attempts.push_back({candidate.path, candidate.origin, kRefused, std::move(reason)});
      continue;
    }
    std::unique_ptr<CublasLibrary> cublas(new CublasLibrary);
    cublas->light_ = cublas_library::open_light(candidate);
    cublas->library_ = open_candidate(candidate, report);
    if (!cublas->library_) continue;
    reason = cublas->prepare();
    if (reason.empty()) reason = refusal(cublas_library::major_of(cublas->version_), choice);
    if (reason.empty()) {
      report.library = cublas->path();
      report.version = cublas->version_;
      return cublas;
    }
    reject_last(report, std::move(reason));
  }
  report.failure = cublas_library::failure_text(plan, report);
  if (plan.closed.empty()) report.fix = install_command("cublas");
  return nullptr;
}

}  // namespace gpukit::driver
