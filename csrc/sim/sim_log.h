// The file of the setting log=PATH: what a program asked for and the simulated driver has not.
#pragma once

#include <string>

namespace gpukit::sim {

/// Adds a line, where the setting names a file. A file that cannot be written is left alone.
void write_log(const std::string& line);

}  // namespace gpukit::sim
