// Sums of products of bytes and half words: dp4a and dp2a.
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

template <bool kSignedA, bool kSignedB, unsigned kParts>
struct DotProduct {
  static std::uint32_t part(std::uint32_t value, unsigned i, unsigned bits, bool is_signed) {
    const std::uint32_t field = value >> (i * bits) & ((1u << bits) - 1);
    const unsigned unused = 32 - bits;
    return is_signed
               ? static_cast<std::uint32_t>(static_cast<std::int32_t>(field << unused) >> unused)
               : field;
  }
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 4; i++) c += part(a, i, 8, kSignedA) * part(b, i, 8, kSignedB);
    return c;
  }
};

template <bool kSignedA, bool kSignedB, bool kHigh>
struct DotProduct2 {
  using Parts = DotProduct<kSignedA, kSignedB, 2>;
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (unsigned i = 0; i < 2; i++)
      c += Parts::part(a, i, 16, kSignedA) * Parts::part(b, i + (kHigh ? 2 : 0), 8, kSignedB);
    return c;
  }
};

template <class F>
constexpr Run kDotRun = map3<F, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

template <bool kA, bool kB>
void set_dot(Decoder& decoder, bool two, bool high) {
  const Type c = kA || kB ? Type::kS32 : Type::kU32;
  set_ternary(decoder, c, Type::kU32, Type::kU32, c,
              !two   ? kDotRun<DotProduct<kA, kB, 4>>
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

void decode_dp4a(Decoder& decoder) { decode_dot(decoder, false); }
void decode_dp2a(Decoder& decoder) { decode_dot(decoder, true); }

constexpr OpcodeRow kRows[] = {{"dp4a", decode_dp4a}, {"dp2a", decode_dp2a}};

}  // namespace

std::span<const OpcodeRow> dot_opcodes() { return kRows; }

}  // namespace gpukit::ptx
