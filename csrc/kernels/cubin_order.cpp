#include "kernels/cubin_order.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace gpukit::images {
namespace {

/// In the order of tools/order_images.py.
enum Stream { kTables, kStrings, kInfo, kRest, kControl, kCode, kStreams };

constexpr std::uint32_t kNvidiaInfo = 0x70000000, kNvidiaMercuryInfo = 0x70000083;
constexpr std::size_t kInstruction = 16, kControlWord = 8, kBundle = 32, kWord = 4;

/// Byte i of a stored instruction is byte kByteOf[i] of the cubin's: opcode and modifiers, then
/// immediates, registers and scheduling.
constexpr unsigned char kByteOf[kInstruction] = {1, 0, 12, 11, 10, 9,  7,  6,
                                                 5, 4, 3,  8,  2,  14, 13, 15};

class Streams {
 public:
  Streams(const unsigned char* stored, std::size_t bytes) : next_{stored}, left_{bytes} {
    std::array<std::uint32_t, kStreams> sizes;
    if (!read(kTables, sizes.data(), sizeof(sizes))) return;
    const unsigned char* start = next_[kTables];
    std::size_t left = left_[kTables];
    for (int i = 0; i < kStreams; ++i) {
      if (sizes[i] > left) return;
      next_[i] = start;
      left_[i] = sizes[i];
      start += sizes[i];
      left -= sizes[i];
    }
    valid_ = left == 0;
  }

  bool valid() const { return valid_; }

  bool read(Stream stream, void* to, std::size_t bytes) {
    if (bytes > left_[stream]) return false;
    if (bytes > 0) std::memcpy(to, next_[stream], bytes);
    next_[stream] += bytes;
    left_[stream] -= bytes;
    return true;
  }

  bool ended() const {
    return std::all_of(left_.begin(), left_.end(), [](std::size_t left) { return left == 0; });
  }

 private:
  std::array<const unsigned char*, kStreams> next_;
  std::array<std::size_t, kStreams> left_;
  bool valid_ = false;
};

enum class Kind { kDone, kTable, kStrings, kInfo, kCode, kRest };

/// A part of a cubin that has a stream of its own.
struct Part {
  std::uint64_t offset, bytes, row;
  Kind kind;
};

Kind kind_of(const Elf64_Shdr& section) {
  const std::uint32_t type = section.sh_type;
  if (type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0) return Kind::kCode;
  if (section.sh_entsize > 0 && section.sh_entsize % kWord == 0) return Kind::kTable;
  if (type == SHT_STRTAB) return Kind::kStrings;
  return type == kNvidiaInfo || type == kNvidiaMercuryInfo ? Kind::kInfo : Kind::kRest;
}

/// Adds to each 32-bit word the one a row before it.
void add_rows(unsigned char* table, std::size_t bytes, std::size_t row) {
  for (std::size_t i = row; i + kWord <= bytes; i += kWord) {
    std::uint32_t above, word;
    std::memcpy(&above, table + i - row, kWord);
    std::memcpy(&word, table + i, kWord);
    word += above;
    std::memcpy(table + i, &word, kWord);
  }
}

bool read_table(Streams& streams, unsigned char* to, std::size_t bytes, std::size_t row) {
  if (!streams.read(kTables, to, bytes)) return false;
  add_rows(to, bytes, row);
  return true;
}

bool read_code(Streams& streams, bool control_words, unsigned char* to, std::size_t bytes) {
  const unsigned char* end = to + bytes;
  if (control_words) {
    for (; end - to >= std::ptrdiff_t{kBundle}; to += kBundle) {
      if (!streams.read(kControl, to, kControlWord)) return false;
      if (!streams.read(kCode, to + kControlWord, kBundle - kControlWord)) return false;
    }
  } else {
    unsigned char stored[kInstruction];
    for (; end - to >= std::ptrdiff_t{kInstruction}; to += kInstruction) {
      if (!streams.read(kCode, stored, kInstruction)) return false;
      for (std::size_t i = 0; i < kInstruction; ++i) to[kByteOf[i]] = stored[i];
    }
  }
  return streams.read(kCode, to, static_cast<std::size_t>(end - to));
}

bool read_section(Streams& streams, bool control_words, unsigned char* to, const Part& part) {
  switch (part.kind) {
    case Kind::kDone:
      return true;
    case Kind::kTable:
      return read_table(streams, to, part.bytes, part.row);
    case Kind::kStrings:
      return streams.read(kStrings, to, part.bytes);
    case Kind::kInfo:
      return streams.read(kInfo, to, part.bytes);
    case Kind::kCode:
      return read_code(streams, control_words, to, part.bytes);
    case Kind::kRest:
      return streams.read(kRest, to, part.bytes);
  }
  return false;
}

/// The parts by their place; nothing if a table of sections is not within the cubin.
std::vector<Part> read_headers(Streams& streams, unsigned char* cubin, std::size_t size) {
  Elf64_Ehdr header;
  if (size < sizeof(header) || !streams.read(kTables, cubin, sizeof(header))) return {};
  std::memcpy(&header, cubin, sizeof(header));
  const std::size_t table = header.e_shnum * sizeof(Elf64_Shdr);
  if (header.e_shoff > size || table > size - header.e_shoff) return {};
  if (!read_table(streams, cubin + header.e_shoff, table, sizeof(Elf64_Shdr))) return {};
  std::vector<Part> parts{{0, sizeof(header), 0, Kind::kDone},
                          {header.e_shoff, table, 0, Kind::kDone}};
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, cubin + header.e_shoff + i * sizeof(section), sizeof(section));
    const bool stored = section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS;
    if (stored && section.sh_size > 0)
      parts.push_back({section.sh_offset, section.sh_size, section.sh_entsize, kind_of(section)});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& left, const Part& right) { return left.offset < right.offset; });
  return parts;
}

bool restore_cubin(Streams& streams, bool control_words, unsigned char* cubin, std::size_t size) {
  const std::vector<Part> parts = read_headers(streams, cubin, size);
  std::size_t place = 0;
  for (const Part& part : parts) {
    if (part.offset > size || part.bytes > size - part.offset) return false;
    if (part.offset + part.bytes <= place) continue;  // the same bytes under a second name
    if (part.offset < place) return false;
    if (!streams.read(kRest, cubin + place, part.offset - place)) return false;
    if (!read_section(streams, control_words, cubin + part.offset, part)) return false;
    place = part.offset + part.bytes;
  }
  return !parts.empty() && streams.read(kRest, cubin + place, size - place);
}

}  // namespace

bool restore_cubins(const unsigned char* stored, std::size_t stored_bytes, bool control_words,
                    unsigned char* cubins, std::size_t size) {
  Streams streams(stored, stored_bytes);
  if (!streams.valid()) return false;
  for (std::size_t place = 0; place < size;) {
    std::uint32_t bytes = 0;
    if (!streams.read(kTables, &bytes, sizeof(bytes)) || bytes > size - place) return false;
    if (!restore_cubin(streams, control_words, cubins + place, bytes)) return false;
    place += bytes;
  }
  return streams.ended();
}

}  // namespace gpukit::images
