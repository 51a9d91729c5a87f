// Functions of two operands.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "autograd/scaled.h"
#include "base/check.h"
#include "base/error.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

using T = const Tensor&;

/// What a derivative is computed from, in addition to the gradient.
enum Needs : unsigned {
  kNothing = 0,
  kLeft = 1,
  kRight = 2,
  kResult = 4,
  kBoth = kLeft | kRight,
  kAll = kBoth | kResult
};

/// The derivative column of a row: of each operand, from the gradient g, the operands a and b and
/// the result y.
struct BinaryFormula {
  using Gradient = Tensor (*)(T g, T a, T b, T y);
  const char* name = nullptr;  ///< null: the result has no gradient at all
  unsigned left_needs = kNothing;
  Gradient left = nullptr;  ///< null: backward() raises an error
  unsigned right_needs = kNothing;
  Gradient right = nullptr;
};

/// x^p for a gradient: p * x^(p - 1), and 0 where p is 0 even if x is 0 too.
Tensor power_gradient(T g, T base, T exponent) {
  const Tensor slope = mul(exponent, binary(BinaryOp::kPow, base, add(exponent, -1.0)));
  return where_false(compare(BinaryOp::kEq, exponent, 0.0), mul(g, slope));
}

/// Of complex exponents those that are real.
Tensor is_not_negative(T exponent) {
  if (!is_complex(exponent.dtype())) return compare(BinaryOp::kGe, exponent, 0.0);
  return ops::binary(BinaryOp::kLogicalAnd,
                     compare(BinaryOp::kGe, gpukit::real_part(exponent), 0.0),
                     compare(BinaryOp::kEq, gpukit::imag_part(exponent), 0.0));
}

/// x^p * log(x), and 0 where x is 0 and p is not negative.
Tensor exponent_gradient(T g, T base, T exponent, T out) {
  const Tensor flat = ops::binary(BinaryOp::kLogicalAnd, compare(BinaryOp::kEq, base, 0.0),
                                  is_not_negative(exponent));
  const Tensor slope = log(cast(base, out.dtype()));  // of whole numbers, in out's precision
  return where_false(flat, mul(g, mul(out, slope)));
}

/// The gradient of the operand that was chosen; equal ones share it. Where one is NaN, which is
/// neither ahead nor behind, both receive it.
Tensor chosen(BinaryOp no_better, T g, T own, T other) {
  const Tensor ahead = where_false(ops::binary(no_better, own, other), g);
  const Tensor equal = where_true(ops::binary(BinaryOp::kEq, own, other), mul(g, 0.5));
  return add(ahead, equal);
}

/// g * side / (left² + right²), in the result's dtype: squares of small integers would wrap around.
/// 0 at the origin, where the angle has no derivative.
Tensor angle_gradient(T g, T side, T left, T right) {
  const Tensor sum = add(square(cast(left, g.dtype())), square(cast(right, g.dtype())));
  return where_false(compare(BinaryOp::kEq, sum, 0.0), mul(div(g, sum), side));
}

/// g times the logarithm of b, and 0 where a is 0 and the logarithm does not exist.
Tensor logarithm_gradient(T g, T a, T b, UnaryOp logarithm, double bound) {
  const Tensor outside = ops::binary(BinaryOp::kLogicalAnd, compare(BinaryOp::kEq, a, 0.0),
                                     compare(BinaryOp::kLe, b, bound));
  return where_false(outside, mul(g, unary(logarithm, cast(b, g.dtype()))));
}

/// An order of zeta or of polygamma.
Tensor no_order_gradient(T) {
  throw AutogradError(
      "backward(): the first argument of zeta has no derivative. Use .detach() on it where no "
      "gradient is meant to flow.");
}

#define BY_OPERAND(name, left_needs, left, right_needs, right) \
  {name, left_needs, GK_GRADIENT(left), right_needs, GK_GRADIENT(right)}
#define GK_GRADIENT(expression)                                        \
  []([[maybe_unused]] T g, [[maybe_unused]] T a, [[maybe_unused]] T b, \
     [[maybe_unused]] T y) -> Tensor { return expression; }
#define NOT_DIFFERENTIABLE(name) {name}
#define NO_GRADIENT \
  {                 \
  }

constexpr BinaryFormula kBinaryFormulas[] = {
#define GK_BINARY(code, name, parameters, domain, sign, cost, forms, left, right, value, \
                  derivative, ...)                                                       \
  derivative,
#include "kernels/elementwise.def"
};

#undef BY_OPERAND
#undef GK_GRADIENT
#undef NOT_DIFFERENTIABLE
#undef NO_GRADIENT

/// Recorded so that backward() raises, instead of silently omitting the gradient.
void record_without_gradient(const Tensor& out, const char* name, const Tensor& left,
                             const Tensor& right) {
  record(out, name, {&left, &right}, [name](Pass&) {
    throw AutogradError(concat("backward(): ", name,
                               " has no derivative. Use .detach() on its result where no gradient "
                               "is meant to flow."));
  });
}

/// The derivatives need nothing but the gradient, so that they may run twice.
void record_linear(const BinaryFormula& formula, const Tensor& out, const Tensor& left,
                   const Tensor& right) {
  record(out, formula.name, {&left, &right}, [&formula](Pass& pass) {
    const Tensor& g = pass.gradient();
    const Tensor none;
    if (pass.needs_input_grad(0)) pass.accumulate_grad(0, formula.left(g, none, none, none));
    if (pass.needs_input_grad(1)) pass.accumulate_grad(1, formula.right(g, none, none, none));
  });
}

/// Nothing is saved but what the wanted derivatives need.
struct Operands {
  SavedTensor left, right, result;
};

void record_two(BinaryOp op, const Tensor& out, const Tensor& left, const Tensor& right) {
  const BinaryFormula& formula = kBinaryFormulas[static_cast<int>(op)];
  if (formula.name == nullptr) return;
  if (formula.left == nullptr) return record_without_gradient(out, formula.name, left, right);
  const unsigned needs = (left.requires_grad() ? formula.left_needs : kNothing) |
                         (right.requires_grad() ? formula.right_needs : kNothing);
  if (needs == kNothing) return record_linear(formula, out, left, right);
  Operands saved{SavedTensor::input(0, left, (needs & kLeft) != 0),
                 SavedTensor::input(1, right, (needs & kRight) != 0),
                 SavedTensor::result(out, (needs & kResult) != 0)};
  record(out, formula.name, {&left, &right}, [&formula, saved = std::move(saved)](Pass& pass) {
    const Tensor a = pass.if_saved(saved.left), b = pass.if_saved(saved.right),
                 y = pass.if_saved(saved.result);
    const auto gradient = [&](BinaryFormula::Gradient of) {
      return conjugated(pass.gradient(), [&](T g) { return of(g, a, b, y); });
    };
    if (pass.needs_input_grad(0)) pass.accumulate_grad(0, gradient(formula.left));
    if (pass.needs_input_grad(1)) pass.accumulate_grad(1, gradient(formula.right));
  });
}

void record_factor(const Tensor& out, const char* name, const Tensor& input, double factor) {
  record(out, name, {&input},
         Once{[factor](Pass& pass) { pass.accumulate_grad(0, mul(pass.gradient(), factor)); }});
}

void record_quotient(const Tensor& out, const Tensor& input, double divisor) {
  record(out, "DivBackward0", {&input},
         Once{[divisor](Pass& pass) { pass.accumulate_grad(0, div(pass.gradient(), divisor)); }});
}

void record_power(const Tensor& out, const Tensor& input, double exponent) {
  record(out, "PowBackward0", {&input}, [exponent, x = SavedTensor::input(0, input)](Pass& pass) {
    const Tensor& g = pass.gradient();
    pass.accumulate_grad(
        0, exponent == 0.0 ? zeros_like(g) : mul(g, mul(pow(pass(x), exponent - 1.0), exponent)));
  });
}

/// True when the derivative is as simple with a number as it is above with a tensor.
bool record_with_number(BinaryOp op, const Tensor& out, const Tensor& left, double right) {
  switch (op) {
    case BinaryOp::kAdd:
      record_identity(out, "AddBackward0", left);
      return true;
    case BinaryOp::kSub:
      record_identity(out, "SubBackward0", left);
      return true;
    case BinaryOp::kRemainder:
      record_identity(out, "RemainderBackward0", left);
      return true;
    case BinaryOp::kMul:
      record_factor(out, "MulBackward0", left, right);
      return true;
    case BinaryOp::kDiv:
      record_quotient(out, left, right);
      return true;
    case BinaryOp::kPow:
      record_power(out, left, right);
      return true;
    default:
      return false;
  }
}

/// The same for a number on the left.
bool record_with_number(BinaryOp op, const Tensor& out, double left, const Tensor& right) {
  switch (op) {
    case BinaryOp::kAdd:
      record_identity(out, "AddBackward0", right);
      return true;
    case BinaryOp::kMul:
      record_factor(out, "MulBackward0", right, left);
      return true;
    case BinaryOp::kSub:
      record(out, "RsubBackward1", {&right},
             [](Pass& pass) { pass.accumulate_grad(0, neg(pass.gradient())); });
      return true;
    case BinaryOp::kDiv:
      record(out, "MulBackward0", {&right}, [left, x = SavedTensor::input(0, right)](Pass& pass) {
        pass.accumulate_grad(0, mul(div(pass.gradient(), square(pass(x))), -left));
      });
      return true;
    case BinaryOp::kPow:
      record(out, "PowBackward2", {&right}, [left, y = SavedTensor::result(out)](Pass& pass) {
        const Tensor out = pass(y), slope = mul(pass.gradient(), mul(out, std::log(left)));
        if (left != 0.0) return pass.accumulate_grad(0, slope);
        // 0 to a power: infinite below 0, and flat from there on.
        const Tensor size = ops::unary(UnaryOp::kAbs, out);
        pass.accumulate_grad(0, where_false(compare(BinaryOp::kLe, size, 1.0), slope));
      });
      return true;
    default:
      return false;
  }
}

/// A number as a tensor without a gradient, for the operations that treat both alike.
Tensor as_tensor(Scalar value, const Tensor& like) {
  const DType dtype = value.is_complex() ? complex_dtype(like.dtype()) : like.dtype();
  const Tensor number = zeros_of(GradientKind(Shape{}, dtype, like.device()));
  ops::fill_(number, value);
  return number;
}

/// What is recorded with a real number goes on below only where it needs no conjugate.
bool is_linear(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul ||
         op == BinaryOp::kDiv;
}

bool record_right(BinaryOp op, const Tensor& out, const Tensor& left, Scalar right) {
  if (is_complex(out.dtype()) && (right.is_complex() || !is_linear(op))) return false;
  return record_with_number(op, out, left, right.as_double());
}

bool record_left(BinaryOp op, const Tensor& out, Scalar left, const Tensor& right) {
  if (is_complex(out.dtype()) && (left.is_complex() || !is_linear(op) || op == BinaryOp::kDiv))
    return false;
  return record_with_number(op, out, left.as_double(), right);
}

bool is_recorded(const Tensor& out) { return is_differentiable(out.dtype()) && grad_enabled(); }

}  // namespace

Tensor recorded::binary(BinaryOp op, const Tensor& left, const Tensor& right) {
  const Tensor out = ops::binary(op, left, right);
  if (is_recorded(out)) record_two(op, out, left, right);
  return out;
}

Tensor recorded::binary(BinaryOp op, const Tensor& left, Scalar right) {
  const Tensor out = ops::binary(op, left, right);
  if (is_recorded(out) && !record_right(op, out, left, right))
    record_two(op, out, left, as_tensor(right, left));
  return out;
}

Tensor recorded::binary(BinaryOp op, Scalar left, const Tensor& right) {
  const Tensor out = ops::binary(op, left, right);
  if (is_recorded(out) && !record_left(op, out, left, right))
    record_two(op, out, as_tensor(left, right), right);
  return out;
}

Tensor scaled(const Tensor& input, Scalar factor) {
  if (!records(input) || is_complex(input.dtype()) || factor.is_complex())
    return binary(BinaryOp::kMul, input, factor);
  const Tensor out = ops::binary(BinaryOp::kMul, input, factor);
  record(out, "MulBackward0", {&input}, [number = factor.as_double()](Pass& pass) {
    pass.accumulate_grad(0, mul(pass.gradient(), number));
  });
  return out;
}

namespace {

std::string in_place_name(BinaryOp op) { return std::string(ops::name(op)) + "_"; }

/// torch's node of a comparison in place, whose gradient is zero; of others null.
const char* flat_name(BinaryOp op, bool number) {
  switch (op) {
    case BinaryOp::kEq:
      return number ? "EqBackward0" : "EqBackward1";
    case BinaryOp::kNe:
      return number ? "NeBackward0" : "NeBackward1";
    case BinaryOp::kLt:
      return number ? "LtBackward0" : "LtBackward1";
    case BinaryOp::kLe:
      return number ? "LeBackward0" : "LeBackward1";
    case BinaryOp::kGt:
      return number ? "GtBackward0" : "GtBackward1";
    case BinaryOp::kGe:
      return number ? "GeBackward0" : "GeBackward1";
    default:
      return nullptr;
  }
}

void compare_in_place(BinaryOp op, const char* node, const Tensor& target, const auto& right) {
  if (!records(target)) return ops::binary_(op, target, right);
  check_in_place(in_place_name(op), target);
  ops::binary_(op, target, right);
  record_in_place(target, node, {},
                  [](Pass& pass) { pass.accumulate_grad(0, zeros_like(pass.gradient())); });
}

/// The two that need nothing of what the target was.
bool adds(BinaryOp op) { return op == BinaryOp::kAdd || op == BinaryOp::kSub; }

void add_in_place(BinaryOp op, const Tensor& target, const Tensor& right) {
  check_in_place(in_place_name(op), target);
  ops::binary_(op, target, right);
  const bool minus = op == BinaryOp::kSub;
  record_in_place(target, minus ? "SubBackward0" : "AddBackward0", {&right}, [minus](Pass& pass) {
    pass.accumulate_grad(0, pass.gradient());
    if (pass.needs_input_grad(1))
      pass.accumulate_grad(1, minus ? neg(pass.gradient()) : pass.gradient());
  });
}

}  // namespace

void recorded::binary_(BinaryOp op, const Tensor& target, const Tensor& right) {
  if (!is_recorded(target)) return ops::binary_(op, target, right);
  if (adds(op)) return add_in_place(op, target, right);
  if (const char* node = flat_name(op, false)) return compare_in_place(op, node, target, right);
  replace_in_place(in_place_name(op), target,
                   [&](const Tensor& before) { return recorded::binary(op, before, right); });
}

void recorded::binary_(BinaryOp op, const Tensor& target, Scalar right) {
  if (!is_recorded(target)) return ops::binary_(op, target, right);
  if (const char* node = flat_name(op, true)) return compare_in_place(op, node, target, right);
  replace_in_place(in_place_name(op), target,
                   [&](const Tensor& before) { return recorded::binary(op, before, right); });
}

}  // namespace gpukit::autograd
