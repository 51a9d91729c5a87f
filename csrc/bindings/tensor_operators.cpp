// The operators a user types: number slots and comparisons.
#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "base/wait_watch.h"
#include "bindings/arguments.h"
#include "bindings/exceptions.h"
#include "bindings/operator_call.h"
#include "bindings/session_hook.h"
#include "bindings/tensor_object.h"
#include "bindings/tensor_type.h"
#include "bindings/work.h"
#include "ops/dispatch.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace {

PyObject* two_tensors(BinaryOp op, PyObject* a, PyObject* b) {
  const Tensor& left = tensor_of(a);
  const Tensor& right = tensor_of(b);
  const bool release = releases_gil(op, left, right);
  return wrap(run(release, [&] { return autograd::binary(op, left, right); }));
}

/// A NumPy array as the tensor over its memory; null for all else. Refused beside a tensor on a
/// GPU, and of a class with rules of its own, such as a masked array.
py::object array_operand(std::string_view op, const Tensor& tensor, PyObject* value) {
  if (!is_numpy_array(value)) return py::object();
  GPUKIT_CHECK(std::string_view(Py_TYPE(value)->tp_name) == "numpy.ndarray", TypeError, op,
               ": an operand is a NumPy array (", Py_TYPE(value)->tp_name,
               "). Use gpukit.from_numpy(a) for the tensor, or t.numpy() for the array");
  GPUKIT_CHECK(tensor.on_host(), TypeError, op, ": an operand is a NumPy array, the tensor is on ",
               to_string(tensor.device()), ". Use gpukit.from_numpy(a).to('",
               to_string(tensor.device()), "')");
  const py::object array = imported("gpukit").attr("as_tensor")(py::handle(value));
  const Tensor& over = tensor_of(array.ptr());
  const auto is = [&](DTypeKind kind, DTypeKind other) {
    return kind_of(tensor.dtype()) == kind && kind_of(over.dtype()) == other;
  };
  if (!is(DTypeKind::kFloating, DTypeKind::kInteger) &&
      !is(DTypeKind::kInteger, DTypeKind::kFloating))
    return array;
  const DType whole = is_floating(over.dtype()) ? tensor.dtype() : over.dtype();
  // NumPy's rule, which torch follows here: whole numbers of 32 bits or more go with float64.
  const std::size_t size = itemsize(whole);
  const DType exact = size >= 4 ? DType::kFloat64 : size == 2 ? DType::kFloat32 : DType::kFloat16;
  const DType wide = promote(is_floating(over.dtype()) ? over.dtype() : tensor.dtype(), exact);
  return to_python(autograd::cast(over, wide));
}

PyObject* again(BinaryOp op, PyObject* a, PyObject* b);

/// Python would try to repeat or join a sequence, and complain of something else.
bool is_sequence(PyObject* value) noexcept {
  return PyUnicode_Check(value) != 0 || PyBytes_Check(value) != 0 || PyList_Check(value) != 0 ||
         PyTuple_Check(value) != 0;
}

/// The result of an operator for an operand that is neither a tensor nor a number.
PyObject* not_implemented(BinaryOp op, PyObject* other) {
  if (const std::string advice = torch_advice(other); !advice.empty()) {
    throw TypeError(concat(ops::name(op), ": operands are tensors and numbers, got ",
                           describe_value(other), advice));
  }
  if (is_sequence(other) && !gives_bool(op)) {
    throw TypeError(concat(ops::name(op), ": operands are tensors and numbers, got ",
                           describe_value(other), ". Use gpukit.tensor(…) for lists"));
  }
  Py_RETURN_NOTIMPLEMENTED;
}

/// One operand at least is a Tensor. NotImplemented for operands that are neither tensors nor
/// numbers.
PyObject* binary(BinaryOp op, PyObject* a, PyObject* b) {
  const bool left = is_tensor(a);
  if (left && is_tensor(b)) [[likely]]
    return two_tensors(op, a, b);
  PyObject* other = left ? b : a;
  const Tensor& tensor = tensor_of(left ? a : b);
  if (!is_number(other)) {
    const py::object array = array_operand(ops::name(op), tensor, other);
    if (!array) return not_implemented(op, other);
    return left ? again(op, a, array.ptr()) : again(op, array.ptr(), b);
  }
  const Scalar scalar = to_scalar({ops::name(op), "operand"}, other, tensor.dtype());
  const bool release = gil_rule(op).releases(tensor);
  return wrap(run(release, [&] {
    return left ? autograd::binary(op, tensor, scalar) : autograd::binary(op, scalar, tensor);
  }));
}

/// Operands to report to observers: those that the operator does not refuse immediately.
bool are_operands(PyObject* a, PyObject* b) noexcept {
  return (is_tensor(a) || is_number(a)) && (is_tensor(b) || is_number(b));
}

// The slots of observed operators, kept out of the fast path.

[[gnu::cold, gnu::noinline]] PyObject* observed_binary(BinaryOp op, PyObject* a, PyObject* b) {
  if (are_operands(a, b))
    return observed_slot(
        ops::name(op), {a, b},
        [](PyObject* const* values, int row) {
          return binary(static_cast<BinaryOp>(row), values[0], values[1]);
        },
        static_cast<int>(op));
  return guarded([&] { return binary(op, a, b); });
}

/// The operator, once an array has become a tensor.
PyObject* again(BinaryOp op, PyObject* a, PyObject* b) {
  return is_observed(Observed::kOperators) ? observed_binary(op, a, b) : binary(op, a, b);
}

template <BinaryOp Op>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_binary(Op, a, b);
  return guarded([&] { return binary(Op, a, b); });
}

PyObject* inplace_again(BinaryOp op, PyObject* self, PyObject* other);

PyObject* inplace(BinaryOp op, PyObject* self, PyObject* other) {
  const Tensor& target = tensor_of(self);
  if (is_tensor(other)) {
    const Tensor& right = tensor_of(other);
    run(gil_rule(op).releases(target), [&] { autograd::binary_(op, target, right); });
    return Py_NewRef(self);
  }
  if (!is_number(other)) {
    const py::object array = array_operand(ops::in_place_name(op), target, other);
    return array ? inplace_again(op, self, array.ptr()) : not_implemented(op, other);
  }
  const Scalar scalar = to_scalar({ops::name(op), "operand"}, other, target.dtype());
  run(gil_rule(op).releases(target), [&] { autograd::binary_(op, target, scalar); });
  return Py_NewRef(self);
}

[[gnu::cold, gnu::noinline]] PyObject* observed_inplace(BinaryOp op, PyObject* a, PyObject* b) {
  if (are_operands(a, b))
    return observed_slot(
        ops::in_place_name(op), {a, b},
        [](PyObject* const* values, int row) {
          return inplace(static_cast<BinaryOp>(row), values[0], values[1]);
        },
        static_cast<int>(op));
  return guarded([&] { return inplace(op, a, b); });
}

PyObject* inplace_again(BinaryOp op, PyObject* self, PyObject* other) {
  return is_observed(Observed::kOperators) ? observed_inplace(op, self, other)
                                           : inplace(op, self, other);
}

template <BinaryOp Op>
PyObject* inplace_slot(PyObject* self, PyObject* other) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_inplace(Op, self, other);
  return guarded([&] { return inplace(Op, self, other); });
}

PyObject* power_slot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow: a modulus is not supported; use (x ** y) % z");
    return nullptr;
  }
  return binary_slot<BinaryOp::kPow>(a, b);
}

PyObject* inplace_power_slot(PyObject* self, PyObject* other, PyObject*) {
  return inplace_slot<BinaryOp::kPow>(self, other);
}

PyObject* unary_of(UnaryOp op, PyObject* self) {
  const Tensor& input = tensor_of(self);
  return wrap(run(gil_rule(op).releases(input), [&] { return autograd::unary(op, input); }));
}

[[gnu::cold, gnu::noinline]] PyObject* observed_unary(UnaryOp op, PyObject* self) {
  return observed_slot(
      ops::name(op), {self},
      [](PyObject* const* values, int row) {
        return unary_of(static_cast<UnaryOp>(row), values[0]);
      },
      static_cast<int>(op));
}

template <UnaryOp Op>
PyObject* unary_slot(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_unary(Op, self);
  return guarded([&] { return unary_of(Op, self); });
}

[[gnu::cold, gnu::noinline]] PyObject* observed_positive(PyObject* self) {
  return observed_slot("positive", {self},
                       [](PyObject* const* values, int) { return Py_NewRef(values[0]); });
}

PyObject* positive_slot(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_positive(self);
  return Py_NewRef(self);
}

[[gnu::cold, gnu::noinline]] PyObject* observed_matmul(PyObject* a, PyObject* b) {
  return observed_slot("matmul", {a, b}, [](PyObject* const* values, int) {
    return wrap(matmul(tensor_of(values[0]), tensor_of(values[1])));
  });
}

/// One operand is a NumPy array, or nothing for us.
PyObject* matmul_with_array(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const bool left = is_tensor(a);
    const py::object array = array_operand("matmul", tensor_of(left ? a : b), left ? b : a);
    if (!array) Py_RETURN_NOTIMPLEMENTED;
    const Tensor &first = tensor_of(left ? a : array.ptr()),
                 &second = tensor_of(left ? array.ptr() : b);
    const DType common = promote(first.dtype(), second.dtype());  // as of any other operator
    return PyNumber_MatrixMultiply(to_python(autograd::cast(first, common)).ptr(),
                                   to_python(autograd::cast(second, common)).ptr());
  });
}

PyObject* matmul_slot(PyObject* a, PyObject* b) {
  if (!is_tensor(a) || !is_tensor(b)) return matmul_with_array(a, b);
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_matmul(a, b);
  return guarded([&] { return wrap(matmul(tensor_of(a), tensor_of(b))); });
}

const Tensor& one_element(const char* op, PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  GPUKIT_CHECK(tensor.count() == 1, ShapeError, op, ": the tensor has ", tensor.count(),
               " elements (shape ", to_string(tensor.shape()),
               "); exactly one is needed. Reduce it first, e.g. with .sum() or .all()");
  return tensor;
}

bool single_truth(const Tensor& tensor) {
  GPUKIT_CHECK(tensor.count() == 1, ShapeError, "bool: the truth of a tensor with ", tensor.count(),
               " elements is ambiguous. Use .any() or .all()");
  const WaitReason reason(WaitKind::kBool);
  return read_value(tensor).as_bool();
}

[[noreturn]] void throw_complex_number(std::string_view type) {
  throw DTypeError(concat(type, ": the tensor is complex. Use X.real or abs(X), or complex(X)"))
      .with_fix("X.real");
}

PyObject* as_float(PyObject* self) {
  const Scalar value = read_value(one_element("float", self));
  if (value.is_complex()) throw_complex_number("float");
  return PyFloat_FromDouble(value.as_double());
}

PyObject* whole_number(Scalar value) {
  return value.is_huge() ? PyLong_FromUnsignedLongLong(value.as_uint64())
                         : PyLong_FromLongLong(value.as_int64());
}

PyObject* as_int(PyObject* self) {
  const Scalar value = read_value(one_element("int", self));
  switch (value.kind()) {
    case DTypeKind::kBool:
    case DTypeKind::kInteger:
      return whole_number(value);
    case DTypeKind::kFloating:
      return PyLong_FromDouble(value.as_double());
    case DTypeKind::kComplex:
      throw_complex_number("int");
  }
  __builtin_unreachable();
}

PyObject* as_index(PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  GPUKIT_CHECK(tensor.count() == 1, TypeError,
               "index: only integer tensors of one element can be an index, this one is of shape ",
               to_string(tensor.shape()), ". Take one element, or reduce it first");
  GPUKIT_CHECK(of_kind(kind_of(tensor.dtype()), true, true, false, false), TypeError,
               "index: only integer tensors can be an index, this one is ", name(tensor.dtype()),
               ". Use .int() or .long() first");
  const WaitReason reason(WaitKind::kIndex);
  return whole_number(read_value(tensor));
}

/// A slot that gives a Python number. The operator's name is the special method's: float is the
/// conversion to another dtype.
template <PyObject* (*Read)(PyObject* self)>
[[gnu::cold, gnu::noinline]] PyObject* observed_number(const char* signature, PyObject* self) {
  return observed_slot(signature, {self},
                       [](PyObject* const* values, int) { return Read(values[0]); });
}

PyObject* float_slot(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_number<as_float>("__float__(input)", self);
  return guarded([&] { return as_float(self); });
}

PyObject* int_slot(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_number<as_int>("__int__(input)", self);
  return guarded([&] { return as_int(self); });
}

PyObject* index_slot(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_number<as_index>("__index__(input)", self);
  return guarded([&] { return as_index(self); });
}

[[gnu::cold, gnu::noinline]] int observed_bool(PyObject* self) {
  return truth_of_result(observed_slot("__bool__(input)", {self}, [](PyObject* const* values, int) {
    return PyBool_FromLong(single_truth(tensor_of(values[0])) ? 1 : 0);
  }));
}

int bool_slot(PyObject* self) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_bool(self);
  return guarded_or(-1, [&] { return single_truth(tensor_of(self)) ? 1 : 0; });
}

constexpr BinaryOp kComparisons[] = {BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq,
                                     BinaryOp::kNe, BinaryOp::kGt, BinaryOp::kGe};

PyObject* compare_slot(PyObject* self, PyObject* other, int comparison) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_binary(kComparisons[comparison], self, other);
  return guarded([&] { return binary(kComparisons[comparison], self, other); });
}

}  // namespace

Scalar read_value(const Tensor& tensor) {
  if (tensor.on_host()) return ops::read_item(tensor);
  const WaitReason reason(WaitKind::kItem);
  return run(true, [&] { return ops::read_item(tensor); });
}

Tensor matmul(const Tensor& left, const Tensor& right) {
  if (left.on_host()) prepare_cpu_blas();
  return run(releases_gil(product_size(left.shape(), right.shape()), left),
             [&] { return autograd::matmul(left, right); });
}

void add_operator_slots(std::vector<PyType_Slot>& slots) {
  const PyType_Slot own[] = {
      slot(Py_nb_add, binary_slot<BinaryOp::kAdd>),
      slot(Py_nb_subtract, binary_slot<BinaryOp::kSub>),
      slot(Py_nb_multiply, binary_slot<BinaryOp::kMul>),
      slot(Py_nb_true_divide, binary_slot<BinaryOp::kDiv>),
      slot(Py_nb_floor_divide, binary_slot<BinaryOp::kFloorDivide>),
      slot(Py_nb_remainder, binary_slot<BinaryOp::kRemainder>),
      slot(Py_nb_power, power_slot),
      slot(Py_nb_and, binary_slot<BinaryOp::kBitwiseAnd>),
      slot(Py_nb_or, binary_slot<BinaryOp::kBitwiseOr>),
      slot(Py_nb_xor, binary_slot<BinaryOp::kBitwiseXor>),
      slot(Py_nb_lshift, binary_slot<BinaryOp::kShiftLeft>),
      slot(Py_nb_rshift, binary_slot<BinaryOp::kShiftRight>),
      slot(Py_nb_matrix_multiply, matmul_slot),
      slot(Py_nb_inplace_add, inplace_slot<BinaryOp::kAdd>),
      slot(Py_nb_inplace_subtract, inplace_slot<BinaryOp::kSub>),
      slot(Py_nb_inplace_multiply, inplace_slot<BinaryOp::kMul>),
      slot(Py_nb_inplace_true_divide, inplace_slot<BinaryOp::kDiv>),
      slot(Py_nb_inplace_floor_divide, inplace_slot<BinaryOp::kFloorDivide>),
      slot(Py_nb_inplace_remainder, inplace_slot<BinaryOp::kRemainder>),
      slot(Py_nb_inplace_power, inplace_power_slot),
      slot(Py_nb_inplace_and, inplace_slot<BinaryOp::kBitwiseAnd>),
      slot(Py_nb_inplace_or, inplace_slot<BinaryOp::kBitwiseOr>),
      slot(Py_nb_inplace_xor, inplace_slot<BinaryOp::kBitwiseXor>),
      slot(Py_nb_inplace_lshift, inplace_slot<BinaryOp::kShiftLeft>),
      slot(Py_nb_inplace_rshift, inplace_slot<BinaryOp::kShiftRight>),
      slot(Py_nb_negative, unary_slot<UnaryOp::kNeg>),
      slot(Py_nb_positive, positive_slot),
      slot(Py_nb_absolute, unary_slot<UnaryOp::kAbs>),
      slot(Py_nb_invert, unary_slot<UnaryOp::kBitwiseNot>),
      slot(Py_nb_bool, bool_slot),
      slot(Py_nb_float, float_slot),
      slot(Py_nb_int, int_slot),
      slot(Py_nb_index, index_slot),
      slot(Py_tp_richcompare, compare_slot),
  };
  slots.insert(slots.end(), std::begin(own), std::end(own));
}

}  // namespace gpukit::bindings
