// Arithmetic of pairs of 16-bit numbers: .u16x2 and .s16x2.
#include <algorithm>
#include <limits>

#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

enum class PairOperation : std::uint8_t { kAdd, kSub, kMin, kMax };

constexpr std::uint8_t kPairSaturates = 1;
constexpr std::uint8_t kPairRelu = 2;

template <class T, PairOperation kOperation>
std::uint16_t compute(std::uint16_t left, std::uint16_t right, std::uint8_t flags) {
  const std::int32_t a = static_cast<T>(left), b = static_cast<T>(right);
  std::int32_t value = kOperation == PairOperation::kAdd   ? a + b
                       : kOperation == PairOperation::kSub ? a - b
                       : kOperation == PairOperation::kMin ? std::min(a, b)
                                                           : std::max(a, b);
  if ((flags & kPairSaturates) != 0)
    value = std::clamp<std::int32_t>(value, std::numeric_limits<T>::min(),
                                     std::numeric_limits<T>::max());
  if ((flags & kPairRelu) != 0) value = std::max(value, 0);
  return static_cast<std::uint16_t>(value);
}

template <class T, PairOperation kOperation>
void run(Warp& warp, const Instruction& in, Mask mask) {
  const std::uint32_t* a = warp.lanes<std::uint32_t>(in.a);
  const std::uint32_t* b = warp.lanes<std::uint32_t>(in.b);
  for_each_lane(mask, [&](unsigned i) {
    const auto half = [&](unsigned shift) {
      return std::uint32_t{compute<T, kOperation>(static_cast<std::uint16_t>(a[i] >> shift),
                                                  static_cast<std::uint16_t>(b[i] >> shift),
                                                  in.flags)};
    };
    warp.lanes<std::uint32_t>(in.d)[i] = half(16) << 16 | half(0);
  });
}

template <PairOperation kOperation>
Run find_run(Type type) {
  return type == Type::kS16x2 ? run<std::int16_t, kOperation> : run<std::uint16_t, kOperation>;
}

}  // namespace

void decode_integer_pair(Decoder& decoder, std::string_view opcode, Type type) {
  const bool adds = opcode == "add" || opcode == "sub";
  std::uint8_t flags = 0;
  if (adds && decoder.take("sat")) flags |= kPairSaturates;
  if (!adds && type == Type::kS16x2 && decoder.take("relu")) flags |= kPairRelu;
  Run run = nullptr;
  if (opcode == "add") run = find_run<PairOperation::kAdd>(type);
  if (opcode == "sub") run = find_run<PairOperation::kSub>(type);
  if (opcode == "min") run = find_run<PairOperation::kMin>(type);
  if (opcode == "max") run = find_run<PairOperation::kMax>(type);
  if (run == nullptr)
    decoder.fail("'" + std::string(opcode) + "' has no form of ." + std::string(name_of(type)));
  set_binary(decoder, type, type, type, run);
  decoder.instruction().flags = flags;
}

}  // namespace gpukit::ptx
