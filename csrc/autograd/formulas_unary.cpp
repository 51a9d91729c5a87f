// Functions of one operand: which value each derivative needs, and the derivative.
#include <cmath>
#include <numbers>

#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"

namespace gpukit::autograd {

namespace {

enum class Saves { kNothing, kInput, kResult };

using T = const Tensor&;

/// The derivative column of a row. `value` is the input x or the result y, whichever `saves` names.
struct UnaryFormula {
  const char* name = nullptr;  ///< null: the result has no gradient at all
  Saves saves = Saves::kNothing;
  Tensor (*gradient)(T g, T value) = nullptr;
};

Tensor gelu_gradient(const Tensor& g, const Tensor& x) {
  const Tensor below = mul(add(unary(UnaryOp::kErf, mul(x, std::numbers::sqrt2 / 2)), 1.0), 0.5);
  const double scale = std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2;
  const Tensor density = mul(exp(mul(square(x), -0.5)), scale);
  return mul(g, add(below, mul(x, density)));
}

Tensor is_zero(const Tensor& x) { return compare(BinaryOp::kEq, x, 0.0); }

/// The slope of sin(pi x) / (pi x), which is flat at 0.
Tensor sinc_gradient(const Tensor& g, const Tensor& x) {
  const Tensor slope = div(sub(cos(mul(x, std::numbers::pi)), unary(UnaryOp::kSinc, x)), x);
  return where_false(is_zero(x), mul(g, slope));
}

/// i1(x) / x or i1e(x) / x, whose limit at 0 is a half.
Tensor i1_over_x(UnaryOp op, const Tensor& x) {
  const Tensor zero = is_zero(x);
  const Tensor ratio = div(unary(op, x), add(x, cast(zero, x.dtype())));
  return add(where_false(zero, ratio), mul(cast(zero, x.dtype()), 0.5));
}

Tensor i1e_slope(const Tensor& x) {
  const Tensor falling = mul(sign(x), unary(UnaryOp::kI1e, x));
  return sub(sub(unary(UnaryOp::kI0e, x), falling), i1_over_x(UnaryOp::kI1e, x));
}

/// The derivative of digamma of an order.
Tensor polygamma(double order, const Tensor& x) {
  return binary(BinaryOp::kPolygamma, Scalar::floating(order), x);
}

/// 1 - x², where it is the square of a sine.
Tensor one_minus_square(const Tensor& x) { return sub(1.0, square(x)); }

/// The sign, and 0 of NaN: the slope that torch's abs has there.
Tensor sign_or_zero(const Tensor& x) {
  return where_false(ops::unary(UnaryOp::kIsNan, x), sign(x));
}

#define OF_GRADIENT(name, ...) {name, Saves::kNothing, [](T g, T) -> Tensor { return __VA_ARGS__; }}
#define OF_INPUT(name, ...) {name, Saves::kInput, [](T g, T x) -> Tensor { return __VA_ARGS__; }}
#define OF_RESULT(name, ...) {name, Saves::kResult, [](T g, T y) -> Tensor { return __VA_ARGS__; }}
#define FLAT(name) OF_GRADIENT(name, zeros_like(g))
#define NO_GRADIENT \
  {                 \
  }

constexpr UnaryFormula kUnaryFormulas[] = {
#define GK_UNARY(code, name, parameters, domain, sign, cost, forms, sampled, value, derivative, \
                 ...)                                                                           \
  derivative,
#include "kernels/elementwise.def"
};

#undef OF_GRADIENT
#undef OF_INPUT
#undef OF_RESULT
#undef FLAT
#undef NO_GRADIENT

/// The functions of complex numbers whose derivative is another one than of real numbers; false
/// where nothing is left to be done.
bool records_as_real(UnaryOp op, const Tensor& out, const Tensor& input) {
  if (!grad_enabled()) return false;
  if (op == UnaryOp::kAbs) {
    record(out, "AbsBackward0", {&input}, [x = SavedTensor::input(0, input)](Pass& pass) {
      pass.accumulate_grad(0, mul(sgn(pass(x)), pass.gradient()));
    });
    return false;
  }
  if (op == UnaryOp::kAcosh) {  // the root of a square is another one on the left
    record(out, "AcoshBackward0", {&input}, [x = SavedTensor::input(0, input)](Pass& pass) {
      const Tensor z = pass(x);
      pass.accumulate_grad(0, conjugated(pass.gradient(), [&](const Tensor& g) {
                             return mul(g, mul(rsqrt(add(z, 1.0)), rsqrt(add(z, -1.0))));
                           }));
    });
    return false;
  }
  return true;
}

}  // namespace

Tensor recorded::unary(UnaryOp op, const Tensor& input) {
  const Tensor out = ops::unary(op, input);
  if (is_complex(input.dtype()) && !records_as_real(op, out, input)) return out;
  const UnaryFormula& formula = kUnaryFormulas[static_cast<int>(op)];
  if (formula.name == nullptr || !grad_enabled()) return out;
  if (formula.saves == Saves::kNothing) {
    record(out, formula.name, {&input}, [gradient = formula.gradient](Pass& pass) {
      pass.accumulate_grad(0, gradient(pass.gradient(), pass.gradient()));
    });
    return out;
  }
  const SavedTensor saved =
      formula.saves == Saves::kInput ? SavedTensor::input(0, input) : SavedTensor::result(out);
  record(out, formula.name, {&input}, [gradient = formula.gradient, saved](Pass& pass) {
    const Tensor value = pass(saved);
    pass.accumulate_grad(
        0, conjugated(pass.gradient(), [&](const Tensor& g) { return gradient(g, value); }));
  });
  return out;
}

void unary_(UnaryOp op, const Tensor& target) {
  if (!records(target)) return ops::unary_(op, target);
  replace_in_place(std::string(ops::name(op)) + "_", target,
                   [op](const Tensor& before) { return recorded::unary(op, before); });
}

}  // namespace gpukit::autograd
