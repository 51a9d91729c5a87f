#include "sim/sim_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <mutex>

#include "sim/absent_functions.h"
#include "sim/simulation.h"

namespace gpukit::sim {

void write_log(const std::string& line) {
  const std::string path = current_simulation()->config().log_path;
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string text = "gpukit simulator: " + line + "\n";
  // One call a line: processes that share the file do not mix theirs.
  [[maybe_unused]] const auto written = write(file, text.data(), text.size());
  close(file);
}

void log_absent_function(const char* name) {
  try {
    write_log(std::string(name) + " is not there; it answered 801 (not supported)");
  } catch (...) {  // a name that is not told is better than a program that ends
  }
}

}  // namespace gpukit::sim
