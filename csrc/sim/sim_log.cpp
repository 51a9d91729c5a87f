#include "sim/sim_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "base/env.h"
#include "sim/absent_functions.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace sim_log {
namespace {

void append(const std::string& path, const std::string& line) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string text = line + "\n";
  // One call a line: processes that share the file do not mix theirs.
  [[maybe_unused]] const auto written = write(file, text.data(), text.size());
  close(file);
}

const char* name_of(FaultClass kind) {
  switch (kind) {
    case FaultClass::kMemory:
      return current_simulation()->config().check_memory ? "memory" : "address";
    case FaultClass::kCheck:
      return "check";
    case FaultClass::kProgram:
      break;
  }
  return "program";
}

}  // namespace
}  // namespace sim_log

void write_log(const std::string& line) {
  sim_log::append(current_simulation()->config().log_path, "gpukit simulator: " + line);
}

void report(FaultClass kind, const std::string& message) {
  report_diagnostic(message);
  write_log(message);
  std::string line =
      std::string(sim_log::name_of(kind)) + "\t" + std::to_string(getpid()) + "\t" + message;
  std::replace(line.begin(), line.end(), '\n', ' ');  // names of kernels and files may hold any
  sim_log::append(env::text("GPUKIT_SIM_FAULTS"), line);
}

void log_absent_function(const char* name) {
  try {
    write_log(std::string(name) + " is not implemented; it returned 801 (not supported)");
  } catch (...) {  // a name that is not told is better than a program that ends
  }
}

}  // namespace gpukit::sim
