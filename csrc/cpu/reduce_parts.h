// What reductions and chains that end in one share, so that both add up in one order.
#pragma once

#include <cstdint>

#include "backend/op_args.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

/// Elements of one run in memory that a loop takes at a time; a chain has so many of them at hand.
inline constexpr std::int64_t kReduceRun = 1 << 14;
/// Of half types, which are widened first.
inline constexpr std::int64_t kWidenedRun = 256;

/// With few results the reduced elements are shared out, in pieces of about this many.
inline constexpr std::int64_t kFewResults = 64;
inline constexpr std::int64_t kPieceElements = 1 << 16;
inline constexpr std::int64_t kMostPieces = 64;
inline constexpr std::int64_t kPieceMultiple = 4096;

/// Before the first element.
Partial first_partial(ReduceOp op);

/// `total` comes before `part` in the order of elements.
void join_partials(ReduceOp op, DType dtype, Partial& total, const Partial& part);

/// Elements of a piece of `reduced_count` ones that lie in one run; all of them where pieces do not
/// pay. By size only, so that the bits do not depend on the number of threads.
std::int64_t row_piece(std::int64_t kept_count, std::int64_t reduced_count);

/// Takes `count` elements in one run, the first of which has the index `base`, by the loop of their
/// dtype.
void reduce_run(ReduceKernel kernel, const void* in, DType dtype, std::int64_t count,
                std::int64_t base, Partial& partial);

/// The same for a dtype without a loop of its own, whose loop is that of float32.
void reduce_widened_run(ReduceKernel kernel, const void* in, DType dtype, std::int64_t count,
                        std::int64_t base, Partial& partial);

/// Writes results [first, last), from `reduced_count` elements each.
void write_reduced(ReduceOp op, DType in_dtype, void* out, DType out_dtype,
                   std::int64_t reduced_count, const Partial* partials, std::int64_t first,
                   std::int64_t last);

}  // namespace gpukit::cpu
