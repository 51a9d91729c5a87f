// New tensors: from data, filled, counted.
#include <algorithm>
#include <cstring>

#include "autograd/tensor_gradient.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/composed_row.h"
#include "bindings/foreign_arrays.h"
#include "bindings/host_data.h"
#include "bindings/row_texts.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "tensor/factory.h"
#include "tensor/transfer.h"

namespace gpukit::bindings {

namespace {

PyObject* finished(const Arguments& a, int requires_grad, Tensor tensor) {
  if (a[requires_grad] != nullptr)
    autograd::set_requires_grad(a.op(), tensor, a.boolean(requires_grad, false));
  return wrap(std::move(tensor));
}

Tensor on_device(const Tensor& tensor, Device device) {
  if (tensor.device() == device) return tensor;
  return run(true, [&] { return copy_to_device(ops::contiguous(tensor), device, false); });
}

/// Where the result of data belongs: arrays that lie on a GPU stay there unless a device is named.
Tensor on_requested_device(const Arguments& a, int i, const Tensor& tensor) {
  if (!a.given(i) && (is_tensor(a[0]) || !tensor.on_host())) return tensor;
  return on_device(tensor, a.device(i));
}

PyObject* tensor(const Arguments& a) {
  const auto dtype = a.optional_dtype(1);
  return finished(a, 3, on_requested_device(a, 2, tensor_from_data(a.argument(0), a[0], dtype)));
}

/// Shares what can be shared.
Tensor shared_or_copied(const Arguments& a, PyObject* data, std::optional<DType> dtype) {
  const Argument argument = a.argument(0);
  std::optional<Tensor> shared;
  if (is_tensor(data))
    shared = tensor_of(data);
  else if (!PyList_Check(data) && !PyTuple_Check(data))
    shared = share_array(argument, data);
  if (!shared.has_value()) return tensor_from_data(argument, data, dtype);
  if (!dtype.has_value() || *dtype == shared->dtype()) return *shared;
  const Tensor& source = *shared;
  return run(a.gil().releases_for_launch(source, source.count()),
             [&] { return ops::cast(source, *dtype); });
}

PyObject* asarray(const Arguments& a) {
  const auto dtype = a.optional_dtype(1);
  if (!a.given(3)) return wrap(on_requested_device(a, 2, shared_or_copied(a, a[0], dtype)));
  if (a.boolean(3, false))
    return wrap(on_requested_device(a, 2, tensor_from_data(a.argument(0), a[0], dtype)));
  std::optional<Tensor> shared;
  if (is_tensor(a[0]))
    shared = tensor_of(a[0]);
  else
    shared = share_array(a.argument(0), a[0]);
  const bool unchanged = shared.has_value() && (!a.given(2) || shared->device() == a.device(2)) &&
                         (!dtype.has_value() || *dtype == shared->dtype());
  GPUKIT_CHECK(unchanged, ValueError, "asarray: copy=False, but ", describe_value(a[0]),
               " cannot become the tensor without a copy. Use copy=None");
  return wrap(*std::move(shared));
}

PyObject* over_array(Argument argument, PyObject* array) {
  const std::string_view type = Py_TYPE(array)->tp_name;
  auto shared =
      type.starts_with("numpy.") || PyObject_HasAttrString(array, "__array_interface__") != 0
          ? share_buffer(argument, array)
          : std::nullopt;
  GPUKIT_CHECK(shared.has_value() || !type.starts_with("numpy."), ValueError, argument.op, ": ",
               argument.name,
               " does not lie on whole elements in memory (a field of records, say). Use "
               "a.copy() first");
  if (!shared.has_value()) throw_wrong_type(argument, "a NumPy array", array);
  return wrap(*std::move(shared));
}

PyObject* from_numpy(const Arguments& a) { return over_array(a.argument(0), a[0]); }

// NumPy asks for it with the result of a function of tensors. It says in which function it is, and
// whether NumPy itself would give a scalar: neither matters here.
PyObject* array_wrap(const Arguments& a) { return over_array(a.argument(1), a[1]); }

/// Sizes first, then dtype, device, requires_grad and pin_memory at the given indices.
struct Plan {
  Shape shape;
  DType dtype;
  Device device;
};

bool creation_releases_gil(const Arguments& a, const Plan& plan) {
  return a.gil().releases_on(plan.device, element_count(plan.shape));
}

void check(const Arguments& a, const Plan& plan) {
  check_shape(plan.shape, itemsize(plan.dtype), a.op());
}

constexpr std::size_t kSmallBytes = 4096;

std::size_t bytes_of(const Plan& plan) {
  return static_cast<std::size_t>(element_count(plan.shape)) * itemsize(plan.dtype);
}

/// Zeros that one memset makes faster than a call of the backend.
bool is_small_zero(const Plan& plan, std::optional<Scalar> value) {
  return plan.device.is_cpu() && value.has_value() &&
         of_kind(value->kind(), true, true, false, false) && value->as_int64() == 0 &&
         bytes_of(plan) <= kSmallBytes;
}

Tensor small_zeros(const Plan& plan) {
  const Tensor result = empty_on(cpu_device(), plan.shape, plan.dtype);
  if (const std::size_t bytes = result.bytes(); bytes > 0) std::memset(result.data(), 0, bytes);
  return result;
}

Tensor filled(const Arguments& a, const Plan& plan, std::optional<Scalar> value) {
  return run(creation_releases_gil(a, plan), [&] {
    if (value.has_value()) return ops::full(plan.shape, *value, plan.dtype, plan.device, a.op());
    return empty(plan.shape, plan.dtype, plan.device, a.op());
  });
}

Tensor filled_pinned(const Arguments& a, const Plan& plan, std::optional<Scalar> value) {
  GPUKIT_CHECK(plan.device.is_cpu(), ValueError, a.op(),
               ": pin_memory is for CPU tensors, device is '", to_string(plan.device), "'");
  prepare_cuda();
  return run(true, [&] {
    Tensor result = empty_pinned(plan.shape, plan.dtype);
    if (value.has_value() && result.count() > 0) ops::fill_(result, *value);
    return result;
  });
}

PyObject* created(const Arguments& a, const Plan& plan, std::optional<Scalar> value,
                  int requires_grad, int pinned) {
  check(a, plan);
  if (pinned > 0 && a.boolean(pinned, false))
    return finished(a, requires_grad, filled_pinned(a, plan, value));
  const bool small = is_small_zero(plan, value);
  return finished(a, requires_grad, small ? small_zeros(plan) : filled(a, plan, value));
}

/// (*size, dtype, device, requires_grad, pin_memory)
PyObject* sized(const Arguments& a, std::optional<Scalar> value) {
  GPUKIT_CHECK(a.star_given(), TypeError, a.op(), ": size is missing, e.g. ", a.op(), "(2, 3)");
  const Plan plan{a.star_dims(), a.dtype(1, ops::default_floating()), a.device(2)};
  return created(a, plan, value, 3, 4);
}

PyObject* full(const Arguments& a) {
  const Scalar value = to_value(a.argument(1), a[1], a.dtype(2, DType::kInt64));
  const Plan plan{a.dims(0), a.dtype(2, ops::number_dtype(value)), a.device(3)};
  check_fits(a.argument(1), value, plan.dtype);
  return created(a, plan, value, 4, 5);
}

/// (input, dtype, device, requires_grad)
PyObject* like(const Arguments& a, std::optional<Scalar> value, int first) {
  const Tensor& input = a.tensor(0);
  const Device device = a.given(first + 1) ? a.device(first + 1) : input.device();
  const Plan plan{input.shape(), a.dtype(first, input.dtype()), device};
  return created(a, plan, value, first + 2, 0);
}

/// Methods new_zeros and so on: dtype and device of the tensor. (input, *size, dtype, device)
PyObject* new_sized(const Arguments& a, std::optional<Scalar> value) {
  const Tensor& input = a.tensor(0);
  GPUKIT_CHECK(a.star_given(), TypeError, a.op(), ": size is missing");
  const Device device = a.given(3) ? a.device(3) : input.device();
  return created(a, {a.star_dims(), a.dtype(2, input.dtype()), device}, value, 4, 0);
}

PyObject* new_tensor(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const DType dtype = a.dtype(2, input.dtype());
  const Device device = a.given(3) ? a.device(3) : input.device();
  return wrap(on_device(tensor_from_data(a.argument(1), a[1], dtype), device));
}

// arange(end) or arange(start, end, step)
PyObject* arange(const Arguments& a) {
  GPUKIT_CHECK(a.given(0) || a.given(1), TypeError, "arange: end is missing, e.g. arange(10)");
  const bool both = a.given(0) && a.given(1);
  const DType wanted = a.dtype(3, DType::kInt64);
  const auto number = [&](int i) { return to_value(a.argument(i), a[i], wanted); };
  const Scalar start = both ? number(0) : Scalar::integer(0);
  const Scalar stop = number(a.given(1) ? 1 : 0);
  const Scalar step = a.given(2) ? number(2) : Scalar::integer(1);
  const DTypeKind kind = std::max({start.kind(), stop.kind(), step.kind()});
  const DType own = of_kind(kind, DType::kInt64, DType::kInt64, ops::default_floating(),
                            complex_dtype(ops::default_floating()));
  const DType dtype = a.dtype(3, own);
  const Device device = a.device(4);
  const double count = (stop.as_double() - start.as_double()) / step.as_double();
  return finished(a, 5, run(a.gil().releases_on(device, saturated(std::max(count, 0.0))), [&] {
                    return ops::arange(start, stop, step, dtype, device);
                  }));
}

PyObject* linspace(const Arguments& a) {
  const Scalar start = to_value(a.argument(0), a[0], DType::kComplex128),
               end = to_value(a.argument(1), a[1], DType::kComplex128);
  const std::int64_t steps = a.integer(2);
  GPUKIT_CHECK(steps >= 0, ValueError, "linspace: steps must be 0 or more, got ", steps);
  const bool real = !start.is_complex() && !end.is_complex();
  const DType own = ops::default_floating();
  const DType dtype = a.dtype(3, real ? own : complex_dtype(own));
  check_fits(a.argument(0), start, dtype);
  check_fits(a.argument(1), end, dtype);
  const Device device = a.device(4);
  return finished(a, 5, run(a.gil().releases_on(device, steps), [&] {
                    return ops::linspace(start, end, steps, dtype, device);
                  }));
}

PyObject* eye(const Arguments& a) {
  const std::int64_t rows = a.integer(0), columns = a.integer(1, rows);
  const Plan plan{Shape{rows, columns}, a.dtype(2, ops::default_floating()), a.device(3)};
  check(a, plan);
  return finished(a, 4, run(creation_releases_gil(a, plan), [&] {
                    return ops::eye(rows, columns, plan.dtype, plan.device);
                  }));
}

#define GPUKIT_OPTIONS "dtype=None, device=None, requires_grad=False"
// clang-format off
constexpr Docs kAsTensorDocs = {.parameters = "data: as for tensor(), or anything with __dlpack__ or a buffer.\nobj: as for tensor(), or anything with __dlpack__ or a buffer.\ndevice: where the result lies; None is where the data lie, lists on the default device.\ncopy: None copies where it must, True always, False never.\n",
    .returns = "the shape of the data; their dtype, lists as in tensor().",
    .raises = "ValueError: lists of one level differ in length, or copy=False would need a copy.\nTypeError: the data are something else, or hold numbers beside lists.\n" GPUKIT_RAISES_CREATE};
constexpr Docs kEmptyDocs = {.parameters = "size: ints, or one tuple of them.\n",
    .returns = "a tensor of that size; dtype, or the default floating dtype.",
    .raises = "ValueError: a size is negative.\n" GPUKIT_RAISES_CREATE};
constexpr Docs kEmptyLikeDocs = {.parameters = "device: where the result lies; None is input's.\n",
    .returns = "input's shape; dtype, or input's.",
    .raises = GPUKIT_RAISES_CREATE};
constexpr Docs kNewEmptyDocs = {.parameters = "size: ints, or one tuple of them.\ndevice: where the result lies; None is the tensor's.\n",
    .returns = "a tensor of that size; dtype, or the tensor's.",
    .raises = "ValueError: a size is negative.\n" GPUKIT_RAISES_CREATE};

constexpr FunctionRow kCreationRows[] = {
  {.signature = "tensor(data: object, *, " GPUKIT_OPTIONS ")", .call = tensor, .cost = cost::kCopy,
   .doc = "A new tensor with a copy of data: a number, nested lists, a NumPy array or another tensor.\n\n"
           "Python floats give the default dtype (float32), ints int64, bools bool; arrays keep theirs.",
   .docs = {.parameters = "data: a number, nested lists, an array or a tensor.\ndevice: where the result lies; None is where the data lie, lists on the default device.\n",
             .returns = "the shape of data; its dtype as said above.",
             .raises = "ValueError: lists of one level differ in length.\nRangeError: a number does not fit into the dtype.\nTypeError: data holds something else, or numbers beside lists.\n" GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.tensor([[1, 2], [3, 4]])\n" "tensor([[1, 2],\n" "        [3, 4]])",
   .where = kFunction | kWaits},
  {.signature = "as_tensor(data: object, dtype=None, device=None)",
   .call = [](const Arguments& a) {
     const auto dtype = a.optional_dtype(1);
     return wrap(on_requested_device(a, 2, shared_or_copied(a, a[0], dtype)));
   },
   .cost = cost::kCopy,
   .doc = "A tensor of data that shares its memory where possible.",
   .docs = kAsTensorDocs,
   .example = ">>> x = gpukit.ones(2)\n" ">>> gpukit.as_tensor(x) is x\n" "True",
   .where = kFunction | kWaits},
  {.signature = "asarray(obj: object, *, dtype=None, device=None, copy: bool | None = None)", .call = asarray, .cost = cost::kCopy,
   .doc = "The array API's as_tensor: copy=True always copies, copy=False raises ValueError instead of copying.",
   .docs = kAsTensorDocs,
   .example = ">>> gpukit.asarray([1.0, 2.0])\n" "tensor([1., 2.])",
   .where = kFunction | kWaits},
  {.signature = "__array_wrap__(input, array: AnyArray, context: object = None, return_scalar=False)", .call = array_wrap, .cost = cost::kNone,
   .doc = "What NumPy's functions of tensors ask for, so that they give tensors: over the memory of the array.",
   .where = kMethod},
  {.signature = "from_numpy(ndarray: AnyArray)", .call = from_numpy, .cost = cost::kNone,
   .doc = "A CPU tensor over the memory of a NumPy array; changes show on both sides.",
   .docs = {.parameters = "ndarray: a NumPy array of a dtype that gpukit has.\n",
             .returns = "a CPU tensor of the array's shape, strides and dtype; read-only if the array is.",
             .raises = "TypeError: it is not a NumPy array.\nDTypeError: gpukit does not have its dtype.\n"},
   .example = ">>> import gpukit, numpy\n" ">>> gpukit.from_numpy(numpy.arange(3.0)).dtype\n" "gpukit.float64",
   .where = kFunction},
  {.signature = "empty(*size: int, " GPUKIT_OPTIONS ", pin_memory=False, memory_format=None)",
   .call = [](const Arguments& a) { return a.given(5) ? composed(a) : sized(a, std::nullopt); },
   .cost = cost::kCopy,
   .doc = "A tensor with undefined elements, in the order of memory_format.",
   .docs = kEmptyDocs,
   .example = ">>> gpukit.empty(2, 3).shape\n" "(2, 3)",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "zeros(*size: int, " GPUKIT_OPTIONS ", pin_memory=False)",
   .call = [](const Arguments& a) { return sized(a, Scalar::integer(0)); },
   .cost = cost::kCopy,
   .doc = "A tensor of zeros.",
   .docs = kEmptyDocs,
   .example = ">>> gpukit.zeros(2)\n" "tensor([0., 0.])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "ones(*size: int, " GPUKIT_OPTIONS ", pin_memory=False)",
   .call = [](const Arguments& a) { return sized(a, Scalar::integer(1)); },
   .cost = cost::kCopy,
   .doc = "A tensor of ones.",
   .docs = kEmptyDocs,
   .example = ">>> gpukit.ones(2, 2)\n" "tensor([[1., 1.],\n" "        [1., 1.]])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "full(size: int | Sequence[int], fill_value: Tensor | Number, *, " GPUKIT_OPTIONS ", pin_memory=False)", .call = full, .cost = cost::kCopy,
   .doc = "A tensor of one value, whose kind gives the dtype.",
   .docs = {.parameters = "size: an int or a tuple of ints.\nfill_value: a number, or a tensor of one element.\n",
             .returns = "a tensor of that size; dtype, or that of the value's kind: bool, int64, or the default floating dtype.",
             .raises = "ValueError: a size is negative.\nShapeError: fill_value is a tensor of several elements.\n" GPUKIT_RAISES_FITS GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.full((2,), 7)\n" "tensor([7, 7])",
   .where = kFunction | kWaits, .out = Out::kCopied},
  {.signature = "empty_like(input, *, " GPUKIT_OPTIONS ", memory_format=None)",
   .call = [](const Arguments& a) { return a.given(4) ? composed(a) : like(a, std::nullopt, 1); },
   .cost = cost::kCopy,
   .doc = "Undefined elements in the shape of another tensor.",
   .docs = kEmptyLikeDocs,
   .example = ">>> gpukit.empty_like(gpukit.ones(2, 3)).shape\n" "(2, 3)",
   .where = kFunction},
  {.signature = "zeros_like(input, *, " GPUKIT_OPTIONS ", memory_format=None)",
   .call = [](const Arguments& a) { return a.given(4) ? composed(a) : like(a, Scalar::integer(0), 1); },
   .cost = cost::kCopy,
   .doc = "Zeros in the shape of another tensor.",
   .docs = kEmptyLikeDocs,
   .example = ">>> gpukit.zeros_like(gpukit.ones(2))\n" "tensor([0., 0.])",
   .where = kFunction},
  {.signature = "ones_like(input, *, " GPUKIT_OPTIONS ", memory_format=None)",
   .call = [](const Arguments& a) { return a.given(4) ? composed(a) : like(a, Scalar::integer(1), 1); },
   .cost = cost::kCopy,
   .doc = "Ones in the shape of another tensor.",
   .docs = kEmptyLikeDocs,
   .example = ">>> gpukit.ones_like(gpukit.zeros(2))\n" "tensor([1., 1.])",
   .where = kFunction},
  {.signature = "full_like(input, fill_value: Tensor | Number, *, " GPUKIT_OPTIONS ", memory_format=None)",
   .call = [](const Arguments& a) { return a.given(5) ? composed(a) : like(a, to_stored_value(a.argument(1), a[1], a.dtype(2, a.tensor(0).dtype())), 2); },
   .cost = cost::kCopy,
   .doc = "One value in the shape of another tensor.",
   .docs = {.parameters = "fill_value: a number, or a tensor of one element.\ndevice: where the result lies; None is input's.\n",
             .returns = "input's shape; dtype, or input's.",
             .raises = GPUKIT_RAISES_FITS GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.full_like(gpukit.ones(2), 5)\n" "tensor([5., 5.])",
   .where = kFunction},
  {.signature = "new_empty(input, *size: int, " GPUKIT_OPTIONS ")",
   .call = [](const Arguments& a) { return new_sized(a, std::nullopt); },
   .cost = cost::kCopy,
   .doc = "empty() with the tensor's dtype and device.",
   .docs = kNewEmptyDocs,
   .example = ">>> gpukit.ones(1, dtype=gpukit.int8).new_empty((2, 3)).dtype\n" "gpukit.int8",
   .where = kMethod},
  {.signature = "new_zeros(input, *size: int, " GPUKIT_OPTIONS ")",
   .call = [](const Arguments& a) { return new_sized(a, Scalar::integer(0)); },
   .cost = cost::kCopy,
   .doc = "zeros() with the tensor's dtype and device.",
   .docs = kNewEmptyDocs,
   .example = ">>> gpukit.ones(1).new_zeros((2,))\n" "tensor([0., 0.])",
   .where = kMethod},
  {.signature = "new_ones(input, *size: int, " GPUKIT_OPTIONS ")",
   .call = [](const Arguments& a) { return new_sized(a, Scalar::integer(1)); },
   .cost = cost::kCopy,
   .doc = "ones() with the tensor's dtype and device.",
   .docs = kNewEmptyDocs,
   .example = ">>> gpukit.zeros(1, dtype=gpukit.int8).new_ones((2,))\n" "tensor([1, 1], dtype=gpukit.int8)",
   .where = kMethod},
  {.signature = "new_tensor(input, data: object, dtype=None, device=None)", .call = new_tensor, .cost = cost::kCopy,
   .doc = "tensor() with the tensor's dtype and device.",
   .docs = {.parameters = "data: as for tensor().\ndevice: where the result lies; None is the tensor's.\n",
             .returns = "the shape of data; dtype, or the tensor's.",
             .raises = "ValueError: lists of one level differ in length.\nTypeError: numbers are next to lists.\n" GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.ones(1).new_tensor([1, 2])\n" "tensor([1., 2.])",
   .where = kMethod},
  {.signature = "arange(start: Tensor | Number | None = None, end: Tensor | Number | None = None, step: Tensor | Number = 1, *, " GPUKIT_OPTIONS ")", .call = arange, .cost = cost::kCopy,
   .doc = "Numbers from start (0) up to but without end: arange(end) or arange(start, end, step).",
   .docs = {.parameters = "start: the first number; None is 0.\nend: where to stop, not included.\nstep: the distance, not 0.\n",
             .returns = "1-d; dtype, or int64 if all are ints or bools, else the default floating dtype.",
             .raises = "ValueError: step is 0 or leads away from end.\nDTypeError: dtype is unknown or bool, or not a floating one with requires_grad.\n" GPUKIT_RAISES_PLACE},
   .example = ">>> gpukit.arange(1, 7, 2)\n" "tensor([1, 3, 5])",
   .where = kFunction, .out = Out::kCopied,
   .overloads = "(end: Tensor | Number, *, " GPUKIT_OPTIONS ", out=None)\n" "(start: Tensor | Number, end: Tensor | Number, step: Tensor | Number = 1, *, " GPUKIT_OPTIONS ", out=None)"},
  {.signature = "linspace(start: Tensor | Number, end: Tensor | Number, steps: int, *, " GPUKIT_OPTIONS ")", .call = linspace, .cost = cost::kCopy,
   .doc = "steps numbers at equal distances, both ends included.",
   .docs = {.parameters = "start: the first number.\nend: the last.\nsteps: how many.\n",
             .returns = "(steps,); dtype, or the default floating dtype.",
             .raises = "ValueError: steps is negative.\n" GPUKIT_RAISES_FITS GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.linspace(0, 1, 3)\n" "tensor([0.0000, 0.5000, 1.0000])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "eye(n: int, m: int | None = None, *, " GPUKIT_OPTIONS ")", .call = eye, .cost = cost::kCopy,
   .doc = "A matrix with ones on the diagonal and zeros elsewhere.",
   .docs = {.parameters = "n: rows.\nm: columns; None is n.\n",
             .returns = "(n, m); dtype, or the default floating dtype.",
             .raises = "ValueError: a size is negative.\n" GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.eye(2)\n" "tensor([[1., 0.],\n" "        [0., 1.]])",
   .where = kFunction, .out = Out::kCopied},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kCreation>() {
  return function_table<kCreationRows>();
}

}  // namespace gpukit::bindings
