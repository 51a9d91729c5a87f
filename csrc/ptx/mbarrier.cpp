// Barriers that lie in shared memory: mbarrier. The 64 bits, which a program must not look into,
// hold the arrivals to come, the arrivals of a phase, the bytes to come and the parity of the
// phase.
#include <cstring>

#include "ptx/access.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

constexpr unsigned kCountBits = 20;
constexpr std::int64_t kMostCount = (1 << kCountBits) - 1;
constexpr unsigned kBytesBits = 23;

struct Phase {
  std::int64_t pending = 0;
  std::int64_t expected = 0;
  std::int64_t bytes = 0;  ///< that were announced and did not come yet
  bool odd = false;

  static Phase of(std::uint64_t word) {
    Phase phase;
    phase.pending = static_cast<std::int64_t>(word) & kMostCount;
    phase.expected = static_cast<std::int64_t>(word >> kCountBits) & kMostCount;
    phase.bytes = static_cast<std::int64_t>(word << 1) >> (64 - kBytesBits);
    phase.odd = word >> 63 != 0;
    return phase;
  }
  std::uint64_t word() const {
    const std::uint64_t kept = static_cast<std::uint64_t>(bytes) << (64 - kBytesBits) >> 1;
    return static_cast<std::uint64_t>(pending) |
           static_cast<std::uint64_t>(expected) << kCountBits | kept | std::uint64_t{odd} << 63;
  }
  void complete_if_due() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    odd = !odd;
  }
};

// Barriers order the accesses before and after them.
constexpr Order kBoth{true, true};

// What an instruction does with a barrier, in its flags.
constexpr std::uint8_t kArrives = 1;
constexpr std::uint8_t kDrops = 2;
constexpr std::uint8_t kExpects = 4;
constexpr std::uint8_t kBytesCame = 8;
constexpr std::uint8_t kByParity = 16;

std::uint64_t word_at(const Pointers& at, unsigned lane) {
  std::uint64_t word;
  std::memcpy(&word, at.of_lane[lane], sizeof word);
  if (word == 0 || word == ~std::uint64_t{0})
    raise_fault(FaultKind::kTrap, lane, "an mbarrier is used before mbarrier.init or after .inval");
  return word;
}

void init(Warp& warp, const Instruction& in, Mask mask) {
  Pointers at;
  find_pointers(warp, in, mask, 8, at, Access::kStrongWrite, kBoth);
  for_each_lane(mask, [&](unsigned i) {
    const std::int64_t count = warp.lanes<std::uint32_t>(in.b)[i];
    if (count == 0 || count > kMostCount)
      raise_fault(FaultKind::kTrap, i,
                  "mbarrier.init with a count of " + std::to_string(count) + "; it is 1 to " +
                      std::to_string(kMostCount));
    Phase phase;
    phase.pending = phase.expected = count;
    const std::uint64_t word = phase.word();
    std::memcpy(at.of_lane[i], &word, sizeof word);
  });
}

void invalidate(Warp& warp, const Instruction& in, Mask mask) {
  Pointers at;
  find_pointers(warp, in, mask, 8, at, Access::kAtomic, kBoth);
  for_each_lane(mask, [&](unsigned i) {
    word_at(at, i);
    std::memset(at.of_lane[i], 0, 8);
  });
}

void arrive(Phase& phase, std::int64_t count, bool drops, unsigned lane) {
  if (count == 0 || count > phase.pending)
    raise_fault(FaultKind::kTrap, lane,
                std::to_string(count) + " arrivals at an mbarrier that waits for " +
                    std::to_string(phase.pending));
  phase.pending -= count;
  if (drops) phase.expected -= count;
}

/// Arrivals, and bytes that are announced or came. b: the number of arrivals; c: of bytes.
void update(Warp& warp, const Instruction& in, Mask mask) {
  Pointers at;
  find_pointers(warp, in, mask, 8, at, Access::kAtomic, kBoth);
  for_each_lane(mask, [&](unsigned i) {
    const std::uint64_t before = word_at(at, i);
    Phase phase = Phase::of(before);
    const std::int64_t bytes = in.c == kNowhere ? 0 : warp.lanes<std::uint32_t>(in.c)[i];
    if ((in.flags & kExpects) != 0) phase.bytes += bytes;
    if ((in.flags & kBytesCame) != 0) phase.bytes -= bytes;
    if (phase.bytes > kMostCount || phase.bytes < -kMostCount)
      raise_fault(FaultKind::kTrap, i, "an mbarrier waits for too many bytes");
    if ((in.flags & kArrives) != 0)
      arrive(phase, in.b == kNowhere ? 1 : warp.lanes<std::uint32_t>(in.b)[i],
             (in.flags & kDrops) != 0, i);
    phase.complete_if_due();
    const std::uint64_t after = phase.word();
    std::memcpy(at.of_lane[i], &after, sizeof after);
    if (in.d != kNowhere) warp.lanes<std::uint64_t>(in.d)[i] = before;
  });
}

/// True where the phase of a state, or of a parity, is over.
void test(Warp& warp, const Instruction& in, Mask mask) {
  Pointers at;
  find_pointers(warp, in, mask, 8, at, Access::kStrongRead, kBoth);
  Mask over = 0;
  for_each_lane(mask, [&](unsigned i) {
    const bool odd = (in.flags & kByParity) != 0
                         ? (warp.lanes<std::uint32_t>(in.b)[i] & 1) != 0
                         : Phase::of(warp.lanes<std::uint64_t>(in.b)[i]).odd;
    over |= Mask{Phase::of(word_at(at, i)).odd != odd} << i;
  });
  write_predicate(warp, in.d, over, mask);
}

void pending(Warp& warp, const Instruction& in, Mask mask) {
  for_each_lane(mask, [&](unsigned i) {
    warp.lanes<std::uint32_t>(in.d)[i] =
        static_cast<std::uint32_t>(Phase::of(warp.lanes<std::uint64_t>(in.a)[i]).pending);
  });
}

// ---- decoding

Space take_order_and_space(Decoder& decoder) {
  decoder.take_one_of({"release", "acquire", "relaxed"});
  decoder.take_one_of({"cta", "cluster"});
  const std::string_view space = decoder.take_one_of({"shared", "shared::cta", "shared::cluster"});
  if (decoder.take_type() != Type::kB64) decoder.fail("an mbarrier is of .b64");
  return space.empty() ? Space::kGeneric : Space::kShared;
}

void decode_init(Decoder& decoder) {
  const Space space = take_order_and_space(decoder);
  decoder.require_operands(2);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(0), space, in);
  in.b = decoder.source(1, Type::kU32);
  in.run = init;
}

void decode_inval(Decoder& decoder) {
  const Space space = take_order_and_space(decoder);
  decoder.require_operands(1);
  decoder.address(decoder.operand(0), space, decoder.instruction());
  decoder.instruction().run = invalidate;
}

/// The first operand is the state or _; forms of other blocks' barriers leave it out.
void decode_arrive(Decoder& decoder, bool drops) {
  decoder.take("noComplete");
  const bool expects = decoder.take("expect_tx");
  const Space space = take_order_and_space(decoder);
  const std::size_t first = decoder.operand(0).kind == Operand::Kind::kAddress ? 0 : 1;
  decoder.require_operands(first + 1, first + 2);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(first), space, in);
  if (decoder.operand_count() > first + 1)
    (expects ? in.c : in.b) = decoder.source(first + 1, Type::kU32);
  if (first == 1 && decoder.operand(0).kind != Operand::Kind::kSink)
    in.d = decoder.destination(0, Type::kB64);
  in.flags = static_cast<std::uint8_t>(kArrives | (drops ? kDrops : 0) | (expects ? kExpects : 0));
  in.run = update;
}

void decode_bytes(Decoder& decoder, std::uint8_t flags) {
  const Space space = take_order_and_space(decoder);
  decoder.require_operands(2);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(0), space, in);
  in.c = decoder.source(1, Type::kU32);
  in.flags = flags;
  in.run = update;
}

/// Nobody is put to sleep: try_wait is test_wait, and its caller asks again.
void decode_wait(Decoder& decoder, bool may_wait) {
  const bool by_parity = decoder.take("parity");
  const Space space = take_order_and_space(decoder);
  decoder.require_operands(3, may_wait ? 4 : 3);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(1), space, in);
  in.b = decoder.source(2, by_parity ? Type::kU32 : Type::kB64);
  if (decoder.operand_count() > 3) decoder.source(3, Type::kU32);
  in.d = decoder.destination(0, Type::kPred);
  in.flags = by_parity ? kByParity : std::uint8_t{0};
  in.run = test;
}

}  // namespace

template <>
void decode<"mbarrier">(Decoder& decoder) {
  const std::string_view kind = decoder.take_next();
  if (kind == "init") return decode_init(decoder);
  if (kind == "inval") return decode_inval(decoder);
  if (kind == "arrive") return decode_arrive(decoder, false);
  if (kind == "arrive_drop") return decode_arrive(decoder, true);
  if (kind == "expect_tx") return decode_bytes(decoder, kExpects);
  if (kind == "complete_tx") return decode_bytes(decoder, kBytesCame);
  if (kind == "test_wait") return decode_wait(decoder, false);
  if (kind == "try_wait") return decode_wait(decoder, true);
  if (kind != "pending_count")
    decoder.fail("mbarrier has no operation '" + std::string(kind) + "'");
  decoder.take_type();
  set_unary(decoder, Type::kU32, Type::kB64, pending);
}

// The copies are done when this is reached. Without .noinc the arrival was added before: nothing is
// left to do.
void decode_copies_arrive(Decoder& decoder) {
  if (!decoder.take("arrive")) decoder.fail("cp.async.mbarrier is cp.async.mbarrier.arrive");
  const bool counted = decoder.take("noinc");
  const Space space = take_order_and_space(decoder);
  decoder.require_operands(1);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(0), space, in);
  in.flags = counted ? kArrives : std::uint8_t{0};
  in.run = update;
}

void complete_bytes(Warp& warp, const Instruction& in, Mask mask) {
  Instruction arrival = in;
  arrival.b = arrival.d = kNowhere;
  arrival.flags = kBytesCame;
  update(warp, arrival, mask);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kMbarrier>() {
  static constexpr OpcodeRow kRows[] = {kRow<"mbarrier">};
  return kRows;
}

}  // namespace gpukit::ptx
