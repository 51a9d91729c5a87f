#include "cpu/reduce_plan.h"

#include <algorithm>
#include <cstring>

#include "core/layout.h"
#include "cpu/cpu_ops.h"

namespace gpukit::cpu {
namespace reduce_plan {
namespace {

constexpr std::int64_t kShortRow = 16;
constexpr int kRowsInBlock = 16;  ///< rows added in float32 before they go to double

bool is_position(ReduceOp op) { return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin; }

// Merging keeps the row-major order of `shape`, which its contiguous strides represent.
void merge_in_order(Shape& shape, Strides& strides) {
  Strides order = contiguous_strides(shape);
  Strides* lists[] = {&order, &strides};
  merge_dims(shape, lists);
}
void merge_in_any_order(Shape& shape, Strides& strides) {
  Strides* lists[] = {&strides};
  merge_dims(shape, lists);
}

bool can_go_by_columns(const ReducePlan& plan) {
  if (is_position(plan.op) || plan.op == ReduceOp::kAll || plan.op == ReduceOp::kAny ||
      plan.op == ReduceOp::kCountNonzero) {
    return false;
  }
  const bool rows_lie_in_memory = plan.inner_stride == 1 && plan.inner_reduced >= kShortRow;
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(plan.in) % static_cast<unsigned>(plan.itemsize) == 0;
  return !rows_lie_in_memory && plan.row_stride == 1 &&
         plan.kept[plan.kept.size() - 1] >= kShortRow && aligned;
}

// How whole rows are added up when the results are adjacent in memory.
struct ColumnLoop {
  DType accumulator;
  UnaryKernel term = nullptr;
  BinaryKernel step = nullptr;
  bool starts_with_first;  ///< extremes have no neutral element
};

ColumnLoop column_loop(const ReducePlan& plan) {
  const SimdTable& table = simd_table();
  const DType sums =
      of_kind(kind_of(plan.dtype), DType::kInt64, DType::kInt64, DType::kFloat64, plan.dtype);
  const bool extreme = plan.op == ReduceOp::kMax || plan.op == ReduceOp::kMin;
  const bool norm = plan.op == ReduceOp::kNorm1 || plan.op == ReduceOp::kNorm2;
  ColumnLoop loop;
  loop.starts_with_first = extreme;
  loop.accumulator = extreme ? plan.working : (norm ? DType::kFloat64 : sums);
  BinaryOp step = BinaryOp::kAdd;
  if (plan.op == ReduceOp::kProd) step = BinaryOp::kMul;
  if (extreme) step = plan.op == ReduceOp::kMax ? BinaryOp::kMaximum : BinaryOp::kMinimum;
  loop.step = table.binary[static_cast<int>(step)][index_of(loop.accumulator)];
  if (norm) {
    const UnaryOp term = plan.op == ReduceOp::kNorm1 ? UnaryOp::kAbs : UnaryOp::kSquare;
    loop.term = table.unary[static_cast<int>(term)][index_of(DType::kFloat64)];
  }
  return loop;
}

void store_columns(DType accumulator, const char* sums, std::int64_t columns, Partial* partials) {
  visit_real_dtype(accumulator, [&]<class T>() {
    const T* values = reinterpret_cast<const T*>(sums);
    for (std::int64_t j = 0; j < columns; ++j) {
      if constexpr (std::is_floating_point_v<T>) {
        partials[j].value = static_cast<double>(values[j]);
      } else if constexpr (std::is_integral_v<T>) {
        partials[j].integer = static_cast<std::int64_t>(values[j]);
      } else {
        static_assert(is_half_type<T>);  // which are never added up in themselves
      }
      partials[j].index = 0;
    }
  });
}

// Sums of float rows: a few rows are added in float32, the blocks in double.
void sum_float_columns(const ReducePlan& plan, const char* in, std::int64_t columns,
                       std::int64_t begin, std::int64_t end, Partial* partials) {
  const SimdTable& table = simd_table();
  const ConvertKernel widen = table.convert[index_of(plan.dtype)][index_of(DType::kFloat32)];
  const ConvertKernel to_double =
      table.convert[index_of(DType::kFloat32)][index_of(DType::kFloat64)];
  const BinaryKernel add_f32 =
      table.binary[static_cast<int>(BinaryOp::kAdd)][index_of(DType::kFloat32)];
  const BinaryKernel add_f64 =
      table.binary[static_cast<int>(BinaryOp::kAdd)][index_of(DType::kFloat64)];
  alignas(64) float block[kReduceTile];
  alignas(64) float row[kReduceTile];
  alignas(64) double wide[kReduceTile];
  alignas(64) double sums[kReduceTile];
  std::fill_n(sums, columns, 0.0);
  int rows_in_block = 0;
  const auto flush = [&] {
    if (rows_in_block == 0) return;
    to_double(wide, block, columns);
    add_f64(sums, sums, 1, wide, 1, columns);
    rows_in_block = 0;
  };
  const std::int64_t run_length = plan.reduced.size() == 1 ? end - begin : plan.inner_reduced;
  for_each_run(plan, begin, end, [&](std::int64_t offset, std::int64_t) {
    const char* line = in + offset * plan.itemsize;
    for (std::int64_t r = 0; r < run_length; ++r, line += plan.inner_stride * plan.itemsize) {
      const void* values = line;
      if (plan.dtype != DType::kFloat32) {
        widen(row, line, columns);
        values = row;
      }
      if (rows_in_block == 0) {
        std::memcpy(block, values, static_cast<std::size_t>(columns) * sizeof(float));
      } else {
        add_f32(block, block, 1, values, 1, columns);
      }
      if (++rows_in_block == kRowsInBlock) flush();
    }
  });
  flush();
  for (std::int64_t j = 0; j < columns; ++j) partials[j].value = sums[j];
}

}  // namespace
}  // namespace reduce_plan

ReducePlan make_reduce_plan(const ReduceArgs& args) {
  ReducePlan plan;
  plan.op = args.op;
  plan.in = static_cast<const char*>(args.in);
  plan.dtype = args.in_dtype;
  plan.working = working_dtype(args.in_dtype);
  plan.itemsize = static_cast<int>(itemsize(args.in_dtype));
  plan.kept = args.kept;
  plan.reduced = args.reduced;
  plan.kept_strides = args.kept_strides;
  plan.reduced_strides = args.reduced_strides;
  plan.kept_count = element_count(args.kept);
  plan.reduced_count = element_count(args.reduced);
  reduce_plan::merge_in_order(plan.kept, plan.kept_strides);
  if (reduce_plan::is_position(args.op)) {
    reduce_plan::merge_in_order(plan.reduced, plan.reduced_strides);
  } else {
    reduce_plan::merge_in_any_order(plan.reduced, plan.reduced_strides);
  }
  plan.inner_reduced = plan.reduced.back();
  plan.inner_stride = plan.reduced_strides.back();
  plan.row_stride = plan.kept_strides.back();
  plan.by_columns = reduce_plan::can_go_by_columns(plan);
  return plan;
}

void reduce_columns(const ReducePlan& plan, const char* in, std::int64_t columns,
                    std::int64_t begin, std::int64_t end, Partial* partials) {
  if (plan.working == DType::kFloat32 &&
      (plan.op == ReduceOp::kSum || plan.op == ReduceOp::kMean)) {
    return reduce_plan::sum_float_columns(plan, in, columns, begin, end, partials);
  }
  const reduce_plan::ColumnLoop loop = reduce_plan::column_loop(plan);
  const ConvertKernel convert =
      simd_table().convert[index_of(plan.dtype)][index_of(loop.accumulator)];
  const bool as_it_is = plan.dtype == loop.accumulator;
  alignas(64) char sums[kReduceTile * kWidestReal];
  alignas(64) char row[kReduceTile * kWidestReal];
  const Scalar neutral = Scalar::integer(plan.op == ReduceOp::kProd ? 1 : 0);
  bool fresh = loop.starts_with_first;
  if (!fresh) {
    visit_real_dtype(loop.accumulator, [&]<class T>() {
      std::fill_n(reinterpret_cast<T*>(sums), columns, neutral.as<T>());
    });
  }
  const std::int64_t run_length = plan.reduced.size() == 1 ? end - begin : plan.inner_reduced;
  for_each_run(plan, begin, end, [&](std::int64_t offset, std::int64_t) {
    const char* line = in + offset * plan.itemsize;
    for (std::int64_t r = 0; r < run_length; ++r, line += plan.inner_stride * plan.itemsize) {
      if (fresh) {
        convert(sums, line, columns);
        fresh = false;
        continue;
      }
      const void* values = line;
      if (!as_it_is) {
        convert(row, line, columns);
        values = row;
      }
      if (loop.term != nullptr) {
        loop.term(row, values, columns);
        values = row;
      }
      loop.step(sums, sums, 1, values, 1, columns);
    }
  });
  reduce_plan::store_columns(loop.accumulator, sums, columns, partials);
}

}  // namespace gpukit::cpu
