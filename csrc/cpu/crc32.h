// The checksum of zip files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpukit::cpu {

/// CRC-32 (polynomial 0xEDB88320) of the bytes, continued from `value`; 0 to begin with.
std::uint32_t crc32(std::uint32_t value, const void* data, std::size_t bytes) noexcept;

}  // namespace gpukit::cpu
