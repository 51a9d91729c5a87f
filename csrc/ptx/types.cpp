#include "ptx/types.h"

#include <algorithm>
#include <iterator>

namespace gpukit::ptx {

namespace {

struct Row {
  std::string_view name;
  unsigned char bytes;
  bool is_signed;
  bool is_float;
};

// Indexed by the value of Type.
constexpr Row kRows[] = {
    {"", 0, false, false},     {"b8", 1, false, false},    {"u8", 1, false, false},
    {"s8", 1, true, false},    {"b16", 2, false, false},   {"u16", 2, false, false},
    {"s16", 2, true, false},   {"f16", 2, true, true},     {"bf16", 2, true, true},
    {"b32", 4, false, false},  {"u32", 4, false, false},   {"s32", 4, true, false},
    {"f32", 4, true, true},    {"f16x2", 4, true, true},   {"bf16x2", 4, true, true},
    {"tf32", 4, true, true},   {"u16x2", 4, false, false}, {"s16x2", 4, true, false},
    {"e4m3x2", 2, true, true}, {"e5m2x2", 2, true, true},  {"b64", 8, false, false},
    {"u64", 8, false, false},  {"s64", 8, true, false},    {"f64", 8, true, true},
    {"pred", 0, false, false},
};

const Row& row(Type type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

Type type_named(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kRows); i++) {
    if (kRows[i].name == name) return static_cast<Type>(i);
  }
  return Type::kNone;
}

std::string_view name_of(Type type) { return row(type).name; }
unsigned bytes_of(Type type) { return row(type).bytes; }
unsigned register_bytes(Type type) {
  return type == Type::kPred ? 0 : std::max(2u, bytes_of(type));
}
Type bits_of_width(unsigned bytes) {
  return bytes == 8 ? Type::kB64 : bytes == 4 ? Type::kB32 : Type::kB16;
}
bool is_signed(Type type) { return row(type).is_signed; }
bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kBF16 || type == Type::kF16x2 || type == Type::kBF16x2;
}
bool is_float(Type type) { return row(type).is_float; }

}  // namespace gpukit::ptx
