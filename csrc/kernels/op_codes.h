// The operations gpukit knows, counted once: the interface, both backends and the kernels share
// these codes. The numbers travel to the device as kernel arguments, so the order may grow at the
// end of a family only.
#pragma once

#include "kernels/portable.h"

namespace gpukit {

/// Functions of one operand. Predicates (kIsNan …) and kLogicalNot give bool; all others keep the
/// dtype.
enum class UnaryOp : int {
  kNeg,
  kAbs,
  kSign,
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kSigmoid,
  kRelu,
  kGelu,
  kErf,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  kBitwiseNot,
  kLogicalNot,
  kIsNan,
  kIsInf,
  kIsFinite,
  kSignbit,
  kCount
};

/// Functions of two operands of one dtype. From kEq on the result is bool.
enum class BinaryOp : int {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDivide,
  kRemainder,
  kPow,
  kMaximum,
  kMinimum,
  kAtan2,
  kHypot,
  kCopysign,
  kLogaddexp,
  kNextafter,
  kReluGradient,  ///< a, but 0 where b, the result of relu, is 0
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kShiftLeft,
  kShiftRight,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kCount
};

/// Reductions. kSum and kProd accumulate in the accumulator type of the dtype (float for half
/// types); kArgMax and kArgMin give int64; kAll and kAny give bool; kNorm2 is the root of the sum
/// of squares.
enum class ReduceOp : int {
  kSum,
  kMean,
  kProd,
  kMax,
  kMin,
  kArgMax,
  kArgMin,
  kAll,
  kAny,
  kNorm1,
  kNorm2,
  kCountNonzero,
  kCount
};

/// A place that an index out of range has become: no tensor has it, whatever its size.
inline constexpr gk_i64 kNoPlace = -0x7fffffffffffffffLL;

/// Random numbers from Philox4x32-10 (see kernels/philox.h for the exact mapping of counter to
/// element).
enum class RandomOp : int { kUniform, kNormal, kIntegers, kCount };

/// How an optimizer changes its parameters.
enum class OptimizerRule : int { kSgd, kAdam, kCount };

/// What all parameters of one optimizer step share. g is the gradient, p the parameter:
///   p *= shrink;  g = maximize ? -g : g;  g += weight_decay * p
///   SGD:  first = kept * first + taken * g;  p -= step_size * (nesterov ? g + kept * first :
///   first) Adam: first = kept * first + taken * g;  second = kept_square * second + taken_square *
///   g * g
///         p -= step_size * first / (sqrt(second) / root_correction + eps)
/// SGD's decay sees p as it was; Adam's comes with shrink or weight_decay, never both.
struct OptimizerSettings {
  OptimizerRule rule;
  gk_i32 nesterov, maximize;
  double weight_decay, shrink;
  double kept, taken;
  double kept_square, taken_square, eps;
};

GK_CONSTEXPR bool gives_bool(UnaryOp op) { return op >= UnaryOp::kLogicalNot; }
GK_CONSTEXPR bool gives_bool(BinaryOp op) { return op >= BinaryOp::kEq; }

/// Where an unsigned integer has an answer of its own. All else gives the same bits as for the
/// signed integer of its size.
GK_CONSTEXPR bool sign_matters(UnaryOp op) {
  return op == UnaryOp::kAbs || op == UnaryOp::kSign || op == UnaryOp::kRelu ||
         op == UnaryOp::kSignbit;
}
GK_CONSTEXPR bool sign_matters(BinaryOp op) {
  return (op >= BinaryOp::kDiv && op <= BinaryOp::kMinimum) || op == BinaryOp::kShiftRight ||
         (op >= BinaryOp::kLt && op <= BinaryOp::kGe);
}
GK_CONSTEXPR bool sign_matters(ReduceOp op) {
  return op == ReduceOp::kMax || op == ReduceOp::kMin || op == ReduceOp::kArgMax ||
         op == ReduceOp::kArgMin;
}

}  // namespace gpukit
