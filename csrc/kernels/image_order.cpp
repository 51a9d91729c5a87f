#include "kernels/image_order.h"

#include <cstring>

#include "kernels/cubin_order.h"
#include "kernels/ptx_order.h"

namespace gpukit {

bool restore_images(ImageOrder order, const unsigned char* stored, std::size_t stored_bytes,
                    unsigned char* images, std::size_t size) {
  switch (order) {
    case ImageOrder::kAsIs:
      if (stored_bytes != size) return false;
      std::memcpy(images, stored, size);
      return true;
    case ImageOrder::kPtx:
      return images::restore_ptx(stored, stored_bytes, images, size);
    case ImageOrder::kControlWords:
      return images::restore_cubins(stored, stored_bytes, true, images, size);
    case ImageOrder::kInstructionsOf16:
      return images::restore_cubins(stored, stored_bytes, false, images, size);
  }
  return false;
}

}  // namespace gpukit
