// Loads, stores, and what concerns caches and order of memory.
#include <cstring>

#include "ptx/access.h"
#include "ptx/block.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

// Flags of loads and stores.
constexpr std::uint8_t kStrong = 1;
constexpr std::uint8_t kOrders = 2;

Access read_of(const Instruction& in) {
  return (in.flags & kStrong) != 0 ? Access::kStrongRead : Access::kRead;
}
Access write_of(const Instruction& in) {
  return (in.flags & kStrong) != 0 ? Access::kStrongWrite : Access::kWrite;
}

Order order_of(const Instruction& in) {
  const bool orders = (in.flags & kOrders) != 0;
  return {orders, orders};
}

// M is the type in memory, R that of the register.
template <class M, class R>
void load(Warp& warp, const Instruction& in, Mask mask) {
  Pointers from;
  find_pointers(warp, in, mask, sizeof(M), from, read_of(in), order_of(in));
  R* d = warp.lanes<R>(in.d);
  if (from.contiguous) {
    M values[kLanes];
    std::memcpy(values, from.of_lane[0], sizeof values);
    for (unsigned i = 0; i < kLanes; i++) d[i] = static_cast<R>(values[i]);
    return;
  }
  for_each_lane(mask, [&](unsigned i) {
    M value;
    std::memcpy(&value, from.of_lane[i], sizeof value);
    d[i] = static_cast<R>(value);
  });
}

template <class M, class R>
void store(Warp& warp, const Instruction& in, Mask mask) {
  Pointers to;
  find_pointers(warp, in, mask, sizeof(M), to, write_of(in), order_of(in));
  const R* b = warp.lanes<R>(in.b);
  if (to.contiguous) {
    M values[kLanes];
    for (unsigned i = 0; i < kLanes; i++) values[i] = static_cast<M>(b[i]);
    std::memcpy(to.of_lane[0], values, sizeof values);
    return;
  }
  for_each_lane(mask, [&](unsigned i) {
    const M value = static_cast<M>(b[i]);
    std::memcpy(to.of_lane[i], &value, sizeof value);
  });
}

template <class M, class R>
void load_vector(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& parts = warp.kernel().lists[in.target];
  Pointers from;
  find_pointers(warp, in, mask, static_cast<unsigned>(parts.size() * sizeof(M)), from, read_of(in),
                order_of(in));
  for_each_lane(mask, [&](unsigned i) {
    M values[8];
    std::memcpy(values, from.of_lane[i], parts.size() * sizeof(M));
    for (std::size_t k = 0; k < parts.size(); k++)
      warp.lanes<R>(parts[k])[i] = static_cast<R>(values[k]);
  });
}

template <class M, class R>
void store_vector(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& parts = warp.kernel().lists[in.target];
  Pointers to;
  find_pointers(warp, in, mask, static_cast<unsigned>(parts.size() * sizeof(M)), to, write_of(in),
                order_of(in));
  for_each_lane(mask, [&](unsigned i) {
    M values[8];
    for (std::size_t k = 0; k < parts.size(); k++)
      values[k] = static_cast<M>(warp.lanes<R>(parts[k])[i]);
    std::memcpy(to.of_lane[i], values, parts.size() * sizeof(M));
  });
}

struct Runs {
  Run load, store, load_vector, store_vector;
};

template <class M, class R>
constexpr Runs kRuns = {load<M, R>, store<M, R>, load_vector<M, R>, store_vector<M, R>};

template <class M>
const Runs* runs_of_register(unsigned bytes) {
  if constexpr (sizeof(M) <= 2) {
    if (bytes == 2) return &kRuns<M, std::uint16_t>;
  }
  if constexpr (sizeof(M) <= 4) {
    if (bytes == 4) return &kRuns<M, std::uint32_t>;
  }
  return bytes == 8 ? &kRuns<M, std::uint64_t> : nullptr;
}

/// Numbers are extended by their sign, bits and floating-point numbers by zeros.
const Runs* find_runs(Type type, unsigned register_bytes) {
  const bool sign = is_signed(type) && !is_float(type);
  switch (bytes_of(type)) {
    case 1:
      return sign ? runs_of_register<std::int8_t>(register_bytes)
                  : runs_of_register<std::uint8_t>(register_bytes);
    case 2:
      return sign ? runs_of_register<std::int16_t>(register_bytes)
                  : runs_of_register<std::uint16_t>(register_bytes);
    case 4:
      return sign ? runs_of_register<std::int32_t>(register_bytes)
                  : runs_of_register<std::uint32_t>(register_bytes);
    default:
      return runs_of_register<std::uint64_t>(register_bytes);
  }
}

unsigned width_of(Decoder& decoder, const Operand& operand, Type type) {
  const RegisterSlot* slot = decoder.register_of(operand);
  if (slot == nullptr) return register_bytes(type);
  if (slot->type == Type::kPred) decoder.fail("a predicate cannot be loaded or stored");
  return register_bytes(slot->type);
}

/// Order, scope, caches and hints: memory here has one order and no caches.
void take_hints(Decoder& decoder) {
  decoder.take("weak");
  if (!decoder.take_one_of({"acquire", "release"}).empty())
    decoder.instruction().flags |= kStrong | kOrders;
  if (!decoder.take_one_of({"relaxed", "volatile", "mmio"}).empty())
    decoder.instruction().flags |= kStrong;
  decoder.take("volatile");
  decoder.take_one_of({"cta", "cluster", "gpu", "sys"});
  decoder.take_one_of({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  decoder.take("nc");
  decoder.take("unified");
  for (const char* level :
       {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
        "L1::no_allocate", "L2::evict_first", "L2::evict_last", "L2::evict_normal", "L2::64B",
        "L2::128B", "L2::256B", "L2::cache_hint"})
    decoder.take(level);
}

Space take_space(Decoder& decoder) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"global", Space::kGlobal},      {"shared", Space::kShared},
      {"shared::cta", Space::kShared}, {"local", Space::kLocal},
      {"const", Space::kConst},        {"param", Space::kParam},
      {"param::entry", Space::kParam}, {"param::func", Space::kParam}};
  for (const auto& [name, space] : kSpaces) {
    if (decoder.take(name)) return space;
  }
  return Space::kGeneric;
}

std::size_t take_vector(Decoder& decoder) {
  if (decoder.take("v2")) return 2;
  if (decoder.take("v4")) return 4;
  return decoder.take("v8") ? 8 : 1;
}

const Runs& require_runs(Decoder& decoder, Type type, unsigned bytes) {
  const Runs* runs = find_runs(type, bytes);
  if (runs == nullptr || type == Type::kPred)
    decoder.fail("a register is too narrow for ." + std::string(name_of(type)));
  return *runs;
}

std::uint32_t offsets_of(Decoder& decoder, const Operand& vector, std::size_t length, Type type,
                         bool is_load, unsigned& width) {
  if (vector.kind != Operand::Kind::kVector || vector.items.size() != length)
    decoder.fail("a vector of " + std::to_string(length) + " registers is due");
  width = 0;
  for (const Operand& item : vector.items) {
    if (decoder.register_of(item) != nullptr) width = width_of(decoder, item, type);
  }
  if (width == 0) width = register_bytes(type);
  std::vector<std::uint32_t> offsets;
  for (const Operand& item : vector.items)
    offsets.push_back(is_load ? decoder.destination(item, bits_of_width(width))
                              : decoder.source(item, bits_of_width(width)));
  return decoder.list(std::move(offsets));
}

/// A parameter of the kernel is known before it starts: no load, a move.
bool decode_parameter(Decoder& decoder, Type type) {
  std::uint64_t offset = 0;
  if (!decoder.kernel_parameter(decoder.operand(1), offset)) return false;
  const unsigned bytes = bytes_of(type);
  if (bytes < 2 || width_of(decoder, decoder.operand(0), type) != bytes) return false;
  Instruction& in = decoder.instruction();
  in.a = decoder.parameter_constant(bytes, offset);
  in.d = decoder.destination(0, bits_of_width(bytes));
  in.run = move_run(bytes);
  return true;
}

/// Instructions about caches and the order of memory have nothing to do here.
void decode_nothing(Decoder& decoder) {
  while (!decoder.take_next().empty()) {
  }
}

void fence(Warp& warp, const Instruction& in, Mask mask) {
  if (BlockChecks* checks = warp.block().checks()) checks->fence(warp, mask, in.flags != 0);
}

template <unsigned kBytes>
void copy(Warp& warp, const Instruction& in, Mask mask) {
  Instruction source = in;
  source.a = in.b;
  source.immediate = static_cast<std::int64_t>(warp.kernel().lists[in.target][0]);
  source.space = Space::kGlobal;
  Pointers to, from;
  find_pointers(warp, in, mask, kBytes, to, Access::kWrite);
  const std::uint32_t* sizes = in.c == kNowhere ? nullptr : warp.lanes<std::uint32_t>(in.c);
  Mask reading = mask;
  if (in.e != kNowhere) reading &= ~warp.predicate(in.e);
  if (sizes != nullptr)
    for_each_lane(mask, [&](unsigned i) { reading &= ~(Mask{sizes[i] == 0} << i); });
  if (reading != 0) find_pointers(warp, source, reading, kBytes, from, Access::kRead);
  for_each_lane(mask, [&](unsigned i) {
    std::size_t bytes = (reading >> i & 1) != 0 ? kBytes : 0;
    if (sizes != nullptr) bytes = std::min<std::size_t>(bytes, sizes[i]);
    if (bytes != 0) std::memcpy(to.of_lane[i], from.of_lane[i], bytes);
    std::memset(to.of_lane[i] + bytes, 0, kBytes - bytes);
  });
}

}  // namespace

template <>
void decode<"ld">(Decoder& decoder) {
  take_hints(decoder);
  const Space space = take_space(decoder);
  const std::size_t length = take_vector(decoder);
  const Type type = decoder.take_type();
  decoder.require_operands(2, 3);
  Instruction& in = decoder.instruction();
  if (length == 1 && space == Space::kParam && decode_parameter(decoder, type)) return;
  decoder.address(decoder.operand(1), space, in);
  if (length > 1) {
    unsigned width = 0;
    in.target = offsets_of(decoder, decoder.operand(0), length, type, true, width);
    in.run = require_runs(decoder, type, width).load_vector;
    return;
  }
  const unsigned width = width_of(decoder, decoder.operand(0), type);
  in.d = decoder.destination(0, bits_of_width(width));
  in.run = require_runs(decoder, type, width).load;
}

template <>
void decode<"st">(Decoder& decoder) {
  take_hints(decoder);
  const Space space = take_space(decoder);
  const std::size_t length = take_vector(decoder);
  const Type type = decoder.take_type();
  decoder.require_operands(2, 3);
  Instruction& in = decoder.instruction();
  std::uint64_t offset = 0;
  if (space == Space::kConst ||
      (space == Space::kParam && decoder.kernel_parameter(decoder.operand(0), offset)))
    decoder.fail("constants and parameters of a kernel cannot be written");
  decoder.address(decoder.operand(0), space, in);
  if (length > 1) {
    unsigned width = 0;
    in.target = offsets_of(decoder, decoder.operand(1), length, type, false, width);
    in.run = require_runs(decoder, type, width).store_vector;
    return;
  }
  const unsigned width = width_of(decoder, decoder.operand(1), type);
  in.b = decoder.source(1, bits_of_width(width));
  in.run = require_runs(decoder, type, width).store;
}

/// Copies from global to shared memory are synchronous, so that waiting for them does nothing.
template <>
void decode<"cp">(Decoder& decoder) {
  if (decoder.take("reduce"))
    decoder.fail("'" + std::string(decoder.statement().opcode) + "' is not run by gpukit");
  if (!decoder.take("async")) decoder.fail("cp is cp.async");
  if (decoder.take("bulk")) return decode_bulk_copy(decoder);
  if (decoder.take("commit_group") || decoder.take("wait_all") || decoder.take("wait_group"))
    return;
  if (decoder.take("mbarrier")) return decode_copies_arrive(decoder);
  decoder.take_one_of({"ca", "cg"});
  const std::size_t hints = decoder.take("L2::cache_hint") ? 1 : 0;
  take_hints(decoder);
  if (!decoder.take("shared") && !decoder.take("shared::cta"))
    decoder.fail("cp.async copies to .shared");
  if (!decoder.take("global")) decoder.fail("cp.async copies from .global");
  decoder.require_operands(3, 5);
  const std::uint64_t bytes = decoder.integer(2);
  Instruction& in = decoder.instruction();
  Instruction source;
  decoder.address(decoder.operand(1), Space::kGlobal, source);
  if (source.immediate < 0 || source.immediate > 0x7fffffff)
    decoder.fail("the offset of a copy is too large");
  decoder.address(decoder.operand(0), Space::kShared, in);
  in.b = source.a;
  in.target = decoder.list({static_cast<std::uint32_t>(source.immediate)});
  if (decoder.operand_count() > 3 + hints) {
    const RegisterSlot* slot = decoder.register_of(decoder.operand(3));
    if (slot != nullptr && slot->type == Type::kPred)
      in.e = decoder.predicate(3);
    else
      in.c = decoder.source(3, Type::kU32);
  }
  in.run = bytes == 4 ? copy<4> : bytes == 8 ? copy<8> : bytes == 16 ? copy<16> : nullptr;
  if (in.run == nullptr) decoder.fail("cp.async copies 4, 8 or 16 bytes");
}

/// Memory here has one order: a fence matters to those who look for races.
template <>
void decode<"membar">(Decoder& decoder) {
  const bool of_block = decoder.take("cta") || decoder.take("cluster");
  const bool of_memory = !decoder.take("proxy") && !decoder.take("mbarrier_init");
  decode_nothing(decoder);
  if (!of_memory) return;
  decoder.instruction().flags = of_block ? 0 : 1;
  decoder.instruction().run = fence;
}

/// A policy of the caches is a number that says nothing here.
template <>
void decode<"createpolicy">(Decoder& decoder) {
  decode_nothing(decoder);
  Instruction& in = decoder.instruction();
  in.a = decoder.constant(8, 0);
  in.d = decoder.destination(0, Type::kB64);
  in.run = move_run(8);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kMemory>() {
  static constexpr OpcodeRow kRows[] = {kRow<"ld">,
                                        {"ldu", decode<"ld">},
                                        kRow<"st">,
                                        kRow<"cp">,
                                        kRow<"membar">,
                                        {"fence", decode<"membar">},
                                        {"prefetch", decode_nothing},
                                        {"prefetchu", decode_nothing},
                                        {"discard", decode_nothing},
                                        {"applypriority", decode_nothing},
                                        {"pmevent", decode_nothing},
                                        kRow<"createpolicy">};
  return kRows;
}

}  // namespace gpukit::ptx
