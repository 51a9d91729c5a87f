// Matrix products.
#include "autograd/matmul.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/row_texts.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/matmul.h"

namespace gpukit::bindings {

namespace {

using Product = Tensor (*)(const Tensor&, const Tensor&, const Tensor* out);

ProductSize outer_size(const Shape& left, const Shape& right) {
  return {.m = element_count(left), .n = element_count(right)};
}

template <Product Function, ProductSize (*Size)(const Shape&, const Shape&) = product_size>
PyObject* product(const Arguments& a) {
  const Tensor &left = a.tensor(0), &right = a.tensor(1);
  if (left.on_host()) prepare_cpu_blas();
  const bool release = releases_gil(Size(left.shape(), right.shape()), left);
  return wrap(run(release, [&] { return Function(left, right, a.out()); }));
}

PyObject* addmm(const Arguments& a) {
  const Tensor &input = a.tensor(0), &left = a.tensor(1), &right = a.tensor(2);
  const Scalar beta = a.optional_scalar(3).value_or(Scalar::integer(1));
  const Scalar alpha = a.optional_scalar(4).value_or(Scalar::integer(1));
  check_fits(a.argument(3), beta, working_dtype(left.dtype()));
  check_fits(a.argument(4), alpha, working_dtype(left.dtype()));
  if (left.on_host()) prepare_cpu_blas();
  return wrap(run(releases_gil(product_size(left.shape(), right.shape()), left),
                  [&] { return autograd::addmm(input, left, right, beta, alpha, a.out()); }));
}

PyObject* set_precision(const Arguments& a) {
  const std::string text = to_text(a.argument(0), a[0]);
  if (text == "highest") {
    ops::set_float32_matmul_precision(ops::MatmulPrecision::kHighest);
  } else if (text == "high") {
    ops::set_float32_matmul_precision(ops::MatmulPrecision::kHigh);
  } else {
    GPUKIT_CHECK(
        text == "medium", ValueError,
        "set_float32_matmul_precision: precision must be 'highest', 'high' or 'medium', got '",
        text, "'");
    ops::set_float32_matmul_precision(ops::MatmulPrecision::kMedium);
  }
  Py_RETURN_NONE;
}

// clang-format off
constexpr FunctionRow kLinalgRows[] = {
  {.signature = "matmul(input, other: Tensor)", .call = product<autograd::matmul>, .cost = cost::kProduct,
   .doc = "Matrix product of vectors, matrices or stacks of matrices, which broadcast. The operator @.",
   .docs = {.parameters = "input: one dimension or more; any dtype but bool.\nother: one dimension or more; input's dtype.\n",
             .returns = "(..., n, p) of (..., n, m) and (..., m, p), leading sizes broadcast; vectors lose their dimension. input's dtype.",
             .raises = "ShapeError: inner sizes differ, or one is 0-d.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.matmul(gpukit.ones(2, 3), gpukit.ones(3))\n" "tensor([3., 3.])",
   .out = Out::kDirect},
  {.signature = "mm(input, mat2: Tensor)", .call = product<autograd::mm>, .cost = cost::kProduct,
   .doc = "Product of two matrices.",
   .docs = {.parameters = "input: (n, m).\nmat2: (m, p), of input's dtype.\n",
             .returns = "(n, p), input's dtype.",
             .raises = "ShapeError: not two matrices, or inner sizes differ.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.mm(gpukit.tensor([[1.0, 2.0]]), gpukit.tensor([[3.0], [4.0]]))\n" "tensor([[11.]])",
   .out = Out::kDirect},
  {.signature = "bmm(input, mat2: Tensor)", .call = product<autograd::bmm>, .cost = cost::kProduct,
   .doc = "Products of two stacks of matrices, (b, n, m) and (b, m, p).",
   .docs = {.parameters = "input: (b, n, m).\nmat2: (b, m, p), of input's dtype.\n",
             .returns = "(b, n, p), input's dtype.",
             .raises = "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.bmm(gpukit.ones(2, 3, 4), gpukit.ones(2, 4, 5)).shape\n" "(2, 3, 5)",
   .out = Out::kDirect},
  {.signature = "mv(input, vec: Tensor)", .call = product<autograd::mv>, .cost = cost::kProduct,
   .doc = "Product of a matrix and a vector.",
   .docs = {.parameters = "input: (n, m).\nvec: (m,), of input's dtype.\n",
             .returns = "(n,), input's dtype.",
             .raises = "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.mv(gpukit.tensor([[1.0, 2.0], [3.0, 4.0]]), gpukit.ones(2))\n" "tensor([3., 7.])",
   .out = Out::kDirect},
  {.signature = "dot(input, other: Tensor)", .call = product<autograd::dot>, .cost = cost::kProduct,
   .doc = "Inner product of two vectors.",
   .docs = {.parameters = "input: (n,).\nother: (n,), of input's dtype.\n",
             .returns = "0-d, input's dtype.",
             .raises = "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or are bool.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.dot(gpukit.tensor([1.0, 2.0]), gpukit.tensor([3.0, 4.0]))\n" "tensor(11.)",
   .out = Out::kDirect},
  {.signature = "outer(input, vec2: Tensor)", .call = product<autograd::outer, outer_size>, .cost = cost::kProduct,
   .doc = "All products of the elements of two vectors: (n, m).",
   .docs = {.parameters = "input: (n,).\nvec2: (m,).\n",
             .returns = "(n, m); the dtype that both have in common.",
             .raises = "ShapeError: one is not 1-d.\nDTypeError: the dtypes have none in common.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.outer(gpukit.tensor([1, 2]), gpukit.tensor([3, 4]))\n" "tensor([[3, 4],\n" "        [6, 8]])",
   .out = Out::kDirect},
  {.signature = "addmm(input, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1)", .call = addmm, .cost = cost::kProduct,
   .doc = "beta * input + alpha * mat1 @ mat2; input broadcasts.",
   .docs = {.parameters = "input: broadcasts to (n, p).\nmat1: (n, m), of input's dtype.\nmat2: (m, p), of input's dtype.\nbeta: a number; whole for integers.\nalpha: a number; whole for integers.\n",
             .returns = "(n, p), input's dtype.",
             .raises = "ShapeError: sizes do not fit.\nDTypeError: dtypes differ, or a factor is not whole.\n" GPUKIT_RAISES_DEVICES},
   .example = ">>> gpukit.addmm(gpukit.ones(2), gpukit.eye(2), gpukit.eye(2))\n" "tensor([[2., 1.],\n" "        [1., 2.]])",
   .out = Out::kDirect},
  {.signature = "set_float32_matmul_precision(precision: str) -> None", .call = set_precision, .cost = cost::kNone,
   .doc = "Float32 products on a GPU: 'highest' (plain float32, the default), 'high' or 'medium' (TF32 allowed).",
   .docs = {.parameters = "precision: one of the three.\n",
             .returns = "None.",
             .raises = "ValueError: precision is another one.\n"},
   .example = ">>> gpukit.set_float32_matmul_precision('highest')",
   .where = kFunction},
  {.signature = "get_float32_matmul_precision() -> str",
   .call = [](const Arguments&) {
     static constexpr const char* kNames[] = {"highest", "high", "medium"};
     return PyUnicode_FromString(kNames[static_cast<int>(ops::float32_matmul_precision())]);
   },
   .cost = cost::kNone,
   .doc = "What set_float32_matmul_precision set.",
   .docs = {.returns = "one of the three texts.",
             .raises = "-"},
   .example = ">>> gpukit.get_float32_matmul_precision()\n" "'highest'",
   .where = kFunction},
};
// clang-format on

}  // namespace

template <>
FunctionTable& functions<Family::kLinalg>() {
  return function_table<kLinalgRows>();
}

}  // namespace gpukit::bindings
