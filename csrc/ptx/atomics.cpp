// Read-modify-write operations on memory. One launch runs at a time, so each is whole by itself.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "ptx/access.h"
#include "ptx/float_math.h"
#include "ptx/half_math.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

constexpr std::size_t kMostElements = 8;  // .v8
// Flag of vector operations.
constexpr std::uint8_t kHasResults = 1;
// ... and of all.
constexpr std::uint8_t kAcquires = 2;
constexpr std::uint8_t kReleases = 4;

Order order_of(const Instruction& in) {
  return {(in.flags & kAcquires) != 0, (in.flags & kReleases) != 0};
}

template <class T>
struct AtomicAnd {
  static T apply(T old, T b, T) { return old & b; }
};
template <class T>
struct AtomicOr {
  static T apply(T old, T b, T) { return old | b; }
};
template <class T>
struct AtomicXor {
  static T apply(T old, T b, T) { return old ^ b; }
};
template <class T>
struct AtomicExchange {
  static T apply(T, T b, T) { return b; }
};
template <class T>
struct AtomicCompare {
  static T apply(T old, T b, T c) { return old == b ? c : old; }
};
template <class T>
struct AtomicAdd {
  static T apply(T old, T b, T) { return old + b; }
};
template <class T>
struct AtomicMin {
  static T apply(T old, T b, T) { return std::min(old, b); }
};
template <class T>
struct AtomicMax {
  static T apply(T old, T b, T) { return std::max(old, b); }
};
struct AtomicIncrement {
  static std::uint32_t apply(std::uint32_t old, std::uint32_t b, std::uint32_t) {
    return old >= b ? 0 : old + 1;
  }
};
struct AtomicDecrement {
  static std::uint32_t apply(std::uint32_t old, std::uint32_t b, std::uint32_t) {
    return old == 0 || old > b ? b : old - 1;
  }
};
/// In global memory, subnormal operands and results are zeros of their sign.
struct AtomicAddFlushed {
  static float apply(float old, float b, float) {
    return flushed<true>(flushed<true>(old) + flushed<true>(b));
  }
};
template <class Format>
struct AtomicAddHalf {
  static std::uint16_t apply(std::uint16_t old, std::uint16_t b, std::uint16_t) {
    return narrowed<Format>(sum_to_odd(widened<Format>(old), widened<Format>(b)));
  }
};
template <class Format>
struct AtomicMinHalf {
  static std::uint16_t apply(std::uint16_t old, std::uint16_t b, std::uint16_t) {
    return narrowed<Format>(smaller<false>(widened<Format>(old), widened<Format>(b)));
  }
};
template <class Format>
struct AtomicMaxHalf {
  static std::uint16_t apply(std::uint16_t old, std::uint16_t b, std::uint16_t) {
    return narrowed<Format>(larger<false>(widened<Format>(old), widened<Format>(b)));
  }
};
/// F of both halves of a word.
template <class F>
struct AtomicHalves {
  static std::uint32_t apply(std::uint32_t old, std::uint32_t b, std::uint32_t) {
    const auto part = [](std::uint32_t word, int half) {
      return static_cast<std::uint16_t>(word >> (16 * half));
    };
    const auto result = [&](int half) {
      return std::uint32_t{F::apply(part(old, half), part(b, half), 0)};
    };
    return result(0) | result(1) << 16;
  }
};

template <class F, class T>
void update(Warp& warp, const Instruction& in, Mask mask) {
  Pointers at;
  find_pointers(warp, in, mask, sizeof(T), at, in.d == kNowhere ? Access::kReduce : Access::kAtomic,
                order_of(in));
  const T* b = warp.lanes<T>(in.b);
  const T* c = in.c == kNowhere ? b : warp.lanes<T>(in.c);
  for_each_lane(mask, [&](unsigned i) {
    T old;
    std::memcpy(&old, at.of_lane[i], sizeof old);
    const T next = F::apply(old, b[i], c[i]);
    std::memcpy(at.of_lane[i], &next, sizeof next);
    if (in.d != kNowhere) warp.lanes<T>(in.d)[i] = old;
  });
}

/// The sum of f32 depends on where it is kept.
void add_single(Warp& warp, const Instruction& in, Mask mask) {
  Pointers at;
  find_pointers(warp, in, mask, sizeof(float), at,
                in.d == kNowhere ? Access::kReduce : Access::kAtomic, order_of(in));
  const float* b = warp.lanes<float>(in.b);
  const std::less<const std::byte*> before;
  const std::byte* const shared = warp.memory.shared;
  for_each_lane(mask, [&](unsigned i) {
    float old;
    std::memcpy(&old, at.of_lane[i], sizeof old);
    const bool is_shared = shared != nullptr && !before(at.of_lane[i], shared) &&
                           before(at.of_lane[i], shared + warp.memory.shared_bytes);
    const float next = is_shared ? old + b[i] : AtomicAddFlushed::apply(old, b[i], 0);
    std::memcpy(at.of_lane[i], &next, sizeof next);
    if (in.d != kNowhere) warp.lanes<float>(in.d)[i] = old;
  });
}

/// The list has the register offsets of the results, where there are any, and then those of the
/// operands. Each element is an operation of its own.
template <class F, class T>
void run_atomic_vector(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& offsets = warp.kernel().lists[in.target];
  const bool has_results = (in.flags & kHasResults) != 0;
  const std::size_t count = offsets.size() / (has_results ? 2 : 1);
  Pointers at;
  find_pointers(warp, in, mask, static_cast<unsigned>(count * sizeof(T)), at,
                has_results ? Access::kAtomic : Access::kReduce, order_of(in));
  for_each_lane(mask, [&](unsigned i) {
    // All of them first: a register may be a result, too.
    std::array<T, kMostElements> operands{};
    for (std::size_t k = 0; k < count; k++)
      operands[k] = warp.lanes<T>(offsets[offsets.size() - count + k])[i];
    for (std::size_t k = 0; k < count; k++) {
      std::byte* const element = at.of_lane[i] + k * sizeof(T);
      const T b = operands[k];
      T old;
      std::memcpy(&old, element, sizeof old);
      const T next = F::apply(old, b, b);
      std::memcpy(element, &next, sizeof next);
      if (has_results) warp.lanes<T>(offsets[k])[i] = old;
    }
  });
}

template <template <class> class F>
Run vector_run(Type type) {
  switch (type) {
    case Type::kF16:
      return run_atomic_vector<F<F16>, std::uint16_t>;
    case Type::kBF16:
      return run_atomic_vector<F<BF16>, std::uint16_t>;
    case Type::kF16x2:
      return run_atomic_vector<AtomicHalves<F<F16>>, std::uint32_t>;
    case Type::kBF16x2:
      return run_atomic_vector<AtomicHalves<F<BF16>>, std::uint32_t>;
    default:
      return nullptr;
  }
}

Run vector_run_of(std::string_view operation, Type type) {
  if (operation == "add" && type == Type::kF32) return run_atomic_vector<AtomicAddFlushed, float>;
  if (operation == "add") return vector_run<AtomicAddHalf>(type);
  if (operation == "min") return vector_run<AtomicMinHalf>(type);
  return operation == "max" ? vector_run<AtomicMaxHalf>(type) : nullptr;
}

template <template <class> class F>
Run bits_run(Type type) {
  switch (bytes_of(type)) {
    case 2:
      return update<F<std::uint16_t>, std::uint16_t>;
    case 4:
      return update<F<std::uint32_t>, std::uint32_t>;
    case 8:
      return update<F<std::uint64_t>, std::uint64_t>;
    default:
      return nullptr;
  }
}

template <template <class> class F>
Run number_run(Type type) {
  switch (type) {
    case Type::kU32:
      return update<F<std::uint32_t>, std::uint32_t>;
    case Type::kS32:
      return update<F<std::int32_t>, std::int32_t>;
    case Type::kU64:
      return update<F<std::uint64_t>, std::uint64_t>;
    case Type::kS64:
      return update<F<std::int64_t>, std::int64_t>;
    default:
      return nullptr;
  }
}

Run add_run(Type type) {
  switch (type) {
    case Type::kF32:
      return add_single;
    case Type::kF64:
      return update<AtomicAdd<double>, double>;
    case Type::kF16:
      return update<AtomicAddHalf<F16>, std::uint16_t>;
    case Type::kBF16:
      return update<AtomicAddHalf<BF16>, std::uint16_t>;
    case Type::kF16x2:
      return update<AtomicHalves<AtomicAddHalf<F16>>, std::uint32_t>;
    case Type::kBF16x2:
      return update<AtomicHalves<AtomicAddHalf<BF16>>, std::uint32_t>;
    case Type::kS32:
      return update<AtomicAdd<std::uint32_t>, std::uint32_t>;
    case Type::kS64:
      return update<AtomicAdd<std::uint64_t>, std::uint64_t>;
    default:
      return number_run<AtomicAdd>(type);
  }
}

Run find_run(std::string_view operation, Type type) {
  const bool plain_bits = !is_float(type) && !is_signed(type);
  if (operation == "and") return plain_bits ? bits_run<AtomicAnd>(type) : nullptr;
  if (operation == "or") return plain_bits ? bits_run<AtomicOr>(type) : nullptr;
  if (operation == "xor") return plain_bits ? bits_run<AtomicXor>(type) : nullptr;
  if (operation == "exch") return bits_run<AtomicExchange>(type);
  if (operation == "cas") return bits_run<AtomicCompare>(type);
  if (operation == "add") return add_run(type);
  if (operation == "min") return number_run<AtomicMin>(type);
  if (operation == "max") return number_run<AtomicMax>(type);
  if (type != Type::kU32) return nullptr;
  if (operation == "inc") return update<AtomicIncrement, std::uint32_t>;
  if (operation == "dec") return update<AtomicDecrement, std::uint32_t>;
  return nullptr;
}

/// atom and red of .v2, .v4 and .v8, which was read already, in global memory.
void decode_vector(Decoder& decoder, std::size_t count, std::string_view operation, Type type,
                   Space space, bool has_result, bool hints) {
  const Run run = vector_run_of(operation, type);
  if (run == nullptr || space == Space::kShared || count * bytes_of(type) > 16)
    decoder.fail("'" + std::string(decoder.statement().opcode) + "' is not run by gpukit");
  const std::size_t first = has_result ? 1 : 0;
  decoder.require_operands(first + 2 + (hints ? 1 : 0));
  std::vector<std::uint32_t> offsets;
  if (has_result) decoder.append(0, count, true, type, offsets);
  decoder.append(first + 1, count, false, type, offsets);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(first), space, in);
  in.target = decoder.list(std::move(offsets));
  if (has_result) in.flags |= kHasResults;
  in.run = run;
}

void decode_operation(Decoder& decoder, bool has_result) {
  const std::string_view order =
      decoder.take_one_of({"relaxed", "acquire", "release", "acq_rel", "sc"});
  const bool both = order == "acq_rel" || order == "sc";
  if (both || order == "acquire") decoder.instruction().flags |= kAcquires;
  if (both || order == "release") decoder.instruction().flags |= kReleases;
  decoder.take_one_of({"cta", "cluster", "gpu", "sys"});
  Space space = Space::kGeneric;
  if (decoder.take("global")) space = Space::kGlobal;
  if (decoder.take("shared") || decoder.take("shared::cta")) space = Space::kShared;
  const std::string_view operation =
      decoder.take_one_of({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  decoder.take("noftz");
  const bool hints = decoder.take("L2::cache_hint");
  const std::string_view vector = decoder.take_one_of({"v2", "v4", "v8"});
  const Type type = decoder.take_type();
  if (!vector.empty())
    return decode_vector(decoder, static_cast<std::size_t>(vector[1] - '0'), operation, type, space,
                         has_result, hints);
  const Run run = find_run(operation, type);
  if (run == nullptr)
    decoder.fail("'" + std::string(decoder.statement().opcode) + "' is not run by gpukit");
  const std::size_t first = has_result ? 1 : 0;
  const bool compares = operation == "cas";
  const std::size_t count = first + (compares ? 3 : 2) + (hints ? 1 : 0);
  decoder.require_operands(count);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(first), space, in);
  in.b = decoder.source(first + 1, type);
  if (compares) in.c = decoder.source(first + 2, type);
  if (has_result) in.d = decoder.destination(0, type);
  in.run = run;
}

}  // namespace

template <>
void decode<"atom">(Decoder& decoder) {
  decode_operation(decoder, true);
}

template <>
void decode<"red">(Decoder& decoder) {
  if (decoder.take("async")) decoder.fail("red.async is not run by gpukit");
  decode_operation(decoder, false);
}

template <>
std::span<const OpcodeRow> opcodes<Family::kAtomic>() {
  static constexpr OpcodeRow kRows[] = {kRow<"atom">, kRow<"red">};
  return kRows;
}

}  // namespace gpukit::ptx
