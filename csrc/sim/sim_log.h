// The file of the setting log=PATH: what a program asked for and the simulated driver has not, and
// which kernels failed.
#pragma once

#include <string>

namespace gpukit::sim {

/// Adds a line, where the setting names a file. A file that cannot be written is left alone.
void write_log(const std::string& line);

/// Whose mistake ended a launch.
enum class FaultClass {
  kMemory,   ///< of an address, which is looked at in any case
  kCheck,    ///< what `check=` watches for
  kProgram,  ///< an assertion, a trap, a limit: the program's own word
};

/// Tells it on stderr, in the log, and in the file that GPUKIT_SIM_FAULTS names: "memory", "check"
/// or "program", the number of this process and the sentence, with tabs between.
void report_fault(FaultClass kind, const std::string& message);

}  // namespace gpukit::sim
