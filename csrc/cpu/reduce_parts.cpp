#include "cpu/reduce_parts.h"

#include <algorithm>
#include <cmath>

#include "cpu/cpu_ops.h"

namespace gpukit::cpu {
namespace reduce_parts {
namespace {

bool wins(const Partial& challenger, const Partial& holder, bool largest, DType dtype) {
  if (challenger.index < 0) return false;
  if (holder.index < 0) return true;
  if (of_kind(kind_of(dtype), true, true, false, false)) {
    const std::int64_t a = challenger.integer ^ order_mask(dtype);
    const std::int64_t b = holder.integer ^ order_mask(dtype);
    return largest ? a > b : a < b;
  }
  if (std::isnan(holder.value)) return false;
  if (std::isnan(challenger.value)) return true;
  return largest ? challenger.value > holder.value : challenger.value < holder.value;
}

struct Answer {
  bool is_integer;
  std::int64_t integer;
  double floating;
};

Answer finish(ReduceOp op, DType dtype, std::int64_t reduced_count, const Partial& partial) {
  const double real = partial.value + partial.error;
  const double count = static_cast<double>(reduced_count);
  const bool floating = of_kind(kind_of(dtype), false, false, true, false);
  switch (op) {
    case ReduceOp::kArgMax:
    case ReduceOp::kArgMin:
      return {true, partial.index, 0};
    case ReduceOp::kAll:
    case ReduceOp::kAny:
    case ReduceOp::kCountNonzero:
      return {true, partial.integer, 0};
    case ReduceOp::kMean:
      return {false, 0, (floating ? real : static_cast<double>(partial.integer)) / count};
    case ReduceOp::kMax:
    case ReduceOp::kMin:
    case ReduceOp::kProd:
      return {!floating, partial.integer, partial.value};  // has no error; -0 + 0 would be 0
    case ReduceOp::kNorm1:
      return {false, 0, real};
    case ReduceOp::kNorm2:
      return {false, 0, std::sqrt(real)};
    default:
      return {!floating, partial.integer, real};
  }
}

template <class T>
T rounded(const Answer& answer) {
  if constexpr (is_half_type<T>) {
    return T(static_cast<float>(answer.is_integer ? static_cast<double>(answer.integer)
                                                  : answer.floating));
  } else if constexpr (std::is_same_v<T, bool>) {
    return answer.is_integer ? answer.integer != 0 : answer.floating != 0;
  } else {
    static_assert(std::is_arithmetic_v<T>);
    return answer.is_integer ? static_cast<T>(answer.integer) : static_cast<T>(answer.floating);
  }
}

}  // namespace
}  // namespace reduce_parts

Partial first_partial(ReduceOp op) {
  Partial partial;
  if (op == ReduceOp::kProd) partial.value = 1;
  if (op == ReduceOp::kProd || op == ReduceOp::kAll) partial.integer = 1;
  return partial;
}

void join_partials(ReduceOp op, DType dtype, Partial& total, const Partial& part) {
  switch (op) {
    case ReduceOp::kMax:
    case ReduceOp::kArgMax:
      if (reduce_parts::wins(part, total, true, dtype)) total = part;
      return;
    case ReduceOp::kMin:
    case ReduceOp::kArgMin:
      if (reduce_parts::wins(part, total, false, dtype)) total = part;
      return;
    case ReduceOp::kProd:
      total.value *= part.value;
      total.integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(total.integer) *
                                                static_cast<std::uint64_t>(part.integer));
      return;
    case ReduceOp::kAll:
      total.integer &= part.integer;
      return;
    case ReduceOp::kAny:
      total.integer |= part.integer;
      return;
    default:
      break;
  }
  const double sum = total.value + part.value;
  const double lost = std::abs(total.value) >= std::abs(part.value)
                          ? (total.value - sum) + part.value
                          : (part.value - sum) + total.value;
  total.error += part.error + (std::isfinite(lost) ? lost : 0.0);
  total.value = sum;
  total.integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(total.integer) +
                                            static_cast<std::uint64_t>(part.integer));
}

std::int64_t row_piece(std::int64_t kept_count, std::int64_t reduced_count) {
  const std::int64_t total = kept_count * reduced_count;
  if (kept_count > kFewResults || total < 2 * kPieceElements) return reduced_count;
  const std::int64_t pieces = std::min({total / kPieceElements, kMostPieces, reduced_count});
  const std::int64_t piece = (reduced_count + pieces - 1) / pieces;
  return (piece + kPieceMultiple - 1) / kPieceMultiple * kPieceMultiple;
}

void reduce_run(ReduceKernel kernel, const void* in, DType dtype, std::int64_t count,
                std::int64_t base, Partial& partial) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  for (std::int64_t i = 0; i < count; i += kReduceRun) {
    kernel(static_cast<const char*>(in) + i * item, std::min(kReduceRun, count - i), base + i,
           partial);
  }
}

void reduce_widened_run(ReduceKernel kernel, const void* in, DType dtype, std::int64_t count,
                        std::int64_t base, Partial& partial) {
  const ConvertKernel widen = simd_table().convert[index_of(dtype)][index_of(DType::kFloat32)];
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  alignas(64) float wide[kWidenedRun];
  for (std::int64_t i = 0; i < count; i += kWidenedRun) {
    const std::int64_t width = std::min(kWidenedRun, count - i);
    widen(wide, static_cast<const char*>(in) + i * item, width);
    kernel(wide, width, base + i, partial);
  }
}

void write_reduced(ReduceOp op, DType in_dtype, void* out, DType out_dtype,
                   std::int64_t reduced_count, const Partial* partials, std::int64_t first,
                   std::int64_t last) {
  visit_real_dtype(out_dtype, [&]<class T>() {
    T* to = static_cast<T*>(out);
    for (std::int64_t k = first; k < last; ++k) {
      to[k] = reduce_parts::rounded<T>(
          reduce_parts::finish(op, in_dtype, reduced_count, partials[k - first]));
    }
  });
}

}  // namespace gpukit::cpu
