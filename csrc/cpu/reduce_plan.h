// A reduction with its dimensions merged: what the ways of walking through it share.
#pragma once

#include <cstdint>

#include "backend/op_args.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

inline constexpr std::int64_t kReduceTile = 2048;  ///< results worked on at a time

/// The reduction with its dimensions merged. Pieces are cut by size only, never by the number of
/// threads, so the bits of a result do not depend on it.
struct ReducePlan {
  ReduceOp op;
  const char* in;
  DType dtype;    ///< of the input
  DType working;  ///< of the loops: float32 for half dtypes
  int itemsize;
  Shape kept, reduced;
  Strides kept_strides, reduced_strides;
  std::int64_t kept_count, reduced_count;
  std::int64_t inner_reduced;  ///< size of the last reduced dimension
  std::int64_t inner_stride;
  std::int64_t row_stride;  ///< stride of the last kept dimension
  bool by_columns;
};

ReducePlan make_reduce_plan(const ReduceArgs& args);

/// Calls visit(offset in elements, index of the first element) for the reduced dimensions but the
/// last, where the outermost is limited to [begin, end). With one dimension there is a single
/// visit.
template <class Visit>
void for_each_run(const ReducePlan& plan, std::int64_t begin, std::int64_t end,
                  const Visit& visit) {
  const int rank = plan.reduced.size() - 1;
  if (rank == 0) return visit(begin * plan.inner_stride, begin);
  const std::int64_t runs_of_one = plan.reduced_count / plan.reduced[0] / plan.inner_reduced;
  for (std::int64_t run = begin * runs_of_one; run < end * runs_of_one; ++run) {
    std::int64_t offset = 0, rest = run;
    for (int dim = rank - 1; dim >= 0; --dim) {
      offset += rest % plan.reduced[dim] * plan.reduced_strides[dim];
      rest /= plan.reduced[dim];
    }
    visit(offset, run * plan.inner_reduced);
  }
}

/// Reduces [begin, end) of the outermost reduced dimension for `columns` (at most kReduceTile)
/// results that are adjacent in memory from `in` on. Only for plans by columns.
void reduce_columns(const ReducePlan& plan, const char* in, std::int64_t columns,
                    std::int64_t begin, std::int64_t end, Partial* partials);

}  // namespace gpukit::cpu
