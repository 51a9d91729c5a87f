#pragma once

#include <cstddef>

namespace gpukit::images {

/// The PTX of the text that tools/order_images.py stored. False unless it has `size` bytes.
bool restore_ptx(const unsigned char* stored, std::size_t stored_bytes, unsigned char* text,
                 std::size_t size);

}  // namespace gpukit::images
