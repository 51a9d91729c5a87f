// Matrix products.
#include "autograd/matmul.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/matmul.h"

namespace gpukit::bindings {

namespace {

using Product = Tensor (*)(const Tensor&, const Tensor&);

bool product_is_long(const Tensor& left, const Tensor& right) {
  const double columns = right.rank() == 0 ? 1 : static_cast<double>(right.size(right.rank() - 1));
  const double work = static_cast<double>(left.count()) * columns;
  return is_long(left, static_cast<std::int64_t>(work < 1e18 ? work : 1e18), cost::kMultiplyAdd,
                 site_of(kMatmulFamily, 0));
}

template <Product Function>
PyObject* product(const Arguments& a) {
  const Tensor &left = a.tensor(0), &right = a.tensor(1);
  if (left.is_cpu()) prepare_cpu_blas();
  return wrap(run(product_is_long(left, right), [&] { return Function(left, right); }));
}

PyObject* addmm(const Arguments& a) {
  const Tensor &input = a.tensor(0), &left = a.tensor(1), &right = a.tensor(2);
  const Scalar beta = a.optional_scalar(3).value_or(Scalar::integer(1));
  const Scalar alpha = a.optional_scalar(4).value_or(Scalar::integer(1));
  check_fits(a.place(3), beta, working_dtype(left.dtype()));
  check_fits(a.place(4), alpha, working_dtype(left.dtype()));
  if (left.is_cpu()) prepare_cpu_blas();
  return wrap(run(product_is_long(left, right),
                  [&] { return autograd::addmm(input, left, right, beta, alpha); }));
}

PyObject* set_precision(const Arguments& a) {
  const std::string text = to_text(a.place(0), a[0]);
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

PyObject* get_precision(const Arguments&) {
  static constexpr const char* kNames[] = {"highest", "high", "medium"};
  return PyUnicode_FromString(kNames[static_cast<int>(ops::float32_matmul_precision())]);
}

// clang-format off
constexpr FunctionRow kLinalgRows[] = {
  {"matmul(input, other)", product<autograd::matmul>,
   "Matrix product of vectors, matrices or stacks of matrices, which broadcast. The operator @.\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.matmul(gpukit.ones(2, 3), gpukit.ones(3))\n    tensor([3., 3.])\n"},
  {"mm(input, mat2)", product<autograd::mm>, "Product of two matrices."},
  {"bmm(input, mat2)", product<autograd::bmm>, "Products of two stacks of matrices, (b, n, m) and (b, m, p)."},
  {"mv(input, vec)", product<autograd::mv>, "Product of a matrix and a vector."},
  {"dot(input, other)", product<autograd::dot>, "Inner product of two vectors."},
  {"outer(input, vec2)", product<autograd::outer>, "All products of the elements of two vectors: (n, m)."},
  {"addmm(input, mat1, mat2, *, beta=1, alpha=1)", addmm, "beta * input + alpha * mat1 @ mat2; input broadcasts."},
  {"set_float32_matmul_precision(precision)", set_precision,
   "Float32 products on a GPU: 'highest' (plain float32, the default), 'high' or 'medium' (TF32 allowed).\n\n"
   "Example:\n    >>> import gpukit\n    >>> gpukit.set_float32_matmul_precision('highest')\n", kFunction, "None"},
  {"get_float32_matmul_precision()", get_precision,
   "What set_float32_matmul_precision set.\n\nExample:\n    >>> import gpukit\n    >>> gpukit.get_float32_matmul_precision()\n    'highest'\n", kFunction, "str"},
};
// clang-format on

}  // namespace

FunctionTable& linalg_functions() { return function_table<kLinalgRows>(); }

}  // namespace gpukit::bindings
