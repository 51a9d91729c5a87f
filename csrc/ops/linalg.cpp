#include "ops/linalg.h"

#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace linalg_impl {
namespace {

/// The most rows of a matrix whose working memory LAPACK's 32-bit integers count.
constexpr std::int64_t kMostRows = 23'000;
constexpr std::int64_t kMostComplexRows = 20'000;

void check_matrices(LinalgRoutine routine, const Tensor& a) {
  GPUKIT_CHECK(a.rank() >= 2, ShapeError, name_of(routine), ": the input is ", to_string(a.shape()),
               "; a matrix needs two dimensions or more.");
  const DType parts = real_dtype(a.dtype());
  GPUKIT_CHECK(parts == DType::kFloat32 || parts == DType::kFloat64, DTypeError, name_of(routine),
               ": the input is ", name(a.dtype()),
               "; float32, float64 or their complex dtypes are needed. Convert with .float() or "
               ".double().");
  const bool quadratic = routine == LinalgRoutine::kEigh || routine == LinalgRoutine::kSvd;
  const std::int64_t most = !quadratic              ? std::numeric_limits<std::int32_t>::max()
                            : is_complex(a.dtype()) ? kMostComplexRows
                                                    : kMostRows;
  GPUKIT_CHECK(a.size(a.rank() - 2) <= most && a.size(a.rank() - 1) <= most, ShapeError,
               name_of(routine), ": the input is ", to_string(a.shape()),
               "; LAPACK takes matrices of at most ", most, " rows and columns.");
}

void check_square(LinalgRoutine routine, const Tensor& a) {
  check_matrices(routine, a);
  GPUKIT_CHECK(a.size(a.rank() - 2) == a.size(a.rank() - 1), ShapeError, name_of(routine),
               ": the input is ", to_string(a.shape()), "; its matrices must be square.");
}

void check_right(LinalgRoutine routine, const Tensor& a, const Tensor& b, bool same_rows) {
  check_matrices(routine, b);
  check_same_device(name_of(routine), a, b);
  bool fits = a.rank() == b.rank() && a.dtype() == b.dtype();
  for (int i = 0; fits && i < a.rank() - 2; ++i) fits = a.size(i) == b.size(i);
  fits = fits && (!same_rows || a.size(a.rank() - 2) == b.size(b.rank() - 2));
  GPUKIT_CHECK(fits, ShapeError, name_of(routine), ": the operands are ", to_string(a.shape()),
               " and ", to_string(b.shape()), " of ", name(a.dtype()), " and ", name(b.dtype()),
               "; they do not fit together.");
}

Shape leading(const Tensor& a) { return Shape(std::span(a.shape().begin(), a.shape().end() - 2)); }
Shape with(Shape shape, std::int64_t size) {
  shape.push_back(size);
  return shape;
}
Shape with(Shape shape, std::int64_t rows, std::int64_t columns) {
  return with(with(std::move(shape), rows), columns);
}

Tensor transposed(const Tensor& a) { return gpukit::transpose(a, -2, -1); }
/// A copy whose matrices lie by columns; its own shape has columns and rows exchanged.
Tensor by_columns(const Tensor& a) { return clone(transposed(a)); }

Tensor made(const Tensor& like, const Shape& shape, DType dtype) {
  return empty_on(like.open_device(), shape, dtype);
}
Tensor made(const Tensor& like, const Shape& shape) { return made(like, shape, like.dtype()); }
Tensor made_real(const Tensor& like, const Shape& shape) {
  return made(like, shape, real_dtype(like.dtype()));
}
Tensor counts(const Tensor& like, const Shape& shape) { return made(like, shape, DType::kInt32); }
Tensor zero(const Tensor& tensor) {
  fill_(tensor, Scalar::integer(0));
  return tensor;
}

LinalgArgs arguments(LinalgRoutine routine, const Tensor& a) {
  LinalgArgs args;
  args.routine = routine;
  args.dtype = a.dtype();
  args.rows = a.size(a.rank() - 2);
  args.columns = a.size(a.rank() - 1);
  args.batch = element_count(leading(a));
  return args;
}

std::int32_t* words(const Tensor& tensor) { return tensor.data_as<std::int32_t>(); }

template <class... Tensors>
void run(const LinalgArgs& args, const Tensors&... operands) {
  const Call call(std::get<0>(std::tie(operands...)));
  call.use(operands...);
  call.ops.linalg(args, call.stream);
}

}  // namespace
}  // namespace linalg_impl

std::vector<Tensor> lu_factor(const Tensor& a) {
  using namespace linalg_impl;
  check_matrices(LinalgRoutine::kLu, a);
  LinalgArgs args = arguments(LinalgRoutine::kLu, a);
  const Tensor lu = by_columns(a);
  const Tensor pivots = counts(a, with(leading(a), args.smaller()));
  const Tensor info = counts(a, leading(a));
  if (a.count() == 0) return {transposed(lu), pivots, zero(info)};
  args.a = lu.data();
  args.pivots = words(pivots);
  args.info = words(info);
  run(args, lu, pivots, info);
  return {transposed(lu), pivots, info};
}

std::vector<Tensor> solve(const Tensor& a, const Tensor& b) {
  using namespace linalg_impl;
  check_square(LinalgRoutine::kSolve, a);
  check_right(LinalgRoutine::kSolve, a, b, true);
  const Tensor x = by_columns(b), info = counts(a, leading(a));
  if (x.count() == 0) return {transposed(x), lu_factor(a).back()};
  const Tensor copy = by_columns(a);
  LinalgArgs args = arguments(LinalgRoutine::kSolve, a);
  args.a = copy.data();
  args.b = x.data();
  args.count = b.size(b.rank() - 1);
  args.info = words(info);
  run(args, copy, x, info);
  return {transposed(x), info};
}

Tensor lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool adjoint) {
  using namespace linalg_impl;
  check_square(LinalgRoutine::kLuSolve, lu);
  check_right(LinalgRoutine::kLuSolve, lu, b, true);
  check_same_device("lu_solve", lu, pivots);
  LinalgArgs args = arguments(LinalgRoutine::kLuSolve, lu);
  GPUKIT_CHECK(pivots.dtype() == DType::kInt32 && pivots.shape() == with(leading(lu), args.rows),
               ShapeError, "lu_solve: pivots are ", name(pivots.dtype()), " of shape ",
               to_string(pivots.shape()), "; int32 of ", to_string(with(leading(lu), args.rows)),
               " is needed.");
  const Tensor x = by_columns(b);
  if (x.count() == 0) return transposed(x);
  const Tensor columns = contiguous(transposed(lu)), rows = contiguous(pivots);
  args.a = columns.data();
  args.b = x.data();
  args.count = b.size(b.rank() - 1);
  args.pivots = words(rows);
  args.transposed = adjoint;
  run(args, columns, rows, x);
  return transposed(x);
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool unit) {
  using namespace linalg_impl;
  check_square(LinalgRoutine::kTriangularSolve, a);
  check_right(LinalgRoutine::kTriangularSolve, a, b, true);
  const Tensor x = by_columns(b);
  if (x.count() == 0) return transposed(x);
  LinalgArgs args = arguments(LinalgRoutine::kTriangularSolve, a);
  // A matrix by rows is its transpose by columns: no copy.
  args.transposed = !transposed(a).is_contiguous();
  const Tensor matrix = args.transposed ? contiguous(a) : transposed(a);
  args.a = matrix.data();
  args.b = x.data();
  args.count = b.size(b.rank() - 1);
  args.upper = upper != args.transposed;
  args.unit = unit;
  run(args, matrix, x);
  return transposed(x);
}

std::vector<Tensor> cholesky(const Tensor& a, bool upper) {
  using namespace linalg_impl;
  check_square(LinalgRoutine::kCholesky, a);
  const Tensor l = clone(a), info = counts(a, leading(a));
  if (a.count() == 0) return {l, zero(info)};
  LinalgArgs args = arguments(LinalgRoutine::kCholesky, a);
  args.a = l.data();
  args.info = words(info);
  args.upper = !upper;  // by rows
  run(args, l, info);
  return {l, info};
}

std::vector<Tensor> geqrf(const Tensor& a) {
  using namespace linalg_impl;
  check_matrices(LinalgRoutine::kQr, a);
  LinalgArgs args = arguments(LinalgRoutine::kQr, a);
  const Tensor reflectors = by_columns(a), tau = made(a, with(leading(a), args.smaller()));
  if (a.count() == 0) return {transposed(reflectors), tau};
  args.a = reflectors.data();
  args.b = tau.data();
  run(args, reflectors, tau);
  return {transposed(reflectors), tau};
}

Tensor householder_product(const Tensor& a, const Tensor& tau) {
  using namespace linalg_impl;
  check_matrices(LinalgRoutine::kHouseholder, a);
  check_same_device("householder_product", a, tau);
  LinalgArgs args = arguments(LinalgRoutine::kHouseholder, a);
  args.count = tau.rank() == 0 ? 0 : tau.size(tau.rank() - 1);
  GPUKIT_CHECK(args.rows >= args.columns && args.columns >= args.count &&
                   tau.dtype() == a.dtype() && tau.shape() == with(leading(a), args.count),
               ShapeError, "householder_product: the reflectors are ", to_string(a.shape()),
               " and tau ", to_string(tau.shape()),
               "; m >= n >= k of (..., m, n) and (..., k) is needed, and one dtype.");
  const Tensor q = by_columns(a), factors = contiguous(tau);
  if (a.count() == 0) return transposed(q);
  args.a = q.data();
  args.b = factors.count() == 0 ? q.data() : factors.data();
  run(args, q, factors);
  return transposed(q);
}

std::vector<Tensor> eigh(const Tensor& a, bool upper, bool vectors) {
  using namespace linalg_impl;
  check_square(LinalgRoutine::kEigh, a);
  LinalgArgs args = arguments(LinalgRoutine::kEigh, a);
  const Tensor v = by_columns(a), values = made_real(a, with(leading(a), args.rows));
  const Tensor info = counts(a, leading(a));
  if (a.count() == 0) return {values, transposed(v), zero(info)};
  args.a = v.data();
  args.b = values.data();
  args.info = words(info);
  args.upper = upper;
  args.vectors = vectors;
  run(args, v, values, info);
  return {values, transposed(v), info};
}

std::vector<Tensor> svd(const Tensor& a, bool full, bool vectors) {
  using namespace linalg_impl;
  check_matrices(LinalgRoutine::kSvd, a);
  LinalgArgs args = arguments(LinalgRoutine::kSvd, a);
  const Tensor copy = by_columns(a), s = made_real(a, with(leading(a), args.smaller()));
  const Tensor info = counts(a, leading(a));
  args.a = copy.count() == 0 ? nullptr : copy.data();
  args.b = s.data();
  args.info = words(info);
  args.full = full;
  args.vectors = vectors;
  if (!vectors) {
    if (a.count() == 0) return {s, zero(info)};
    run(args, copy, s, info);
    return {s, info};
  }
  const std::int64_t k = args.smaller();
  const Tensor u = made(a, with(leading(a), full ? args.rows : k, args.rows));
  const Tensor v = made(a, with(leading(a), args.columns, full ? args.columns : k));
  if (a.count() == 0) return {zero(transposed(u)), s, zero(transposed(v)), zero(info)};
  args.c = u.data();
  args.d = v.data();
  run(args, copy, s, u, v, info);
  return {transposed(u), s, transposed(v), info};
}

std::vector<Tensor> eig(const Tensor& a, bool vectors) {
  using namespace linalg_impl;
  check_square(LinalgRoutine::kEig, a);
  LinalgArgs args = arguments(LinalgRoutine::kEig, a);
  const Tensor copy = by_columns(a);
  const DType dtype = complex_dtype(a.dtype());
  const Tensor values = made(a, with(leading(a), args.rows), dtype), info = counts(a, leading(a));
  const Tensor v = made(a, with(leading(a), vectors ? args.rows : 0, args.rows), dtype);
  if (a.count() == 0) return {values, transposed(v), zero(info)};
  args.a = copy.data();
  args.c = values.data();
  args.d = vectors ? v.data() : nullptr;
  args.info = words(info);
  args.vectors = vectors;
  run(args, copy, values, v, info);
  return {values, transposed(v), info};
}

std::vector<Tensor> least_squares(const Tensor& a, const Tensor& b, double tolerance,
                                  LeastSquaresDriver driver) {
  using namespace linalg_impl;
  check_matrices(LinalgRoutine::kLeastSquares, a);
  check_right(LinalgRoutine::kLeastSquares, a, b, true);
  LinalgArgs args = arguments(LinalgRoutine::kLeastSquares, a);
  args.count = b.size(b.rank() - 1);
  const Tensor copy = by_columns(a);
  const Tensor x = zero(made(a, with(leading(a), args.count, args.larger())));
  const Tensor rank = counts(a, leading(a)), info = counts(a, leading(a));
  const Tensor values = made_real(a, with(leading(a), args.smaller()));
  if (b.count() > 0) copy_(gpukit::narrow(transposed(x), -2, 0, args.rows), b);
  if (a.count() == 0 || b.count() == 0)
    return {zero(transposed(x)), zero(rank), zero(values), zero(info)};
  args.a = copy.data();
  args.b = x.data();
  args.c = values.data();
  args.pivots = words(rank);
  args.info = words(info);
  args.tolerance = tolerance;
  args.driver = driver;
  run(args, copy, x, values, rank, info);
  return {transposed(x), rank, values, info};
}

}  // namespace gpukit::ops
