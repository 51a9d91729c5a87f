// Complex tensors: made, taken apart, conjugated.
#include "autograd/elementwise.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/host_data.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/elementwise.h"

namespace gpukit::bindings {

namespace {

using OfOne = Tensor (*)(const Tensor&);
using OfTwo = Tensor (*)(const Tensor&, const Tensor&);

/// A view, or the tensor itself.
template <OfOne Function>
PyObject* seen(const Arguments& a) {
  return wrap(Function(a.tensor(0)));
}

template <OfOne Function>
PyObject* computed(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  return wrap(run(a.gil().releases(input), [&] { return Function(input); }));
}

template <OfTwo Function>
PyObject* joined(const Arguments& a) {
  const Tensor &first = a.tensor(0), &second = a.tensor(1);
  return wrap(run(a.gil().releases(first), [&] { return Function(first, second); }));
}

/// Of a real tensor the tensor itself, and so it is below.
PyObject* real(const Arguments& a) {
  return is_complex(a.tensor(0).dtype()) ? seen<autograd::real_part>(a) : Py_NewRef(a[0]);
}

PyObject* conj(const Arguments& a) {
  return is_complex(a.tensor(0).dtype()) ? computed<autograd::conj>(a) : Py_NewRef(a[0]);
}

PyObject* conj_in_place(const Arguments& a) {
  const Tensor& target = a.tensor(0);
  if (is_complex(target.dtype()))
    run(a.gil().releases(target), [&] { autograd::copy_(target, autograd::conj(target)); });
  return Py_NewRef(a.self());
}

PyObject* itself(const Arguments& a) {
  a.tensor(0);
  return Py_NewRef(a[0]);
}

template <DType dtype>
PyObject* converted(const Arguments& a) {
  const Tensor& source = a.tensor(0);
  if (source.dtype() == dtype) return Py_NewRef(a.self());
  return wrap(run(a.gil().releases_for_launch(source, source.count()),
                  [&] { return autograd::cast(source, dtype); }));
}

// clang-format off
constexpr Docs kPartDocs = {.returns = "a view of the same memory, float32 of complex64 and float64 of complex128; a real tensor itself.",
    .raises = "-"};
constexpr Docs kPartsDocs = {.parameters = "real: float32 or float64.\nimag: real's dtype.\nabs: float32 or float64.\nangle: abs's dtype, in radians.\n",
    .returns = "the broadcast shape; complex64 of float32, complex128 of float64.",
    .raises = "DTypeError: the dtypes differ, or are others.\n" GPUKIT_RAISES_BROADCAST};
constexpr Docs kConjugatedDocs = {.returns = "input's shape and dtype; a real tensor itself.", .raises = "-"};
constexpr Docs kConvertedDocs = {.returns = "the tensor in that dtype; itself if it has it.", .raises = "-"};

constexpr FunctionRow kComplexRows[] = {
  {.signature = "complex(real: Tensor, imag: Tensor)", .call = joined<autograd::complex>, .cost = cost::kCopy,
   .doc = "A complex tensor of its real and its imaginary part.",
   .docs = kPartsDocs,
   .example = ">>> gpukit.complex(gpukit.tensor([1.0, 2.0]), gpukit.tensor([3.0, 4.0]))\n" "tensor([1.+3.j, 2.+4.j])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "polar(abs: Tensor, angle: Tensor)", .call = joined<autograd::polar>, .cost = cost::kFunction,
   .doc = "A complex tensor of its sizes and its angles: abs * (cos(angle) + i sin(angle)).",
   .docs = kPartsDocs,
   .example = ">>> gpukit.polar(gpukit.tensor([2.0]), gpukit.tensor([0.0]))\n" "tensor([2.+0.j])",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "view_as_real(input)", .call = seen<autograd::view_as_real>, .cost = cost::kNone,
   .doc = "A complex tensor as a floating one: a last dimension of 2 holds the parts.",
   .docs = {.returns = "a view of the same memory, (..., 2).",
             .raises = "DTypeError: the tensor is not complex.\nShapeError: it has as many dimensions as are possible.\n"},
   .example = ">>> gpukit.view_as_real(gpukit.tensor([1 + 2j]))\n" "tensor([[1., 2.]])",
   .where = kFunction},
  {.signature = "view_as_complex(input)", .call = seen<autograd::view_as_complex>, .cost = cost::kNone,
   .doc = "Pairs of floating numbers, the last dimension, as complex ones.",
   .docs = {.returns = "a view of the same memory without the last dimension.",
             .raises = "DTypeError: the tensor is neither float32 nor float64.\nShapeError: the last size is not 2, or pairs do not lie side by side.\n"},
   .example = ">>> gpukit.view_as_complex(gpukit.tensor([[1.0, 2.0]]))\n" "tensor([1.+2.j])",
   .where = kFunction},
  {.signature = "real(input)", .call = real, .cost = cost::kNone,
   .doc = "The real part.",
   .docs = kPartDocs,
   .example = ">>> gpukit.real(gpukit.tensor([1 + 2j]))\n" "tensor([1.])",
   .where = kFunction},
  {.signature = "imag(input)", .call = seen<autograd::imag_part>, .cost = cost::kNone,
   .doc = "The imaginary part of a complex tensor.",
   .docs = {.returns = "a view of the same memory, float32 of complex64 and float64 of complex128.",
             .raises = "DTypeError: the tensor is not complex.\n"},
   .example = ">>> gpukit.imag(gpukit.tensor([1 + 2j]))\n" "tensor([2.])",
   .where = kFunction},
  {.signature = "conj(input)", .call = conj, .cost = cost::kCopy,
   .doc = "The complex conjugate. A copy, not a view as in torch.",
   .docs = kConjugatedDocs,
   .example = ">>> gpukit.conj(gpukit.tensor([1 + 2j]))\n" "tensor([1.-2.j])"},
  {.signature = "conj_physical", .same_as = "conj",
   .doc = "The complex conjugate.",
   .example = ">>> gpukit.conj_physical(gpukit.tensor([1 + 2j]))\n" "tensor([1.-2.j])"},
  {.signature = "conj_physical_(input)", .call = conj_in_place, .cost = cost::kCopy,
   .doc = "The complex conjugate, in place.",
   .docs = {.returns = "the tensor itself.", .raises = "AutogradError: the tensor is a leaf that requires a gradient.\n"},
   .example = ">>> gpukit.tensor([1 + 2j]).conj_physical_()\n" "tensor([1.-2.j])",
   .where = kMethod},
  {.signature = "resolve_conj(input)", .call = itself, .cost = cost::kNone,
   .doc = "The tensor itself: no tensor of gpukit waits to be conjugated.",
   .docs = {.returns = "the tensor itself.", .raises = "-"},
   .example = ">>> gpukit.resolve_conj(gpukit.tensor([1 + 2j]))\n" "tensor([1.+2.j])"},
  {.signature = "resolve_neg", .same_as = "resolve_conj",
   .doc = "The tensor itself: no tensor of gpukit waits to be negated.",
   .example = ">>> gpukit.resolve_neg(gpukit.tensor([1 + 2j]))\n" "tensor([1.+2.j])"},
  {.signature = "is_conj(input) -> bool",
   .call = [](const Arguments& a) { a.tensor(0); return Py_NewRef(Py_False); },
   .cost = cost::kNone,
   .doc = "False: conj copies.",
   .docs = {.returns = "False.", .raises = "-"},
   .example = ">>> gpukit.is_conj(gpukit.tensor([1 + 2j]).conj())\n" "False"},
  {.signature = "is_complex(input) -> bool",
   .call = [](const Arguments& a) { return PyBool_FromLong(is_complex(a.tensor(0).dtype())); },
   .cost = cost::kNone,
   .doc = "True for complex64 and complex128.",
   .docs = {.returns = "a bool.", .raises = "-"},
   .example = ">>> gpukit.is_complex(gpukit.tensor([1 + 2j]))\n" "True"},
  {.signature = "angle(input)", .call = computed<autograd::angle>, .cost = cost::kFunction,
   .doc = "The angle of complex numbers in radians, from -pi to pi; of real numbers 0, or pi of negative ones.",
   .docs = {.returns = "input's shape; float32 of complex64, float64 of complex128; of real numbers their dtype, of whole ones the default floating dtype."},
   .example = ">>> gpukit.angle(gpukit.tensor([1j, -1 + 0j]))\n" "tensor([1.5708, 3.1416])",
   .out = Out::kCopied},
  {.signature = "sgn(input)", .call = computed<autograd::sgn>, .cost = cost::kFunction,
   .doc = "input / abs(input), and 0 of 0: the sign of real numbers.",
   .docs = {.returns = "input's shape and dtype."},
   .example = ">>> gpukit.sgn(gpukit.tensor([3 + 4j, 0j]))\n" "tensor([0.6000+0.8000j, 0.0000+0.0000j])",
   .out = Out::kCopied},
  {.signature = "cfloat(input)", .call = converted<DType::kComplex64>, .cost = cost::kCopy,
   .doc = "Converted to complex64.",
   .docs = kConvertedDocs,
   .example = ">>> gpukit.ones(1).cfloat()\n" "tensor([1.+0.j])",
   .where = kMethod},
  {.signature = "cdouble(input)", .call = converted<DType::kComplex128>, .cost = cost::kCopy,
   .doc = "Converted to complex128.",
   .docs = kConvertedDocs,
   .example = ">>> gpukit.ones(1).cdouble()\n" "tensor([1.+0.j], dtype=gpukit.complex128)",
   .where = kMethod},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kComplex>() {
  return function_table<kComplexRows>();
}

}  // namespace gpukit::bindings
