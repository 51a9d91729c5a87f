#pragma once

#include <cstddef>

namespace gpukit::images {

/// The cubins, one after the other, of the streams that tools/order_images.py stored. False if the
/// streams do not end with the last cubin.
bool restore_cubins(const unsigned char* stored, std::size_t stored_bytes, bool control_words,
                    unsigned char* cubins, std::size_t size);

}  // namespace gpukit::images
