// LAPACK's routines. Private: gpukit._operators.decompositions gives them names, checks and
// derivatives.
#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/linalg.h"

namespace gpukit::bindings {

namespace bind_lapack {
namespace {

/// Runs a routine on `a` beside `columns` further ones; results as a tuple.
template <class Compute>
PyObject* computed(const Tensor& a, std::int64_t columns, const Compute& compute) {
  if (a.on_host()) prepare_cpu_blas();
  const std::int64_t width = a.rank() > 0 ? std::max(a.size(a.rank() - 1), columns) : 1;
  // A multiply-add here takes about twenty times as long as one of a large product.
  const bool release = releases_gil(ProductSize{.m = a.count(), .n = width, .k = 20}, a);
  std::vector<Tensor> results = run(release, compute);
  py::tuple tuple(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) tuple[i] = to_python(std::move(results[i]));
  return tuple.release().ptr();
}

std::int64_t width_of(const Tensor& b) { return b.rank() > 0 ? b.size(b.rank() - 1) : 1; }

LeastSquaresDriver driver_of(std::string_view name) {
  if (name == "gels") return LeastSquaresDriver::kGels;
  if (name == "gelsd") return LeastSquaresDriver::kGelsd;
  if (name == "gelss") return LeastSquaresDriver::kGelss;
  GPUKIT_CHECK(name == "gelsy", ValueError, "lstsq: driver must be 'gels', 'gelsy', 'gelsd' or ",
               "'gelss', got '", name, "'.");
  return LeastSquaresDriver::kGelsy;
}

PyObject* lu_factor(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  return computed(input, 0, [&] { return ops::lu_factor(input); });
}
PyObject* solve(const Arguments& a) {
  const Tensor &input = a.tensor(0), &b = a.tensor(1);
  return computed(input, width_of(b), [&] { return ops::solve(input, b); });
}
PyObject* lu_solve(const Arguments& a) {
  const Tensor &lu = a.tensor(0), &pivots = a.tensor(1), &b = a.tensor(2);
  const bool adjoint = a.boolean(3, false);
  return computed(lu, width_of(b),
                  [&] { return std::vector{ops::lu_solve(lu, pivots, b, adjoint)}; });
}
PyObject* solve_triangular(const Arguments& a) {
  const Tensor &input = a.tensor(0), &b = a.tensor(1);
  const bool upper = a.boolean(2, false), unit = a.boolean(3, false);
  return computed(input, width_of(b),
                  [&] { return std::vector{ops::solve_triangular(input, b, upper, unit)}; });
}
PyObject* cholesky(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const bool upper = a.boolean(1, false);
  return computed(input, 0, [&] { return ops::cholesky(input, upper); });
}
PyObject* geqrf(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  return computed(input, 0, [&] { return ops::geqrf(input); });
}
PyObject* householder_product(const Arguments& a) {
  const Tensor &input = a.tensor(0), &tau = a.tensor(1);
  return computed(input, 0, [&] { return std::vector{ops::householder_product(input, tau)}; });
}
PyObject* eigh(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const bool upper = a.boolean(1, false), vectors = a.boolean(2, true);
  return computed(input, 0, [&] { return ops::eigh(input, upper, vectors); });
}
PyObject* svd(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const bool full = a.boolean(1, false), vectors = a.boolean(2, true);
  return computed(input, 0, [&] { return ops::svd(input, full, vectors); });
}
PyObject* eig(const Arguments& a) {
  const Tensor& input = a.tensor(0);
  const bool vectors = a.boolean(1, true);
  return computed(input, 0, [&] { return ops::eig(input, vectors); });
}
PyObject* least_squares(const Arguments& a) {
  const Tensor &input = a.tensor(0), &b = a.tensor(1);
  const double tolerance = a.number(2, -1);
  const LeastSquaresDriver driver = driver_of(to_text(a.argument(3), a[3]));
  return computed(input, width_of(b),
                  [&] { return ops::least_squares(input, b, tolerance, driver); });
}

// clang-format off
constexpr FunctionRow kLapackRows[] = {
  {.signature = "lapack_lu_factor(input) -> tuple[Tensor, ...]", .call = lu_factor, .cost = cost::kProduct,
   .doc = "LU, pivots, info.", .where = kFunction | kInner},
  {.signature = "lapack_solve(input, other: Tensor) -> tuple[Tensor, ...]", .call = solve, .cost = cost::kProduct,
   .doc = "The solution, info.", .where = kFunction | kInner},
  {.signature = "lapack_lu_solve(input, pivots: Tensor, other: Tensor, adjoint=False) -> tuple[Tensor, ...]", .call = lu_solve, .cost = cost::kProduct,
   .doc = "The solution, of lapack_lu_factor's results.", .where = kFunction | kInner},
  {.signature = "lapack_solve_triangular(input, other: Tensor, upper=False, unit=False) -> tuple[Tensor, ...]", .call = solve_triangular, .cost = cost::kProduct,
   .doc = "The solution.", .where = kFunction | kInner},
  {.signature = "lapack_cholesky(input, upper=False) -> tuple[Tensor, ...]", .call = cholesky, .cost = cost::kProduct,
   .doc = "L, info.", .where = kFunction | kInner},
  {.signature = "lapack_geqrf(input) -> tuple[Tensor, ...]", .call = geqrf, .cost = cost::kProduct,
   .doc = "Reflectors below R, and their factors.", .where = kFunction | kInner},
  {.signature = "lapack_householder_product(input, tau: Tensor) -> tuple[Tensor, ...]", .call = householder_product, .cost = cost::kProduct,
   .doc = "Q of reflectors.", .where = kFunction | kInner},
  {.signature = "lapack_eigh(input, upper=False, vectors=True) -> tuple[Tensor, ...]", .call = eigh, .cost = cost::kProduct,
   .doc = "Eigenvalues, eigenvectors, info.", .where = kFunction | kInner},
  {.signature = "lapack_svd(input, full=False, vectors=True) -> tuple[Tensor, ...]", .call = svd, .cost = cost::kProduct,
   .doc = "U, S, Vh, info; without vectors S, info.", .where = kFunction | kInner},
  {.signature = "lapack_eig(input, vectors=True) -> tuple[Tensor, ...]", .call = eig, .cost = cost::kProduct,
   .doc = "Eigenvalues and eigenvectors, both complex, info.", .where = kFunction | kInner},
  {.signature = "lapack_lstsq(input, other: Tensor, rcond: float, driver: str) -> tuple[Tensor, ...]", .call = least_squares, .cost = cost::kProduct,
   .doc = "Solutions, rank, singular values, info.", .where = kFunction | kInner},
};
// clang-format on

}  // namespace
}  // namespace bind_lapack

template <>
FunctionTable& functions<Family::kLapack>() {
  return function_table<bind_lapack::kLapackRows>();
}

}  // namespace gpukit::bindings
