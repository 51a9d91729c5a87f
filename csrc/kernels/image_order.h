#pragma once

// Kernel images are stored in another order than the driver reads them in: what is alike stands
// together, which compresses better. tools/order_images.py writes that order.

#include <cstddef>

namespace gpukit {

/// How the contents of an archive are ordered.
enum class ImageOrder : unsigned char {
  kAsIs,
  kPtx,              // text; numbers of registers and labels by their last use
  kControlWords,     // cubins: three instructions of 8 bytes follow a control word (to sm_62)
  kInstructionsOf16  // cubins of newer architectures
};

/// Writes exactly `size` bytes to `images`; false if `stored` is not what the order describes.
bool restore_images(ImageOrder order, const unsigned char* stored, std::size_t stored_bytes,
                    unsigned char* images, std::size_t size);

}  // namespace gpukit
