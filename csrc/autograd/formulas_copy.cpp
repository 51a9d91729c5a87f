// Choices and copies: where, clamp, conversions, and what writes into a tensor.
#include <cmath>
#include <string>

#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"

namespace gpukit::autograd {

namespace {

using Bound = std::optional<Scalar>;

/// True where the bounds left the element as it was.
Tensor inside(const Tensor& x, const Bound& low, const Bound& high) {
  const Tensor above = compare(BinaryOp::kGe, x, low ? low->as_double() : -HUGE_VAL);
  if (!high) return above;
  return ops::binary(BinaryOp::kLogicalAnd, above, compare(BinaryOp::kLe, x, high->as_double()));
}

/// Values that come from no tensor: the gradient ends here.
template <class Fill>
void overwrite(std::string_view op, const char* name, const Tensor& target, Fill fill) {
  if (!records(target)) return fill();
  check_in_place(op, target);
  fill();
  record_in_place(target, name, {},
                  [](Pass& pass) { pass.accumulate_grad(0, zeros_like(pass.gradient())); });
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& left, const Tensor& right, const Tensor* out) {
  const Tensor made = ops::where(condition, left, right, out);
  if (!records(left, right)) return made;
  record(made, "WhereBackward0", {&left, &right},
         [mask = SavedTensor::constant(condition)](Pass& pass) {
           const Tensor chosen = pass(mask);
           if (pass.needs_input_grad(0))
             pass.accumulate_grad(0, where_true(chosen, pass.gradient()));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, where_false(chosen, pass.gradient()));
         });
  return made;
}

Tensor clamp(const Tensor& input, Bound low, Bound high, const Tensor* out) {
  const Tensor made = ops::clamp(input, low, high, out);
  if (!records(input)) return made;
  record(made, "ClampBackward1", {&input},
         [x = SavedTensor::input(0, input), low, high](Pass& pass) {
           pass.accumulate_grad(0, where_true(inside(pass(x), low, high), pass.gradient()));
         });
  return made;
}

void clamp_(const Tensor& target, Bound low, Bound high) {
  if (!records(target)) return ops::clamp_(target, low, high);
  replace_in_place("clamp_", target,
                   [&](const Tensor& before) { return clamp(before, low, high); });
}

Tensor cast(const Tensor& input, DType dtype) {
  const Tensor out = ops::cast(input, dtype);
  if (records(input) && !out.is_same(input) && is_differentiable(dtype))
    record_identity(out, "ToCopyBackward0", input);
  return out;
}

Tensor to_device(const Tensor& input, Device device, const TransferOptions& options) {
  const Tensor out = ops::to_device(input, device, options);
  if (records(input) && is_differentiable(out.dtype()))
    record_identity(out, "ToCopyBackward0", input);
  return out;
}

Tensor clone(const Tensor& input) {
  const Tensor out = ops::clone(input);
  if (records(input)) record_identity(out, "CloneBackward0", input);
  return out;
}

Tensor contiguous(const Tensor& input) { return input.is_contiguous() ? input : clone(input); }

void copy_(const Tensor& target, const Tensor& source, bool non_blocking) {
  if (!is_differentiable(target.dtype()) || !records(target, source))
    return ops::copy_(target, source, non_blocking);
  check_in_place("copy_", target);
  ops::copy_(target, source, non_blocking);
  if (target.is_same(source)) return;
  // The first edge, to what the target was, gets nothing: all of it was written over.
  record_in_place(target, "CopyBackwards", {&source}, [](Pass& pass) {
    if (pass.needs_input_grad(0)) pass.accumulate_grad(0, zeros_like(pass.gradient()));
    pass.accumulate_grad(1, pass.gradient());
  });
}

void fill_(const Tensor& target, Scalar value) {
  overwrite("fill_", "FillBackward2", target, [&] { ops::fill_(target, value); });
}

void zero_(const Tensor& target) {
  overwrite("zero_", "ZeroBackward0", target, [&] { ops::fill_(target, Scalar::integer(0)); });
}

void uniform_(const Tensor& target, double low, double high, ops::Generator& generator) {
  overwrite("uniform_", "UniformBackward0", target,
            [&] { ops::uniform_(target, low, high, generator); });
}

void normal_(const Tensor& target, double mean, double deviation, ops::Generator& generator) {
  overwrite("normal_", "NormalBackward0", target,
            [&] { ops::normal_(target, mean, deviation, generator); });
}

}  // namespace gpukit::autograd
