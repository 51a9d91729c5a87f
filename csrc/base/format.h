// Quantities as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace gpukit {

/// "24 B", "1.50 KiB", "3.73 GiB": binary units, three figures.
std::string format_bytes(std::int64_t bytes);

/// CUDA's packed version 12090 as "12.9".
std::string format_cuda_version(int packed);

}  // namespace gpukit
