// Complex tensors made, taken apart and conjugated: what has no derivative as a function of a
// complex number. gradient_math.h has the convention.
#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/pieces.h"
#include "autograd/record.h"
#include "autograd/shape.h"
#include "ops/complex.h"
#include "ops/creation.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

/// The gradient of a part: of a complex number the real or the imaginary one.
template <class Part>
Tensor recorded_part(const Tensor& out, const char* name, const Tensor& tensor, Part part) {
  if (!records(tensor) || out.is_same(tensor)) return out;
  record(out, name, {&tensor}, [part](Pass& pass) {
    const Tensor& g = pass.gradient();
    const Tensor zero = zeros_like(g);
    pass.accumulate_grad(0, part(g, zero));
  });
  return out;
}

}  // namespace

Tensor real_part(const Tensor& tensor) {
  return recorded_part(gpukit::real_part(tensor), "RealBackward0", tensor,
                       [](const Tensor& g, const Tensor& zero) { return complex(g, zero); });
}

Tensor imag_part(const Tensor& tensor) {
  return recorded_part(gpukit::imag_part(tensor), "ImagBackward0", tensor,
                       [](const Tensor& g, const Tensor& zero) { return complex(zero, g); });
}

Tensor view_as_real(const Tensor& tensor) {
  const Tensor out = gpukit::view_as_real(tensor);
  if (!records(tensor)) return out;
  record(out, "ViewAsRealBackward0", {&tensor}, [](Pass& pass) {
    pass.accumulate_grad(0, autograd::view_as_complex(contiguous(pass.gradient())));
  });
  return out;
}

Tensor view_as_complex(const Tensor& tensor) {
  const Tensor out = gpukit::view_as_complex(tensor);
  if (!records(tensor)) return out;
  record(out, "ViewAsComplexBackward0", {&tensor},
         [](Pass& pass) { pass.accumulate_grad(0, autograd::view_as_real(pass.gradient())); });
  return out;
}

Tensor complex(const Tensor& real, const Tensor& imag) {
  const Tensor out = ops::complex(real, imag);
  if (!records(real, imag)) return out;
  const auto formula = [](Pass& pass) {
    if (pass.needs_input_grad(0)) pass.accumulate_grad(0, autograd::real_part(pass.gradient()));
    if (pass.needs_input_grad(1)) pass.accumulate_grad(1, autograd::imag_part(pass.gradient()));
  };
  record(out, "ComplexBackward0", {&real, &imag}, Once{formula});
  return out;
}

Tensor polar(const Tensor& absolute, const Tensor& angle) {
  const Tensor out = ops::polar(absolute, angle);
  if (!records(absolute, angle)) return out;
  // z = r e^(ia): dz/dr = e^(ia), dz/da = i z.
  record(out, "PolarBackward0", {&absolute, &angle},
         [r = SavedTensor::input(0, absolute), a = SavedTensor::input(1, angle)](Pass& pass) {
           const Tensor size = pass(r), turn = pass(a);
           const Tensor re = autograd::real_part(pass.gradient()),
                        im = autograd::imag_part(pass.gradient());
           const Tensor cosine = cos(turn), sine = sin(turn);
           if (pass.needs_input_grad(0))
             pass.accumulate_grad(0, add(mul(re, cosine), mul(im, sine)));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, mul(size, sub(mul(im, cosine), mul(re, sine))));
         });
  return out;
}

Tensor conj(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor;
  const Tensor out = ops::conj(tensor);
  if (!records(tensor)) return out;
  record(out, "ConjBackward0", {&tensor},
         [](Pass& pass) { pass.accumulate_grad(0, conj(pass.gradient())); });
  return out;
}

Tensor angle(const Tensor& tensor) {
  const Tensor out = ops::angle(tensor);
  if (!records(tensor)) return out;
  record(out, "AngleBackward0", {&tensor}, [x = SavedTensor::input(0, tensor)](Pass& pass) {
    const Tensor z = pass(x);
    const Tensor& g = pass.gradient();
    if (!is_complex(z.dtype())) return pass.accumulate_grad(0, zeros_like(g));
    const Tensor re = autograd::real_part(z), im = autograd::imag_part(z);
    const Tensor sum = add(square(re), square(im));
    const Tensor slope = where_false(compare(BinaryOp::kEq, sum, 0.0), div(g, sum));
    pass.accumulate_grad(0, complex(neg(mul(slope, im)), mul(slope, re)));
  });
  return out;
}

Tensor sgn(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) {
    const Tensor sign = unary(UnaryOp::kSign, tensor);
    if (records(tensor)) node_of(sign)->set_name("SgnBackward0");
    return sign;
  }
  const Tensor out = ops::sgn(tensor);
  if (!records(tensor)) return out;
  // What of g turns z, by its size: (g - Re(g conj(s)) s) / |z|.
  record(out, "SgnBackward0", {&tensor},
         [x = SavedTensor::input(0, tensor), y = SavedTensor::result(out)](Pass& pass) {
           const Tensor z = pass(x), s = pass(y);
           const Tensor& g = pass.gradient();
           const Tensor size = unary(UnaryOp::kAbs, z);
           const Tensor radial = autograd::real_part(mul(g, conj(s)));
           const Tensor turning = sub(g, mul(s, radial));
           pass.accumulate_grad(0,
                                where_false(compare(BinaryOp::kEq, size, 0.0), div(turning, size)));
         });
  return out;
}

}  // namespace gpukit::autograd
