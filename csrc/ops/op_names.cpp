// What users call the operations: functions and error messages name them so.
#include "backend/op_names.h"

#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/elementwise_table.h"
#include "ops/reduce.h"

namespace gpukit::ops {

std::string_view name(UnaryOp op) noexcept { return row_of(op).name; }
std::string_view name(BinaryOp op) noexcept { return row_of(op).name; }
std::string_view in_place_name(UnaryOp op) noexcept { return row_of(op).in_place_name; }
std::string_view in_place_name(BinaryOp op) noexcept { return row_of(op).in_place_name; }
std::string_view name(ReduceOp op) noexcept { return operator_name(op); }

}  // namespace gpukit::ops
