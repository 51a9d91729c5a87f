#include "base/env.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/log.h"

namespace gpukit::env {

namespace {

constexpr Variable own_text(std::string_view name, Kind kind, std::string_view fallback,
                            std::string_view help) {
  return {name, kind, fallback, "", 0, 0, help, true};
}

constexpr Variable honoured(std::string_view name, Kind kind, std::string_view help) {
  return {name, kind, kind == Kind::kFlag ? "0" : "", "", 0, 0, help, false};
}

constexpr auto kTable = std::to_array<Variable>({
    own_text("GPUKIT_SIMULATE", Kind::kText, "",
             "Start with simulated GPUs, e.g. '2xT4' or '2xT4,mem=4GiB,seed=1'."),
    own_text("GPUKIT_DEVICE", Kind::kText, "", "Default device, e.g. 'cpu' or 'cuda:1'."),
    own_text("GPUKIT_QUIET", Kind::kFlag, "0", "1: no one-line notes, e.g. when no GPU is found."),
    own_text("GPUKIT_LANG", Kind::kText, "",
             "Language of reports, notes and errors: 'en' or 'zh'; unset: English, and the "
             "locale's for the command line."),
    {"GPUKIT_NUM_THREADS", Kind::kInteger, "0", "", 0, 4096,
     "CPU threads for tensors on the CPU. 0: as many as this process may use.", true},
    own_text("GPUKIT_BLAS", Kind::kText, "auto",
             "CPU matrix product: 'auto', 'own', or the absolute path of a BLAS library."),
    {"GPUKIT_SIMD", Kind::kChoice, "auto", "auto|baseline|avx2|avx512|avx512bf16|amx", 0, 0,
     "The widest vector instructions that CPU kernels may use; never more than the processor has.",
     true},
    own_text("GPUKIT_LIBCUDA", Kind::kPath, "",
             "Absolute path of the CUDA driver library; 'none' looks nowhere."),
    own_text("GPUKIT_CUBLAS", Kind::kPath, "",
             "Absolute path of cuBLAS; 'none' uses gpukit's own product."),
    own_text("GPUKIT_NVRTC", Kind::kPath, "",
             "Absolute path of NVRTC, which compiles gpukit.cuda.RawModule; 'none' looks nowhere."),
    own_text("GPUKIT_NCCL", Kind::kPath, "",
             "Absolute path of NCCL, for gpukit.cuda.nccl; 'none' looks nowhere."),
    own_text("GPUKIT_MEM_FRACTION", Kind::kText, "",
             "Share of each GPU's memory that this process may hold, e.g. '0.5'."),
    {"GPUKIT_POOL", Kind::kChoice, "pool", "pool|cuda_async|none", 0, 0,
     "Where GPU memory comes from; see gpukit.config.set_pool. 'none' is for memory checkers.",
     true},
    {"GPUKIT_SYNC_DEBUG", Kind::kChoice, "default", "default|warn|error", 0, 0,
     "Hidden waits for a GPU: warn of them, or refuse them.", true},
    {"GPUKIT_LOG", Kind::kChoice, "warning", "debug|info|warning|error", 0, 0,
     "Least important level of message that is shown. `debug` names each operation between ranks, "
     "with its bytes and times.",
     true},
    {"GPUKIT_TEST_MODE", Kind::kChoice, "sim", "cpu|sim|gpu", 0, 0,
     "What the tests run on. Only the test suite reads it.", true},
    {"GPUKIT_TEST_DEVICES", Kind::kChoice, "all", "all|one|two", 0, 0,
     "Devices of the tests: each takes all of them, one GPU by its name, or that and the CPU.",
     true},
    {"GPUKIT_TEST_LONG", Kind::kInteger, "0", "", 0, 100000000,
     "Rounds of the tests' long jobs, e.g. 100000 mutated files. 0: a few seconds of each.", true},
    own_text("GPUKIT_PYTEST_SIMULATE", Kind::kText, "",
             "pytest restarts with these simulated GPUs, as with --gpukit-simulate."),
    own_text("GPUKIT_SIM_FAULTS", Kind::kPath, "",
             "File to which the simulated driver adds a line for each kernel that fails."),
    honoured("CUDA_VISIBLE_DEVICES", Kind::kText,
             "GPUs the CUDA driver shows, read when it starts; empty hides all."),
    honoured("CUDA_DEVICE_ORDER", Kind::kText, "FASTEST_FIRST (CUDA's default) or PCI_BUS_ID."),
    honoured("CUDA_LAUNCH_BLOCKING", Kind::kFlag,
             "1: each launch waits, so errors show where they arise."),
    honoured("LD_LIBRARY_PATH", Kind::kText,
             "Absolute folders of it are searched last; empty and relative ones never."),
});

const Variable& find(std::string_view name) {
  const auto* row = std::find_if(kTable.begin(), kTable.end(),
                                 [&](const Variable& variable) { return variable.name == name; });
  if (row == kTable.end()) {
    throw ValueError("env: '" + std::string(name) + "' is not in the table of base/env.cpp");
  }
  return *row;
}

bool is_first(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> warned;
  const std::lock_guard lock(mutex);
  return warned.emplace(name).second;
}

void warn(const Variable& variable, const std::string& value, const std::string& wanted) {
  if (!is_first(variable.name)) return;
  log::warning(variable.name, "='", value, "' is not ", wanted, "; using the default '",
               variable.fallback, "'.");
}

std::string value_or_fallback(const Variable& variable) {
  std::optional<std::string> value = raw(variable.name);
  if (!value || value->empty()) return std::string(variable.fallback);
  return *std::move(value);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_choice(std::string_view choices, std::string_view value) {
  while (true) {
    const std::size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

std::optional<bool> parse_flag(const std::string& value) {
  const std::string word = lower(value);
  if (word == "1" || word == "true" || word == "yes" || word == "on") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(const std::string& value) {
  std::int64_t parsed = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, parsed);
  if (error != std::errc() || stop != end) return std::nullopt;
  return parsed;
}

bool fits(const Variable& variable, std::int64_t value) {
  return value >= variable.lowest && value <= variable.highest;
}

std::string range_text(const Variable& variable) {
  return "a whole number from " + std::to_string(variable.lowest) + " to " +
         std::to_string(variable.highest);
}

}  // namespace

std::span<const Variable> table() noexcept { return kTable; }

std::string_view kind_name(Kind kind) noexcept {
  static constexpr std::array<std::string_view, 5> kNames = {"text", "path", "flag", "integer",
                                                             "choice"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::string> raw(std::string_view name) {
  const char* value = std::getenv(std::string(find(name).name).c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

bool is_set(std::string_view name) { return raw(name).has_value(); }

std::string text(std::string_view name) {
  const Variable& variable = find(name);
  std::string value = value_or_fallback(variable);
  if (variable.kind != Kind::kChoice) return value;
  std::string choice = lower(value);
  if (is_choice(variable.choices, choice)) return choice;
  warn(variable, value, "one of " + std::string(variable.choices));
  return std::string(variable.fallback);
}

bool flag(std::string_view name) {
  const Variable& variable = find(name);
  const std::string value = value_or_fallback(variable);
  if (const std::optional<bool> parsed = parse_flag(value)) return *parsed;
  warn(variable, value, "a flag (0 or 1)");
  return variable.fallback == "1";
}

std::int64_t integer(std::string_view name) {
  const Variable& variable = find(name);
  const std::string value = value_or_fallback(variable);
  const std::optional<std::int64_t> parsed = parse_integer(value);
  if (parsed && fits(variable, *parsed)) return *parsed;
  warn(variable, value, range_text(variable));
  return *parse_integer(std::string(variable.fallback));
}

}  // namespace gpukit::env
