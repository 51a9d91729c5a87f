// Quantities as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace gpukit {

/// "24 B", "1.50 KiB", "3.73 GiB": binary units, three figures.
std::string format_bytes(std::int64_t bytes);

/// "850 ns", "12.3 us", "4.56 ms", "1.25 s", "3 min 05 s".
std::string format_duration(double seconds);

/// CUDA's packed version 12090 as "12.9".
std::string format_cuda_version(int packed);

/// Numbers with a fixed count of decimals, independent of the locale.
std::string format_fixed(double value, int decimals);

}  // namespace gpukit
