// Fields of bits: taken out, put in, made and extended.
#include <algorithm>
#include <type_traits>

#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

/// A position or length: 8 bits of it count in fields of 32 bits, as the manual says, and all of
/// it in those of 64, as on an H200.
template <class T>
constexpr std::uint32_t field_part(std::uint32_t value) {
  return sizeof(T) == 8 ? value : value & 0xff;
}

template <class T>
struct Extract {
  static T apply(T value, std::uint32_t b, std::uint32_t c) {
    using U = std::make_unsigned_t<T>;
    constexpr unsigned kTop = 8 * sizeof(T) - 1;
    const std::uint32_t start = field_part<T>(b), length = field_part<T>(c);
    const auto a = static_cast<U>(value);
    if (length == 0) return 0;
    const auto last =
        static_cast<unsigned>(std::min<std::uint64_t>(std::uint64_t{start} + length - 1, kTop));
    const bool sign = std::is_signed_v<T> && (a >> last & 1) != 0;
    const U shifted = start > kTop ? U{0} : static_cast<U>(a >> start);
    const U kept = length > kTop ? ~U{0} : static_cast<U>((U{1} << length) - 1);
    const U available = start > kTop ? U{0} : static_cast<U>(~U{0} >> start);
    const U field = shifted & kept;
    return static_cast<T>(sign ? field | ~static_cast<U>(kept & available) : field);
  }
};

template <class T>
void insert(Warp& warp, const Instruction& in, Mask mask) {
  constexpr unsigned kWidth = 8 * sizeof(T);
  for_each_lane(mask, [&](unsigned i) {
    const T a = warp.lanes<T>(in.a)[i], b = warp.lanes<T>(in.b)[i];
    const std::uint32_t start = field_part<T>(warp.lanes<std::uint32_t>(in.c)[i]);
    const std::uint32_t length = field_part<T>(warp.lanes<std::uint32_t>(in.e)[i]);
    const T ones = length >= kWidth ? ~T{0} : static_cast<T>((T{1} << length) - 1);
    const T field = start >= kWidth ? T{0} : static_cast<T>(ones << start);
    const T shifted = start >= kWidth ? T{0} : static_cast<T>(a << start);
    warp.lanes<T>(in.d)[i] = (b & ~field) | (shifted & field);
  });
}

template <bool kWrap>
struct MakeMask {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t start = kWrap ? a & 31 : std::min(a, 32u);
    const std::uint32_t length = kWrap ? b & 31 : std::min(b, 32u);
    const std::uint64_t ones = (std::uint64_t{1} << length) - 1;
    return static_cast<std::uint32_t>(ones << start);
  }
};

template <class T, bool kWrap>
struct SignExtend {
  static T apply(T value, std::uint32_t b) {
    const std::uint32_t width = kWrap ? b & 31 : std::min(b, 32u);
    if (width == 0) return 0;
    const unsigned unused = 32 - width;
    const auto shifted = static_cast<std::uint32_t>(value) << unused;
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(static_cast<std::int32_t>(shifted) >> unused);
    else
      return static_cast<T>(shifted >> unused);
  }
};

template <class T>
constexpr Run kExtract = map3<Extract<T>, T, T, std::uint32_t, std::uint32_t>;

template <bool kWrap>
Run sign_extend(Type type) {
  return is_signed(type)
             ? map2<SignExtend<std::int32_t, kWrap>, std::int32_t, std::int32_t, std::uint32_t>
             : map2<SignExtend<std::uint32_t, kWrap>, std::uint32_t, std::uint32_t, std::uint32_t>;
}

/// NVIDIA's compiler takes 5 bits of a length above 32 where it and a position other than 0 are
/// written as numbers.
std::uint32_t insertion_length(Decoder& decoder) {
  const Operand& start = decoder.operand(3);
  Operand length = decoder.operand(4);
  const bool written = start.kind == Operand::Kind::kInteger && start.value != 0 &&
                       length.kind == Operand::Kind::kInteger;
  if (written && length.value > 32) length.value &= 31;
  return decoder.source(length, Type::kU32);
}

}  // namespace

template <>
void decode<"bfe">(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (is_float(type) || bytes_of(type) < 4) decoder.fail("bfe is of 32- and 64-bit numbers");
  const Run run = is_signed(type)
                      ? (bytes_of(type) == 8 ? kExtract<std::int64_t> : kExtract<std::int32_t>)
                      : (bytes_of(type) == 8 ? kExtract<std::uint64_t> : kExtract<std::uint32_t>);
  set_ternary(decoder, type, type, Type::kU32, Type::kU32, run);
}

template <>
void decode<"bfi">(Decoder& decoder) {
  const Type type = decoder.take_type_of({4, 8});
  decoder.require_operands(5);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  in.b = decoder.source(2, type);
  in.c = decoder.source(3, Type::kU32);
  in.e = bytes_of(type) == 4 ? insertion_length(decoder) : decoder.source(4, Type::kU32);
  in.d = decoder.destination(0, type);
  in.run = bytes_of(type) == 8 ? insert<std::uint64_t> : insert<std::uint32_t>;
}

template <>
void decode<"bmsk">(Decoder& decoder) {
  const bool wrap = decoder.take_one_of({"wrap", "clamp"}) == "wrap";
  const Type type = decoder.take_type_of({4});
  set_binary(decoder, type, Type::kU32, Type::kU32,
             wrap ? map2<MakeMask<true>, std::uint32_t, std::uint32_t, std::uint32_t>
                  : map2<MakeMask<false>, std::uint32_t, std::uint32_t, std::uint32_t>);
}

template <>
void decode<"szext">(Decoder& decoder) {
  const bool wrap = decoder.take_one_of({"wrap", "clamp"}) == "wrap";
  const Type type = decoder.take_type_of({4});
  set_binary(decoder, type, type, Type::kU32,
             wrap ? sign_extend<true>(type) : sign_extend<false>(type));
}

}  // namespace gpukit::ptx
