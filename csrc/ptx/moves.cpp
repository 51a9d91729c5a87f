// Moves, and addresses of one space as those of another.
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

template <class T>
struct Same {
  static T apply(T a) { return a; }
};

Type part_type(Decoder& decoder, Type type, std::size_t parts) {
  const std::size_t bytes = parts == 0 ? 0 : bytes_of(type) / parts;
  if (bytes == 2) return Type::kB16;
  if (bytes == 4) return Type::kB32;
  decoder.fail("a vector of this length has no parts of 16 or 32 bits");
}

template <class Whole, class Part>
void join(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& parts = warp.kernel().lists[in.target];
  for_each_lane(mask, [&](unsigned i) {
    Whole whole = 0;
    for (std::size_t k = parts.size(); k-- > 0;)
      whole = static_cast<Whole>(whole << (8 * sizeof(Part)) | warp.lanes<Part>(parts[k])[i]);
    warp.lanes<Whole>(in.d)[i] = whole;
  });
}

template <class Whole, class Part>
void extract(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& parts = warp.kernel().lists[in.target];
  for_each_lane(mask, [&](unsigned i) {
    Whole whole = warp.lanes<Whole>(in.a)[i];
    for (const std::uint32_t part : parts) {
      warp.lanes<Part>(part)[i] = static_cast<Part>(whole);
      whole = static_cast<Whole>(whole >> (8 * sizeof(Part)));
    }
  });
}

void decode_join(Decoder& decoder, Type type) {
  const std::vector<Operand>& items = decoder.operand(1).items;
  const Type part = part_type(decoder, type, items.size());
  std::vector<std::uint32_t> offsets;
  for (const Operand& item : items) offsets.push_back(decoder.source(item, part));
  Instruction& in = decoder.instruction();
  in.target = decoder.list(std::move(offsets));
  in.d = decoder.destination(0, type);
  in.run = bytes_of(type) == 4  ? join<std::uint32_t, std::uint16_t>
           : part == Type::kB16 ? join<std::uint64_t, std::uint16_t>
                                : join<std::uint64_t, std::uint32_t>;
}

void decode_part(Decoder& decoder, Type type) {
  const std::vector<Operand>& items = decoder.operand(0).items;
  const Type part = part_type(decoder, type, items.size());
  Instruction& in = decoder.instruction();
  in.a = decoder.source(1, type);
  std::vector<std::uint32_t> offsets;
  for (const Operand& item : items) offsets.push_back(decoder.destination(item, part));
  in.target = decoder.list(std::move(offsets));
  in.run = bytes_of(type) == 4  ? extract<std::uint32_t, std::uint16_t>
           : part == Type::kB16 ? extract<std::uint64_t, std::uint16_t>
                                : extract<std::uint64_t, std::uint32_t>;
}

std::uint64_t take_window(Decoder& decoder) {
  const std::string_view space =
      decoder.take_one_of({"global", "const", "shared", "shared::cta", "shared::cluster", "local",
                           "param", "param::entry"});
  if (space.empty()) decoder.fail("the instruction names no state space that gpukit runs");
  if (space.substr(0, 6) == "shared") return kSharedWindow;
  if (space == "local") return kLocalWindow;
  return space.substr(0, 5) == "param" ? kParamWindow : 0;
}

void shift_addresses(Warp& warp, const Instruction& in, Mask mask) {
  const std::uint64_t* a = warp.lanes<std::uint64_t>(in.a);
  std::uint64_t* d = warp.lanes<std::uint64_t>(in.d);
  const auto shift = static_cast<std::uint64_t>(in.immediate);
#pragma GCC ivdep
  for (unsigned i = 0; i < kLanes; i++) d[i] = (mask >> i & 1) != 0 ? a[i] + shift : d[i];
}

}  // namespace

template <>
void decode<"mov">(Decoder& decoder) {
  const Type type = decoder.take_type();
  decoder.require_operands(2);
  if (type == Type::kPred)
    return set_unary(decoder, type, type, [](Warp& warp, const Instruction& in, Mask mask) {
      write_predicate(warp, in.d, warp.predicate(in.a), mask);
    });
  if (decoder.operand(0).kind == Operand::Kind::kVector) return decode_part(decoder, type);
  if (decoder.operand(1).kind == Operand::Kind::kVector) return decode_join(decoder, type);
  if (bytes_of(type) < 2) decoder.fail("mov is of 16 bits and more");
  set_unary(decoder, type, type, move_run(bytes_of(type)));
}

template <>
void decode<"cvta">(Decoder& decoder) {
  const bool to = decoder.take("to");
  const std::uint64_t window = take_window(decoder);
  const Type type = decoder.take_type();
  if (bytes_of(type) != 8) decoder.fail("addresses have 64 bits");
  if (window == 0) return set_unary(decoder, type, type, move_run(8));
  set_unary(decoder, type, type, shift_addresses);
  decoder.instruction().immediate = static_cast<std::int64_t>(to ? ~window + 1 : window);
}

template <>
void decode<"isspacep">(Decoder& decoder) {
  const std::uint64_t window = take_window(decoder);
  set_unary(decoder, Type::kPred, Type::kU64, [](Warp& warp, const Instruction& in, Mask mask) {
    Mask bits = 0;
    for (unsigned i = 0; i < kLanes; i++) {
      const std::uint64_t space = warp.lanes<std::uint64_t>(in.a)[i] >> kWindowShift;
      bits |= Mask{space == static_cast<std::uint64_t>(in.immediate)} << i;
    }
    write_predicate(warp, in.d, bits, mask);
  });
  decoder.instruction().immediate = static_cast<std::int64_t>(window >> kWindowShift);
}

/// The address of a variable in a block of the cluster: each block is its own cluster.
template <>
void decode<"mapa">(Decoder& decoder) {
  decoder.take("shared::cluster");
  const Type type = decoder.take_type_of({4, 8});
  decoder.require_operands(3);
  Instruction& in = decoder.instruction();
  in.b = decoder.source(2, Type::kU32);
  in.a = decoder.source(1, type);
  in.d = decoder.destination(0, type);
  in.run = [](Warp& warp, const Instruction& here, Mask mask) {
    for_each_lane(mask, [&](unsigned i) {
      const std::uint32_t rank = warp.lanes<std::uint32_t>(here.b)[i];
      if (rank != 0)
        raise_fault(FaultKind::kInvalidSpace, i,
                    "mapa asks for block " + std::to_string(rank) + " of a cluster of one block");
    });
    move_run(here.flags)(warp, here, mask);
  };
  in.flags = static_cast<std::uint8_t>(bytes_of(type));
}

template <>
void decode<"getctarank">(Decoder& decoder) {
  decoder.take("shared::cluster");
  const Type type = decoder.take_type();
  decoder.require_operands(2);
  decoder.source(1, type);
  Instruction& in = decoder.instruction();
  in.a = decoder.constant(4, 0);
  in.d = decoder.destination(0, Type::kU32);
  in.run = move_run(4);
}

Run move_run(unsigned bytes) {
  return bytes == 8   ? map1<Same<std::uint64_t>, std::uint64_t, std::uint64_t>
         : bytes == 4 ? map1<Same<std::uint32_t>, std::uint32_t, std::uint32_t>
                      : map1<Same<std::uint16_t>, std::uint16_t, std::uint16_t>;
}

template <>
std::span<const OpcodeRow> opcodes<Family::kMove>() {
  static constexpr OpcodeRow kRows[] = {kRow<"mov">, kRow<"cvta">, kRow<"isspacep">, kRow<"mapa">,
                                        kRow<"getctarank">};
  return kRows;
}

}  // namespace gpukit::ptx
