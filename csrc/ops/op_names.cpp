// What users call the operations: functions and error messages name them so.
#include <iterator>

#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace gpukit::ops {

namespace {

// The in-place form; without its last character it is the plain name.
constexpr std::string_view kUnaryNames[] = {
    "neg_",   "abs_",   "sign_",     "square_", "sqrt_",    "rsqrt_",       "reciprocal_",
    "exp_",   "expm1_", "log_",      "log1p_",  "log2_",    "log10_",       "sin_",
    "cos_",   "tan_",   "asin_",     "acos_",   "atan_",    "sinh_",        "cosh_",
    "tanh_",  "asinh_", "acosh_",    "atanh_",  "sigmoid_", "relu_",        "gelu_",
    "erf_",   "floor_", "ceil_",     "round_",  "trunc_",   "bitwise_not_", "logical_not_",
    "isnan_", "isinf_", "isfinite_", "signbit_"};

constexpr std::string_view kBinaryNames[] = {"add_",
                                             "sub_",
                                             "mul_",
                                             "div_",
                                             "floor_divide_",
                                             "remainder_",
                                             "pow_",
                                             "maximum_",
                                             "minimum_",
                                             "atan2_",
                                             "hypot_",
                                             "copysign_",
                                             "logaddexp_",
                                             "nextafter_",
                                             "relu_gradient_",
                                             "bitwise_and_",
                                             "bitwise_or_",
                                             "bitwise_xor_",
                                             "bitwise_left_shift_",
                                             "bitwise_right_shift_",
                                             "eq_",
                                             "ne_",
                                             "lt_",
                                             "le_",
                                             "gt_",
                                             "ge_",
                                             "logical_and_",
                                             "logical_or_",
                                             "logical_xor_"};

constexpr std::string_view kReduceNames[] = {"sum", "mean",   "prod",   "max",
                                             "min", "argmax", "argmin", "all",
                                             "any", "norm",   "norm",   "count_nonzero"};

static_assert(std::size(kUnaryNames) == static_cast<int>(UnaryOp::kCount));
static_assert(std::size(kBinaryNames) == static_cast<int>(BinaryOp::kCount));
static_assert(std::size(kReduceNames) == static_cast<int>(ReduceOp::kCount));

}  // namespace

std::string_view in_place_name(UnaryOp op) noexcept { return kUnaryNames[static_cast<int>(op)]; }
std::string_view in_place_name(BinaryOp op) noexcept { return kBinaryNames[static_cast<int>(op)]; }
std::string_view name(UnaryOp op) noexcept {
  return in_place_name(op).substr(0, in_place_name(op).size() - 1);
}
std::string_view name(BinaryOp op) noexcept {
  return in_place_name(op).substr(0, in_place_name(op).size() - 1);
}
std::string_view name(ReduceOp op) noexcept { return kReduceNames[static_cast<int>(op)]; }

}  // namespace gpukit::ops
