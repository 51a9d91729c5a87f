#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"
#include "cpu/cpu_ops.h"
#include "cpu/reduce_parts.h"
#include "cpu/reduce_plan.h"
#include "cpu/strided_loop.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_reduce {
namespace {

constexpr std::int64_t kPackRows = 32;              ///< results whose elements are packed together
constexpr std::int64_t kPackColumns = kWidenedRun;  ///< elements of each packed at a time
constexpr std::int64_t kRowTile = 128;          ///< results whose partials stay in the first cache
constexpr std::int64_t kReduceGrain = 1 << 15;  ///< elements worth a thread
constexpr std::int64_t kFewestColumns = 512;    ///< of a thread, so that it reads in long runs

constexpr std::int64_t kFewColumns = 4096;
constexpr std::int64_t kColumnPieceElements = 1 << 19;

/// Writes results [first, last) of `reduced_count` elements each.
void write(const ReduceArgs& args, std::int64_t reduced_count, const Partial* partials,
           std::int64_t first, std::int64_t last) {
  write_reduced(args.op, args.in_dtype, args.out, args.out_dtype, reduced_count, partials, first,
                last);
}

struct Buffers {
  alignas(64) char packed[kPackRows * kPackColumns * static_cast<std::int64_t>(kWidestReal)];
  alignas(64) float widened[kPackRows * kPackColumns];
};

// `rows` results at once, `row_stride` elements apart: their elements are packed, then each row
// runs the loop.
void reduce_packed(const ReducePlan& plan, const char* in, std::int64_t rows, std::int64_t columns,
                   std::int64_t base, Partial* partials, Buffers& buffers) {
  const SimdTable& table = simd_table();
  const ReduceKernel kernel = table.reduce[static_cast<int>(plan.op)][index_of(plan.working)];
  for (std::int64_t j = 0; j < columns; j += kPackColumns) {
    const std::int64_t width = std::min(kPackColumns, columns - j);
    pack_tile(buffers.packed, in + j * plan.inner_stride * plan.itemsize, rows, width,
              plan.row_stride, plan.inner_stride, plan.itemsize);
    const char* values = buffers.packed;
    std::int64_t size = plan.itemsize;
    if (plan.working != plan.dtype) {
      table.convert[index_of(plan.dtype)][index_of(plan.working)](buffers.widened, buffers.packed,
                                                                  rows * width);
      values = reinterpret_cast<const char*>(buffers.widened);
      size = sizeof(float);
    }
    for (std::int64_t r = 0; r < rows; ++r)
      kernel(values + r * width * size, width, base + j, partials[r]);
  }
}

bool rows_need_no_packing(const ReducePlan& plan, const char* in) {
  return plan.inner_stride == 1 && plan.working == plan.dtype &&
         reinterpret_cast<std::uintptr_t>(in) % static_cast<unsigned>(plan.itemsize) == 0;
}

void reduce_rows(const ReducePlan& plan, const char* in, std::int64_t rows, std::int64_t begin,
                 std::int64_t end, Partial* partials, Buffers& buffers) {
  const std::int64_t columns = plan.reduced.size() == 1 ? end - begin : plan.inner_reduced;
  for_each_run(plan, begin, end, [&](std::int64_t offset, std::int64_t base) {
    const char* run = in + offset * plan.itemsize;
    if (rows_need_no_packing(plan, run)) {
      const ReduceKernel kernel =
          simd_table().reduce[static_cast<int>(plan.op)][index_of(plan.working)];
      for (std::int64_t r = 0; r < rows; ++r) {
        reduce_run(kernel, run + r * plan.row_stride * plan.itemsize, plan.dtype, columns, base,
                   partials[r]);
      }
      return;
    }
    for (std::int64_t r = 0; r < rows; r += kPackRows) {
      reduce_packed(plan, run + r * plan.row_stride * plan.itemsize, std::min(kPackRows, rows - r),
                    columns, base, partials + r, buffers);
    }
  });
}

// Reduces [begin, end) of the outermost reduced dimension for the results [first, last), which are
// at most kReduceTile.
void reduce_tile(const ReducePlan& plan, std::int64_t first, std::int64_t last, std::int64_t begin,
                 std::int64_t end, Partial* partials) {
  Buffers buffers;
  const int row_dim = plan.kept.size() - 1;
  for (std::int64_t k = first; k < last;) {
    std::int64_t offset = 0, rest = k / plan.kept[row_dim];
    const std::int64_t in_row = k % plan.kept[row_dim];
    for (int dim = row_dim - 1; dim >= 0; --dim) {
      offset += rest % plan.kept[dim] * plan.kept_strides[dim];
      rest /= plan.kept[dim];
    }
    const char* in = plan.in + (offset + in_row * plan.row_stride) * plan.itemsize;
    const std::int64_t run = std::min(last - k, plan.kept[row_dim] - in_row);
    if (plan.by_columns) {
      reduce_columns(plan, in, run, begin, end, partials + (k - first));
    } else {
      reduce_rows(plan, in, run, begin, end, partials + (k - first), buffers);
    }
    k += run;
  }
}

void reduce_by_results(const ReducePlan& plan, const ReduceArgs& args) {
  const std::int64_t grain = std::max<std::int64_t>(plan.by_columns ? kFewestColumns : 1,
                                                    kReduceGrain / plan.reduced_count);
  const std::int64_t tile = plan.by_columns ? kReduceTile : kRowTile;
  parallel_for(plan.kept_count, grain, [&](std::int64_t begin, std::int64_t end) {
    Partial partials[kReduceTile];
    for (std::int64_t first = begin; first < end; first += tile) {
      const std::int64_t last = std::min(end, first + tile);
      std::fill_n(partials, last - first, first_partial(plan.op));
      reduce_tile(plan, first, last, 0, plan.reduced[0], partials);
      write(args, plan.reduced_count, partials, first, last);
    }
  });
}

void reduce_by_pieces(const ReducePlan& plan, const ReduceArgs& args, std::int64_t piece) {
  const std::int64_t pieces = (plan.reduced[0] + piece - 1) / piece;
  std::vector<Partial> partials(static_cast<std::size_t>(pieces * plan.kept_count),
                                first_partial(plan.op));
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t last = std::min((p + 1) * piece, plan.reduced[0]);
      for (std::int64_t k = 0; k < plan.kept_count; k += kReduceTile) {
        reduce_tile(plan, k, std::min(k + kReduceTile, plan.kept_count), p * piece, last,
                    partials.data() + p * plan.kept_count + k);
      }
    }
  });
  for (std::int64_t k = 0; k < plan.kept_count; ++k) {
    Partial total = partials[static_cast<std::size_t>(k)];
    for (std::int64_t p = 1; p < pieces; ++p) {
      join_partials(plan.op, plan.dtype, total,
                    partials[static_cast<std::size_t>(p * plan.kept_count + k)]);
    }
    write(args, plan.reduced_count, &total, k, k + 1);
  }
}

// Indices of the outermost reduced dimension in one piece; all of it when pieces do not pay.
std::int64_t piece_size(const ReducePlan& plan) {
  if (!plan.by_columns && plan.reduced.size() == 1)
    return row_piece(plan.kept_count, plan.reduced_count);
  const std::int64_t total = plan.kept_count * plan.reduced_count;
  const std::int64_t few = plan.by_columns ? kFewColumns : kFewResults;
  const std::int64_t work =
      plan.by_columns && plan.kept_count > kFewResults ? kColumnPieceElements : kPieceElements;
  if (plan.kept_count > few || total < 2 * work) return plan.reduced[0];
  const std::int64_t pieces = std::min({total / work, kMostPieces, plan.reduced[0]});
  const std::int64_t piece = (plan.reduced[0] + pieces - 1) / pieces;
  if (plan.reduced.size() > 1) return piece;
  return (piece + kPieceMultiple - 1) / kPieceMultiple * kPieceMultiple;
}

// One result of one contiguous run that is not worth a thread: the loop alone.
bool is_single_run(const ReduceArgs& args, std::int64_t count) {
  return count < 2 * kPieceElements && element_count(args.kept) == 1 &&
         is_contiguous(args.reduced, args.reduced_strides) &&
         reinterpret_cast<std::uintptr_t>(args.in) % itemsize(args.in_dtype) == 0;
}

}  // namespace
}  // namespace cpu_reduce

void CpuOps::reduce(const ReduceArgs& args, StreamRef) {
  const std::int64_t count = element_count(args.reduced);
  const ReduceKernel direct = table_.reduce[static_cast<int>(args.op)][index_of(args.in_dtype)];
  if (direct != nullptr && cpu_reduce::is_single_run(args, count)) {
    Partial partial = first_partial(args.op);
    reduce_run(direct, args.in, args.in_dtype, count, 0, partial);
    return cpu_reduce::write(args, count, &partial, 0, 1);
  }
  const ReducePlan plan = make_reduce_plan(args);
  GPUKIT_CHECK(table_.reduce[static_cast<int>(plan.op)][index_of(plan.working)] != nullptr,
               DTypeError, "the CPU has no reduction ", static_cast<int>(plan.op), " of ",
               name(plan.dtype), "; convert the tensor to a floating dtype first");
  const std::int64_t piece = cpu_reduce::piece_size(plan);
  if (piece < plan.reduced[0]) return cpu_reduce::reduce_by_pieces(plan, args, piece);
  cpu_reduce::reduce_by_results(plan, args);
}

}  // namespace gpukit::cpu
