// cp.async.bulk between global and shared memory, executed synchronously like every copy here.
#include <cstring>

#include "ptx/access.h"
#include "ptx/lanes.h"
#include "ptx/opcodes.h"
#include "ptx/settings.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint32_t kBulkStep = 16;

/// The other operands of a copy; `in` has the destination.
struct Copy {
  std::uint32_t source, bytes, barrier;  ///< register offsets; the barrier's may be kNowhere
  std::uint32_t barrier_offset;
  std::int64_t source_offset;
  Space source_space, barrier_space;
};

void check(std::uint64_t value, const char* what, unsigned lane) {
  if (value % kBulkStep != 0)
    raise_fault(FaultKind::kMisaligned, lane,
                std::string("the ") + what + " of cp.async.bulk, " + in_hexadecimal(value) +
                    ", is not a multiple of 16");
}

void run_bulk_copy(Warp& warp, const Instruction& in, Mask mask) {
  const auto copy = settings_of<Copy>(warp, in);
  Instruction to = in, from = in, barrier = in;
  from.a = copy.source;
  from.space = copy.source_space;
  barrier.a = copy.barrier;
  barrier.space = copy.barrier_space;
  barrier.immediate = copy.barrier_offset;
  barrier.c = copy.bytes;
  for_each_lane(mask, [&](unsigned i) {
    const std::uint32_t bytes = warp.lanes<std::uint32_t>(copy.bytes)[i];
    const auto start = [&](const Instruction& end, std::int64_t offset) {
      return warp.lanes<std::uint64_t>(end.a)[i] + static_cast<std::uint64_t>(offset);
    };
    check(bytes, "size", i);
    check(start(to, in.immediate), "destination", i);
    check(start(from, copy.source_offset), "source", i);
    const Mask lane = Mask{1} << i;
    for (std::uint32_t done = 0; done < bytes; done += kBulkStep) {
      Pointers read, written;
      from.immediate = copy.source_offset + done;
      to.immediate = in.immediate + done;
      find_pointers(warp, from, lane, kBulkStep, read, Access::kRead);
      find_pointers(warp, to, lane, kBulkStep, written, Access::kWrite);
      std::memmove(written.of_lane[i], read.of_lane[i], kBulkStep);
    }
  });
  if (copy.barrier != kNowhere) complete_bytes(warp, barrier, mask);
}

std::string quoted(const Decoder& decoder) {
  return "'" + std::string(decoder.statement().opcode) + "' ";
}

bool take_shared(Decoder& decoder) {
  // Each block is its own cluster.
  return !decoder.take_one_of({"shared::cta", "shared::cluster", "shared"}).empty();
}

void set_copy(Decoder& decoder, Space to, Space from, bool has_barrier) {
  const std::size_t hints = decoder.take("L2::cache_hint") ? 1 : 0;
  decoder.require_operands((has_barrier ? 4 : 3) + hints);
  Instruction source, barrier;
  Copy copy{};
  decoder.address(decoder.operand(1), from, source);
  copy.source = source.a;
  copy.source_offset = source.immediate;
  copy.source_space = from;
  copy.bytes = decoder.source(2, Type::kU32);
  copy.barrier = kNowhere;
  if (has_barrier) {
    decoder.address(decoder.operand(3), Space::kShared, barrier);
    copy.barrier = barrier.a;
    copy.barrier_space = Space::kShared;
    if (barrier.immediate < 0 || barrier.immediate > 0x7fffffff)
      decoder.fail("the offset of a barrier is too large");
    copy.barrier_offset = static_cast<std::uint32_t>(barrier.immediate);
  }
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(0), to, in);
  set_settings(decoder, copy);
  in.run = run_bulk_copy;
}

}  // namespace

void decode_bulk_copy(Decoder& decoder) {
  if (decoder.take("commit_group") || decoder.take("wait_group")) {
    decoder.take("read");
    return;
  }
  if (decoder.take("tensor"))
    decoder.fail(quoted(decoder) + "uses tensor maps, which gpukit does not support");
  if (decoder.take("multicast::cluster"))
    decoder.fail(quoted(decoder) + "uses clusters, which gpukit does not support");
  if (decoder.take("prefetch")) {
    decoder.take("L2");
    decoder.take("L2::cache_hint");
    decoder.take("global");
    return;
  }
  // The destination comes first: .shared::cta.global, .global.shared::cta, or shared to shared.
  const std::string_view opcode = decoder.statement().opcode;
  const auto shared = opcode.find(".shared"), global = opcode.find(".global");
  const bool from_shared = global == std::string_view::npos || global < shared;
  decoder.take("global");
  if (!take_shared(decoder)) decoder.fail(quoted(decoder) + "has no .shared");
  const bool to_shared = global == std::string_view::npos || shared < global;
  if (global == std::string_view::npos && !take_shared(decoder))
    decoder.fail(quoted(decoder) + "names only one space");
  const bool has_barrier = decoder.take("mbarrier::complete_tx::bytes");
  const bool has_group = decoder.take("bulk_group");
  if (has_barrier != to_shared || has_group == to_shared)
    decoder.fail(quoted(decoder) +
                 "needs .mbarrier::complete_tx::bytes into shared memory, else .bulk_group");
  set_copy(decoder, to_shared ? Space::kShared : Space::kGlobal,
           from_shared ? Space::kShared : Space::kGlobal, has_barrier);
}

}  // namespace gpukit::ptx
