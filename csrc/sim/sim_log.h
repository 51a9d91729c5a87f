// The file of the setting log=PATH: functions that a program called and the simulated driver lacks,
// and kernels that failed.
#pragma once

#include <string>

namespace gpukit::sim {

/// Adds a line, where the setting names a file. A file that cannot be written is left alone.
void write_log(const std::string& line);

/// The cause of a failed launch.
enum class FaultClass {
  kMemory,   ///< an invalid address, which is always checked
  kCheck,    ///< found by `check=`
  kProgram,  ///< an assertion, a trap or a limit of the program
};

/// Reports it on stderr, in the log, and in the file that GPUKIT_SIM_FAULTS names: its kind, the id
/// of this process and the message, separated by tabs. "memory" and "check" are findings of
/// `check=`; "address" is an invalid address where `check=` does not name memory.
void report(FaultClass kind, const std::string& message);

}  // namespace gpukit::sim
