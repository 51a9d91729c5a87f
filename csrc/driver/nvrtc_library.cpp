#include "driver/nvrtc_library.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/install_command.h"
#include "driver/library_opener.h"
#include "driver/search_paths.h"

namespace gpukit::driver {

namespace {

/// A program of NVRTC's, destroyed with its scope.
class NvrtcScope {
 public:
  NvrtcScope(const NvrtcTable& table, const NvrtcSource& source) : table_(table) {
    check("nvrtcCreateProgram", table.nvrtcCreateProgram(&program_, source.text.c_str(),
                                                         source.name.c_str(), 0, nullptr, nullptr));
  }
  ~NvrtcScope() { (void)table_.nvrtcDestroyProgram(&program_); }
  NvrtcScope(const NvrtcScope&) = delete;
  NvrtcScope& operator=(const NvrtcScope&) = delete;

  nvrtcProgram get() const noexcept { return program_; }

  std::string bytes(nvrtcGetSize_t size_of, nvrtcGetBytes_t read) const {
    std::size_t size = 0;
    check("nvrtcGet…Size", size_of(program_, &size));
    std::string bytes(size, '\0');
    if (size != 0) check("nvrtcGet…", read(program_, bytes.data()));
    return bytes;
  }
  std::string text(nvrtcGetSize_t size_of, nvrtcGetBytes_t read) const {
    std::string text = bytes(size_of, read);
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

  void check(const char* call, nvrtcResult status) const {
    if (status == NVRTC_SUCCESS) return;
    throw CompileError(concat(call, " failed: ", table_.nvrtcGetErrorString(status)));
  }

 private:
  const NvrtcTable& table_;
  nvrtcProgram program_ = nullptr;
};

std::string nvrtc_failure(const SearchPlan& plan, const LoadReport& report) {
  if (!plan.closed.empty()) return "no NVRTC: " + plan.closed;
  const std::string tried = attempts_text(report);
  return tried.empty() ? "no NVRTC was found" : "no usable NVRTC: " + tried;
}

std::string nvrtc_unsuitable(int major, int driver_cuda_major) {
  if (major == 0 || driver_cuda_major == 0 || major <= driver_cuda_major) return {};
  return concat("NVRTC ", major, " needs a driver for CUDA ", major, "; this one supports CUDA ",
                driver_cuda_major);
}

/// libnvrtc finds its builtins by its own folder or LD_LIBRARY_PATH, which may hold another
/// release. The loader takes a library of that name that is open already.
DynamicLibrary open_builtins(const Candidate& nvrtc) {
  const Candidate builtins = builtins_of(nvrtc);
  if (builtins.path.empty()) return {};
  LoadReport unused;
  return open_candidate(builtins, unused);
}

}  // namespace

#define GPUKIT_ENTRY(member, symbol, type, since, presence) \
  FnEntry{#member, symbol, since, Presence::presence, offsetof(NvrtcTable, member)},

std::span<const FnEntry> nvrtc_entries() noexcept {
  static constexpr auto kEntries = std::to_array<FnEntry>({GPUKIT_NVRTC_FUNCTIONS(GPUKIT_ENTRY)});
  return kEntries;
}

#undef GPUKIT_ENTRY

std::string NvrtcLibrary::prepare() {
  const MissingFunctions missing = fill(
      table_, nvrtc_entries(), [&](const FnEntry& entry) { return library_.symbol(entry.symbol); });
  if (!missing.required.empty()) return "it lacks " + missing.required.front();
  int major = 0, minor = 0, count = 0;
  if (table_.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "it does not report its version";
  version_ = major * 1000 + minor * 10;
  if (table_.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0)
    return "it does not report its target architectures";
  architectures_.resize(static_cast<std::size_t>(count));
  if (table_.nvrtcGetSupportedArchs(architectures_.data()) != NVRTC_SUCCESS)
    return "it does not report its target architectures";
  std::sort(architectures_.begin(), architectures_.end());
  return {};
}

std::unique_ptr<NvrtcLibrary> NvrtcLibrary::open(int driver_cuda_major, LoadReport& report) {
  report = LoadReport();
  const SearchPlan plan = nvrtc_search_plan();
  for (const Candidate& candidate : plan.candidates) {
    std::string reason = nvrtc_unsuitable(major_in_name(candidate.path), driver_cuda_major);
    if (!reason.empty()) {
      report.attempts.push_back({candidate.path, candidate.origin, kRefused, std::move(reason)});
      continue;
    }
    std::unique_ptr<NvrtcLibrary> nvrtc(new NvrtcLibrary);
    nvrtc->builtins_ = open_builtins(candidate);
    nvrtc->library_ = open_candidate(candidate, report);
    if (!nvrtc->library_) continue;
    reason = nvrtc->prepare();
    if (reason.empty()) reason = nvrtc_unsuitable(nvrtc->version_ / 1000, driver_cuda_major);
    if (reason.empty()) {
      report.library = nvrtc->path();
      report.version = nvrtc->version_;
      return nvrtc;
    }
    reject_last(report, std::move(reason));
  }
  report.failure = nvrtc_failure(plan, report);
  if (plan.closed.empty()) report.fix = install_command("nvrtc");
  return nullptr;
}

NvrtcResult NvrtcLibrary::compile(const NvrtcSource& source) const {
  const NvrtcScope program(table_, source);
  for (const std::string& expression : source.name_expressions) {
    program.check("nvrtcAddNameExpression",
                  table_.nvrtcAddNameExpression(program.get(), expression.c_str()));
  }
  std::vector<const char*> options;
  for (const std::string& option : source.options) options.push_back(option.c_str());
  NvrtcResult result;
  const nvrtcResult status =
      table_.nvrtcCompileProgram(program.get(), static_cast<int>(options.size()), options.data());
  result.log = program.text(table_.nvrtcGetProgramLogSize, table_.nvrtcGetProgramLog);
  if (status != NVRTC_SUCCESS) {
    if (result.log.empty()) result.log = table_.nvrtcGetErrorString(status);
    return result;
  }
  result.image = source.machine_code ? program.bytes(table_.nvrtcGetCUBINSize, table_.nvrtcGetCUBIN)
                                     : program.text(table_.nvrtcGetPTXSize, table_.nvrtcGetPTX);
  for (const std::string& expression : source.name_expressions) {
    const char* lowered = nullptr;
    program.check("nvrtcGetLoweredName",
                  table_.nvrtcGetLoweredName(program.get(), expression.c_str(), &lowered));
    result.lowered_names.emplace_back(lowered);
  }
  result.compiled = true;
  return result;
}

}  // namespace gpukit::driver
