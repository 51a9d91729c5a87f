// Methods that change a tensor in place; each returns the tensor itself.
#include <pybind11/cast.h>

#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/generator_object.h"
#include "bindings/host_data.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/creation.h"
#include "ops/random.h"

namespace gpukit::bindings {

namespace {

PyObject* self_of(const Arguments& a) { return Py_NewRef(a.self()); }

void fill(const Arguments& a, const Tensor& target, Scalar value) {
  run(a.gil().releases(target), [&] { autograd::fill_(target, value); });
}

PyObject* fill_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const Scalar value = to_value(a.argument(1), a[1], target.dtype());
  if (!is_tensor(a[1])) check_fits(a.argument(1), value, target.dtype());  // a tensor's is cast
  if (is_tensor(a[1]) && a.tensor(1).requires_grad()) {
    run(a.gil().releases(target), [&] { autograd::copy_(target, a.tensor(1)); });
  } else {
    fill(a, target, value);
  }
  return self_of(a);
}

PyObject* clamp_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  if ((a.given(1) && is_tensor(a[1])) || (a.given(2) && is_tensor(a[2]))) {
    const py::object function = imported("gpukit._operators.composed").attr("clamp");
    const py::object result = function(**a.as_keywords());
    autograd::copy_(target, tensor_of(result.ptr()));
    return self_of(a);
  }
  const auto low = a.optional_scalar(1, target.dtype()),
             high = a.optional_scalar(2, target.dtype());
  GPUKIT_CHECK(low.has_value() || high.has_value(), ValueError,
               "clamp_: at least one of min and max is needed");
  check_bounds(a.op(), target.dtype(), low, high);
  run(a.gil().releases(target), [&] { autograd::clamp_(target, low, high); });
  return self_of(a);
}

/// A number is copied as a separate tensor: only the target rounds it.
Tensor source_of(const Arguments& a) {
  if (!is_number(a[1])) return a.tensor(1);
  const Scalar number = to_scalar(a.argument(1), a[1], DType::kUInt64);
  const DType integer = number.is_huge() ? DType::kUInt64 : DType::kInt64;
  const DType dtype =
      of_kind(number.kind(), DType::kBool, integer, DType::kFloat64, DType::kComplex128);
  return tensor_from_data(a.argument(1), a[1], dtype);
}

PyObject* copy_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const Tensor source = source_of(a);
  const bool non_blocking = a.boolean(2, false);
  const bool release = !source.on_host() || a.gil().releases(target);
  run(release, [&] { autograd::copy_(target, source, non_blocking); });
  return self_of(a);
}

PyObject* uniform_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const double low = a.number(1, 0.0), high = a.number(2, 1.0);
  GPUKIT_CHECK(low <= high, ValueError, "uniform_: from_ must not be above to, got ", low, " and ",
               high);
  ops::Generator& generator = generator_of(a.argument(3), a[3]);
  run(a.gil().releases(target), [&] { autograd::uniform_(target, low, high, generator); });
  return self_of(a);
}

PyObject* normal_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const double mean = a.number(1, 0.0), deviation = a.number(2, 1.0);
  GPUKIT_CHECK(deviation >= 0, ValueError, "normal_: std must not be negative, got ", deviation);
  ops::Generator& generator = generator_of(a.argument(3), a[3]);
  run(a.gil().releases(target), [&] { autograd::normal_(target, mean, deviation, generator); });
  return self_of(a);
}

PyObject* masked_fill_(const Arguments& a) {
  const Tensor &target = a.tensor(0), &mask = a.tensor(1);
  const Scalar value = to_stored_value(a.argument(2), a[2], target.dtype());
  const Tensor source = is_tensor(a[2]) ? a.tensor(2) : Tensor();
  run(a.gil().releases(target), [&] { autograd::masked_fill_(target, mask, value, source); });
  return self_of(a);
}

/// They go over what the index names; scatters may copy the target too.
bool scatter_releases_gil(const Arguments& a, const Tensor& target, const Tensor& index) {
  return a.gil().releases(target, target.count() + index.count());
}

/// alpha * source; nothing where alpha is 1.
std::optional<Tensor> times_alpha(const Arguments& a, const Tensor& target, const Tensor& source) {
  if (!a.given(4)) return std::nullopt;
  const Scalar alpha = a.scalar(4, source.dtype());
  if (alpha.as_complex() == 1.0) return std::nullopt;
  const bool fits = alpha.kind() <= std::max(kind_of(target.dtype()), DTypeKind::kInteger);
  GPUKIT_CHECK(fits, DTypeError, a.op(), ": alpha is ", py::repr(a[4]).cast<std::string>(),
               ", but the tensor is ", name(target.dtype()),
               alpha.kind() == DTypeKind::kComplex
                   ? ". Use a real number, or X.to(gpukit.complex64) first."
                   : ". Use a whole number, or X.float() first.");
  return run(a.gil().releases(source),
             [&] { return autograd::binary(BinaryOp::kMul, source, alpha); });
}

PyObject* index_add_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor &index = a.tensor(2), &source = a.tensor(3);
  const std::optional<Tensor> scaled = times_alpha(a, target, source);
  run(scatter_releases_gil(a, target, index),
      [&] { autograd::index_add_(target, dim, index, scaled.value_or(source)); });
  return self_of(a);
}

/// src as a tensor; a number stands for itself at every index.
Tensor source_at(const Arguments& a, const Tensor& target, const Tensor& index) {
  if (is_tensor(a[3])) return a.tensor(3);
  const Scalar value = to_stored(a.argument(3), a[3], target.dtype());
  return ops::full(index.shape(), value, target.dtype(), target.device(), a.op());
}

PyObject* scatter_(const Arguments& a) {
  if (a.given(4)) {
    const py::object function = imported("gpukit._operators.composed").attr("scatter_into");
    return function(**a.as_keywords()).release().ptr();
  }
  const Tensor& target = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor& index = a.tensor(2);
  const Tensor source = source_at(a, target, index);
  run(scatter_releases_gil(a, target, index),
      [&] { autograd::scatter_(target, dim, index, source); });
  return self_of(a);
}

PyObject* scatter_add_(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const Tensor &index = a.tensor(2), &source = a.tensor(3);
  run(scatter_releases_gil(a, target, index),
      [&] { autograd::scatter_add_(target, dim, index, source); });
  return self_of(a);
}

// clang-format off
constexpr Docs kScatterOrJoinDocs = {.parameters = "index: integers, of as many dimensions as the tensor; negative ones count from the end.\nsrc: a tensor at least as long as index along each dimension, or a number.\nreduce: 'add' or 'multiply' joins src with what is there, also several for one place.\n",
    .returns = GPUKIT_OWN_FORM,
    .raises = "RangeError: src is a number that does not fit into the dtype.\nShapeError: index or src does not fit.\nValueError: reduce is another one.\n" GPUKIT_RAISES_INDEX GPUKIT_RAISES_LEAF};
constexpr FunctionRow kInplaceRows[] = {
  {.signature = "fill_(input, value: Tensor | Number)", .call = fill_, .cost = cost::kCopy,
   .doc = "Sets all elements to a number.",
   .docs = {.parameters = "value: a number, or a tensor of one element.\n",
             .returns = "the tensor itself.",
             .raises = GPUKIT_RAISES_FITS "ShapeError: value is a tensor of several elements.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
   .example = ">>> gpukit.zeros(2).fill_(7)\n" "tensor([7., 7.])",
   .where = kMethod},
  {.signature = "zero_(input)",
   .call = [](const Arguments& a) {
     run(a.gil().releases(a.tensor(0)), [&] { autograd::zero_(a.tensor(0)); });
     return self_of(a);
   },
   .cost = cost::kCopy,
   .doc = "Sets all elements to 0.",
   .docs = {.returns = "the tensor itself.",
             .raises = GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.ones(2).zero_()\n" "tensor([0., 0.])",
   .where = kMethod},
  {.signature = "clamp_(input, min: Number | Tensor | None = None, max: Number | Tensor | None = None)", .call = clamp_, .cost = cost::kArithmetic,
   .doc = "In place: limited to [min, max].",
   .docs = {.parameters = "min: the lower bound, a number or a tensor that broadcasts; None is no bound.\nmax: the upper bound, likewise.\n",
             .returns = "the tensor itself.",
             .raises = "ValueError: neither min nor max is given.\nRangeError: a bound does not fit into the dtype.\n" GPUKIT_RAISES_IN_PLACE},
   .example = ">>> gpukit.tensor([-2, 0, 7]).clamp_(0, 5)\n" "tensor([0, 0, 5])",
   .where = kMethod},
  {.signature = "clip_", .same_as = "clamp_",
   .example = ">>> gpukit.tensor([-2, 0, 7]).clip_(0, 5)\ntensor([0, 0, 5])"},
  {.signature = "copy_(input, src: Tensor | Number, non_blocking=False)", .call = copy_, .cost = cost::kGather,
   .doc = "Copies src into the tensor: broadcasts, converts, between any devices.",
   .docs = {.parameters = "src: a tensor of any dtype on any device that broadcasts to this one, or a number.\nnon_blocking: return while the copy is under way.\n",
             .returns = "the tensor itself.",
             .raises = "ShapeError: src does not broadcast to the tensor.\nTransferError: the copy failed.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
   .example = ">>> gpukit.zeros(2, 2).copy_(gpukit.tensor([1, 2]))\n" "tensor([[1., 2.],\n" "        [1., 2.]])",
   .where = kMethod | kWaits},
  {.signature = "uniform_(input, from_=0.0, to=1.0, *, generator=None)", .call = uniform_, .cost = cost::kRandom,
   .doc = "Fills with uniform numbers of [from, to).",
   .docs = {.parameters = "from_: lower end of the range, included.\nto: upper end, not included.\n",
             .returns = "the tensor itself, which must be floating.",
             .raises = "DTypeError: the tensor is not floating.\nValueError: from_ is above to.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
   .example = ">>> 0 <= gpukit.empty(3).uniform_(0, 2).max().item() < 2\n" "True",
   .where = kMethod},
  {.signature = "normal_(input, mean=0.0, std=1.0, *, generator=None)", .call = normal_, .cost = cost::kNormal,
   .doc = "Fills with normal numbers.",
   .docs = {.parameters = "mean: mean of the distribution.\nstd: its standard deviation.\n",
             .returns = "the tensor itself, which must be floating.",
             .raises = "DTypeError: the tensor is not floating.\nValueError: std is negative.\nAutogradError: the tensor is a leaf that requires a gradient.\n"},
   .example = ">>> gpukit.empty(1000).normal_(mean=5).mean().item() > 4\n" "True",
   .where = kMethod},
  {.signature = "masked_fill_(input, mask: Tensor, value: Tensor | Number)", .call = masked_fill_, .cost = cost::kGather,
   .doc = "Sets the elements where mask is True to a number.",
   .docs = kMaskedFillDocs,
   .example = ">>> gpukit.arange(3).masked_fill_(gpukit.tensor([True, False, True]), 9)\n" "tensor([9, 1, 9])",
   .where = kMethod | kWaits},
  {.signature = "index_add_(input, dim, index: Tensor, source: Tensor, *, alpha: Number = 1)", .call = index_add_, .cost = cost::kGather,
   .doc = "Adds rows of source at the indices in index.",
   .docs = kIndexAddDocs,
   .example = ">>> gpukit.zeros(3).index_add_(0, gpukit.tensor([0, 2, 2]), gpukit.ones(3))\n" "tensor([1., 0., 2.])",
   .where = kMethod | kWaits},
  {.signature = "scatter_(input, dim, index: Tensor, src: Tensor | Number, *, reduce: str | None = None)", .call = scatter_, .cost = cost::kGather,
   .doc = "Writes src at the indices that index names along dim. Of several values for one index one stays: the last on the CPU, any on a GPU.",
   .docs = kScatterOrJoinDocs,
   .example = ">>> gpukit.zeros(3).scatter_(0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))\n" "tensor([6., 0., 5.])",
   .where = kMethod | kWaits},
  {.signature = "scatter_add_(input, dim, index: Tensor, src: Tensor)", .call = scatter_add_, .cost = cost::kGather,
   .doc = "Adds src at the indices that index names along dim.",
   .docs = kScatterDocs,
   .example = ">>> gpukit.zeros(2).scatter_add_(0, gpukit.tensor([1, 1]), gpukit.ones(2))\n" "tensor([0., 2.])",
   .where = kMethod | kWaits},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kInplace>() {
  return function_table<kInplaceRows>();
}

}  // namespace gpukit::bindings
