// What users call the operations: functions and error messages name them so.
#include <iterator>

#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/elementwise_table.h"
#include "ops/reduce.h"

namespace gpukit::ops {

namespace {

constexpr std::string_view kReduceNames[] = {"sum", "mean",   "prod",   "max",
                                             "min", "argmax", "argmin", "all",
                                             "any", "norm",   "norm",   "count_nonzero"};

static_assert(std::size(kReduceNames) == static_cast<int>(ReduceOp::kCount));

}  // namespace

std::string_view name(UnaryOp op) noexcept { return row_of(op).name; }
std::string_view name(BinaryOp op) noexcept { return row_of(op).name; }
std::string_view in_place_name(UnaryOp op) noexcept { return row_of(op).in_place_name; }
std::string_view in_place_name(BinaryOp op) noexcept { return row_of(op).in_place_name; }
std::string_view name(ReduceOp op) noexcept { return kReduceNames[static_cast<int>(op)]; }

}  // namespace gpukit::ops
