#include "cpu/chain_reduction.h"

#include <algorithm>

#include "cpu/cpu_ops.h"

namespace gpukit::cpu {

DType dtype_of_value(const ChainArgs& args, int value) {
  return args.steps[static_cast<std::size_t>(value) - args.inputs.size()].out_dtype;
}

ChainUnits::ChainUnits(const ChainArgs& args)
    : rows_(element_count(args.shape) / args.reduced_count),
      row_(args.reduced_count),
      piece_(row_piece(rows_, row_)),
      pieces_((row_ + piece_ - 1) / piece_) {}

std::int64_t ChainUnits::size(std::int64_t unit) const noexcept {
  return std::min(piece_, row_ - unit % pieces_ * piece_);
}

ChainWindows::ChainWindows(const ChainArgs& args)
    : memory_(nullptr,
              args.reductions.size() * static_cast<std::size_t>(kReduceRun) * kWidestReal) {
  std::int64_t place = 0;
  for (const ChainReduction& each : args.reductions) {
    const auto known = std::find_if(reductions_.begin(), reductions_.end(),
                                    [&](const Reduction& one) { return one.value == each.value; });
    Reduction made;
    made.value = each.value;
    made.dtype = dtype_of_value(args, each.value);
    const DType working = working_dtype(made.dtype);
    made.kernel = simd_table().reduce[static_cast<int>(each.op)][index_of(working)];
    made.widens = working != made.dtype;
    made.place = known != reductions_.end() ? known->place : place++;
    reductions_.push_back(made);
  }
}

char* ChainWindows::of(int value) const noexcept {
  for (const Reduction& each : reductions_) {
    if (each.value == value)
      return memory_.as<char>() + each.place * kReduceRun * std::int64_t{kWidestReal};
  }
  return nullptr;
}

void ChainWindows::read_from(int value, const char* made) noexcept {
  for (Reduction& each : reductions_) {
    if (each.value == value) each.made = made;
  }
}

void ChainWindows::take(std::int64_t offset, std::int64_t count, std::int64_t base,
                        Partial* partials) const {
  for (const Reduction& each : reductions_) {
    const char* first = each.made != nullptr ? each.made : of(each.value);
    const char* in = first + offset * static_cast<std::int64_t>(itemsize(each.dtype));
    const auto take_run = each.widens ? reduce_widened_run : reduce_run;
    take_run(each.kernel, in, each.dtype, count, base, *partials++);
  }
}

void reset_partials(const ChainArgs& args, Partial* partials) {
  for (const ChainReduction& each : args.reductions) *partials++ = first_partial(each.op);
}

void write_reductions(const ChainArgs& args, const ChainUnits& units, const Partial* partials,
                      std::int64_t first_row, std::int64_t last_row) {
  const std::size_t count = args.reductions.size();
  for (std::int64_t row = first_row; row < last_row; ++row) {
    for (std::size_t i = 0; i < count; ++i, ++partials) {
      const ChainReduction& each = args.reductions[i];
      const DType dtype = dtype_of_value(args, each.value);
      Partial total = *partials;
      for (std::int64_t piece = 1; piece < units.pieces(); ++piece)
        join_partials(each.op, dtype, total, partials[piece * static_cast<std::int64_t>(count)]);
      write_reduced(each.op, dtype, each.out, dtype, args.reduced_count, &total, row, row + 1);
    }
    partials += (units.pieces() - 1) * static_cast<std::int64_t>(count);
  }
}

}  // namespace gpukit::cpu
