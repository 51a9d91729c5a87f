// Branches, calls, barriers and ends.
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

void decode_warp_barrier(Decoder& decoder) {
  decoder.require_operands(1);
  Instruction& in = decoder.instruction();
  in.e = decoder.source(0, Type::kU32);
  in.flow = Flow::kWarpSync;
}

/// Id and, if it is there, the number of threads.
void set_barrier(Decoder& decoder, std::size_t at, std::size_t end) {
  Instruction& in = decoder.instruction();
  in.a = decoder.source(at, Type::kU32);
  if (at + 1 < end) in.b = decoder.source(at + 1, Type::kU32);
  in.flow = Flow::kBarrier;
}

void decode_reduction(Decoder& decoder) {
  Instruction& in = decoder.instruction();
  const std::string_view operation = decoder.take_one_of({"popc", "and", "or"});
  const Type type = decoder.take_type();
  decoder.require_operands(3, 4);
  const std::size_t last = decoder.operand_count() - 1;
  set_barrier(decoder, 1, last);
  in.c = decoder.predicate(last);
  if (operation == "popc") {
    in.flags = kBarrierCounts;
    if (bytes_of(type) != 4) decoder.fail("a barrier counts in 32 bits");
    in.d = decoder.destination(0, type);
  } else {
    in.flags = operation == "and" ? kBarrierAnd : kBarrierOr;
    in.d = decoder.destination(0, Type::kPred);
  }
}

}  // namespace

template <>
void decode<"bra">(Decoder& decoder) {
  decoder.take("uni");
  decoder.require_operands(1);
  Instruction& in = decoder.instruction();
  in.target = decoder.label(decoder.operand(0).name);
  in.flow = Flow::kBranch;
}

template <>
void decode<"brx">(Decoder& decoder) {
  if (!decoder.take("idx")) decoder.fail("brx is brx.idx");
  decoder.take("uni");
  decoder.require_operands(2);
  Instruction& in = decoder.instruction();
  in.a = decoder.source(0, Type::kU32);
  in.target = decoder.target_list(decoder.operand(1).name);
  in.flow = Flow::kBranchIndexed;
}

template <>
void decode<"call">(Decoder& decoder) {
  decoder.take("uni");
  decoder.require_operands(1, 4);
  CallSite site = decoder.call_site();
  Instruction& in = decoder.instruction();
  in.flow = Flow::kCall;
  in.target = static_cast<std::uint32_t>(decoder.kernel().calls.size());
  decoder.kernel().waits_for_grid |= site.builtin == Builtin::kGridSync;
  decoder.kernel().calls.push_back(std::move(site));
}

template <>
void decode<"ret">(Decoder& decoder) {
  decoder.take("uni");
  decoder.require_operands(0);
  decoder.instruction().flow = decoder.in_entry() ? Flow::kExit : Flow::kReturn;
}

template <>
void decode<"exit">(Decoder& decoder) {
  decoder.require_operands(0);
  decoder.instruction().flow = Flow::kExit;
}

template <>
void decode<"trap">(Decoder& decoder) {
  decoder.require_operands(0);
  decoder.instruction().run = [](Warp&, const Instruction&, Mask mask) {
    raise_fault(FaultKind::kTrap, static_cast<unsigned>(std::countr_zero(mask)), "trap");
  };
}

template <>
void decode<"brkpt">(Decoder& decoder) {
  decoder.require_operands(0);
}

template <>
void decode<"bar">(Decoder& decoder) {
  if (decoder.take("warp")) {
    if (!decoder.take("sync")) decoder.fail("bar.warp is bar.warp.sync");
    return decode_warp_barrier(decoder);
  }
  if (decoder.take("cluster")) decoder.fail("barriers of clusters are not run by gpukit");
  decoder.take("cta");
  decoder.take("aligned");
  if (decoder.take("red")) return decode_reduction(decoder);
  const std::string_view kind = decoder.take_one_of({"sync", "arrive"});
  if (kind.empty()) decoder.fail("a barrier is .sync, .arrive or .red");
  const std::size_t count = decoder.operand_count();
  decoder.require_operands(kind == "arrive" ? 2 : 1, 2);
  set_barrier(decoder, 0, count);
  if (kind == "arrive") decoder.instruction().flags = kBarrierArrives;
}

/// A sleep ends immediately: time advances with instructions here.
template <>
void decode<"nanosleep">(Decoder& decoder) {
  decoder.take_type();
  decoder.require_operands(1);
  decoder.source(0, Type::kU32);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kFlow>() {
  static constexpr OpcodeRow kRows[] = {kRow<"bra">,      kRow<"brx">,  kRow<"call">,
                                        kRow<"ret">,      kRow<"exit">, kRow<"trap">,
                                        kRow<"brkpt">,    kRow<"bar">,  {"barrier", decode<"bar">},
                                        kRow<"nanosleep">};
  return kRows;
}

}  // namespace gpukit::ptx
