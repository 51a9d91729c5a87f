#include "kernels/images.h"

#include <cstring>

#if GPUKIT_WITH_ZLIB
#include <zlib.h>
#endif

namespace gpukit {

bool unpack_kernel_image(const KernelImage& image, unsigned char* destination) noexcept {
  if (!image.compressed) {
    std::memcpy(destination, image.data, image.raw_bytes);
    return true;
  }
#if GPUKIT_WITH_ZLIB
  auto written = static_cast<uLongf>(image.raw_bytes);
  const int status =
      uncompress(destination, &written, image.data, static_cast<uLong>(image.compressed_bytes));
  return status == Z_OK && written == image.raw_bytes;
#else
  return false;
#endif
}

}  // namespace gpukit
