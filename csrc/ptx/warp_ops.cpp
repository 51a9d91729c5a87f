// What the lanes of a warp do together.
#include <algorithm>
#include <cstring>

#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

// ---- shuffles

enum class Way : std::uint8_t { kUp, kDown, kButterfly, kIndex };

template <Way kWay>
void shuffle(Warp& warp, const Instruction& in, Mask mask) {
  std::uint32_t before[kLanes];
  std::memcpy(before, warp.lanes<std::uint32_t>(in.a), sizeof before);
  const std::uint32_t* b = warp.lanes<std::uint32_t>(in.b);
  const std::uint32_t* c = warp.lanes<std::uint32_t>(in.c);
  std::uint32_t* d = warp.lanes<std::uint32_t>(in.d);
  Mask valid = 0;
  std::uint32_t results[kLanes];
  for_each_lane(mask, [&](unsigned lane) {
    const unsigned step = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const unsigned highest = (lane & segment) | (clamp & ~segment & 31);
    const unsigned lowest = lane & segment;
    int from = 0;
    bool inside = false;
    switch (kWay) {
      case Way::kUp:
        from = static_cast<int>(lane) - static_cast<int>(step);
        inside = from >= static_cast<int>(highest);
        break;
      case Way::kDown:
        from = static_cast<int>(lane + step);
        inside = from <= static_cast<int>(highest);
        break;
      case Way::kButterfly:
        from = static_cast<int>(lane ^ step);
        inside = from <= static_cast<int>(highest);
        break;
      case Way::kIndex:
        from = static_cast<int>(lowest | (step & ~segment & 31));
        inside = from <= static_cast<int>(highest);
        break;
    }
    valid |= Mask{inside} << lane;
    results[lane] = before[inside ? from & 31 : static_cast<int>(lane)];
  });
  for_each_lane(mask, [&](unsigned lane) { d[lane] = results[lane]; });
  write_second(warp, in, valid, mask);
}

/// The member mask is the last operand of a .sync form; forms without one include every active
/// lane.
void set_members(Decoder& decoder, bool synchronised, std::size_t at) {
  if (!synchronised) return;
  decoder.instruction().e = decoder.source(at, Type::kU32);
  decoder.instruction().flow = Flow::kWarpSync;
}

// ---- votes and their like: groups of lanes with one member mask

/// body(group) for each set of lanes that share a member mask.
template <class Body>
void for_each_meeting(const Warp& warp, const Instruction& in, Mask mask, Body body) {
  if (in.e == kNowhere) return body(mask);
  for_each_group(mask, warp.lanes<std::uint32_t>(in.e), [&](unsigned, Mask same) { body(same); });
}

enum class Vote : std::uint8_t { kAll, kAny, kUniform, kBallot };

template <Vote kVote>
void vote(Warp& warp, const Instruction& in, Mask mask) {
  const Mask values = warp.predicate(in.a);
  for_each_meeting(warp, in, mask, [&](Mask group) {
    const Mask votes = values & group;
    if constexpr (kVote == Vote::kBallot) {
      for_each_lane(group, [&](unsigned lane) { warp.lanes<std::uint32_t>(in.d)[lane] = votes; });
    } else {
      const bool result = kVote == Vote::kAll   ? votes == group
                          : kVote == Vote::kAny ? votes != 0
                                                : votes == group || votes == 0;
      write_predicate(warp, in.d, result ? kAllLanes : 0, group);
    }
  });
}

template <class T, bool kAll>
void match(Warp& warp, const Instruction& in, Mask mask) {
  const T* a = warp.lanes<T>(in.a);
  std::uint32_t results[kLanes];
  Mask same_all = 0;
  for_each_meeting(warp, in, mask, [&](Mask group) {
    for_each_lane(group, [&](unsigned lane) {
      Mask same = 0;
      for_each_lane(group, [&](unsigned other) { same |= Mask{a[other] == a[lane]} << other; });
      if (kAll && same != group) same = 0;
      results[lane] = same;
      same_all |= Mask{same == group} << lane;
    });
  });
  for_each_lane(mask,
                [&](unsigned lane) { warp.lanes<std::uint32_t>(in.d)[lane] = results[lane]; });
  write_second(warp, in, same_all, mask);
}

enum class Reduction : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };

template <class T, Reduction kReduction>
T joined(T a, T b) {
  switch (kReduction) {
    case Reduction::kAdd:
      return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    case Reduction::kMin:
      return std::min(a, b);
    case Reduction::kMax:
      return std::max(a, b);
    case Reduction::kAnd:
      return a & b;
    case Reduction::kOr:
      return a | b;
    case Reduction::kXor:
      return a ^ b;
  }
  return a;
}

template <class T, Reduction kReduction>
void reduce(Warp& warp, const Instruction& in, Mask mask) {
  const T* a = warp.lanes<T>(in.a);
  T results[kLanes];
  for_each_meeting(warp, in, mask, [&](Mask group) {
    T total = a[std::countr_zero(group)];
    for_each_lane(group & (group - 1),
                  [&](unsigned lane) { total = joined<T, kReduction>(total, a[lane]); });
    for_each_lane(group, [&](unsigned lane) { results[lane] = total; });
  });
  for_each_lane(mask, [&](unsigned lane) { warp.lanes<T>(in.d)[lane] = results[lane]; });
}

template <Reduction kReduction>
Run find_run(Type type) {
  return is_signed(type) ? reduce<std::int32_t, kReduction> : reduce<std::uint32_t, kReduction>;
}

}  // namespace

template <>
void decode<"shfl">(Decoder& decoder) {
  const bool synchronised = decoder.take("sync");
  const std::string_view way = decoder.take_one_of({"up", "down", "bfly", "idx"});
  const Type type = decoder.take_type();
  if (way.empty() || bytes_of(type) != 4) decoder.fail("shfl is .up, .down, .bfly or .idx of .b32");
  decoder.require_operands(synchronised ? 5 : 4);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  in.b = decoder.source(2, Type::kU32);
  in.c = decoder.source(3, Type::kU32);
  set_members(decoder, synchronised, 4);
  in.d = decoder.destination(0, type);
  set_second(decoder);
  in.run = way == "up"     ? shuffle<Way::kUp>
           : way == "down" ? shuffle<Way::kDown>
           : way == "bfly" ? shuffle<Way::kButterfly>
                           : shuffle<Way::kIndex>;
}

template <>
void decode<"vote">(Decoder& decoder) {
  const bool synchronised = decoder.take("sync");
  const std::string_view kind = decoder.take_one_of({"all", "any", "uni", "ballot"});
  const Type type = decoder.take_type();
  if (kind.empty() || type != (kind == "ballot" ? Type::kB32 : Type::kPred))
    decoder.fail("vote is .all, .any or .uni of .pred, or .ballot of .b32");
  decoder.require_operands(synchronised ? 3 : 2);
  Instruction& in = decoder.instruction();
  in.a = decoder.predicate(1);
  set_members(decoder, synchronised, 2);
  in.d = decoder.destination(0, type);
  in.run = kind == "all"   ? vote<Vote::kAll>
           : kind == "any" ? vote<Vote::kAny>
           : kind == "uni" ? vote<Vote::kUniform>
                           : vote<Vote::kBallot>;
}

template <>
void decode<"match">(Decoder& decoder) {
  const bool all = decoder.take_one_of({"any", "all"}) == "all";
  const bool synchronised = decoder.take("sync");
  const Type type = decoder.take_type_of({4, 8});
  decoder.require_operands(3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  set_members(decoder, synchronised, 2);
  in.d = decoder.destination(0, Type::kB32);
  set_second(decoder);
  const bool wide = bytes_of(type) == 8;
  in.run = all ? (wide ? match<std::uint64_t, true> : match<std::uint32_t, true>)
               : (wide ? match<std::uint64_t, false> : match<std::uint32_t, false>);
}

template <>
void decode<"redux">(Decoder& decoder) {
  if (!decoder.take("sync")) decoder.fail("redux is redux.sync");
  const std::string_view kind = decoder.take_one_of({"add", "min", "max", "and", "or", "xor"});
  const Type type = decoder.take_type();
  if (kind.empty() || bytes_of(type) != 4 || is_float(type))
    decoder.fail("redux is of whole numbers of 32 bits");
  decoder.require_operands(3);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  set_members(decoder, true, 2);
  in.d = decoder.destination(0, type);
  in.run = kind == "add"   ? find_run<Reduction::kAdd>(type)
           : kind == "min" ? find_run<Reduction::kMin>(type)
           : kind == "max" ? find_run<Reduction::kMax>(type)
           : kind == "and" ? find_run<Reduction::kAnd>(type)
           : kind == "or"  ? find_run<Reduction::kOr>(type)
                           : find_run<Reduction::kXor>(type);
}

template <>
void decode<"elect">(Decoder& decoder) {
  if (!decoder.take("sync")) decoder.fail("elect is elect.sync");
  decoder.require_operands(2);
  Instruction& in = decoder.instruction();
  set_members(decoder, true, 1);
  in.d = decoder.destination(0, Type::kB32);
  set_second(decoder);
  in.run = [](Warp& warp, const Instruction& here, Mask mask) {
    for_each_meeting(warp, here, mask, [&](Mask group) {
      const auto leader = static_cast<unsigned>(std::countr_zero(group));
      for_each_lane(group,
                    [&](unsigned lane) { warp.lanes<std::uint32_t>(here.d)[lane] = leader; });
      write_second(warp, here, Mask{1} << leader, group);
    });
  };
}

template <>
void decode<"activemask">(Decoder& decoder) {
  const Type type = decoder.take_type_of({4});
  decoder.require_operands(1);
  Instruction& in = decoder.instruction();
  in.d = decoder.destination(0, type);
  in.run = [](Warp& warp, const Instruction& here, Mask mask) {
    for_each_lane(mask, [&](unsigned lane) { warp.lanes<std::uint32_t>(here.d)[lane] = mask; });
  };
}

template <>
std::span<const OpcodeRow> opcodes<Family::kWarp>() {
  static constexpr OpcodeRow kRows[] = {kRow<"shfl">,  kRow<"vote">,  kRow<"match">,
                                        kRow<"redux">, kRow<"elect">, kRow<"activemask">};
  return kRows;
}

}  // namespace gpukit::ptx
