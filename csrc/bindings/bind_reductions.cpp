// Reductions: functions of many elements with fewer results.
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/named_pair.h"
#include "bindings/signature.h"
#include "bindings/work.h"

#include <limits>

namespace gpukit::bindings {

namespace {

bool reduction_is_long(const Tensor& input, ReduceOp op) {
  return is_long(input, input.count(), cost::kReduce, site_of(kReduceFamily, op));
}

PyObject* reduced(ReduceOp op, const Tensor& input, const std::optional<Dims>& dims, bool keepdim,
                  std::optional<DType> dtype) {
  return wrap(run(reduction_is_long(input, op),
                  [&] { return autograd::reduce(op, input, dims, keepdim, dtype); }));
}

/// What to compute in: dtype, or else out's, which is the last argument. A result that records
/// gradients keeps its own, and is refused.
std::optional<DType> dtype_or_outs(const Arguments& a, int i) {
  if (a.given(i)) return a.optional_dtype(i);
  PyObject* const out = a.last();
  if (out == nullptr || !is_tensor(out) || a.tensor(0).requires_grad()) return std::nullopt;
  return tensor_of(out).dtype();
}

/// (input, dim, keepdim, dtype, out)
template <ReduceOp Op>
PyObject* with_dtype(const Arguments& a) {
  const auto dtype = Op == ReduceOp::kMean ? a.optional_dtype(3) : dtype_or_outs(a, 3);
  return reduced(Op, a.tensor(0), a.optional_dims(1), a.boolean(2, false), dtype);
}

/// (input, dim, keepdim)
template <ReduceOp Op>
PyObject* plain(const Arguments& a) {
  return reduced(Op, a.tensor(0), a.optional_dims(1), a.boolean(2, false), std::nullopt);
}

/// all, any: over no dimensions, dim=(), each element's own truth, as in torch and NumPy.
template <ReduceOp Op>
PyObject* truth(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::optional<Dims> dims = a.optional_dims(1);
  if (!dims || dims->size() > 0) return plain<Op>(a);
  return wrap(run(reduction_is_long(input, Op),
                  [&] { return autograd::binary(BinaryOp::kNe, input, Scalar::integer(0)); }));
}

/// argmax, argmin: one dimension or none.
template <ReduceOp Op>
PyObject* place_of(const Arguments& a) {
  std::optional<Dims> dims;
  if (a.given(1)) dims = Dims{a.integer(1)};
  return reduced(Op, a.tensor(0), dims, a.boolean(2, false), std::nullopt);
}

PyObject* pairs(BinaryOp op, const Tensor& input, const Tensor& other) {
  const bool release = is_long(input.rank() == 0 ? other : input, broadcast_count(input, other),
                               cost::kArithmetic, site_of(kBinaryFamily, op));
  return wrap(run(release, [&] { return autograd::binary(op, input, other); }));
}

/// The tensor that max and min are asked to compare with: `other`, or one in the place of dim. As
/// dim=… a tensor is a number.
const Tensor* compared_with(const Arguments& a) {
  const bool in_place_of_dim = a.given(1) && is_tensor(a[1]) && a.by_position(1);
  if (!in_place_of_dim && !a.given(3)) return nullptr;
  const bool clear =
      (in_place_of_dim || !a.given(1)) && !(in_place_of_dim && a.given(3)) && a[2] == nullptr;
  GPUKIT_CHECK(clear, TypeError, a.op(),
               ": give dim (and keepdim), or another tensor to compare with, not both");
  return in_place_of_dim ? &a.tensor(1) : &a.tensor(3);
}

/// max, min: all elements; values and places along one dimension; or pairs with another tensor.
/// (input, dim, keepdim, other)
template <ReduceOp Op, ReduceOp PlaceOp, BinaryOp PairOp>
PyObject* extreme(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (const Tensor* other = compared_with(a)) return pairs(PairOp, input, *other);
  if (!a.given(1)) return reduced(Op, input, std::nullopt, a.boolean(2, false), std::nullopt);
  const Dims dims{a.integer(1)};
  const bool keepdim = a.boolean(2, false);
  const bool values_take_long = reduction_is_long(input, Op);
  const bool release = reduction_is_long(input, PlaceOp) || values_take_long;
  autograd::Extremes found =
      run(release, [&] { return autograd::extremes(Op, input, dims[0], keepdim); });
  return named_pair(ops::name(Op), std::move(found.values), std::move(found.places));
}

double correction_of(const Arguments& a) {
  GPUKIT_CHECK(!(a.given(2) && a.given(4)), TypeError, a.op(),
               ": give correction or unbiased, not both");
  if (a.given(4)) return a.boolean(4, true) ? 1.0 : 0.0;
  return a.number(2, 1.0);
}

/// (input, dim, correction, keepdim, unbiased)
template <bool Root>
PyObject* spread(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const auto dims = a.optional_dims(1);
  const double correction = correction_of(a);
  const bool keepdim = a.boolean(3, false);
  const bool release = is_long(input, input.count(), 3 * cost::kReduce, site_of(kReduceFamily, 40));
  return wrap(
      run(release, [&] { return autograd::variance(input, dims, keepdim, correction, Root); }));
}

double order_of(const Arguments& a, int i) {
  if (!a.given(i)) return 2.0;
  if (PyUnicode_Check(a[i]) == 0) return to_double(a.place(i), a[i]);
  const std::string text = to_text(a.place(i), a[i]);
  if (text == "fro") return 2.0;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw ValueError(concat(a.op(), ": ", a.place(i).argument,
                          " must be a number, 'fro' or 'inf', got '", text, "'"));
}

/// (input, p, dim, keepdim, dtype)
PyObject* norm(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const double order = order_of(a, 1);
  const auto dims = a.optional_dims(2);
  const bool keepdim = a.boolean(3, false);
  const auto dtype = a.optional_dtype(4);
  const bool release = is_long(input, input.count(), 2 * cost::kReduce, site_of(kReduceFamily, 41));
  return wrap(run(release, [&] { return autograd::norm(input, order, dims, keepdim, dtype); }));
}

PyObject* logsumexp(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Dims dims = a.dims(1);
  const bool keepdim = a.boolean(2, false);
  const bool release = is_long(input, input.count(), cost::kFunction, site_of(kReduceFamily, 42));
  return wrap(run(release, [&] { return autograd::logsumexp(input, dims, keepdim); }));
}

template <bool Product>
PyObject* cumulative(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const auto dtype = dtype_or_outs(a, 2);
  const bool release = is_long(input, input.count(), cost::kFunction, site_of(kReduceFamily, 43));
  return wrap(run(release, [&] {
    if (!dtype.has_value()) return autograd::cumulative(input, dim, Product);
    return autograd::cast(autograd::cumulative(autograd::cast(input, *dtype), dim, Product),
                          *dtype);
  }));
}

template <bool Log>
PyObject* softmax(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const auto dtype = a.optional_dtype(2);
  GPUKIT_CHECK(!dtype.has_value() || is_floating(*dtype), DTypeError, a.op(), ": dtype is ",
               name(*dtype), "; a floating one is needed, e.g. 'float32'");
  const bool release = is_long(input, input.count(), cost::kFunction, site_of(kReduceFamily, 44));
  return wrap(run(release, [&] {
    return autograd::softmax(dtype.has_value() ? autograd::cast(input, *dtype) : input, dim, Log);
  }));
}

bool sorting_is_long(const Tensor& input) {
  return is_long(input, input.count(), cost::kSort, site_of(kOtherFamily, 8));
}

PyObject* sort(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1, -1);
  const bool descending = a.boolean(2, false);
  a.boolean(3, false);  // every sort is stable
  ops::Sorted sorted =
      run(sorting_is_long(input), [&] { return autograd::sort(input, dim, descending); });
  return named_pair("sort", std::move(sorted.values), std::move(sorted.indices));
}

PyObject* argsort(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1, -1);
  const bool descending = a.boolean(2, false);
  a.boolean(3, false);
  return wrap(run(sorting_is_long(input), [&] { return ops::argsort(input, dim, descending); }));
}

PyObject* topk(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t k = a.integer(1), dim = a.integer(2, -1);
  const bool largest = a.boolean(3, true);
  a.boolean(4, true);  // the result is in order in any case
  ops::Sorted sorted =
      run(sorting_is_long(input), [&] { return autograd::topk(input, k, dim, largest); });
  return named_pair("topk", std::move(sorted.values), std::move(sorted.indices));
}

PyObject* unique(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  a.boolean(1, true);  // the result is sorted in any case
  const bool inverse = a.boolean(2, false), counts = a.boolean(3, false);
  const ops::Unique found = run(true, [&] { return ops::unique(input); });
  if (!inverse && !counts) return wrap(found.values);
  py::list parts;
  parts.append(to_python(found.values));
  if (inverse) parts.append(to_python(found.inverse));
  if (counts) parts.append(to_python(found.counts));
  return py::tuple(parts).release().ptr();
}

// clang-format off
constexpr FunctionRow kReductionRows[] = {
  {"sum(input, dim=None, keepdim=False, *, dtype=None)", with_dtype<ReduceOp::kSum>,
   "Sum over dim.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.sum(gpukit.ones(2, 3), dim=0)\n    tensor([2., 2., 2.])\n"},
  {"mean(input, dim=None, keepdim=False, *, dtype=None)", with_dtype<ReduceOp::kMean>,
   "Mean over dim.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.arange(4.0).mean()\n    tensor(1.5000)\n"},
  {"prod(input, dim=None, keepdim=False, *, dtype=None)", with_dtype<ReduceOp::kProd>, "Product over dim."},
  {"amax(input, dim=None, keepdim=False)", plain<ReduceOp::kMax>, "Largest elements over dim, which may be a tuple."},
  {"amin(input, dim=None, keepdim=False)", plain<ReduceOp::kMin>, "Smallest elements over dim, which may be a tuple."},
  {"max(input, dim=None, keepdim=False, *, other=None)", extreme<ReduceOp::kMax, ReduceOp::kArgMax, BinaryOp::kMaximum>,
   "Largest element; with dim (values, indices) along it; with a tensor the larger of each pair.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.max(gpukit.tensor([1.0, 5.0]))\n    tensor(5.)\n", kBoth, "typing.Any"},
  {"min(input, dim=None, keepdim=False, *, other=None)", extreme<ReduceOp::kMin, ReduceOp::kArgMin, BinaryOp::kMinimum>,
   "Smallest element; with dim (values, indices) along it; with a tensor the smaller of each pair.", kBoth, "typing.Any"},
  {"argmax(input, dim=None, keepdim=False)", place_of<ReduceOp::kArgMax>,
   "Place of the largest element, the first of equal ones; int64.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.argmax(gpukit.tensor([1.0, 5.0, 2.0])).item()\n    1\n"},
  {"argmin(input, dim=None, keepdim=False)", place_of<ReduceOp::kArgMin>,
   "Place of the smallest element, the first of equal ones; int64."},
  {"all(input, dim=None, keepdim=False)", truth<ReduceOp::kAll>, "True when no element is 0."},
  {"any(input, dim=None, keepdim=False)", truth<ReduceOp::kAny>, "True when an element is not 0."},
  {"count_nonzero(input, dim=None, keepdim=False)", plain<ReduceOp::kCountNonzero>, "How many elements are not 0; int64."},
  {"var(input, dim=None, correction=None, keepdim=False, *, unbiased=None)", spread<false>,
   "sum((input - mean)**2) / (count - correction) over dim: the variance."},
  {"std(input, dim=None, correction=None, keepdim=False, *, unbiased=None)", spread<true>,
   "Square root of var."},
  {"norm(input, p='fro', dim=None, keepdim=False, dtype=None)", norm,
   "sum(|input|**p) ** (1 / p): the vector norm over dim or over all elements.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.norm(gpukit.tensor([3.0, 4.0]))\n    tensor(5.)\n"},
  {"logsumexp(input, dim, keepdim=False)", logsumexp, "log(sum(exp(input))) over dim, as m + log(sum(exp(input - m))) with the largest m."},
  {"cumsum(input, dim, *, dtype=None)", cumulative<false>,
   "Running sums along dim.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.cumsum(gpukit.ones(3), 0)\n    tensor([1., 2., 3.])\n"},
  {"cumprod(input, dim, *, dtype=None)", cumulative<true>, "Running products along dim."},
  {"softmax(input, dim, *, dtype=None)", softmax<false>, "exp(input - m) / sum(exp(input - m)) along dim, with the largest m."},
  {"log_softmax(input, dim, *, dtype=None)", softmax<true>, "input - logsumexp(input) along dim: the logarithm of softmax."},
  {"sort(input, dim=-1, descending=False, stable=True)", sort,
   "Values in order along dim, and their places; stable; NaN is the largest.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.sort(gpukit.tensor([3, 1, 2])).values\n    tensor([1, 2, 3])\n", kBoth, "typing.Any"},
  {"argsort(input, dim=-1, descending=False, stable=True)", argsort, "Places of the elements in order along dim."},
  {"topk(input, k, dim=-1, largest=True, sorted=True)", topk, "The k largest (or smallest) along dim, and their places.", kBoth, "typing.Any"},
  {"unique(input, sorted=True, return_inverse=False, return_counts=False)", unique,
   "The different values, ascending; with return_inverse and return_counts a tuple. Waits.", kBoth | kWaits, "typing.Any"},
};
// clang-format on

}  // namespace

FunctionTable& reduction_functions() { return function_table<kReductionRows>(); }

}  // namespace gpukit::bindings
