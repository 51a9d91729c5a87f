// The operations gpukit knows, counted once: the interface, both backends and the kernels share
// these codes. The numbers travel to the device as kernel arguments.
#pragma once

#include "kernels/portable.h"

namespace gpukit {

/// Functions of one operand, by the rows of elementwise.def.
enum class UnaryOp : int {
#define GK_UNARY(code, ...) code,
#include "kernels/elementwise.def"
  kCount
};

/// Functions of two operands of one dtype.
enum class BinaryOp : int {
#define GK_BINARY(code, ...) code,
#include "kernels/elementwise.def"
  kCount
};

/// The dtypes that an elementwise operator accepts, and its conversion of others.
enum class Domain : int {
  kFunction,       ///< floating dtypes; others become the default floating dtype
  kRounding,       ///< floating dtypes; others are returned as they are
  kArithmetic,     ///< numbers; bool is refused
  kMagnitude,      ///< numbers; bool is returned as it is
  kBoolAsInteger,  ///< numbers; bool becomes int64
  kBitwise,        ///< integers and bool; floating dtypes are refused
  kShift,          ///< integers; bool and floating dtypes are refused
  kAny,            ///< every dtype
  kComparison,     ///< every dtype, compared by value; gives bool
  kTest,           ///< every dtype; gives bool
};

/// Whether a domain takes operands of a kind as they are; others it converts, returns or refuses.
/// `of_kind` selects the value for its kind: bool, integer, floating or complex. Complex operands
/// are taken apart in ops/.
template <class OfKind>
GK_CONSTEXPR bool takes(Domain domain, OfKind of_kind) {
  switch (domain) {
    case Domain::kFunction:
    case Domain::kRounding:
      return of_kind(false, false, true, false);
    case Domain::kArithmetic:
    case Domain::kMagnitude:
    case Domain::kBoolAsInteger:
      return of_kind(false, true, true, false);
    case Domain::kBitwise:
      return of_kind(true, true, false, false);
    case Domain::kShift:
      return of_kind(false, true, false, false);
    case Domain::kAny:
    case Domain::kComparison:
    case Domain::kTest:
      return of_kind(true, true, true, false);
  }
  return false;
}

/// Whether unsigned integers need their own code. Where the sign is ignored, its bits are
/// those of the signed integer of its size.
enum class Sign : int { kIgnored, kMatters };

/// What one element costs: as an addition, or as a function of the C library.
enum class Cost : int { kLight, kHeavy };

/// How users call an operator. All but internal ones are functions and methods; some have torch's
/// out=, some a method that works in place.
enum class Forms : int { kInternal, kPlain, kOut, kInPlace, kOutAndInPlace };

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

/// What an index out of range becomes: no tensor has that index, whatever its size.
inline constexpr gk_i64 kNoIndex = -0x7fffffffffffffffLL;

/// Functions of complex numbers that devices compute in one pass. All other operators see the parts
/// of complex operands as floating tensors. kMul to kPow have two operands.
enum class ComplexOp : int {
  kMul,
  kDiv,
  kPow,
  kReciprocal,
  kSqrt,
  kRsqrt,
  kExp,
  kExp2,
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
  kCount
};
GK_CONSTEXPR bool is_product(ComplexOp op) {
  return op == ComplexOp::kMul || op == ComplexOp::kDiv;
}
GK_CONSTEXPR bool has_two_operands(ComplexOp op) { return is_product(op) || op == ComplexOp::kPow; }

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

GK_CONSTEXPR Domain domain_of(UnaryOp op) {
  switch (op) {
#define GK_UNARY(code, name, parameters, domain, ...) \
  case UnaryOp::code:                                 \
    return Domain::domain;
#include "kernels/elementwise.def"
    case UnaryOp::kCount:
      break;
  }
  return Domain::kAny;
}
GK_CONSTEXPR Domain domain_of(BinaryOp op) {
  switch (op) {
#define GK_BINARY(code, name, parameters, domain, ...) \
  case BinaryOp::code:                                 \
    return Domain::domain;
#include "kernels/elementwise.def"
    case BinaryOp::kCount:
      break;
  }
  return Domain::kAny;
}

GK_CONSTEXPR Cost cost_of(UnaryOp op) {
  switch (op) {
#define GK_UNARY(code, name, parameters, domain, sign, cost, ...) \
  case UnaryOp::code:                                             \
    return Cost::cost;
#include "kernels/elementwise.def"
    case UnaryOp::kCount:
      break;
  }
  return Cost::kLight;
}
GK_CONSTEXPR Cost cost_of(BinaryOp op) {
  switch (op) {
#define GK_BINARY(code, name, parameters, domain, sign, cost, ...) \
  case BinaryOp::code:                                             \
    return Cost::cost;
#include "kernels/elementwise.def"
    case BinaryOp::kCount:
      break;
  }
  return Cost::kLight;
}

// Kernels and loops test one bit per operator at run time.
static_assert(static_cast<int>(UnaryOp::kCount) <= 64 && static_cast<int>(BinaryOp::kCount) <= 64);

GK_CONSTEXPR gk_u64 bit_if(bool condition, int bit) { return condition ? 1ULL << bit : 0; }
GK_CONSTEXPR bool has_bit(gk_u64 set, int bit) { return (set >> bit & 1) != 0; }

GK_CONSTEXPR bool is_test(Domain domain) {
  return domain == Domain::kComparison || domain == Domain::kTest;
}

GK_CONSTEXPR bool gives_bool(UnaryOp op) {
  constexpr gk_u64 kTests = 0
#define GK_UNARY(code, name, parameters, domain, ...) \
  | bit_if(is_test(Domain::domain), static_cast<int>(UnaryOp::code))
#include "kernels/elementwise.def"
      ;
  return has_bit(kTests, static_cast<int>(op));
}
GK_CONSTEXPR bool gives_bool(BinaryOp op) {
  constexpr gk_u64 kTests = 0
#define GK_BINARY(code, name, parameters, domain, ...) \
  | bit_if(is_test(Domain::domain), static_cast<int>(BinaryOp::code))
#include "kernels/elementwise.def"
      ;
  return has_bit(kTests, static_cast<int>(op));
}

GK_CONSTEXPR bool is_comparison(BinaryOp op) {
  constexpr gk_u64 kComparisons = 0
#define GK_BINARY(code, name, parameters, domain, ...) \
  | bit_if(Domain::domain == Domain::kComparison, static_cast<int>(BinaryOp::code))
#include "kernels/elementwise.def"
      ;
  return has_bit(kComparisons, static_cast<int>(op));
}

GK_CONSTEXPR bool sign_matters(UnaryOp op) {
  constexpr gk_u64 kSigned = 0
#define GK_UNARY(code, name, parameters, domain, sign, ...) \
  | bit_if(Sign::sign == Sign::kMatters, static_cast<int>(UnaryOp::code))
#include "kernels/elementwise.def"
      ;
  return has_bit(kSigned, static_cast<int>(op));
}
GK_CONSTEXPR bool sign_matters(BinaryOp op) {
  constexpr gk_u64 kSigned = 0
#define GK_BINARY(code, name, parameters, domain, sign, ...) \
  | bit_if(Sign::sign == Sign::kMatters, static_cast<int>(BinaryOp::code))
#include "kernels/elementwise.def"
      ;
  return has_bit(kSigned, static_cast<int>(op));
}
GK_CONSTEXPR bool sign_matters(ReduceOp op) {
  return op == ReduceOp::kMax || op == ReduceOp::kMin || op == ReduceOp::kArgMax ||
         op == ReduceOp::kArgMin;
}

}  // namespace gpukit
