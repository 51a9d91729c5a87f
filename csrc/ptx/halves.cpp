// Arithmetic of f16 and bf16, alone and in pairs. Every result is rounded once.
#include "ptx/float_math.h"
#include "ptx/half_math.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

// Flags of an instruction.
constexpr std::uint8_t kFlush = 1;
constexpr std::uint8_t kSaturate = 2;
constexpr std::uint8_t kRelu = 4;
constexpr std::uint8_t kPropagate = 8;
constexpr std::uint8_t kSignOfProduct = 16;

template <class Format>
double flush_if(double value, std::uint8_t flags) {
  const double smallest = std::ldexp(1.0, Format::kLowest);
  return (flags & kFlush) != 0 && std::fabs(value) < smallest ? std::copysign(0.0, value) : value;
}

template <class Format>
std::uint16_t finished(double value, std::uint8_t flags) {
  if ((flags & kSaturate) != 0) value = saturated<true>(value);
  if ((flags & kRelu) != 0 && !(value > 0) && value == value) value = 0;
  const std::uint16_t bits = narrowed<Format>(value);
  return (flags & kFlush) != 0 ? narrowed<Format>(flush_if<Format>(widened<Format>(bits), flags))
                               : bits;
}

enum class Operation : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kFma,
  kMin,
  kMax,
  kAbs,
  kNeg,
  kExp2,
  kTanh,
};

double compute(Operation operation, double a, double b, double c, std::uint8_t flags) {
  const bool propagate = (flags & kPropagate) != 0;
  switch (operation) {
    case Operation::kAdd:
      return sum_to_odd(a, b);
    case Operation::kSub:
      return sum_to_odd(a, -b);
    case Operation::kMul:
      return a * b;
    case Operation::kFma:
      return sum_to_odd(a * b, c);  // the product of two 11-bit numbers is exact
    case Operation::kMin:
      return propagate ? smaller<true>(a, b) : smaller<false>(a, b);
    case Operation::kMax:
      return propagate ? larger<true>(a, b) : larger<false>(a, b);
    case Operation::kAbs:
      return std::fabs(a);
    case Operation::kNeg:
      return -a;
    case Operation::kExp2:
      return std::exp2(a);
    case Operation::kTanh:
      return std::tanh(a);
  }
  return a;
}

/// .xorsign.abs: of the magnitudes, with the sign of the product. A NaN's sign says nothing.
template <class Format, Operation kOperation>
std::uint16_t signed_extreme(int a, int b, int sign, std::uint8_t flags) {
  const auto of = [&](int bits) {
    return flush_if<Format>(widened<Format>(static_cast<std::uint16_t>(bits)), flags);
  };
  const double result = compute(kOperation, of(a), of(b), 0, flags);
  if (result != result) return narrowed<Format>(result);
  return static_cast<std::uint16_t>(narrowed<Format>(result) | sign);
}

template <class Format, Operation kOperation>
std::uint16_t one(std::uint16_t a, std::uint16_t b, std::uint16_t c, std::uint8_t flags) {
  // Signs are bits: they are changed and taken away in NaNs, too.
  if (kOperation == Operation::kAbs && (flags & kFlush) == 0) return a & 0x7fff;
  if (kOperation == Operation::kNeg && (flags & kFlush) == 0) return a ^ 0x8000;
  if ((flags & kSignOfProduct) != 0)
    return signed_extreme<Format, kOperation>(a & 0x7fff, b & 0x7fff, (a ^ b) & 0x8000, flags);
  return finished<Format>(compute(kOperation, flush_if<Format>(widened<Format>(a), flags),
                                  flush_if<Format>(widened<Format>(b), flags),
                                  flush_if<Format>(widened<Format>(c), flags), flags),
                          flags);
}

template <class Format, Operation kOperation, class Word>
void run(Warp& warp, const Instruction& in, Mask mask) {
  const Word* a = warp.lanes<Word>(in.a);
  const Word* b = in.b == kNowhere ? a : warp.lanes<Word>(in.b);
  const Word* c = in.c == kNowhere ? a : warp.lanes<Word>(in.c);
  Word* d = warp.lanes<Word>(in.d);
  for_each_lane(mask, [&](unsigned i) {
    Word result = 0;
    for (unsigned half = 0; half < sizeof(Word) / 2; half++) {
      const unsigned shift = 16 * half;
      const auto part = [shift](Word word) { return static_cast<std::uint16_t>(word >> shift); };
      const std::uint16_t r = one<Format, kOperation>(part(a[i]), part(b[i]), part(c[i]), in.flags);
      result = static_cast<Word>(result | static_cast<Word>(Word{r} << shift));
    }
    d[i] = result;
  });
}

template <Operation kOperation>
Run find_run(Type type) {
  switch (type) {
    case Type::kF16:
      return run<F16, kOperation, std::uint16_t>;
    case Type::kBF16:
      return run<BF16, kOperation, std::uint16_t>;
    case Type::kF16x2:
      return run<F16, kOperation, std::uint32_t>;
    default:
      return run<BF16, kOperation, std::uint32_t>;
  }
}

}  // namespace

void decode_half(Decoder& decoder, std::string_view opcode, Type type) {
  if (!is_half(type))
    decoder.fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  decoder.take("rn");
  decoder.take("approx");
  std::uint8_t flags = 0;
  if (decoder.take("ftz")) flags |= kFlush;
  if (decoder.take("sat")) flags |= kSaturate;
  if (decoder.take("relu")) flags |= kRelu;
  if (decoder.take("NaN")) flags |= kPropagate;
  if ((opcode == "min" || opcode == "max") && decoder.take("xorsign")) {
    if (!decoder.take("abs")) decoder.fail(".xorsign is .xorsign.abs");
    flags |= kSignOfProduct;
  }
  decoder.instruction().flags = flags;
  const auto binary = [&](Run run) { set_binary(decoder, type, type, type, run); };
  const auto unary = [&](Run run) { set_unary(decoder, type, type, run); };
  if (opcode == "add") return binary(find_run<Operation::kAdd>(type));
  if (opcode == "sub") return binary(find_run<Operation::kSub>(type));
  if (opcode == "mul") return binary(find_run<Operation::kMul>(type));
  if (opcode == "min") return binary(find_run<Operation::kMin>(type));
  if (opcode == "max") return binary(find_run<Operation::kMax>(type));
  if (opcode == "abs") return unary(find_run<Operation::kAbs>(type));
  if (opcode == "neg") return unary(find_run<Operation::kNeg>(type));
  if (opcode == "ex2") return unary(find_run<Operation::kExp2>(type));
  if (opcode == "tanh") return unary(find_run<Operation::kTanh>(type));
  if (opcode == "fma")
    return set_ternary(decoder, type, type, type, type, find_run<Operation::kFma>(type));
  decoder.fail("'" + std::string(opcode) + "' has no form of ." + std::string(name_of(type)));
}

}  // namespace gpukit::ptx
