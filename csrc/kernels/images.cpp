#include "kernels/images.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#if GPUKIT_WITH_LZMA
#include <lzma.h>
#endif

namespace gpukit {

namespace images {
namespace {

struct UnpackedArchive {
  const ImageArchive* archive;
  std::unique_ptr<unsigned char[]> bytes;
};

/// The archives unpacked so far: one for all devices of an architecture.
struct Unpacked {
  std::mutex mutex;
  std::vector<UnpackedArchive> archives;
};

/// Never destroyed: a module may be loaded while the process exits.
Unpacked& unpacked() {
  static Unpacked& all = *new Unpacked;
  return all;
}

}  // namespace
}  // namespace images

const unsigned char* kernel_image_data(const KernelImage& image) {
  const ImageArchive& archive = *image.archive;
  if (!archive.compressed) return archive.data + image.offset;
  images::Unpacked& all = images::unpacked();
  const std::lock_guard lock(all.mutex);
  for (const images::UnpackedArchive& known : all.archives) {
    if (known.archive == &archive) return known.bytes.get() + image.offset;
  }
  std::unique_ptr<unsigned char[]> bytes(new unsigned char[archive.raw_bytes]);
  if (!unpack_archive(archive, bytes.get())) return nullptr;
  all.archives.push_back({&archive, std::move(bytes)});
  return all.archives.back().bytes.get() + image.offset;
}

bool unpack_archive(const ImageArchive& archive, unsigned char* destination) {
  if (!archive.compressed) {
    std::memcpy(destination, archive.data, archive.raw_bytes);
    return true;
  }
#if GPUKIT_WITH_LZMA
  std::unique_ptr<unsigned char[]> ordered(new unsigned char[archive.ordered_bytes]);
  std::uint64_t memory_limit = UINT64_MAX;
  std::size_t read = 0;
  std::size_t written = 0;
  const lzma_ret status = lzma_stream_buffer_decode(&memory_limit, 0, nullptr, archive.data, &read,
                                                    archive.stored_bytes, ordered.get(), &written,
                                                    archive.ordered_bytes);
  if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
  return status == LZMA_OK && written == archive.ordered_bytes &&
         restore_images(archive.order, ordered.get(), written, destination, archive.raw_bytes);
#else
  return false;
#endif
}

}  // namespace gpukit
