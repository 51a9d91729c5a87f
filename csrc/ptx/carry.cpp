// Arithmetic of extended precision: the carry of one instruction is the next one's.
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint8_t kTakesCarry = 1;
constexpr std::uint8_t kGivesCarry = 2;

template <class T>
T high_part(T a, T b) {
  if constexpr (sizeof(T) == 4)
    return static_cast<T>((std::uint64_t{a} * b) >> 32);
  else
    return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> 64);
}

/// Of signed factors: the high part differs from that of unsigned ones by what the signs take away.
template <class T>
T signed_high_part(T a, T b) {
  T high = high_part(a, b);
  constexpr T kTop = T{1} << (8 * sizeof(T) - 1);
  if ((a & kTop) != 0) high -= b;
  if ((b & kTop) != 0) high -= a;
  return high;
}

template <class T, Carry kKind, bool kSigned>
void run(Warp& warp, const Instruction& in, Mask mask) {
  Mask& carry = warp.predicate(in.e);
  // As on cards, a difference is the sum with the complement: its carry says that nothing was
  // borrowed. NVIDIA's division of 128-bit numbers has addc behind subc.cc.
  constexpr Mask kFirst = kKind == Carry::kSub ? kAllLanes : 0;
  const Mask before = (in.flags & kTakesCarry) != 0 ? carry : kFirst;
  Mask after = 0;
  for_each_lane(mask, [&](unsigned i) {
    T a = warp.lanes<T>(in.a)[i], b = warp.lanes<T>(in.b)[i];
    const T taken = before >> i & 1;
    if constexpr (kKind == Carry::kMadLow || kKind == Carry::kMadHigh) {
      a = kKind == Carry::kMadLow ? static_cast<T>(a * b)
          : kSigned               ? signed_high_part(a, b)
                                  : high_part(a, b);
      b = warp.lanes<T>(in.c)[i];
    }
    T result, more;
    bool over;
    if constexpr (kKind == Carry::kSub) {
      over = __builtin_sub_overflow(a, b, &more);
      over = __builtin_sub_overflow(more, T{1} - taken, &result) || over;
      over = !over;
    } else {
      over = __builtin_add_overflow(a, b, &more);
      over = __builtin_add_overflow(more, taken, &result) || over;
    }
    after |= Mask{over} << i;
    warp.lanes<T>(in.d)[i] = result;
  });
  if ((in.flags & kGivesCarry) != 0) carry = (carry & ~mask) | after;
}

template <class T, bool kSigned>
Run find_run(Carry kind) {
  switch (kind) {
    case Carry::kAdd:
      return run<T, Carry::kAdd, kSigned>;
    case Carry::kSub:
      return run<T, Carry::kSub, kSigned>;
    case Carry::kMadLow:
      return run<T, Carry::kMadLow, kSigned>;
    case Carry::kMadHigh:
      return run<T, Carry::kMadHigh, kSigned>;
  }
  return nullptr;
}

void set(Decoder& decoder, Carry kind, bool takes, bool gives) {
  const Type type = decoder.take_type();
  const bool wide = bytes_of(type) == 8;
  if (is_float(type) || bytes_of(type) < 4) decoder.fail("the carry is of 32- and 64-bit numbers");
  const bool is_mad = kind == Carry::kMadLow || kind == Carry::kMadHigh;
  const Run run =
      is_signed(type)
          ? (wide ? find_run<std::uint64_t, true>(kind) : find_run<std::uint32_t, true>(kind))
          : (wide ? find_run<std::uint64_t, false>(kind) : find_run<std::uint32_t, false>(kind));
  if (is_mad)
    set_ternary(decoder, type, type, type, type, run);
  else
    set_binary(decoder, type, type, type, run);
  decoder.instruction().e = decoder.carry();
  decoder.instruction().flags =
      static_cast<std::uint8_t>((takes ? kTakesCarry : 0) | (gives ? kGivesCarry : 0));
}

}  // namespace

template <>
void decode<"addc">(Decoder& decoder) {
  set(decoder, Carry::kAdd, true, decoder.take("cc"));
}

template <>
void decode<"subc">(Decoder& decoder) {
  set(decoder, Carry::kSub, true, decoder.take("cc"));
}

template <>
void decode<"madc">(Decoder& decoder) {
  const bool high = decoder.take_one_of({"lo", "hi"}) == "hi";
  set(decoder, high ? Carry::kMadHigh : Carry::kMadLow, true, decoder.take("cc"));
}

void decode_carry(Decoder& decoder, Carry kind, bool gives) { set(decoder, kind, false, gives); }

template <>
std::span<const OpcodeRow> opcodes<Family::kCarry>() {
  static constexpr OpcodeRow kRows[] = {kRow<"addc">, kRow<"subc">, kRow<"madc">};
  return kRows;
}

}  // namespace gpukit::ptx
