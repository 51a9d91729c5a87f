#include "sim/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sim/checked_memory.h"
#include "sim/image_reader.h"

namespace gpukit::sim {

namespace fat_binary {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50u;
constexpr std::uint32_t kWrapperMagic = 0x466243b1u;
constexpr std::uint16_t kPtxEntry = 1;

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  ///< after the header
};

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
};

struct Entry {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  ///< after the entry's header
  std::uint32_t compressed_bytes;
  std::uint32_t options_place;
  std::uint32_t numbers;
  std::uint32_t architecture;
  std::uint64_t unknown;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t uncompressed_bytes;  ///< 0 where nothing is compressed
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

[[noreturn]] void damaged(const char* what) {
  throw ImageError(CUDA_ERROR_INVALID_IMAGE, std::string("the fat binary is damaged: ") + what);
}

std::uint32_t magic_at(const void* image) {
  std::uint32_t magic = 0;
  return copy_checked(&magic, image, sizeof magic) ? magic : 0;
}

/// All bytes after the header.
std::vector<char> content(const void* image, std::size_t size) {
  if (magic_at(image) == kWrapperMagic) {
    Wrapper wrapper;
    if (!copy_checked(&wrapper, image, sizeof wrapper)) damaged("its wrapper has no end");
    image = wrapper.data;
    size = kAnySize;
    if (magic_at(image) != kMagic) damaged("its wrapper points to something else");
  }
  Header header;
  if (size < sizeof header || !copy_checked(&header, image, sizeof header))
    damaged("it is shorter than its header");
  if (header.header_bytes < sizeof header || header.bytes > kMostImageBytes ||
      header.header_bytes + header.bytes > size)
    damaged("it is shorter than its header says");
  const char* const first = static_cast<const char*>(image) + header.header_bytes;
  std::vector<char> content;
  if (!can_read(first, header.bytes)) damaged("it is shorter than its header says");
  content.resize(header.bytes);
  if (!copy_checked(content.data(), first, content.size()))
    damaged("it is shorter than its header says");
  return content;
}

/// What of a fat binary can be used, and why not more.
struct Choice {
  std::string text;
  unsigned architecture = 0;
  bool has_ptx = false;
  bool has_compressed = false;
  unsigned lowest = 0;
};

void consider(const Entry& entry, std::string_view payload, int capability, Choice& choice) {
  if (entry.kind != kPtxEntry) return;
  choice.has_ptx = true;
  if (choice.lowest == 0 || entry.architecture < choice.lowest) choice.lowest = entry.architecture;
  if (entry.architecture > static_cast<unsigned>(capability)) return;
  if (entry.uncompressed_bytes != 0) {
    choice.has_compressed = true;
    return;
  }
  if (!choice.text.empty() && entry.architecture < choice.architecture) return;
  choice.architecture = entry.architecture;
  choice.text = payload.substr(0, payload.find('\0'));
}

std::string describe(const Choice& choice, int capability) {
  const std::string number = std::to_string(capability);
  if (choice.has_compressed)
    return "the PTX in the fat binary is compressed, and gpukit does not unpack it: make it with "
           "nvcc -no-compress, or pass the PTX";
  if (choice.has_ptx)
    return "the PTX in the fat binary is for compute_" + std::to_string(choice.lowest) +
           " and newer; this card has capability " + number + ": compile for compute_" + number;
  return "the fat binary holds no PTX: compile with -gencode arch=compute_" + number +
         ",code=compute_" + number;
}

}  // namespace
}  // namespace fat_binary

bool is_fat_binary(const void* image) {
  const std::uint32_t magic = fat_binary::magic_at(image);
  return magic == fat_binary::kMagic || magic == fat_binary::kWrapperMagic;
}

std::string ptx_of_fat_binary(const void* image, int capability, std::size_t size) {
  const std::vector<char> content = fat_binary::content(image, size);
  fat_binary::Choice choice;
  for (std::size_t at = 0; at < content.size();) {
    fat_binary::Entry entry;
    if (content.size() - at < sizeof entry) fat_binary::damaged("an entry has no end");
    std::memcpy(&entry, content.data() + at, sizeof entry);
    const std::size_t rest = content.size() - at;
    if (entry.header_bytes < sizeof entry || entry.header_bytes > rest ||
        entry.bytes > rest - entry.header_bytes)
      fat_binary::damaged("an entry is longer than the rest");
    fat_binary::consider(entry, {content.data() + at + entry.header_bytes, entry.bytes}, capability,
                         choice);
    at += entry.header_bytes + entry.bytes;
  }
  if (choice.text.empty())
    throw ImageError(CUDA_ERROR_NO_BINARY_FOR_GPU, fat_binary::describe(choice, capability));
  return choice.text;
}

}  // namespace gpukit::sim
