// Products of small matrices of bytes: mma.sync of .s8 and .u8.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "ptx/fields.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"
#include "ptx/settings.h"

namespace gpukit::ptx {

namespace {

constexpr unsigned kMostRows = 16, kMostDepth = 32, kColumns = 8;
constexpr unsigned kBytesOfWord = 4;

struct Product {
  std::uint32_t a[4], b[2], c[4], d[4];  ///< the offsets of the registers
  std::uint8_t depth;
  std::uint8_t words_of_a, words_of_b, words_of_c;
  bool signed_a, signed_b;
  bool saturates;
};

/// Element i of a lane's registers of the left matrix: words lie 8 rows apart, then 16 columns.
unsigned row_of_a(const Product& shape, unsigned lane, unsigned word) {
  return lane / 4 + (shape.words_of_a > 1 ? word % 2 * 8 : 0);
}
unsigned column_of_a(unsigned lane, unsigned word, unsigned byte) {
  return lane % 4 * 4 + byte + word / 2 * 16;
}
unsigned row_of_b(unsigned lane, unsigned word, unsigned byte) {
  return lane % 4 * 4 + byte + word * 16;
}

std::int32_t finished(std::int64_t sum, bool saturates) {
  if (!saturates) return static_cast<std::int32_t>(static_cast<std::uint64_t>(sum));
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      sum, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

void multiply(Warp& warp, const Instruction& in, Mask) {
  const auto shape = settings_of<Product>(warp, in);
  std::int32_t left[kMostRows][kMostDepth] = {}, right[kMostDepth][kColumns] = {};
  for (unsigned lane = 0; lane < kLanes; lane++) {
    for (unsigned i = 0; i < shape.words_of_a * kBytesOfWord; i++) {
      const unsigned word = i / kBytesOfWord, byte = i % kBytesOfWord;
      left[row_of_a(shape, lane, word)][column_of_a(lane, word, byte)] =
          field_of(warp.lanes<std::uint32_t>(shape.a[word])[lane], byte, 8, shape.signed_a);
    }
    for (unsigned i = 0; i < shape.words_of_b * kBytesOfWord; i++) {
      const unsigned word = i / kBytesOfWord, byte = i % kBytesOfWord;
      right[row_of_b(lane, word, byte)][lane / 4] =
          field_of(warp.lanes<std::uint32_t>(shape.b[word])[lane], byte, 8, shape.signed_b);
    }
  }
  std::int32_t results[4][kLanes];
  for (unsigned lane = 0; lane < kLanes; lane++) {
    for (unsigned i = 0; i < shape.words_of_c; i++) {
      const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      std::int64_t sum = warp.lanes<std::int32_t>(shape.c[i])[lane];
      for (unsigned k = 0; k < shape.depth; k++) sum += left[row][k] * right[k][column];
      results[i][lane] = finished(sum, shape.saturates);
    }
  }
  for (unsigned i = 0; i < shape.words_of_c; i++)
    std::memcpy(warp.lanes<std::int32_t>(shape.d[i]), results[i], sizeof results[i]);
}

}  // namespace

bool decode_integer_product(Decoder& decoder, std::string_view size, Type sum, Type left,
                            Type right, Type start) {
  const bool bytes =
      (left == Type::kS8 || left == Type::kU8) && (right == Type::kS8 || right == Type::kU8);
  const bool deep = size == "m16n8k32", small = size == "m8n8k16";
  if (!bytes || sum != Type::kS32 || start != Type::kS32 || (!deep && !small && size != "m16n8k16"))
    return false;
  Product shape{};
  shape.depth = deep ? 32 : 16;
  shape.words_of_a = small ? 1 : deep ? 4 : 2;
  shape.words_of_b = deep ? 2 : 1;
  shape.words_of_c = small ? 2 : 4;
  shape.signed_a = left == Type::kS8;
  shape.signed_b = right == Type::kS8;
  shape.saturates = decoder.take("satfinite");
  decoder.require_operands(4);
  const auto read = [&](std::size_t i, unsigned count, Type type, std::uint32_t* to) {
    std::vector<std::uint32_t> offsets;
    decoder.append(i, count, i == 0, type, offsets);
    std::copy(offsets.begin(), offsets.end(), to);
  };
  read(0, shape.words_of_c, Type::kS32, shape.d);
  read(1, shape.words_of_a, Type::kB32, shape.a);
  read(2, shape.words_of_b, Type::kB32, shape.b);
  read(3, shape.words_of_c, Type::kS32, shape.c);
  set_settings(decoder, shape);
  decoder.instruction().run = multiply;
  return true;
}

}  // namespace gpukit::ptx
