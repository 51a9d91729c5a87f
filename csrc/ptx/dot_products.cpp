// Sums of products of bytes and half words: dp4a and dp2a.
#include "ptx/fields.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

std::uint32_t product(std::int32_t a, std::int32_t b) { return static_cast<std::uint32_t>(a * b); }

template <bool kSignedA, bool kSignedB>
struct DotProduct {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 4; i++)
      c += product(field_of(a, i, 8, kSignedA), field_of(b, i, 8, kSignedB));
    return c;
  }
};

/// The half words of a, with the lower or upper two bytes of b.
template <bool kSignedA, bool kSignedB, bool kHigh>
struct DotProduct2 {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 2; i++)
      c += product(field_of(a, i, 16, kSignedA), field_of(b, i + (kHigh ? 2 : 0), 8, kSignedB));
    return c;
  }
};

template <class F>
constexpr Run kDotRun = map3<F, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

template <bool kA, bool kB>
void set_dot(Decoder& decoder, bool two, bool high) {
  const Type c = kA || kB ? Type::kS32 : Type::kU32;
  set_ternary(decoder, c, Type::kU32, Type::kU32, c,
              !two   ? kDotRun<DotProduct<kA, kB>>
              : high ? kDotRun<DotProduct2<kA, kB, true>>
                     : kDotRun<DotProduct2<kA, kB, false>>);
}

void decode_dot(Decoder& decoder, bool two) {
  const bool high = two && decoder.take_one_of({"lo", "hi"}) == "hi";
  const bool a = is_signed(decoder.take_type()), b = is_signed(decoder.take_type());
  if (a)
    b ? set_dot<true, true>(decoder, two, high) : set_dot<true, false>(decoder, two, high);
  else
    b ? set_dot<false, true>(decoder, two, high) : set_dot<false, false>(decoder, two, high);
}

}  // namespace

template <>
void decode<"dp4a">(Decoder& decoder) {
  decode_dot(decoder, false);
}

template <>
void decode<"dp2a">(Decoder& decoder) {
  decode_dot(decoder, true);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kDot>() {
  static constexpr OpcodeRow kRows[] = {kRow<"dp4a">, kRow<"dp2a">};
  return kRows;
}

}  // namespace gpukit::ptx
