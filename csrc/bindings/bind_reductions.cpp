// Reductions: functions of many elements with fewer results.
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/named_pair.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/dispatch.h"

#include <limits>

namespace gpukit::bindings {

namespace {

PyObject* reduced(ReduceOp op, const Arguments& a, const std::optional<Dims>& dims,
                  std::optional<DType> dtype) {
  const Tensor& input = a.tensor(0);
  const bool keepdim = a.boolean(2, false);
  return wrap(run(a.gil().releases(input),
                  [&] { return autograd::reduce(op, input, dims, keepdim, dtype, a.out()); }));
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
  return reduced(Op, a, a.optional_dims(1), dtype);
}

/// (input, dim, keepdim)
template <ReduceOp Op>
PyObject* plain(const Arguments& a) {
  return reduced(Op, a, a.optional_dims(1), std::nullopt);
}

/// all, any: over no dimensions, dim=(), each element's own truth, as in torch and NumPy.
template <ReduceOp Op>
PyObject* truth(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::optional<Dims> dims = a.optional_dims(1);
  if (!dims || dims->size() > 0) return plain<Op>(a);
  return wrap(run(gil_rule(BinaryOp::kNe).releases(input), [&] {
    return autograd::binary(BinaryOp::kNe, input, Scalar::integer(0), a.out());
  }));
}

/// argmax, argmin: one dimension or none.
template <ReduceOp Op>
PyObject* arg_extreme(const Arguments& a) {
  std::optional<Dims> dims;
  if (a.given(1)) dims = Dims{a.integer(1)};
  return reduced(Op, a, dims, std::nullopt);
}

PyObject* pairs(BinaryOp op, const Tensor& input, const Tensor& other) {
  const bool release = releases_gil(op, input, other);
  return wrap(run(release, [&] { return autograd::binary(op, input, other); }));
}

/// The tensor that max and min are asked to compare with: `other`, or one instead of dim. As
/// dim=… a tensor is a number.
const Tensor* compared_with(const Arguments& a) {
  const bool instead_of_dim = a.given(1) && is_tensor(a[1]) && a.by_position(1);
  if (!instead_of_dim && !a.given(3)) return nullptr;
  const bool clear =
      (instead_of_dim || !a.given(1)) && !(instead_of_dim && a.given(3)) && a[2] == nullptr;
  GPUKIT_CHECK(clear, TypeError, a.op(),
               ": give dim (and keepdim), or another tensor to compare with, not both");
  return instead_of_dim ? &a.tensor(1) : &a.tensor(3);
}

/// max, min: all elements; values and indices along one dimension; or pairs with another tensor.
/// (input, dim, keepdim, other)
template <ReduceOp Op, BinaryOp PairOp>
PyObject* extreme(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (const Tensor* other = compared_with(a)) return pairs(PairOp, input, *other);
  if (!a.given(1)) return reduced(Op, a, std::nullopt, std::nullopt);
  const Dims dims{a.integer(1)};
  const bool keepdim = a.boolean(2, false);
  autograd::Extremes found =
      run(a.gil().releases(input), [&] { return autograd::extremes(Op, input, dims[0], keepdim); });
  return named_pair(ops::name(Op), std::move(found.values), std::move(found.indices));
}

/// std(x, False): torch's form with unbiased alone.
bool is_unbiased_alone(const Arguments& a) {
  return a.by_position(1) && a[1] != nullptr && PyBool_Check(a[1]) != 0 && !a.given(2) &&
         !a.given(3) && !a.given(4);
}

double correction_of(const Arguments& a) {
  GPUKIT_CHECK(!(a.given(2) && a.given(4)), TypeError, a.op(),
               ": give correction or unbiased, not both");
  if (is_unbiased_alone(a)) return a.boolean(1, true) ? 1.0 : 0.0;
  if (a.given(4)) return a.boolean(4, true) ? 1.0 : 0.0;
  return a.number(2, 1.0);
}

/// (input, dim, correction, keepdim, unbiased)
template <bool Root>
PyObject* variance(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const auto dims = is_unbiased_alone(a) ? std::nullopt : a.optional_dims(1);
  const double correction = correction_of(a);
  const bool keepdim = a.boolean(3, false);
  return wrap(run(a.gil().releases(input),
                  [&] { return autograd::variance(input, dims, keepdim, correction, Root); }));
}

double order_of(const Arguments& a, int i) {
  if (!a.given(i)) return 2.0;
  if (PyUnicode_Check(a[i]) == 0) return to_double(a.argument(i), a[i]);
  const std::string text = to_text(a.argument(i), a[i]);
  if (text == "fro") return 2.0;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw ValueError(concat(a.op(), ": ", a.argument(i).name,
                          " must be a number, 'fro' or 'inf', got '", text, "'"));
}

/// (input, p, dim, keepdim, dtype)
PyObject* norm(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const double order = order_of(a, 1);
  const auto dims = a.optional_dims(2);
  const bool keepdim = a.boolean(3, false);
  const auto dtype = a.optional_dtype(4);
  const bool release = a.gil().releases(input);
  return wrap(run(release, [&] { return autograd::norm(input, order, dims, keepdim, dtype); }));
}

PyObject* logsumexp(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const Dims dims = a.dims(1);
  const bool keepdim = a.boolean(2, false);
  const bool release = a.gil().releases(input);
  return wrap(run(release, [&] { return autograd::logsumexp(input, dims, keepdim); }));
}

template <bool Product>
PyObject* cumulative(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const auto dtype = dtype_or_outs(a, 2);
  return wrap(run(a.gil().releases(input), [&] {
    if (!dtype.has_value()) return autograd::cumulative(input, dim, Product, a.out());
    return autograd::cast(
        autograd::cumulative(autograd::cast(input, *dtype), dim, Product, a.out()), *dtype);
  }));
}

template <bool Log>
PyObject* softmax(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1);
  const auto dtype = a.optional_dtype(2);
  GPUKIT_CHECK(!dtype.has_value() || is_floating(*dtype), DTypeError, a.op(), ": dtype is ",
               name(*dtype), "; a floating one is needed, e.g. 'float32'");
  return wrap(run(a.gil().releases(input), [&] {
    return autograd::softmax(dtype.has_value() ? autograd::cast(input, *dtype) : input, dim, Log);
  }));
}

PyObject* sort(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t dim = a.integer(1, -1);
  const bool descending = a.boolean(2, false);
  a.boolean(3, false);  // every sort is stable
  ops::Sorted sorted =
      run(a.gil().releases(input), [&] { return autograd::sort(input, dim, descending); });
  return named_pair("sort", std::move(sorted.values), std::move(sorted.indices));
}

PyObject* argsort(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const int dim = ops::dim_of(input, a.integer(1, -1), a.op());
  const bool descending = a.boolean(2, false);
  a.boolean(3, false);
  return wrap(run(a.gil().releases(input), [&] { return ops::argsort(input, dim, descending); }));
}

PyObject* topk(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const std::int64_t k = a.integer(1), dim = a.integer(2, -1);
  const bool largest = a.boolean(3, true);
  a.boolean(4, true);  // the result is always in order
  ops::Sorted sorted =
      run(a.gil().releases(input), [&] { return autograd::topk(input, k, dim, largest); });
  return named_pair("topk", std::move(sorted.values), std::move(sorted.indices));
}

PyObject* unique(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  if (a.given(4)) {
    const py::object slices = imported("gpukit._operators.composed").attr("unique_slices");
    return slices(**a.as_keywords()).release().ptr();
  }
  a.boolean(1, true);  // the result is always sorted
  const bool inverse = a.boolean(2, false), counts = a.boolean(3, false);
  const ops::Unique found = run(a.gil().releases(input), [&] { return ops::unique(input); });
  if (!inverse && !counts) return wrap(found.values);
  py::list parts;
  parts.append(to_python(found.values));
  if (inverse) parts.append(to_python(found.inverse));
  if (counts) parts.append(to_python(found.counts));
  return py::tuple(parts).release().ptr();
}

// clang-format off
constexpr Docs kSumDocs = {.parameters = "dim: a dimension, a tuple of them, or None for all.\n",
    .returns = "without the dimensions of dim; input's dtype, but int64 for bool and other integers than uint64.",
    .raises = GPUKIT_RAISES_DIM GPUKIT_RAISES_TWICE};
constexpr Docs kAmaxDocs = {.parameters = "dim: a dimension, a tuple of them, or None for all.\n",
    .returns = "without the dimensions of dim; input's dtype.",
    .raises = GPUKIT_RAISES_DIM GPUKIT_RAISES_TWICE "DimensionError: there are no elements to choose from.\n"};
constexpr Docs kMaxDocs = {.parameters = "dim: a dimension or None for all; here also another tensor, as other.\nother: a tensor that broadcasts with input, instead of dim.\n",
    .returns = "0-d without dim; with dim (values, indices), input's dtype and int64; with a tensor the broadcast shape.",
    .raises = GPUKIT_RAISES_DIM "DimensionError: there are no elements to choose from.\nShapeError: other does not broadcast.\nTypeError: dim and other are both given.\nDTypeError: the dtypes have none in common.\n"};
constexpr Docs kArgmaxDocs = {.parameters = "dim: a dimension, or None for the index in the flattened tensor.\n",
    .returns = "without dimension dim; int64.",
    .raises = GPUKIT_RAISES_DIM "DimensionError: there are no elements to choose from.\n"};
constexpr Docs kAllDocs = {.parameters = "dim: a dimension, a tuple of them, or None for all.\n",
    .returns = "without the dimensions of dim; bool.",
    .raises = GPUKIT_RAISES_DIM GPUKIT_RAISES_TWICE};
constexpr Docs kVarDocs = {.parameters = "input: a floating tensor of any shape.\ndim: a dimension, a tuple of them, or None for all.\ncorrection: taken from the count, a number; None is 1.\nunbiased: torch's older form: True is correction 1, False is 0.\n",
    .returns = "without the dimensions of dim; input's dtype. Where count - correction is not above 0, inf, or NaN if all elements are equal.",
    .raises = GPUKIT_RAISES_DIM "DTypeError: input is not floating.\nTypeError: correction and unbiased are both given.\n"};
constexpr Docs kCumsumDocs = {.returns = "input's shape; its dtype, but int64 for bool and other integers than uint64.",
    .raises = GPUKIT_RAISES_DIM};
constexpr Docs kSoftmaxDocs = {.parameters = "dtype: a floating dtype to compute in and to answer in.\n",
    .returns = "input's shape; dtype, or input's if floating, else the default.",
    .raises = GPUKIT_RAISES_DIM "DTypeError: dtype is not floating.\n"};
constexpr Docs kSortDocs = {.parameters = "descending: the largest first.\nstable: accepted for compatibility with PyTorch; equal elements always keep their order.\n",
    .returns = "sort (values, indices), argsort the indices: input's shape; input's dtype and int64.",
    .raises = GPUKIT_RAISES_DIM};

constexpr FunctionRow kReductionRows[] = {
  {.signature = "sum(input, dim: int | Sequence[int] | None = None, keepdim=False, *, dtype=None)", .call = with_dtype<ReduceOp::kSum>, .cost = cost::kReduce,
   .doc = "Sum over dim.",
   .docs = kSumDocs,
   .example = ">>> gpukit.sum(gpukit.ones(2, 3), dim=0)\n" "tensor([2., 2., 2.])",
   .out = Out::kDirect},
  {.signature = "mean(input, dim: int | Sequence[int] | None = None, keepdim=False, *, dtype=None)", .call = with_dtype<ReduceOp::kMean>, .cost = cost::kReduce,
   .doc = "Mean over dim.",
   .docs = {.parameters = "input: a floating tensor of any shape.\ndim: a dimension, a tuple of them, or None for all.\n",
             .returns = "without the dimensions of dim; input's dtype. NaN of no elements.",
             .raises = GPUKIT_RAISES_DIM GPUKIT_RAISES_TWICE "DTypeError: input, or dtype if given, is not floating.\n"},
   .example = ">>> gpukit.arange(4.0).mean()\n" "tensor(1.5000)",
   .out = Out::kDirect},
  {.signature = "prod(input, dim: int | Sequence[int] | None = None, keepdim=False, *, dtype=None)", .call = with_dtype<ReduceOp::kProd>, .cost = cost::kReduce,
   .doc = "Product over dim.",
   .docs = kSumDocs,
   .example = ">>> gpukit.prod(gpukit.tensor([2, 3, 4]))\n" "tensor(24)",
   .out = Out::kDirect},
  {.signature = "amax(input, dim: int | Sequence[int] | None = None, keepdim=False)", .call = plain<ReduceOp::kMax>, .cost = cost::kReduce,
   .doc = "Largest elements over dim, which may be a tuple.",
   .docs = kAmaxDocs,
   .example = ">>> gpukit.amax(gpukit.tensor([[1, 5], [3, 2]]), dim=1)\n" "tensor([5, 3])",
   .out = Out::kDirect},
  {.signature = "amin(input, dim: int | Sequence[int] | None = None, keepdim=False)", .call = plain<ReduceOp::kMin>, .cost = cost::kReduce,
   .doc = "Smallest elements over dim, which may be a tuple.",
   .docs = kAmaxDocs,
   .example = ">>> gpukit.amin(gpukit.tensor([[1, 5], [3, 2]]), dim=1)\n" "tensor([1, 2])",
   .out = Out::kDirect},
  {.signature = "max(input, dim: int | Tensor | None = None, keepdim=False, *, other: Tensor | None = None) -> Tensor | ValuesAndIndices", .call = extreme<ReduceOp::kMax, BinaryOp::kMaximum>, .cost = cost::kReduce,
   .doc = "Largest element; with dim (values, indices) along it; with a tensor the larger of each pair.",
   .docs = kMaxDocs,
   .example = ">>> gpukit.max(gpukit.tensor([1.0, 5.0]))\n" "tensor(5.)",
   .out = Out::kCopied,
   .overloads = "(input, dim: None = None, keepdim=False, *, out=None) -> Tensor\n" "(input, dim: int, keepdim=False, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices\n" "(input, other: Tensor, *, out=None) -> Tensor"},
  {.signature = "min(input, dim: int | Tensor | None = None, keepdim=False, *, other: Tensor | None = None) -> Tensor | ValuesAndIndices", .call = extreme<ReduceOp::kMin, BinaryOp::kMinimum>, .cost = cost::kReduce,
   .doc = "Smallest element; with dim (values, indices) along it; with a tensor the smaller of each pair.",
   .docs = kMaxDocs,
   .example = ">>> gpukit.min(gpukit.tensor([[1, 5], [3, 2]]), dim=1).values\n" "tensor([1, 2])",
   .out = Out::kCopied,
   .overloads = "(input, dim: None = None, keepdim=False, *, out=None) -> Tensor\n" "(input, dim: int, keepdim=False, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices\n" "(input, other: Tensor, *, out=None) -> Tensor"},
  {.signature = "argmax(input, dim=None, keepdim=False)", .call = arg_extreme<ReduceOp::kArgMax>, .cost = cost::kReduce,
   .doc = "Argument of the largest element, the first of equal ones; int64.",
   .docs = kArgmaxDocs,
   .example = ">>> gpukit.argmax(gpukit.tensor([1.0, 5.0, 2.0])).item()\n" "1",
   .out = Out::kDirect},
  {.signature = "argmin(input, dim=None, keepdim=False)", .call = arg_extreme<ReduceOp::kArgMin>, .cost = cost::kReduce,
   .doc = "Argument of the smallest element, the first of equal ones; int64.",
   .docs = kArgmaxDocs,
   .example = ">>> gpukit.argmin(gpukit.tensor([4.0, 1.0, 2.0])).item()\n" "1",
   .out = Out::kDirect},
  {.signature = "all(input, dim: int | Sequence[int] | None = None, keepdim=False)", .call = truth<ReduceOp::kAll>, .cost = cost::kReduce,
   .doc = "True when no element is 0.",
   .docs = kAllDocs,
   .example = ">>> gpukit.all(gpukit.tensor([True, False]))\n" "tensor(False)",
   .out = Out::kDirect},
  {.signature = "any(input, dim: int | Sequence[int] | None = None, keepdim=False)", .call = truth<ReduceOp::kAny>, .cost = cost::kReduce,
   .doc = "True when an element is not 0.",
   .docs = kAllDocs,
   .example = ">>> gpukit.any(gpukit.tensor([[True, False], [False, False]]), dim=1)\n" "tensor([ True, False])",
   .out = Out::kDirect},
  {.signature = "count_nonzero(input, dim: int | Sequence[int] | None = None, keepdim=False)", .call = plain<ReduceOp::kCountNonzero>, .cost = cost::kReduce,
   .doc = "How many elements are not 0; int64.",
   .docs = {.parameters = "dim: a dimension, a tuple of them, or None for all.\n",
             .returns = "without the dimensions of dim; int64.",
             .raises = GPUKIT_RAISES_DIM GPUKIT_RAISES_TWICE},
   .example = ">>> gpukit.count_nonzero(gpukit.tensor([0, 3, 0, 4])).item()\n" "2"},
  {.signature = "var(input, dim: int | Sequence[int] | None = None, correction: Number | None = None, keepdim=False, *, unbiased: bool | None = None)", .call = variance<false>, .cost = cost::kPasses,
   .doc = "sum((input - mean)**2) / (count - correction) over dim: the variance.",
   .docs = kVarDocs,
   .example = ">>> gpukit.var(gpukit.tensor([1.0, 2.0, 3.0]))\n" "tensor(1.)",
   .out = Out::kCopied},
  {.signature = "std(input, dim: int | Sequence[int] | None = None, correction: Number | None = None, keepdim=False, *, unbiased: bool | None = None)", .call = variance<true>, .cost = cost::kPasses,
   .doc = "Square root of var.",
   .docs = kVarDocs,
   .example = ">>> gpukit.std(gpukit.tensor([1.0, 2.0, 3.0]))\n" "tensor(1.)",
   .out = Out::kCopied},
  {.signature = "norm(input, p: Number | str = 'fro', dim: int | Sequence[int] | None = None, keepdim=False, dtype=None)", .call = norm, .cost = cost::kPasses,
   .doc = "sum(|input|**p) ** (1 / p): the vector norm over dim or over all elements.",
   .docs = {.parameters = "input: a floating tensor of any shape.\np: the order: a number, 'fro' (2) or 'inf'; 0 counts what is not 0.\ndim: a dimension, a tuple of them, or None for all.\n",
             .returns = "without the dimensions of dim; input's dtype.",
             .raises = GPUKIT_RAISES_DIM "DTypeError: input, or dtype if given, is not floating.\nValueError: p is another text.\n"},
   .example = ">>> gpukit.norm(gpukit.tensor([3.0, 4.0]))\n" "tensor(5.)",
   .out = Out::kCopied},
  {.signature = "logsumexp(input, dim: int | Sequence[int], keepdim=False)", .call = logsumexp, .cost = cost::kFunction,
   .doc = "log(sum(exp(input))) over dim, as m + log(sum(exp(input - m))) with the largest m.",
   .docs = {.parameters = "dim: a dimension or a tuple of them.\n",
             .returns = "without the dimensions of dim; input's dtype if floating, else the default.",
             .raises = GPUKIT_RAISES_DIM},
   .example = ">>> gpukit.logsumexp(gpukit.tensor([1000.0, 1000.0]), 0)\n" "tensor(1000.6932)",
   .out = Out::kCopied},
  {.signature = "cumsum(input, dim, *, dtype=None)", .call = cumulative<false>, .cost = cost::kFunction,
   .doc = "Running sums along dim.",
   .docs = kCumsumDocs,
   .example = ">>> gpukit.cumsum(gpukit.ones(3), 0)\n" "tensor([1., 2., 3.])",
   .out = Out::kDirect},
  {.signature = "cumprod(input, dim, *, dtype=None)", .call = cumulative<true>, .cost = cost::kFunction,
   .doc = "Running products along dim.",
   .docs = kCumsumDocs,
   .example = ">>> gpukit.cumprod(gpukit.tensor([1, 2, 3, 4]), 0)\n" "tensor([ 1,  2,  6, 24])",
   .out = Out::kDirect},
  {.signature = "softmax(input, dim, *, dtype=None)", .call = softmax<false>, .cost = cost::kFunction,
   .doc = "exp(input - m) / sum(exp(input - m)) along dim, with the largest m.",
   .docs = kSoftmaxDocs,
   .example = ">>> gpukit.softmax(gpukit.zeros(4), 0)\n" "tensor([0.2500, 0.2500, 0.2500, 0.2500])",
   .out = Out::kCopied},
  {.signature = "log_softmax(input, dim, *, dtype=None)", .call = softmax<true>, .cost = cost::kFunction,
   .doc = "input - logsumexp(input) along dim: the logarithm of softmax.",
   .docs = kSoftmaxDocs,
   .example = ">>> gpukit.log_softmax(gpukit.zeros(2), 0)\n" "tensor([-0.6931, -0.6931])",
   .out = Out::kCopied},
  {.signature = "sort(input, dim=-1, descending=False, stable=True) -> ValuesAndIndices", .call = sort, .cost = cost::kSort,
   .doc = "Values in order along dim, and their indices; stable; NaN is the largest.",
   .docs = kSortDocs,
   .example = ">>> gpukit.sort(gpukit.tensor([3, 1, 2])).values\n" "tensor([1, 2, 3])",
   .out = Out::kCopied,
   .overloads = "(input, dim=-1, descending=False, stable=True, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  {.signature = "argsort(input, dim=-1, descending=False, stable=True)", .call = argsort, .cost = cost::kSort,
   .doc = "Indices of the elements in order along dim.",
   .docs = kSortDocs,
   .example = ">>> gpukit.argsort(gpukit.tensor([3, 1, 2]))\n" "tensor([1, 2, 0])"},
  {.signature = "topk(input, k: int, dim=-1, largest=True, sorted=True) -> ValuesAndIndices", .call = topk, .cost = cost::kSort,
   .doc = "The k largest (or smallest) along dim, and their indices.",
   .docs = {.parameters = "k: how many.\nlargest: False takes the smallest.\nsorted: whether they must be in order; here they always are.\n",
             .returns = "(values, indices) with k elements along dim; input's dtype and int64.",
             .raises = GPUKIT_RAISES_DIM "ValueError: k is negative or above the size of dim.\n"},
   .example = ">>> gpukit.topk(gpukit.tensor([3, 1, 2]), 2).values\n" "tensor([3, 2])",
   .out = Out::kCopied,
   .overloads = "(input, k: int, dim=-1, largest=True, sorted=True, *, out: tuple[Tensor, Tensor] | None = None) -> ValuesAndIndices"},
  {.signature = "unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> Tensor | tuple[Tensor, ...]", .call = unique, .cost = cost::kSort,
   .doc = "The different values, ascending; with return_inverse and return_counts a tuple. Waits.",
   .docs = {.parameters = "sorted: accepted for compatibility with PyTorch; the values are always in order.\nreturn_inverse: also where each element of input is among the values.\nreturn_counts: also how often each occurs.\ndim: the dimension whose slices are compared; None compares elements.\n",
             .returns = "1-d values of input's dtype; inverse (input's shape) and counts are int64."},
   .example = ">>> gpukit.unique(gpukit.tensor([3, 1, 3]))\n" "tensor([1, 3])",
   .where = kBoth | kWaits,
   .overloads = "(input, sorted=True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim=None) -> Tensor\n"
                "(input, sorted=True, *, return_inverse: Literal[True], return_counts=False, dim=None) -> tuple[Tensor, ...]\n"
                "(input, sorted=True, return_inverse=False, *, return_counts: Literal[True], dim=None) -> tuple[Tensor, ...]\n"
                "(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> Tensor | tuple[Tensor, ...]"},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kReduction>() {
  return function_table<kReductionRows>();
}

}  // namespace gpukit::bindings
